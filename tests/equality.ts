/**
 * Run before each test file: compares arrays of numbers at once. Vitest takes ten microseconds for each
 * element of a typed array and three for one of an array, and tests compare millions. It says that arrays are
 * equal and leaves it to Vitest to say that they are not, and where.
 */
import { expect } from "vitest";

type Numbers = ArrayBufferView & ArrayLike<number | bigint>;

/** A test may put another ArrayBuffer in the place of this one. */
const isView = ArrayBuffer.isView.bind(ArrayBuffer);

const isTyped = (value: unknown): value is Numbers => isView(value) && !(value instanceof DataView);

const plain = new Set(["number", "string", "boolean", "bigint"]);

/** Returns true for arrays of one type with the same plain values and nothing else; otherwise undefined. */
function sameArrays(a: unknown, b: unknown): true | undefined {
  const isBoth = (isTyped(a) && isTyped(b)) || (Array.isArray(a) && Array.isArray(b));
  if (!isBoth || a.constructor !== b.constructor || a.length !== b.length) return undefined;
  for (let at = 0; at < a.length; at++) {
    const value: unknown = a[at];
    if (!plain.has(typeof value) || !Object.is(value, b[at])) return undefined;
  }
  if (isTyped(a)) return true;
  return [a, b].every((each) => Object.keys(each).length === a.length) || undefined;
}

/** Files share processes, and Vitest keeps every tester that it is given. */
const done = Symbol.for("nearfield.sameArrays");

if (!(done in globalThis)) {
  Object.assign(globalThis, { [done]: true });
  expect.addEqualityTesters([sameArrays]);
}
