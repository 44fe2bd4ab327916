/**
 * Keeps the elements that flags say to keep, or finds where they are: checks arguments, has the engine
 * compact and puts together what its pieces keep. The rules are in ops/compact/contract/compact.ts.
 * GpuPrimitives.compact does it for buffers on a GPU.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { checkOptions, type OptionNames } from "../../core/options.ts";
import { elementTypeOf, type ElementArray, type ElementType } from "../../runtime/element.ts";
import { type CompactParams } from "./contract/compact.ts";
import { arrayNames, runInPlace, runOperator, runStream, type ArrayOptions } from "../../runtime/onArrays.ts";
import { compactStep, compactStream } from "./plan/compact.ts";
import {
  checkCountable,
  checkElements,
  cutResult,
  resultRoom,
  wordsIn,
} from "../../runtime/arrayArguments.ts";
import { checkFlags, flagTypeOf, type FlagArray } from "./flags.ts";
import { plural } from "../../core/plural.ts";

/**
 * `compact`, `flatnonzero` and `unique` take these options.
 * @example
 * const out = new Uint32Array(4).fill(9);
 * const options: CompactOptions<Uint32Array> = { out };
 * await compact(Uint32Array.of(1, 2, 3, 4), Uint8Array.of(0, 1, 0, 1), options); // => [2, 4]
 * out; // => [2, 4, 9, 9]
 */
export interface CompactOptions<A extends ElementArray = ElementArray> extends ArrayOptions {
  /**
   * The result is written to this array, which has the result's type and shares no memory with the input. It
   * needs room for what is kept, for which the length of the input always suffices; what lies past that is
   * not changed.
   */
  readonly out?: A | undefined;
  /**
   * Tests and experiments set the sizes to compute with; results never depend on them.
   * @internal
   */
  readonly tuning?: { readonly piece?: number | undefined } | undefined;
}

export const compactNames: OptionNames<CompactOptions> = { ...arrayNames, out: 1, tuning: 0 };

/**
 * Keeps the elements whose flag is not 0, in their order and with their bits, as CUB's DeviceSelect::Flagged
 * and numpy's compress do. `flatnonzero` finds where they are.
 *
 * @param flags one for each element of input
 * @returns `out` cut to what is kept, or a new array
 * @throws InvalidInputError, also when `out` is too small; it then holds the beginning of the result
 * @example
 * await compact(new Float32Array([5, 6, 7]), Uint8Array.of(1, 0, 1)); // => Float32Array [5, 7]
 */
export async function compact<A extends ElementArray>(
  input: A,
  flags: FlagArray,
  options: CompactOptions<A> = {},
): Promise<A> {
  checkOptions(options, "compact", compactNames);
  checkElements(input);
  checkFlags(flags);
  if (input.length !== flags.length) {
    throw new InvalidInputError(
      `input has ${plural(input.length, "element")} and flags has ${flags.length}; expected a flag for each element`,
    );
  }
  return keep("compact", input, flags, elementTypeOf(input), options) as Promise<A>;
}

/**
 * Finds the indices of the flags that are not 0, ascending, as numpy's flatnonzero does. It takes up to 2^32
 * - 1 flags.
 *
 * @returns `out` cut to what was found, or a new array
 * @throws InvalidInputError, also when `out` is too small; it then holds the beginning of the result
 * @example
 * await flatnonzero(Uint8Array.of(0, 1, 1)); // => Uint32Array [1, 2]
 */
export async function flatnonzero(
  flags: FlagArray,
  options: CompactOptions<Uint32Array> = {},
): Promise<Uint32Array> {
  checkOptions(options, "flatnonzero", compactNames);
  checkFlags(flags);
  return keep("flatnonzero", undefined, flags, "u32", options) as Promise<Uint32Array>;
}

/** Keeps elements of the input or, without one, indices. */
async function keep(
  operator: string,
  input: ElementArray | undefined,
  flags: FlagArray,
  type: ElementType,
  options: CompactOptions,
): Promise<ElementArray> {
  checkCountable(flags, "flags");
  const { out, tuning } = options;
  const count = flags.length;
  const inputs = input ? { input, flags } : { flags };
  const room = resultRoom(out, type, count, inputs);
  const params: CompactParams = {
    count,
    flags: flagTypeOf(flags),
    values: input !== undefined,
    indices: input === undefined,
    capacity: room.length,
    firstIndex: 0,
  };
  const result = input ? "values" : "indices";
  const found = new Uint32Array(1);
  await runOperator(operator, options, async (device, options) => {
    if (count === 0) return;
    const arrays = { ...inputs, [result]: room, found, scratch: new Uint32Array(1) };
    if (await runInPlace(device, compactStep(params), arrays, count, "compact", options)) return;
    const words = wordsIn(room);
    await runStream(
      device,
      compactStream(params),
      undefined,
      inputs,
      (_, downloads) => {
        const [kept] = new Uint32Array(downloads.get("found")!);
        append(words, found[0], new Uint32Array(downloads.get(result)!, 0, kept));
        found[0] += kept;
        return Promise.resolve();
      },
      options,
      tuning?.piece,
    );
  });
  return cutResult(room, out, found[0], "elements to keep");
}

/** Writes words from `at` on, as many as there is room for. */
export function append(room: Uint32Array, at: number, words: Uint32Array): void {
  if (at < room.length) room.set(words.subarray(0, room.length - at), at);
}
