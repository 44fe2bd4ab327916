/** What tests/equality.ts says of arrays is what Vitest says, and no difference is lost on the way. */
import { expect, it } from "vitest";

const isEqual = (a: unknown, b: unknown): boolean => {
  try {
    expect(a).toEqual(b);
    return true;
  } catch {
    return false;
  }
};

const hundred = Array.from({ length: 100 }, (_, at) => at / 3);
const changed = (at: number, value: unknown) => hundred.with(at, value as number);

it.each([
  ["a last element", hundred, changed(99, 34)],
  ["zeros of both signs", changed(5, 0), changed(5, -0)],
  ["a number and a text", changed(7, 1), changed(7, "1")],
  ["lengths", hundred, hundred.slice(1)],
  ["properties beside the elements", hundred, Object.assign(hundred.slice(), { index: 3 })],
  ["the value of a property", Object.assign([1, 2], { index: 3 }), Object.assign([1, 2], { index: 4 })],
  ["nested ones", [hundred, [1, 2]], [hundred, [1, 3]]],
  ["typed ones", Float32Array.from(hundred), Float32Array.from(changed(50, 0))],
  ["typed zeros", Float64Array.of(0), Float64Array.of(-0)],
  ["types", Uint32Array.of(1, 2), Int32Array.of(1, 2)],
  ["an array and a typed one", [1, 2], Uint32Array.of(1, 2)],
  ["wide numbers", BigUint64Array.of(1n), BigUint64Array.of(2n)],
])("arrays that differ in %s are not equal", (_, a, b) => {
  expect(isEqual(a, b)).toBe(false);
  expect(isEqual(b, a)).toBe(false);
});

it.each([
  ["numbers", hundred, hundred.slice()],
  ["NaN", [NaN, 1], [NaN, 1]],
  ["typed NaN", Float32Array.of(NaN, -0), Float32Array.of(NaN, -0)],
  ["what is nested", [{ rows: hundred }, "a"], [{ rows: hundred.slice() }, "a"]],
  ["what only looks like it", [1, "b"], [expect.any(Number), expect.stringContaining("b")]],
])("arrays of %s are equal", (_, a, b) => {
  expect(isEqual(a, b)).toBe(true);
});
