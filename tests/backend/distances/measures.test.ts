/** Quantiles, relative contrast, local intrinsic dimension and hubness, beside numbers worked out by hand. */
import { describe, expect, it } from "vitest";
import {
  distanceHistogram,
  distanceQuantile,
  hubness,
  localIntrinsicDimension,
  relativeContrast,
} from "../../../dist/node.js";

const none = 0xffffffff;

describe("a quantile", () => {
  const train = [[0], [1], [2], [4], [9]];

  it("is in the bin that holds its rank, also of those outside", async () => {
    const result = await distanceHistogram(train, [[0]], { edges: [1, 2, 5], backend: "cpu" });
    const at = (share: number) => distanceQuantile(result, 0, share);
    expect(at(0)).toEqual({ bin: -1, low: -Infinity, high: 1, value: -Infinity });
    expect(at(0.2).bin).toBe(-1);
    expect(at(0.4)).toEqual({ bin: 0, low: 1, high: 2, value: 2 });
    expect(at(0.5)).toEqual({ bin: 1, low: 2, high: 5, value: 2.75 });
    expect(at(0.8)).toEqual({ bin: 1, low: 2, high: 5, value: 5 });
    expect(at(1)).toEqual({ bin: 2, low: 5, high: Infinity, value: Infinity });
  });

  it("needs a share, a query and a distance", async () => {
    const alone = await distanceHistogram([[1]], [[1]], { bins: 1, excludeSelf: true, backend: "cpu" });
    expect(() => distanceQuantile(alone, 0, 0.5)).toThrow("query 0 has no distance");
    expect(() => distanceQuantile(alone, 0, 1.1)).toThrow("the share is 1.1");
    expect(() => distanceQuantile(alone, 3, 0.5)).toThrow("query 3 is out of range; there are 1");
  });
});

describe("relative contrast", () => {
  it("is infinite where the nearest is at 0, and NaN where all are", () => {
    const ranges = { min: Float64Array.of(2, 0, 0, NaN), max: Float64Array.of(5, 1, 0, NaN) };
    expect([...relativeContrast(ranges)]).toEqual([1.5, Infinity, NaN, NaN]);
  });
});

describe("local intrinsic dimension", () => {
  const of = (...distances: number[]) =>
    localIntrinsicDimension({ distances: Float64Array.from(distances), queries: 1, k: distances.length })[0];

  it("is minus one over the mean logarithm, without zeros and missing neighbours", () => {
    const expected = -3 / (Math.log(1 / 4) + Math.log(2 / 4));
    expect(of(1, 2, 4)).toBeCloseTo(expected, 12);
    expect(of(0, 0, 1, 2, 4, Infinity, NaN)).toBe(of(1, 2, 4));
  });

  it("is infinite where all are as near, and NaN where there are none", () => {
    expect([of(3, 3, 3), of(0, 0)]).toEqual([Infinity, NaN]);
    expect(() => of(-1, 2)).toThrow("query 0 has the distance -1");
  });
});

describe("hubness", () => {
  it("counts occurrences, and gives their skewness", () => {
    const { counts, skewness } = hubness({ indices: Uint32Array.of(0, 0, 0, 1, none) }, 4);
    expect([...counts]).toEqual([3, 1, 0, 0]);
    // The mean is 1; squares are 4, 0, 1, 1 and cubes 8, 0, -1, -1.
    expect(skewness).toBeCloseTo(6 / 4 / 1.5 ** 1.5, 12);
    expect(hubness({ indices: Uint32Array.of(1, 0) }, 2).skewness).toBeNaN();
    expect(() => hubness({ indices: Uint32Array.of(2) }, 2)).toThrow("neighbour 2 is not one of 2");
  });
});
