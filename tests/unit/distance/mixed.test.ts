/** Which measures of rows with codes or gaps have a filter, and the reason given where they have none. */
import { describe, expect, it } from "vitest";
import type { MetricOptions } from "../../../src/distance/metric.ts";
import type { ColumnKind } from "../../../src/core/matrix.ts";
import { mixedRangeOf } from "../../../src/distance/rows/mixed.ts";
import { isMixed } from "../../../src/distance/forms/forms.ts";
import * as mixing from "../../../src/distance/forms/mixed.ts";
import { chooseTechnique } from "../../../src/distance/forms/technique.ts";
import { problem } from "../knn/replay.ts";
import type { Filter } from "../../../src/distance/forms/filter.ts";

interface Given {
  readonly kinds?: readonly ColumnKind[];
  readonly gaps?: boolean;
  readonly cols?: number;
  /** Of the cells of every row, there; default all. */
  readonly fewest?: number;
  readonly largest?: number;
  readonly smallest?: number;
}

const polynomial = (degree: number, shift = 1) =>
  ({ metric: "rapidminer:KernelEuclideanDistance", kernel: { type: "polynomial", degree, shift } }) as const;

function techniqueOf(options: MetricOptions, given: Given) {
  const { kinds, gaps = false, cols = 16, fewest = cols, largest = 1, smallest = 1 } = given;
  const { metric = "euclidean", p = 2 } = options;
  const range = { largest, smallest, exact: true, largestCode: 3, fewest };
  return chooseTechnique(
    problem({ metric, p, options, fitted: { kinds, gaps }, cols, train: range, queries: range }),
    "cpu",
    mixing,
  );
}

function filterOf(options: MetricOptions, given: Given): Filter {
  const technique = techniqueOf(options, given);
  if (technique.form === "none") throw new Error(technique.why);
  return technique;
}

const all = (kind: ColumnKind, cols = 16) => Array.from({ length: cols }, () => kind);

describe("the technique of rows with codes or gaps", () => {
  it.each([
    ["rapidminer:DiceSimilarity", { kinds: all("binominal") }],
    ["rapidminer:JaccardSimilarity", { kinds: [...all("binominal", 8), ...all("nominal", 8)], gaps: true }],
    ["rapidminer:KulczynskiSimilarity", { kinds: all("binominal"), gaps: true, fewest: 0 }],
    ["jaccard", {}],
    ["dice", { gaps: true, fewest: 0 }],
  ] as const)("is a quotient of two exact counts for %s", (metric, given) => {
    expect(techniqueOf({ metric }, given)).toMatchObject({
      form: "direct",
      points: true,
      why: expect.stringMatching(/^this measure rises with the quotient of two counts/) as string,
    });
  });

  it("counts numbers that differ where float32 tells them apart without subnormals", () => {
    const hamming = (smallest: number) => techniqueOf({ metric: "hamming" }, { smallest }).why;
    expect(hamming(2 ** -102)).toMatch(/^this measure follows from the number of columns that differ/);
    expect(hamming(2 ** -103)).toMatch(/^numbers are compared for equality that float32 may not tell apart/);
  });

  it("is a matrix product for a power of one", () => {
    const found = techniqueOf(polynomial(2.5), {});
    expect(found).toMatchObject({ form: "expanded", power: { times: 3 } });
    expect(found.why).toMatch(/of a power K of the inner product, which is a matrix product$/);
  });

  it("is the usual one for the inner product itself", () => {
    expect(isMixed(polynomial(1), {})).toBe(false);
    expect(isMixed(polynomial(1.5), {})).toBe(true);
    expect(techniqueOf(polynomial(1), {})).toMatchObject({ form: "expanded", power: undefined });
  });

  it.each([
    [polynomial(25), {}, /^float32 keeps no useful order of inner products to the power of 25$/],
    [polynomial(3), { largest: 2 ** 175 }, /^values are so large that a power may overflow float64$/],
    [polynomial(3, 0), { largest: 2 ** -160 }, /^values are so small that powers of them may underflow/],
    [polynomial(3), { gaps: true }, /^values are missing/],
  ] as const)("is float64 alone with its reason: %j %j", (options, given, reason) => {
    expect(techniqueOf(options, given)).toMatchObject({
      form: "none",
      why: expect.stringMatching(reason) as string,
    });
  });

  it("is a sum that is scaled for what both rows have", () => {
    const { why } = techniqueOf({ metric: "nan_euclidean" }, { gaps: true });
    expect(why).toBe(
      "what is missing in either row is left out, column by column, and sums are scaled by how many columns both rows have",
    );
  });

  it.each([-195, -230, -300])("has margins as wide as 200 codes of 2^%d, which a device may flush", (e) => {
    const kinds: ColumnKind[] = ["numeric", ...all("nominal", 200)];
    const columnWeights = kinds.map((kind) => (kind === "numeric" ? 1 : 2 ** e));
    const found = filterOf({ metric: "mixed_euclidean", columnWeights }, { kinds, cols: kinds.length });
    const margins = found.train.bound.marginConstant + found.queries.bound.marginConstant;
    const unit = 2 ** (e - found.rankExponent);
    expect(unit).toBeLessThan(2 ** -126);
    expect(margins).toBeGreaterThanOrEqual(200 * unit);
    expect(margins).toBeLessThan(2 ** -116);
  });

  it("rounds twice for every column with a mark, by which rows that share none are told", () => {
    const slack = (fewest: number) => filterOf({ metric: "manhattan", p: 1 }, { gaps: true, fewest }).slack;
    expect(slack(8)).toBeGreaterThan(2 * 16 * 2 ** -23);
    expect(slack(9)).toBeLessThan(2 * 16 * 2 ** -23);
  });

  it("is one count where no value is false", () => {
    const { why } = techniqueOf({ metric: "rapidminer:DiceSimilarity" }, { kinds: all("nominal") });
    expect(why).toMatch(/^this measure follows from the number of columns that differ/);
  });

  it.each([
    ["hamming", all("numeric")],
    ["mixed_euclidean", all("nominal")],
    ["mixed_euclidean", [...all("numeric", 8), ...all("nominal", 8)]],
  ] as const)("is float64 alone where weights may overflow it: %s of %j", (metric, kinds) => {
    const weighted = (weight: number) =>
      techniqueOf({ metric, columnWeights: kinds.map(() => weight) }, { kinds, largest: 0 });
    expect(weighted(2 ** 1015)).toMatchObject({ form: "direct" });
    expect(weighted(2 ** 1016)).toEqual({
      form: "none",
      why: "weights are so large that a distance may overflow float64",
    });
  });

  it.each([
    [
      { metric: "dice" },
      { cols: 4096 },
      /^float32 holds two counts in one sum up to 4095 columns, and there are 4096/,
    ],
    [
      { metric: "nan_euclidean" },
      { gaps: true, cols: 25 },
      /^values are missing, .* how many of more than 24 columns/,
    ],
    [
      { metric: "manhattan", missing: "rescale", columnWeights: new Float64Array(16).fill(2) },
      { gaps: true },
      /^values are missing, .* by the weight of its columns$/,
    ],
    [{ metric: "jaccard" }, { gaps: true, fewest: 8 }, /^rows have so many gaps that some share no column/],
    [
      { metric: "hamming" },
      { cols: 2 ** 20 + 1 },
      /^float32 keeps no useful order for 1048577 columns and p = 2$/,
    ],
  ] as const)("is float64 alone with its reason: %j %j", (options, given, reason) => {
    expect(techniqueOf(options, given)).toMatchObject({
      form: "none",
      why: expect.stringMatching(reason) as string,
    });
  });
});

describe("the range of rows with codes", () => {
  const range = (...values: number[]) =>
    mixedRangeOf(
      { data: Float64Array.from(values), rows: values.length / 2, cols: 2, kinds: ["nominal", "numeric"] },
      undefined,
    );

  it("has the largest code apart from the numbers", () => {
    expect(range(3, -8, 7, 2)).toMatchObject({ largest: 8, exact: true, largestCode: 7, fewest: 2 });
    expect(range(NaN, -8, 7, 2)).toMatchObject({ largestCode: 7, fewest: 1 });
  });

  it("has the smallest number that is not 0", () => {
    expect(range(3, 0, 1, -0.25).smallest).toBe(0.25);
    expect(range(3, 0, 1, NaN).smallest).toBe(Infinity);
  });

  it.each([-1, 2.5])("has none where %d stands for a code", (code) => {
    expect(range(code, 1, 7, 2).largestCode).toBe(Infinity);
  });
});
