/** This module has the checks that the operators on arrays share. */
import { InvalidInputError } from "../core/errors.ts";
import { newElements, type ElementArray, type ElementType } from "./element.ts";
import { plural } from "../core/plural.ts";

export function checkElements(input: unknown, name = "input"): asserts input is ElementArray {
  if (input instanceof Uint32Array || input instanceof Int32Array || input instanceof Float32Array) return;
  throw new InvalidInputError(
    `${name} is of type ${typeNameOf(input)}; expected a Uint32Array, an Int32Array or a Float32Array`,
  );
}

export function typeNameOf(value: unknown): string {
  return (value as { constructor?: { name?: string } } | null | undefined)?.constructor?.name ?? typeof value;
}

/** Results that are numbers of elements have 32 bits, so that there are at most so many. */
export const MAX_COUNT = 2 ** 32 - 1;

/** @throws InvalidInputError when places in the input do not fit 32 bits */
export function checkCountable({ length }: { readonly length: number }, name = "input"): void {
  if (length <= MAX_COUNT) return;
  throw new InvalidInputError(
    `${name} has ${length} elements; expected at most ${MAX_COUNT}. Work on subarrays of it, one after the other`,
  );
}

/**
 * Returns `out`, which must have exactly `count` elements, or a new array. It may not share memory with
 * `input`.
 */
export function resultArray(
  out: ElementArray | undefined,
  type: ElementType,
  count: number,
  input: ElementArray,
): ElementArray {
  if (!out) return newElements(type, count);
  checkOut(out, type, count);
  if (count > 0) checkApart(out, input, "input");
  return out.subarray(0, count);
}

/**
 * Returns room for a result whose length is known only when it is done: `out`, however long, or a new array
 * of `most` elements, the most that it can have. It may not share memory with the inputs.
 */
export function resultRoom(
  out: ElementArray | undefined,
  type: ElementType,
  most: number,
  inputs: Readonly<Record<string, ArrayBufferView>>,
  name = "out",
): ElementArray {
  if (!out) return newElements(type, most);
  checkOut(out, type, 0, name);
  for (const [other, input] of Object.entries(inputs)) checkApart(out, input, other, name);
  return out.subarray(0, most);
}

/**
 * Returns the `found` elements of a result: a part of `out`, or a copy where room was made for it.
 * @throws InvalidInputError when `out` was too small for them
 */
export function cutResult<A extends ElementArray>(
  room: A,
  out: A | undefined,
  found: number,
  what: string,
  name = "out",
): A {
  if (found > room.length) {
    throw new InvalidInputError(
      `${name} has ${plural(room.length, "element")}, but there are ${found} ${what}; expected room for all. What it holds now is ` +
        "only their beginning",
    );
  }
  if (out) return room.subarray(0, found) as A;
  return found === room.length ? room : (room.slice(0, found) as A);
}

/** Views the same elements as words. */
export function wordsIn({ buffer, byteOffset, length }: ElementArray): Uint32Array {
  return new Uint32Array(buffer, byteOffset, length);
}

function checkOut(out: ElementArray, type: ElementType, least: number, name = "out"): void {
  const expected = newElements(type, 0).constructor;
  if (out.constructor === expected && out.length >= least) return;
  throw new InvalidInputError(
    `${name} is a ${out.constructor?.name} of ${plural(out.length, "element")}; expected a ${expected.name}` +
      (least > 0 ? ` of at least ${least}` : ""),
  );
}

/** @throws InvalidInputError where an array of results shares a byte with an input */
export function checkApart(out: ArrayBufferView, input: ArrayBufferView, other: string, name = "out"): void {
  if (!overlap(out, input)) return;
  throw new InvalidInputError(`${name} shares memory with ${other}; expected an array of its own`);
}

/**
 * Says whether an array of results shares a byte with another array. Two SharedArrayBuffers may be the same
 * memory, such as one and its structured clone, or one of a WebAssembly.Memory before and after it grew. They
 * then begin at the same byte, so that it is enough to change one byte of `out` and look for it; its value is
 * put back.
 */
export function overlap(out: ArrayBufferView, other: ArrayBufferView): boolean {
  if (out.byteLength === 0 || other.byteLength === 0) return false;
  const begin = Math.max(out.byteOffset, other.byteOffset);
  const end = Math.min(out.byteOffset + out.byteLength, other.byteOffset + other.byteLength);
  if (begin >= end) return false;
  if (out.buffer === other.buffer) return true;
  if (out.buffer instanceof ArrayBuffer || other.buffer instanceof ArrayBuffer) return false;
  const [byte, seen] = [out, other].map(({ buffer }) => new Uint8Array(buffer, begin, 1));
  const value = Atomics.load(byte, 0);
  Atomics.store(byte, 0, value ^ 0xff);
  const changes = Atomics.load(seen, 0) === (value ^ 0xff);
  Atomics.store(byte, 0, value);
  return changes && Atomics.load(seen, 0) === value;
}

/** @throws InvalidInputError unless `rows` rows divide the input equally; no rows only without elements */
export function columnsOfRows(input: ElementArray, rows: number): number {
  const divides = rows === 0 ? input.length === 0 : input.length % rows === 0;
  if (!Number.isInteger(rows) || rows < 0 || rows > MAX_COUNT || !divides) {
    throw new InvalidInputError(
      `rows is ${rows}, but input has ${plural(input.length, "element")}; expected a number of at most ${MAX_COUNT} that divides it`,
    );
  }
  return rows === 0 ? 0 : input.length / rows;
}
