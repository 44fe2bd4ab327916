/** The principal axes against their definition: orthonormal, eigenvectors of the covariance, the largest. */
import { describe, expect, it } from "vitest";
import { PrincipalAxes } from "../../../src/models/principalAxes.ts";
import { Table } from "../../../src/table/table.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const seed = printedSeed();

/** Rows whose columns differ in spread and hang together. */
function drawn(rows: number, cols: number, random: Random): number[][] {
  return Array.from({ length: cols }, (_, col) => {
    const own = Array.from({ length: rows }, () => random.uniform(-0.5, 0.5) * (1 + col));
    return own;
  }).map((column, col, all) =>
    column.map((value, row) => value + (all[(col + 1) % cols][row] * col) / cols + 100),
  );
}

const tableOf = (columns: readonly (readonly (number | null)[])[]) =>
  Table.fromColumns(Object.fromEntries(columns.map((values, at) => [`c${at}`, [...values]])));

/** The covariance by its definition, from centred columns. */
function covariance(columns: readonly (readonly number[])[]): number[][] {
  const centred = columns.map((values) => {
    const mean = values.reduce((a, b) => a + b, 0) / values.length;
    return values.map((value) => value - mean);
  });
  const products = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, x, row) => sum + x * b[row], 0);
  return centred.map((a) => centred.map((b) => products(a, b) / (a.length - 1)));
}

/** The greatest eigenvalues, by 20,000 steps of power iteration, each with those before taken out. */
function eigenvalues(matrix: readonly (readonly number[])[], count: number): number[] {
  let left = matrix.map((row) => [...row]);
  return Array.from({ length: count }, () => {
    let vector = left.map((_, at) => 1 + (at % 3));
    let value = 0;
    for (let step = 0; step < 20_000; step++) {
      const image = left.map((row) => row.reduce((sum, x, at) => sum + x * vector[at], 0));
      value = Math.hypot(...image);
      vector = value === 0 ? vector : image.map((x) => x / value);
    }
    left = left.map((row, i) => row.map((x, j) => x - value * vector[i] * vector[j]));
    return value;
  });
}

describe("principal axes", () => {
  it.each([
    [2, 2, 2],
    [3, 3, 3],
    [50, 4, 2],
    [200, 7, 3],
    [5, 12, 3],
    [300, 30, 2],
  ])("of %i rows x %i columns are the %i leading eigenvectors", async (rows, cols, axes) => {
    const columns = drawn(rows, cols, new Random(seed));
    const table = tableOf(columns);
    const found = await new PrincipalAxes({ axes: axes === 3 ? 3 : 2 }).fit(table);
    const matrix = covariance(columns);
    const vectors = Array.from({ length: axes }, (_, at) =>
      found.components.slice(at * cols, (at + 1) * cols),
    );
    const dot = (a: Float64Array | number[], b: Float64Array) => b.reduce((sum, x, at) => sum + a[at] * x, 0);
    vectors.forEach((a, i) => {
      vectors.forEach((b, j) => expect(dot(a, b)).toBeCloseTo(i === j ? 1 : 0, 12));
      const image = matrix.map((row) => dot(row, a));
      image.forEach((x, at) =>
        expect(Math.abs(x - found.variances[i] * a[at]) / found.variances[0]).toBeLessThan(1e-10),
      );
      const largest = [...a].reduce((best, x) => (Math.abs(x) > Math.abs(best) ? x : best));
      expect(largest).toBeGreaterThan(0);
    });
    eigenvalues(matrix, axes).forEach((value, at) =>
      expect(Math.abs(found.variances[at] - value) / found.variances[0]).toBeLessThan(1e-6),
    );
    expect(found.totalVariance).toBeCloseTo(
      matrix.reduce((sum, row, at) => sum + row[at], 0),
      9,
    );
    const places = found.transform(table);
    for (let axis = 0; axis < axes; axis++) {
      const along = Array.from({ length: rows }, (_, row) => places[row * axes + axis]);
      expect(along.reduce((a, b) => a + b, 0) / rows).toBeCloseTo(0, 9);
      const variance = along.reduce((sum, x) => sum + x * x, 0) / (rows - 1);
      expect(variance).toBeCloseTo(found.variances[axis], 9);
    }
  });

  it("of equal rows, one row, or a line have variances of 0", async () => {
    const one = await new PrincipalAxes().fit(tableOf([[3], [4]]));
    expect([...one.variances, one.totalVariance]).toEqual([0, 0, 0]);
    const line = await new PrincipalAxes({ axes: 3 }).fit(
      tableOf([
        [0, 1, 2],
        [0, 1, 2],
        [5, 5, 5],
      ]),
    );
    expect([...line.variances].map((each) => Number(each.toFixed(12)))).toEqual([2, 0, 0]);
    expect([...line.transform(tableOf([[1], [1], [5]]))].map((each) => Math.abs(each))).toEqual([0, 0, 0]);
  });

  it("take a missing cell for the mean, and leave out columns of texts", async () => {
    const table = Table.fromColumns({ x: [0, null, 4], kind: ["a", "b", "c"], y: [1, 1, null] });
    const found = await new PrincipalAxes().fit(table);
    expect(found.columns).toEqual(["x", "y"]);
    expect([...found.variances]).toEqual([4, 0]);
    expect([...found.transform(table)].map((each) => each + 0)).toEqual([-2, 0, 0, 0, 2, 0]);
  });

  it.each<[string, () => Promise<unknown> | unknown, string]>([
    ["four axes", () => new PrincipalAxes({ axes: 4 as 3 }), "axes is 4; expected 2 or 3"],
    ["one column", () => new PrincipalAxes().fit(tableOf([[1, 2]])), "1 column given; expected 2 to 1000"],
    ["no rows", () => new PrincipalAxes().fit(tableOf([[], []])), "has no rows"],
    [
      "huge numbers",
      () =>
        new PrincipalAxes().fit(
          tableOf([
            [1e300, -1e300],
            [0, 1],
          ]),
        ),
      "too large",
    ],
    [
      "texts",
      () => new PrincipalAxes().fit(Table.fromColumns({ x: [1], k: ["a"] }), ["x", "k"]),
      "holds texts",
    ],
    ["rows before fit", () => new PrincipalAxes().transform(tableOf([[1]])), "call fit first"],
  ])("refuse %s", async (_, call, message) => {
    await expect((async () => call())()).rejects.toThrow(message);
  });

  it("hear an abort", async () => {
    const table = tableOf(drawn(2000, 300, new Random(seed)));
    const reason = new Error("enough");
    await expect(
      new PrincipalAxes().fit(table, undefined, { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
  });
});
