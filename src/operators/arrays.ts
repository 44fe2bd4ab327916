/** Checks that the operators on arrays share. */
import { InvalidInputError, oneOf } from "../core/errors.ts";
import { newElements, type ElementArray, type ElementType } from "../core/primitives.ts";

export function checkElements(input: unknown, name = "input"): asserts input is ElementArray {
  if (input instanceof Uint32Array || input instanceof Int32Array || input instanceof Float32Array) return;
  const got =
    (input as { constructor?: { name?: string } } | null | undefined)?.constructor?.name ?? typeof input;
  throw new InvalidInputError(
    `${name} is of type ${got}; expected a Uint32Array, an Int32Array or a Float32Array`,
  );
}

export function checkOneOf<T extends string>(
  value: unknown,
  names: readonly T[],
  what: string,
): asserts value is T {
  if (names.includes(value as T)) return;
  throw new InvalidInputError(`unknown ${what} ${JSON.stringify(value)}; expected ${oneOf(names)}`);
}

/** `out`, of exactly `count` elements, or a new array. It may not share memory with `input`. */
export function resultArray(
  out: ElementArray | undefined,
  type: ElementType,
  count: number,
  input: ElementArray,
): ElementArray {
  const fresh = newElements(type, out ? 0 : count);
  if (!out) return fresh;
  if (out.constructor !== fresh.constructor || out.length < count) {
    throw new InvalidInputError(
      `out is a ${out.constructor?.name} of ${out.length} elements; expected a ${fresh.constructor.name} of at least ` +
        `${count}`,
    );
  }
  if (count > 0 && overlap(out, input)) {
    throw new InvalidInputError("out shares memory with input; expected an array of its own");
  }
  return out.subarray(0, count);
}

/** Whether two arrays share a byte. */
export function overlap(a: ElementArray, b: ElementArray): boolean {
  if (a.buffer !== b.buffer || a.length === 0 || b.length === 0) return false;
  return a.byteOffset < b.byteOffset + b.byteLength && b.byteOffset < a.byteOffset + a.byteLength;
}

/** A result array has one element per row. */
const MAX_ROWS = 2 ** 32 - 1;

/** @throws InvalidInputError unless `rows` rows divide the input equally; no rows only without elements */
export function columnsOfRows(input: ElementArray, rows: number): number {
  const divides = rows === 0 ? input.length === 0 : input.length % rows === 0;
  if (!Number.isInteger(rows) || rows < 0 || rows > MAX_ROWS || !divides) {
    throw new InvalidInputError(
      `rows is ${rows}, but input has ${input.length} elements; expected a number of at most ${MAX_ROWS} that divides it`,
    );
  }
  return rows === 0 ? 0 : input.length / rows;
}
