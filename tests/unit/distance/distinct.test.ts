/** Rows that are alike in every bit, found whatever their type, and nothing else taken for alike. */
import { describe, expect, it } from "vitest";
import { firstRows, groupRows, repeatedShare } from "../../../src/distance/rows/distinct.ts";
import { atOnce } from "../../../src/core/async/yielding.ts";
import type { Matrix, NumericArray } from "../../../src/core/matrix.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const seed = printedSeed();

const kinds: ((length: number) => NumericArray)[] = [
  (length) => new Float64Array(length),
  (length) => new Float32Array(length),
  (length) => new Uint8Array(length),
  (length) => new Int16Array(length + 1).subarray(1),
];

function matrixOf(data: NumericArray, rows: number, value: () => number): Matrix {
  for (let at = 0; at < data.length; at++) data[at] = value();
  return { data, rows, cols: data.length / rows };
}

function rowOf({ data, cols }: Matrix, row: number): string {
  return Array.from(data.subarray(row * cols, (row + 1) * cols)).join();
}

describe("groups of rows", () => {
  it("hold the rows that are alike, in ascending order, first come first", () => {
    const random = new Random(seed);
    for (const make of kinds) {
      for (const [rows, cols] of [
        [1, 1],
        [97, 1],
        [200, 3],
        [500, 4],
      ] as const) {
        const matrix = matrixOf(make(rows * cols), rows, () => random.int(0, 3));
        const { begins, members } = atOnce(groupRows(matrix));
        const groups = Array.from({ length: begins.length - 1 }, (_, g) => [
          ...members.subarray(begins[g], begins[g + 1]),
        ]);
        const expected = new Map<string, number[]>();
        for (let row = 0; row < rows; row++) {
          const key = rowOf(matrix, row);
          expected.set(key, [...(expected.get(key) ?? []), row]);
        }
        expect(groups).toEqual([...expected.values()]);
        const kept = firstRows(matrix, { begins, members });
        expect(Array.from({ length: kept.rows }, (_, row) => rowOf(kept, row))).toEqual([...expected.keys()]);
      }
    }
  });

  it("keep zeros of both signs apart, and rows of one bit's difference", () => {
    const data = Float64Array.of(0, -0, 1, 1 + 2 ** -52, 0);
    expect([...atOnce(groupRows({ data, rows: 5, cols: 1 })).begins]).toEqual([0, 2, 3, 4, 5]);
  });
});

describe("the share that repeats", () => {
  it("is 0 of different rows, nearly 1 of equal ones, and judged by a sample of many", () => {
    const rows = 20_000;
    const matrix = (value: (row: number) => number): Matrix => ({
      data: Float64Array.from({ length: rows }, (_, row) => value(row)),
      rows,
      cols: 1,
    });
    expect(repeatedShare(matrix((row) => row))).toBe(0);
    expect(repeatedShare(matrix(() => 7))).toBeGreaterThan(0.99);
    expect(repeatedShare(matrix((row) => row % 50))).toBeGreaterThan(0.8);
  });
});
