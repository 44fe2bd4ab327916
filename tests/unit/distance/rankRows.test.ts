/** `rankRows` of a metric: the bits of `rank`, row by row, for every type of matrix and number of rows. */
import { describe, expect, it } from "vitest";
import { readRow, type Matrix } from "../../../src/core/matrix.ts";
import { resolveMetric } from "../../../src/distance/anyMetric.ts";
import { metricNames } from "../../../src/distance/metric.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const seed = printedSeed();
const rows = 23;
const cols = 13;

const matrices: Record<string, (random: Random) => Matrix["data"]> = {
  Float64Array: (random) => Float64Array.from({ length: rows * cols }, () => random.normal() * 1e6),
  Float32Array: (random) => Float32Array.from({ length: rows * cols }, () => random.normal()),
  Int16Array: (random) => Int16Array.from({ length: rows * cols }, () => random.int(-300, 300)),
};

describe("the ranks of many rows", () => {
  const names = metricNames.filter((metric) => resolveMetric({ metric }).rankRows);

  it("have a way of their own for the metrics asked for most", () => {
    expect(names).toEqual(expect.arrayContaining(["euclidean", "sqeuclidean"]));
  });

  it.each(names.flatMap((metric) => Object.keys(matrices).map((type) => ({ metric, type }))))(
    "are those of one by one: $metric, $type",
    ({ metric, type }) => {
      const random = new Random(seed);
      const { rank, rankRows } = resolveMetric({ metric });
      const train = { data: matrices[type](random), rows, cols } as Matrix;
      const query = Float64Array.from({ length: cols }, () => random.normal());
      const row = new Float64Array(cols);
      for (let count = 0; count <= 9; count++) {
        const asked = Uint32Array.from({ length: 12 }, () => random.int(0, rows));
        const ranks = new Float64Array(12).fill(-1);
        rankRows?.(train, asked, count, query, ranks);
        const expected = Array.from(asked, (index, at) => {
          if (at >= count) return -1;
          readRow(train, index, row);
          return rank(row, query);
        });
        expect(Array.from(ranks)).toEqual(expected);
      }
    },
  );

  it("exist only where rows are compared as they are", () => {
    for (const metric of names) expect(resolveMetric({ metric }).ready).toBeUndefined();
    expect(resolveMetric({ metric: "euclidean", columnWeights: [1, 2] }).rankRows).toBeUndefined();
    expect(resolveMetric({ metric: "euclidean" }, { gaps: true }).rankRows).toBeUndefined();
  });
});
