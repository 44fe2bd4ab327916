/**
 * Keeps the first element of every run of equal ones: checks arguments, has the engine find runs and puts
 * together what its pieces find. The rules are in ops/compact/contract/unique.ts. GpuPrimitives.unique does
 * it for buffers on a GPU.
 */
import { elementTypeOf, type ElementArray } from "../../runtime/element.ts";
import { checkOptions } from "../../core/options.ts";
import { type UniqueParams } from "./contract/unique.ts";
import { runInPlace, runOperator, runStream } from "../../runtime/onArrays.ts";
import { uniqueStep, uniqueStream } from "./plan/unique.ts";
import {
  checkCountable,
  checkElements,
  cutResult,
  resultRoom,
  wordsIn,
} from "../../runtime/arrayArguments.ts";
import { append, compactNames, type CompactOptions } from "./compact.ts";

/**
 * Drops every element that equals the one before it, as CUB's DeviceSelect::Unique and C++'s std::unique do.
 * Sort the input first to get each value once, which is what numpy.unique gives. -0 and +0 differ; NaN equals
 * NaN whatever its bits, and the first one of each run stays.
 *
 * @returns `out` cut to the number of runs, or a new array
 * @throws InvalidInputError, also when `out` is too small; it then holds the beginning of the result
 * @example
 * await unique(new Uint32Array([4, 4, 7, 4])); // => Uint32Array [4, 7, 4]
 */
export async function unique<A extends ElementArray>(input: A, options: CompactOptions<A> = {}): Promise<A> {
  checkOptions(options, "unique", compactNames);
  checkElements(input);
  checkCountable(input);
  const { out, tuning } = options;
  const type = elementTypeOf(input);
  const count = input.length;
  const room = resultRoom(out, type, count, { input }) as A;
  const params: UniqueParams = { type, count, continued: false, capacity: room.length };
  const found = new Uint32Array(1);
  await runOperator("unique", options, async (device, options) => {
    if (count === 0) return;
    const arrays = { input, values: room, found, scratch: new Uint32Array(1) };
    if (await runInPlace(device, uniqueStep(params), arrays, count, "unique", options)) return;
    const words = wordsIn(room);
    await runStream(
      device,
      uniqueStream(params),
      undefined,
      { input },
      (_, downloads) => {
        const [runs] = new Uint32Array(downloads.get("found")!);
        append(words, found[0], new Uint32Array(downloads.get("values")!, 0, runs));
        found[0] += runs;
        return Promise.resolve();
      },
      options,
      tuning?.piece,
    );
  });
  return cutResult(room, out, found[0], "runs");
}
