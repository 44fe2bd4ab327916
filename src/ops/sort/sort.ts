/**
 * Sorts arrays by radix. It checks arguments and has the engine run the primitive. The order to the bit is in
 * ops/sort/contract.ts. GpuPrimitives.sort does it for buffers on a GPU.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { checkOptions, type OptionNames } from "../../core/options.ts";
import { overlap } from "../../runtime/arrayArguments.ts";
import type { BackendTraits } from "../../runtime/backend.ts";
import { arrayNames, runInPlace, runOperator, type ArrayOptions } from "../../runtime/onArrays.ts";
import { newKeys, paramsOf, resultLike } from "./arguments.ts";
import type { KeyArray, SortParams } from "./contract.ts";
import { sortOnDevice, type SortArrays, type SortTuning } from "./onDevice.ts";
import { gather, isWords, rowStarts, type ValueArray } from "./payload.ts";
import { sortStep } from "./plan.ts";
import { plural } from "../../core/plural.ts";

export type { ValueArray } from "./payload.ts";

/**
 * `sort` takes these options, and `argsort` those with indices for a result.
 * @example
 * const options: SortOptions<Int32Array> = { descending: true, out: new Int32Array(3) };
 * await sort(Int32Array.of(-1, 5, 2), options); // => [5, 2, -1]
 * options.out; // => [5, 2, -1]
 */
export interface SortOptions<A extends KeyArray = KeyArray> extends ArrayOptions {
  /** True puts the largest key first; default false. NaN comes last in both orders. */
  readonly descending?: boolean | undefined;
  /** The keys are divided into this many rows of equal length, each sorted on its own; default 1. */
  readonly rows?: number | undefined;
  /**
   * Row r of unequal rows is keys [offsets[r], offsets[r + 1]), as in `RadiusResult`; give it instead of
   * `rows`.
   */
  readonly offsets?: Uint32Array | undefined;
  /**
   * Keys are compared only by these bits of their ordinals, from `beginBit` (default 0) up to but not
   * including `endBit` (default all). The ordinal is the whole number whose order is that of the keys: for
   * whole numbers the distance from the smallest one, or from the largest where the order descends.
   */
  readonly beginBit?: number | undefined;
  readonly endBit?: number | undefined;
  /**
   * The result is written to this array, of its type, at least as long, and sharing no memory with the keys;
   * default a new one.
   */
  readonly out?: A | undefined;
  /**
   * Tests and experiments set the sizes in which keys go to a GPU; results never depend on them.
   * @internal
   */
  readonly tuning?: SortTuning | undefined;
}

const sortNames: OptionNames<SortOptions> = {
  descending: 1,
  rows: 1,
  offsets: 1,
  beginBit: 1,
  endBit: 1,
  ...arrayNames,
  out: 1,
  tuning: 0,
};

/**
 * `sortPairs` takes these options: those of `sort`, with two arrays for a result.
 * @example
 * const out = { keys: new Uint32Array(2), values: new Float32Array(2) };
 * const options: SortPairsOptions<Uint32Array, Float32Array> = { out };
 * await sortPairs(Uint32Array.of(9, 3), Float32Array.of(0.5, 1), options);
 * out.values; // => [1, 0.5]
 */
export interface SortPairsOptions<
  A extends KeyArray = KeyArray,
  V extends ValueArray = ValueArray,
> extends Omit<SortOptions<A>, "out"> {
  /** The arrays to write the result to, as `out` of `sort` is. */
  readonly out?: { readonly keys: A; readonly values: V } | undefined;
}

/**
 * `sortPairs` returns this.
 * @example
 * const pairs: SortedPairs<Uint32Array, Uint8Array> = await sortPairs(Uint32Array.of(2, 1), Uint8Array.of(7, 8));
 * pairs.keys; // => [1, 2]
 * pairs.values; // => [8, 7]
 */
export interface SortedPairs<A extends KeyArray = KeyArray, V extends ValueArray = ValueArray> {
  readonly keys: A;
  readonly values: V;
}

/**
 * Sorts keys, stably: ascending, or with `descending` the other way round. Floats order as -Infinity ... -0,
 * +0 ... Infinity; every NaN comes last in both directions, whatever its sign, and keys keep their bits.
 *
 * @returns `out` cut to the length of keys, or a new array
 * @throws InvalidInputError
 * @example
 * await sort(new Float32Array([3, NaN, -1])); // => Float32Array [-1, 3, NaN]
 * await sort(BigInt64Array.of(2n, -3n), { descending: true }); // => BigInt64Array [2n, -3n]
 * await sort(Uint32Array.of(4, 1, 9, 2, 8, 3), { rows: 2 }); // => [1, 4, 9, 2, 3, 8]
 * await sort(Uint32Array.of(4, 1, 9, 2, 8, 3), { offsets: Uint32Array.of(0, 2, 2, 6) }); // => [1, 4, 2, 3, 8, 9]
 */
export async function sort<A extends KeyArray>(keys: A, options: SortOptions<A> = {}): Promise<A> {
  checkOptions(options, "sort", sortNames);
  const params: SortParams = { ...paramsOf(keys, options), values: "none" };
  const sortedKeys = resultLike(options.out, keys, keys.length, inputsOf({ keys }, options));
  await run("sort", params, { keys, sortedKeys }, options);
  return sortedKeys;
}

/**
 * Returns the indices that sort the keys: for each key in the order of `sort`, its index in its row, from 0.
 *
 * @returns `out` cut to the length of keys, or a new array
 * @throws InvalidInputError
 * @example
 * await argsort(new Float32Array([0.5, 0.25, 0.75])); // => Uint32Array [1, 0, 2]
 * await argsort(Uint32Array.of(4, 1, 8, 2), { rows: 2 }); // => [1, 0, 1, 0]
 */
export async function argsort(keys: KeyArray, options: SortOptions<Uint32Array> = {}): Promise<Uint32Array> {
  checkOptions(options, "argsort", sortNames);
  const params: SortParams = { ...paramsOf(keys, options), values: "indices" };
  const inputs = inputsOf({ keys }, options);
  const sortedValues = resultLike(options.out, new Uint32Array(0) as Uint32Array, keys.length, inputs);
  // Workers only share the work where all arrays are shared.
  const isShared = [keys, sortedValues].every(({ buffer }) => !(buffer instanceof ArrayBuffer));
  const sortedKeys = newKeys(params.type, keys.length, isShared);
  await run("argsort", params, { keys, sortedKeys, sortedValues }, options);
  return sortedValues;
}

/**
 * Sorts keys as `sort` does, and with each the value of the same place. Values may be any typed array; those
 * of 32 bits move with the keys, others are gathered at the end.
 *
 * @returns `out` cut to the length of keys, or new arrays
 * @throws InvalidInputError
 * @example
 * const { keys, values } = await sortPairs(Uint32Array.of(7, 5, 7), Float64Array.of(0.1, 0.2, 0.3));
 * keys; // => Uint32Array [5, 7, 7]
 * values; // => Float64Array [0.2, 0.1, 0.3]
 */
export async function sortPairs<A extends KeyArray, V extends ValueArray>(
  keys: A,
  values: V,
  options: SortPairsOptions<A, V> = {},
): Promise<SortedPairs<A, V>> {
  checkOptions(options, "sortPairs", sortNames);
  const common = paramsOf(keys, options);
  if (!ArrayBuffer.isView(values) || values instanceof DataView || values.length !== keys.length) {
    const length = (values as Partial<ValueArray> | null | undefined)?.length;
    const given = length === undefined ? `is ${String(values)}` : `has ${plural(length, "element")}`;
    throw new InvalidInputError(
      `values ${given} and keys has ${keys.length}; expected a typed array with a value for each key`,
    );
  }
  const { out } = options;
  if (out === null)
    throw new InvalidInputError("out is null; expected an object of two arrays, keys and values");
  const inputs = inputsOf({ keys, values }, options);
  const sortedKeys = resultLike(out?.keys, keys, keys.length, inputs, "out.keys");
  const sorted = resultLike(out?.values, values, keys.length, inputs, "out.values");
  if (out && overlap(sortedKeys, sorted)) {
    throw new InvalidInputError("out.keys and out.values share memory; expected an array for each");
  }
  if (isWords(values) && isWords(sorted)) {
    const params: SortParams = { ...common, values: "given" };
    await run("sortPairs", params, { keys, values, sortedKeys, sortedValues: sorted }, options);
  } else {
    const params: SortParams = { ...common, values: "indices" };
    const places = new Uint32Array(keys.length);
    await run("sortPairs", params, { keys, sortedKeys, sortedValues: places }, options);
    await gather(values, places, rowStarts(params), sorted, options.signal);
  }
  return { keys: sortedKeys, values: sorted };
}

/** Returns all arrays that results must be apart from. */
function inputsOf(
  inputs: Readonly<Record<string, ArrayBufferView>>,
  { offsets }: Pick<SortOptions, "offsets">,
): Readonly<Record<string, ArrayBufferView>> {
  return offsets ? { ...inputs, offsets } : inputs;
}

function run(
  operator: string,
  params: SortParams,
  arrays: SortArrays,
  options: ArrayOptions & Pick<SortOptions, "tuning">,
): Promise<void> {
  return runOperator(operator, options, async (device, options) => {
    if (params.count === 0) return;
    const { offsets } = params;
    const inputs = { ...arrays, ...(offsets && { offsets }) };
    const none = new Uint32Array(1);
    const all = { ...inputs, scratch: none, scratchKeys: none, scratchValues: none };
    const inCache = told(
      options,
      "radix sort of rows or buckets that fit the second-level cache",
      WHY_BUCKETS,
    );
    if (await runInPlace(device, sortStep(params), all, params.count, "sort", inCache)) return;
    const { method, why } = methodOf(await device.backend.traits?.());
    await sortOnDevice(device, params, inputs, told(options, `radix sort, ${method}`, why));
  });
}

const WHY_BUCKETS = "each key then comes from memory few times, whatever the order";

/** Returns how tiles of a long row find their places, and why in this way. */
function methodOf(traits: BackendTraits | undefined): { readonly method: string; readonly why: string } {
  const chained = "chained: one pass for each digit, whose tiles wait for those before them";
  const blocks = "in blocks: three passes for each digit, none of which waits";
  return traits?.forwardProgress
    ? { method: chained, why: "a self-test saw that workgroups may wait for each other" }
    : { method: blocks, why: "no self-test saw that workgroups may wait for each other" };
}

/** Adds to an explanation how keys are sorted. */
function told<O extends ArrayOptions>(options: O, how: string, reason: string): O {
  const { onExplanation } = options;
  if (!onExplanation) return options;
  return {
    ...options,
    onExplanation: ({ technique, why, ...rest }) =>
      onExplanation({ ...rest, technique: `${how}, ${technique}`, why: `${reason}, and ${why}` }),
  };
}
