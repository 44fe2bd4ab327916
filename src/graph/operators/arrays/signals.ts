/**
 * Read Signal, Convolve and Write Signal take sounds, rows of matrices and columns of tables as signals. Sums
 * of floats are made in float64 on the CPU, so that every machine gives the same bits.
 */
import { InvalidInputError } from "../../../core/errors.ts";
import { writableFormats } from "../../../io/index.ts";
import { input, operator, optionalInput, output } from "../../catalogue/operator.ts";
import { file, flag, text } from "../../catalogue/parameters.ts";
import { checkFile, formatToWrite, formatWritten } from "../data/formats.ts";
import { convolveParameters } from "../../parameters/arrays.ts";
import { readingParameters } from "../../parameters/reading.ts";
import { isSound, noColumns, promoted, readSignal as signalOf, signalPieces } from "../../signals.ts";
import { readOptions } from "../data/readTable.ts";

const { columns: _c, nominal: _n, numeric: _m, dates: _d, ...reading } = readingParameters;

export const readSignal = operator({
  id: "readSignal",
  version: 1,
  title: "Read Signal",
  group: "Data",
  says: "Reads the channels of a WAV file, the rows of a matrix such as .npy, or one column of a table.",
  inputs: {},
  outputs: { signal: output("Signal", "the samples; those of sounds in [-1, 1)") },
  parameters: { ...reading, column: text({ says: "the column of a table", otherwise: "its only one" }) },
  check: () => ({ signal: {} }),
  run: async (_, { column, ...parameters }, { source, signal }) => {
    const none = { columns: undefined, nominal: undefined, numeric: undefined, dates: undefined };
    const options = { ...readOptions({ ...parameters, ...none }), column, ...(signal && { signal }) };
    const file = source();
    const read = await signalOf(file, options);
    if (column !== undefined && read.column === undefined) throw noColumns(file.name);
    return { signal: read };
  },
});

export const convolve = operator({
  id: "convolve",
  version: 1,
  title: "Convolve",
  group: "Arrays",
  says: "Convolves or correlates signals with a mask: taps, or another signal.",
  inputs: {
    signal: input("Signal", "the signals"),
    mask: optionalInput("Signal", "the mask, instead of taps"),
  },
  outputs: { signal: output("Signal", "as many signals, in the form of those given") },
  parameters: convolveParameters,
  check: ({ mask }, { taps, mode, boundary, fill }, report) => {
    if ((mask === undefined) === (taps === undefined))
      report(
        mask === undefined ? "is missing; give taps, or wire a mask" : "and mask are two; leave one out",
        {
          parameter: "taps",
        },
      );
    if (boundary !== "constant" && mode !== "same")
      report(`is ${boundary}, which needs the mode same, but that is ${mode}`, { parameter: "boundary" });
    if (fill !== 0 && (mode === "valid" || boundary !== "constant"))
      report("is of samples outside, of which none are used; leave it out", { parameter: "fill" });
    return { signal: {} };
  },
  run: async ({ signal: value, mask }, parameters, { device, signal, onProgress }) => {
    const { taps, correlate: asIs, mode, boundary, fill, wrapOverflow } = parameters;
    if (mask !== undefined && mask.rows !== 1)
      throw new InvalidInputError(`the mask holds ${mask.rows} signals; expected one`);
    const room = await import("../../../ops/convolve/index.ts");
    const weights = taps ?? mask?.samples ?? [];
    const samples = promoted(value.samples, weights, fill);
    const whole = samples instanceof Int32Array;
    const made = await (asIs ? room.correlate : room.convolve)(
      whole ? samples : Float64Array.from(samples),
      weights,
      {
        ...(whole ? { device } : { backend: "cpu" as const }),
        ...{ mode, boundary, fill, rows: value.rows, signal, onProgress },
        overflow: wrapOverflow ? "wrap" : "error",
      },
    );
    return { signal: { ...value, samples: made } };
  },
});

export const writeSignal = operator({
  id: "writeSignal",
  version: 1,
  title: "Write Signal",
  group: "Data",
  says: "Writes signals in the form they were read in: sounds as .wav, others as .npy, a table or a matrix.",
  inputs: { signal: input("Signal", "what to write") },
  outputs: {},
  parameters: {
    file: file({ says: "the file, relative to the process or to --out" }),
    format: formatWritten(writableFormats),
    clip: flag({
      default: false,
      says: "let samples that a sound cannot hold become the nearest that it can",
    }),
  },
  effect: true,
  check: (_, { file: path, format }, report) => {
    if (!isSound(path)) checkFile(() => formatToWrite(path, format), report);
    return {};
  },
  run: async ({ signal: value }, { file: path, format, clip }, { signal, write }) => {
    const csv = signal === undefined ? {} : { signal };
    const named = format === "auto" ? undefined : format;
    const { pieces, clipped } = signalPieces(value, { file: path, format: named, csv });
    if (clipped > 0 && !clip)
      throw new InvalidInputError(
        `${clipped} samples lie outside of what a ${value.sound?.form} sound holds; make it quieter, or set clip`,
      );
    await write(asPieces(pieces));
    return {};
  },
});

async function* asPieces(pieces: AsyncIterable<string | Uint8Array> | Iterable<Uint8Array>) {
  for await (const piece of pieces) yield piece as Uint8Array<ArrayBuffer>;
}
