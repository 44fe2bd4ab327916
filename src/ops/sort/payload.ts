/** These are the values that keys carry as arrays of the host, and the way to those that are no words. */
import { Yielder } from "../../core/async/yielding.ts";
import type { KeyArray, SortParams } from "./contract.ts";

/**
 * The host has values in one of these.
 * @example
 * const paired = async (values: ValueArray) => (await sortPairs(Uint32Array.of(2, 1), values)).values;
 * await paired(Uint16Array.of(7, 8)); // => Uint16Array [8, 7]
 */
export type ValueArray = KeyArray | Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array;

/** Says whether values have 32 bits, as those that move with keys have. */
export function isWords(values: ValueArray): values is Uint32Array | Int32Array | Float32Array {
  return values.BYTES_PER_ELEMENT === 4;
}

/** Returns where rows begin: a function of the place. */
export function rowStarts({ count, rows, offsets }: SortParams): (row: number) => number {
  return offsets ? (row) => offsets[row] : (row) => (count / rows) * row;
}

/** So many values lie between two looks at the clock. */
const STRETCH = 65_536;

/**
 * Writes the values at the places, which count from the beginning of each row; as words, so that bits stay.
 */
export async function gather(
  values: ValueArray,
  places: Uint32Array,
  rowStart: (row: number) => number,
  to: ValueArray,
  signal: AbortSignal | undefined,
): Promise<void> {
  const yielder = new Yielder(signal ?? new AbortController().signal);
  const [from, target] = [unsigned(values), unsigned(to)];
  let [row, begin] = [0, 0];
  for (let at = 0; at < places.length; at++) {
    while (rowStart(row + 1) <= at) begin = rowStart(++row);
    target[at] = from[begin + places[at]];
    if (at % STRETCH === 0 && yielder.due) await yielder.next();
  }
}

/** Views values as whole numbers, which keep their bits. */
function unsigned({
  buffer,
  byteOffset,
  length,
  BYTES_PER_ELEMENT,
}: ValueArray): Record<number, number | bigint> {
  const types = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array } as const;
  return new types[BYTES_PER_ELEMENT as keyof typeof types](buffer as ArrayBuffer, byteOffset, length);
}
