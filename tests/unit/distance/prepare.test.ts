/** Rows as the filters get them: centred, scaled, rounded, padded; and what the plan is told of a matrix. */
import { describe, expect, it } from "vitest";
import { noBound } from "../../../src/distance/bound/bound.ts";
import { toMatrix } from "../../../src/core/matrix.ts";
import { PreparedRows } from "../../../src/distance/rows/prepare.ts";
import { Random } from "../../oracle/random.ts";
import { centreOf, isDispensable } from "../../../src/distance/rows/centre.ts";
import { rangeOf } from "../../../src/distance/rows/range.ts";
import type { RowPreparation } from "../../../src/distance/rows/preparation.ts";

const plain: RowPreparation = {
  core: "l2",
  base: "zero",
  centre: undefined,
  exponent: 0,
  rows: { kind: "plain" },
  factsExponent: 0,
  p: 2,
  bound: noBound,
  on: "host",
};
const rows = toMatrix(
  [
    [1, 2, 3, 4, 5],
    [6, 7, 8, 9, 10],
    [11, 12, 13, 14, 2 ** -140],
  ],
  "train",
);

function filled(
  how: Partial<RowPreparation>,
  part: string,
  which: { begin: number; end: number } | Uint32Array,
) {
  const source = new PreparedRows(rows, { ...plain, ...how });
  const count = which instanceof Uint32Array ? which.length : which.end - which.begin;
  const bytes = new Uint8Array(count * source.rowBytes(part)).fill(255);
  source.fill(part, which, bytes);
  return [...new Float32Array(bytes.buffer)];
}

describe("a centre", () => {
  const offset = (by: number, cols: number) => {
    const random = new Random(7);
    const data = Float32Array.from({ length: 300 * cols }, () => by + random.normal());
    const matrix = toMatrix({ data, rows: 300, cols }, "train");
    return isDispensable(matrix, centreOf(matrix));
  };

  it("is dispensable near the origin, unless there are so many columns that intervals are wide anyway", () => {
    expect([0, 1, 2.5, 4, 1000].map((by) => offset(by, 32))).toEqual([true, true, true, false, false]);
    expect([0, 1.5, 2.5].map((by) => offset(by, 1500))).toEqual([true, false, false]);
    expect(offset(0, 4000)).toBe(false);
  });

  it("is never dispensable for float64, which a device cannot hold as it is", () => {
    const matrix = toMatrix({ data: new Float64Array(40).fill(1), rows: 10, cols: 4 }, "train");
    expect(isDispensable(matrix, centreOf(matrix))).toBe(false);
  });
});

describe("prepared rows", () => {
  it("are padded with zeros to a multiple of four columns", () => {
    expect(filled({}, "values", { begin: 1, end: 2 })).toEqual([6, 7, 8, 9, 10, 0, 0, 0]);
  });

  it("come in the order asked for", () => {
    expect(filled({}, "values", Uint32Array.of(2, 0))).toEqual([
      11, 12, 13, 14, 0, 0, 0, 0, 1, 2, 3, 4, 5, 0, 0, 0,
    ]);
  });

  it("are centred, then scaled by a power of two", () => {
    const centre = Float64Array.of(1, 1, 1, 1, 1);
    expect(filled({ centre, exponent: 3 }, "values", { begin: 0, end: 1 })).toEqual([
      0, 8, 16, 24, 32, 0, 0, 0,
    ]);
  });

  it("carry base, product and margin, rounded up", () => {
    const bound = { slack: 0, productFactor: 0.1, marginFactor: 0.1, sizeFactor: 0, marginConstant: 0.3 };
    const [base, product, margin, unused] = filled({ bound, base: "squaredNorm" }, "meta", {
      begin: 0,
      end: 1,
    });
    expect([base, unused]).toEqual([55, 0]);
    expect(product).toBeGreaterThanOrEqual(0.1 * Math.sqrt(55));
    expect(product).toBeLessThan(0.1 * Math.sqrt(55) * (1 + 2 ** -22));
    expect(margin).toBeGreaterThanOrEqual(0.1 * 55 + 0.3);
    expect(margin).toBeLessThan((0.1 * 55 + 0.3) * (1 + 2 ** -22));
  });
});

describe("the centre", () => {
  it("is the column mean, kept whole where all values are whole", () => {
    expect(
      centreOf(
        toMatrix(
          [
            [1, 10],
            [2, 11],
          ],
          "train",
        ),
      ),
    ).toEqual(Float64Array.of(2, 11));
    expect(
      centreOf(
        toMatrix(
          [
            [1, 10],
            [2.5, 11],
          ],
          "train",
        ),
      ),
    ).toEqual(Float64Array.of(1.75, 10.5));
  });

  it("is the mean of what is left without the extremes, in any order and with ties", () => {
    const random = new Random(7);
    const values = [() => random.normal(), () => random.int(0, 3), () => Math.exp(9 * random.normal())];
    for (const value of values)
      for (const rows of [31, 32, 64, 100, 255, 256]) {
        const data = Float64Array.from({ length: rows }, value);
        const trimmed = Math.floor(rows / 32);
        const left = data
          .slice()
          .sort()
          .subarray(trimmed, rows - trimmed);
        const mean = left.reduce((sum, x) => sum + x, 0) / left.length;
        const [found] = centreOf({ data, rows, cols: 1 });
        if (data.every(Number.isInteger)) expect(found).toBe(Math.round(mean));
        else expect(Math.abs(found - mean)).toBeLessThan(1e-12 * Math.max(...left.map(Math.abs)));
      }
  });

  it("heeds no infinity that is one of the extremes", () => {
    const data = Float32Array.from({ length: 64 }, (_, row) =>
      row === 9 ? Infinity : row === 40 ? -Infinity : 2.5,
    );
    expect(centreOf({ data, rows: 64, cols: 1 })).toEqual(Float64Array.of(2.5));
  });

  it("is 0 where the mean overflows", () => {
    expect(centreOf(toMatrix([[1.7e308], [1.7e308]], "train"))).toEqual(Float64Array.of(0));
  });
});

describe("the range", () => {
  const range = (input: number[][], centre?: Float64Array) => rangeOf(toMatrix(input, "train"), centre);

  it("is the largest distance from the centre", () => {
    expect(range([[-5, 3]]).largest).toBe(5);
    expect(range([[-5, 3]], Float64Array.of(-4, 10)).largest).toBe(7);
  });

  it("is that of float32 by their bits: of either sign, subnormal, and beside NaN", () => {
    const largest = (...values: number[]) =>
      rangeOf(
        { data: Float32Array.from([1e30, ...values]).subarray(1), rows: values.length, cols: 1 },
        undefined,
      ).largest;
    expect(largest(-5, 3)).toBe(5);
    expect(largest(1, 2, -1)).toBe(2);
    expect(largest(0, -(2 ** -149))).toBe(2 ** -149);
    expect(largest(-0)).toBe(0);
    expect(largest(2, -Infinity)).toBe(Infinity);
    expect(largest(NaN, -3, 2)).toBe(3);
  });

  it("is exact for whole numbers below 2^24 around a whole centre, and only then", () => {
    expect(range([[2 ** 24 - 1, -3]]).exact).toBe(true);
    expect(range([[2 ** 24, -3]]).exact).toBe(false);
    expect(range([[0.1]]).exact).toBe(false);
    expect(range([[2 ** 24 + 5]], Float64Array.of(2 ** 24)).exact).toBe(true);
    expect(range([[5]], Float64Array.of(0.5)).exact).toBe(false);
  });

  it.each([[[1, 2, 9, 4]], [[1, -7, NaN, 2]], [[1, 2, 9, 4.5]], [[1, 2 ** 24, 0, -3]]])(
    "of float32 around a centre is that of the same float64: %j",
    (values) => {
      for (const centre of [Float64Array.of(1, 2), Float64Array.of(1, 2.5)]) {
        const [single, double] = [Float32Array, Float64Array].map((Type) =>
          rangeOf({ data: Type.from(values), rows: 2, cols: 2 }, centre),
        );
        expect([single.largest, single.exact, single.single]).toEqual([double.largest, double.exact, true]);
      }
    },
  );

  it("is exact for float32 values that are not moved", () => {
    const floats = toMatrix({ data: Float32Array.of(0.1, 3e38), rows: 1, cols: 2 }, "train");
    expect(rangeOf(floats, undefined).exact).toBe(true);
    expect(rangeOf(floats, Float64Array.of(0.1, 3e38)).largest).toBeLessThan(2 ** 104);
    expect(rangeOf(floats, Float64Array.of(0.1, 0)).exact).toBe(false);
  });
});
