/**
 * This module makes elements of files the types that sorting, counting and reducing take. Nothing is rounded
 * unless that is asked for.
 */
import { InvalidInputError } from "../core/errors.ts";
import type { FileArray } from "../io/elements.ts";
import type { KeyArray } from "../ops/sort/index.ts";
import type { ElementArray } from "../runtime/element.ts";

/** Returns the rows of a matrix that are worked on: the numbers of a single column are one row. */
export function shapeOf({ rows, cols }: { readonly rows: number; readonly cols: number }) {
  return cols === 1 ? { rows: 1, cols: rows } : { rows, cols };
}

/** Returns keys with the order of the elements: small whole numbers become such of 32 bits. */
export function keysOf(data: FileArray): KeyArray {
  if (data instanceof Int8Array || data instanceof Int16Array) return Int32Array.from(data);
  const isSmall =
    data instanceof Uint8Array || data instanceof Uint8ClampedArray || data instanceof Uint16Array;
  return isSmall ? Uint32Array.from(data) : data;
}

/** Returns numbers in the type that the file had. */
export function likeFile<A extends FileArray>(keys: KeyArray, data: A): A {
  if (keys.constructor === data.constructor) return keys as unknown as A;
  return (data.constructor as unknown as { from(keys: KeyArray): A }).from(keys);
}

/**
 * Returns the same numbers as elements of 32 bits.
 * @param round lets others be rounded to float32
 * @param remedy the name of what says so, for the message
 * @throws InvalidInputError for numbers that are neither whole numbers of 32 bits nor float32
 */
export function elementsOf(
  data: FileArray,
  round: boolean,
  remedy: string,
  place: { readonly file?: string } = {},
): ElementArray {
  const found = exactElements(data) ?? (round ? Float32Array.from(valuesOf(data)) : undefined);
  if (found !== undefined) return found;
  throw new InvalidInputError(
    `holds numbers that are neither whole numbers of 32 bits nor float32; ${remedy} rounds them`,
    place,
  );
}

/** Returns the same numbers as elements of 32 bits, or undefined where there are no such. */
export function exactElements(data: FileArray): ElementArray | undefined {
  if (data instanceof Float32Array || data instanceof Int32Array || data instanceof Uint32Array) return data;
  const values = valuesOf(data);
  const isExact = (same: ArrayLike<number>) => {
    for (let at = 0; at < same.length; at++) {
      const isSame =
        typeof data[at] === "bigint" ? BigInt(same[at] || 0) === data[at] : Object.is(same[at], data[at]);
      if (!isSame && !(Number.isNaN(same[at]) && Number.isNaN(values[at]))) return false;
    }
    return true;
  };
  for (const Type of [Int32Array, Uint32Array, Float32Array]) {
    const same = new Type(values);
    if (isExact(same)) return same;
  }
  return undefined;
}

function valuesOf(data: FileArray): ArrayLike<number> {
  const isLong = data instanceof BigInt64Array || data instanceof BigUint64Array;
  return isLong ? Float64Array.from(data, Number) : data;
}
