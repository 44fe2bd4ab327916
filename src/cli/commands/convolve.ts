/**
 * `nearfield convolve` convolves or correlates the signals of a file with a mask, such as to filter a sound.
 */
import { Command } from "commander";
import type { SignalValue } from "../../graph/index.ts";
import { convolveParameters, convolveTechnique } from "../../graph/parameters/arrays.ts";
import { isSound, noColumns, promoted, signalPieces } from "../../graph/signals.ts";
import { outputFormat } from "../../io/index.ts";
import { convolve, correlate, InvalidInputError } from "../../node.ts";
import type { Boundary, ConvolveMode, ConvolveTechnique } from "../../node.ts";
import { plural } from "../format.ts";
import { readSignals } from "../inputs/signals.ts";
import { makeResult, type Ran, type Working } from "../oneResult.ts";
import { flagOption, optionOf, optionWithDefault } from "../options/parameter.ts";
import {
  addRunOptions,
  checkBackend,
  csvOutput,
  deviceOptions,
  type SearchRunFlags,
} from "../options/shared.ts";
import { runLines } from "../summary.ts";

interface ConvolveCommandOptions extends SearchRunFlags {
  readonly taps?: readonly number[];
  readonly correlate?: boolean;
  readonly mode: ConvolveMode;
  readonly boundary: Boundary;
  readonly fill: number;
  readonly column?: string;
  readonly technique: "auto" | ConvolveTechnique;
  readonly wrapOverflow?: boolean;
  readonly float32?: boolean;
}

const help = `
Signals are the channels of a WAV file (PCM of 8, 16, 24 or 32 bits, or float32), the last axis of an .npy array, the
rows of another matrix, or one column of a table. The mask is a file with one signal, or --taps. The result has the form of the
signals: a WAV file as .wav, others as the format of --out says. Whole numbers stay int32 with a mask of whole numbers, and
become float64 with fractions, as in numpy.

PCM of n bits is read as numbers in [-1, 1): whole numbers divided by 2^(n-1). In a .wav of PCM numbers are multiplied by
that and rounded; what lies outside is clipped, and counted. int32 sums that overflow are an error.

Examples:
  nearfield convolve speech.wav --taps 0.25,0.5,0.25 --mode same --out softer.wav
  nearfield convolve signal.npy lowpass.npy --mode same --boundary reflect --out filtered.npy
  nearfield convolve sensor.csv --column temperature --taps 1,0,-1 --correlate --mode valid`;

export function convolveCommand(signal: AbortSignal): Command {
  const command = new Command("convolve")
    .description("Convolves the signals of a file with a mask, which is turned round; see --correlate.")
    .argument("<signal>", "file of signals; - is stdin")
    .argument("[mask]", "file of a mask")
    .addOption(optionOf("--taps <numbers>", convolveParameters.taps))
    .addOption(flagOption("--correlate", convolveParameters.correlate))
    .addOption(optionWithDefault("--mode <name>", convolveParameters.mode))
    .addOption(optionWithDefault("--boundary <name>", convolveParameters.boundary))
    .addOption(optionWithDefault("--fill <number>", convolveParameters.fill))
    .option("--column <name>", "the column of a table that is the signal, or the mask")
    .addOption(optionWithDefault("--technique <name>", convolveTechnique))
    .addOption(flagOption("--wrap-overflow", convolveParameters.wrapOverflow))
    .option("--float32", "let a GPU convolve float64 rounded to float32");
  return addRunOptions(command)
    .addHelpText("after", help)
    .action((file: string, mask: string | undefined, options: ConvolveCommandOptions) =>
      run(file, mask, options, signal),
    );
}

interface ConvolveFacts {
  readonly signals: number;
  readonly samples: number;
  readonly taps: number;
  readonly mode: ConvolveMode;
  /** A WAV file could not hold so many samples; absent where nothing was clipped. */
  readonly clipped?: number;
}

async function run(
  file: string,
  maskFile: string | undefined,
  options: ConvolveCommandOptions,
  signal: AbortSignal,
): Promise<void> {
  const { out, mode, boundary, fill, technique } = options;
  if ((maskFile === undefined) === (options.taps === undefined)) {
    throw new InvalidInputError("expected a mask: either a second file, or --taps");
  }
  checkBackend(options);
  if (!isSound(out)) outputFormat(out, options.format);
  const work = async ({ progress, lap, onExplanation }: Working) => {
    const signals = await readSignals(file, options, signal);
    const other = maskFile === undefined ? undefined : await readMask(maskFile, options, signal);
    if (options.column !== undefined && (signals.column ?? other?.column) === undefined)
      throw noColumns(file, "--column");
    const mask = options.taps ?? other!.samples;
    lap("read");
    const total = signals.samples.length;
    const samples = promoted(signals.samples, mask, fill);
    const result = await (options.correlate ? correlate : convolve)(samples, mask, {
      ...deviceOptions(options),
      ...{ mode, boundary, fill, technique, signal, rows: signals.rows, onExplanation },
      overflow: options.wrapOverflow ? "wrap" : "error",
      precision: options.float32 ? "float32" : "float64",
      onProgress: ({ done, total }) => progress.show({ phase: "convolving", unit: "output", done, total }),
    });
    lap("convolve");
    const { pieces, clipped } = signalPieces(
      { ...signals, samples: result },
      { file: out, format: options.format, csv: csvOutput(options) },
    );
    const facts: ConvolveFacts = {
      signals: signals.rows,
      samples: total / signals.rows,
      taps: mask.length,
      mode,
      ...(clipped > 0 ? { clipped } : {}),
    };
    return { pieces, facts };
  };
  const inputs = maskFile === undefined ? [file] : [file, maskFile];
  await makeResult({ command: "convolve", options, inputs, textOf, work }, signal);
}

async function readMask(
  file: string,
  options: ConvolveCommandOptions,
  signal: AbortSignal,
): Promise<SignalValue> {
  const mask = await readSignals(file, options, signal);
  if (mask.rows === 1) return mask;
  throw new InvalidInputError(`holds ${mask.rows} signals; expected one, the mask`, { file });
}

function textOf(convolved: Ran & ConvolveFacts): string {
  const { signals, samples, taps, mode, clipped } = convolved;
  const besides = clipped === undefined ? [] : [`clipped   ${plural(clipped, "sample")}`];
  return [
    `convolved ${plural(signals, "signal")} of ${plural(samples, "sample")} with ${plural(taps, "tap")}, ${mode}`,
    ...runLines(convolved, ["read", "convolve", "write"], besides),
  ].join("\n");
}
