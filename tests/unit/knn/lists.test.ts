/** What becomes of queries whose candidate lists overflowed. */
import { describe, expect, it } from "vitest";
import { countsOf, enlarged, overflowed } from "../../../src/ops/knn/plan/lists.ts";
import { problem } from "./replay.ts";

const task = { rows: { begin: 20, end: 24 }, capacity: 10 };

describe("lists that overflowed", () => {
  const counts = Uint32Array.of(3, 11, 10, 300);

  it("are those of more entries than there was room for", () => {
    const heads = Uint32Array.from([...counts].flatMap((count) => [count, 7]));
    expect(countsOf(heads.buffer)).toEqual(counts);
    expect(countsOf(undefined)).toEqual(new Uint32Array());
    expect(overflowed(task, counts)).toEqual([1, 3]);
    expect(overflowed({ ...task, capacity: 300 }, counts)).toEqual([]);
    expect(overflowed({ ...task, capacity: undefined }, counts)).toEqual([]);
  });

  const again = (trainRows: number, needed: number, fields = {}) =>
    enlarged(problem({ trainRows, ...fields }), task, [1, 3], Uint32Array.of(3, 11, 10, needed));

  it("get 64 times the room, or as much as they need", () => {
    expect(again(100_000, 300)).toEqual({ rows: Uint32Array.of(21, 23), capacity: 640 });
    expect(again(100_000, 700).capacity).toBe(700);
    expect(again(2000, 300).capacity).toBe(500); // a quarter of all
  });

  it("are given up where all rows are sooner evaluated: beyond a quarter, less with several threads", () => {
    expect(again(1000, 251).capacity).toBeUndefined();
    expect(again(1000, 250).capacity).toBe(250);
    expect(again(1000, 250, { evaluators: 2 }).capacity).toBeUndefined();
    expect(again(1000, 200, { evaluators: 2 }).capacity).toBe(200);
    expect(again(100_000, 14_000, { evaluators: 16 }).capacity).toBeUndefined();
    expect(again(100_000, 2500, { evaluators: 16 }).capacity).toBe(2500);
  });

  it("of heaps are not, since threads do not replay them", () => {
    expect(again(1000, 250, { evaluators: 16, keepAll: true }).capacity).toBe(250);
  });
});
