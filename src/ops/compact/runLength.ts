/**
 * Finds runs of equal elements, their lengths and where they begin: checks arguments, has the engine find
 * runs and puts together what its pieces find. The rules are in ops/compact/contract/runLength.ts.
 * GpuPrimitives.runLength does it for buffers on a GPU.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { checkOptions, type OptionNames } from "../../core/options.ts";
import { elementTypeOf, type ElementArray } from "../../runtime/element.ts";
import { type RunLengthParams } from "./contract/runLength.ts";
import { arrayNames, runInPlace, runOperator, runStream, type ArrayOptions } from "../../runtime/onArrays.ts";
import { runLengthStep, runLengthStream } from "./plan/runLength.ts";
import {
  checkCountable,
  checkElements,
  cutResult,
  overlap,
  resultRoom,
  wordsIn,
} from "../../runtime/arrayArguments.ts";
import { append } from "./compact.ts";

/**
 * `runLength` takes these options.
 * @example
 * const out = { values: new Int32Array(3), counts: new Uint32Array(3), offsets: new Uint32Array(3) };
 * const options: RunLengthOptions<Int32Array> = { out };
 * (await runLength(Int32Array.of(7, 7, -1), options)).values; // => [7, -1]
 * out.counts; // => [2, 1, 0]
 */
export interface RunLengthOptions<A extends ElementArray = ElementArray> extends ArrayOptions {
  /**
   * The result is written to these arrays, which share no memory. Each needs room for as many runs as there
   * are, for which the length of the input always suffices; what lies past them is not changed.
   */
  readonly out?: RunLengthResult<A> | undefined;
  /**
   * Tests and experiments set the sizes to compute with; results never depend on them.
   * @internal
   */
  readonly tuning?: { readonly piece?: number | undefined } | undefined;
}

const runLengthNames: OptionNames<RunLengthOptions> = { ...arrayNames, out: 1, tuning: 0 };

/**
 * `runLength` returns this: one entry per run, in the order of the input.
 * @example
 * const result: RunLengthResult<Uint32Array> = await runLength(Uint32Array.of(4, 4, 7));
 * const { values, counts, offsets } = result;
 * const texts = Array.from(values, (value, run) => `${counts[run]} x ${value} from ${offsets[run]}`);
 * texts; // => ["2 x 4 from 0", "1 x 7 from 2"]
 */
export interface RunLengthResult<A extends ElementArray = ElementArray> {
  /** It has the first element of each run. */
  readonly values: A;
  /** It has the number of elements of each run. */
  readonly counts: Uint32Array;
  /** It has the index of each run's first element. */
  readonly offsets: Uint32Array;
}

/**
 * Finds the runs of equal elements, as CUB's DeviceRunLengthEncode::Encode does, with offsets. Elements are
 * equal as in `unique`: -0 and +0 differ, NaN equals NaN. On sorted input the result is each distinct value
 * with its count and position.
 *
 * @returns `out` cut to the number of runs, or new arrays
 * @throws InvalidInputError, also when `out` is too small; it then holds the beginning of the result
 * @example
 * const { values, counts, offsets } = await runLength(new Uint32Array([4, 4, 7]));
 * values; // => Uint32Array [4, 7]
 * counts; // => Uint32Array [2, 1]
 * offsets; // => Uint32Array [0, 2]
 */
export async function runLength<A extends ElementArray>(
  input: A,
  options: RunLengthOptions<A> = {},
): Promise<RunLengthResult<A>> {
  checkOptions(options, "runLength", runLengthNames);
  checkElements(input);
  checkCountable(input);
  const { out, tuning } = options;
  const type = elementTypeOf(input);
  const count = input.length;
  const values = resultRoom(out?.values, type, count, { input }, "out.values") as A;
  const counts = resultRoom(out?.counts, "u32", count, { input }, "out.counts") as Uint32Array;
  const offsets = resultRoom(out?.offsets, "u32", count, { input }, "out.offsets") as Uint32Array;
  if (overlap(values, counts) || overlap(values, offsets) || overlap(counts, offsets)) {
    throw new InvalidInputError("the arrays of out share memory; expected an array for each");
  }
  const capacity = Math.min(values.length, counts.length, offsets.length);
  const params: RunLengthParams = { type, count, continued: false, capacity, firstIndex: 0 };
  const found = new Uint32Array(1);
  await runOperator("runLength", options, async (device, options) => {
    if (count === 0) return;
    const arrays = { input, values, counts, offsets, found, scratch: new Uint32Array(1) };
    if (await runInPlace(device, runLengthStep(params), arrays, count, "runLength", options)) return;
    const rooms = [wordsIn(values), counts, offsets].map((room) => room.subarray(0, capacity));
    await runStream(
      device,
      runLengthStream(params),
      undefined,
      { input },
      ({ begin, end }, downloads) => {
        const [runs] = new Uint32Array(downloads.get("found")!);
        const next = (name: string): Uint32Array => new Uint32Array(downloads.get(name)!, 0, runs);
        // The last run so far goes on up to the first run that begins in this piece.
        if (found[0] > 0) counts[found[0] - 1] += (runs > 0 ? next("offsets")[0] : end) - begin;
        ["values", "counts", "offsets"].forEach((name, i) => append(rooms[i], found[0], next(name)));
        found[0] += runs;
        return Promise.resolve();
      },
      options,
      tuning?.piece,
    );
  });
  return {
    values: cutResult(values, out?.values, found[0], "runs", "out.values"),
    counts: cutResult(counts, out?.counts, found[0], "runs", "out.counts"),
    offsets: cutResult(offsets, out?.offsets, found[0], "runs", "out.offsets"),
  };
}
