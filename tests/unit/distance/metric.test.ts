/**
 * What a metric refuses, and says about it: options that are not its own, columns and values it is not
 * defined for.
 */
import { describe, expect, it } from "vitest";
import { toMatrix } from "../../../src/core/matrix.ts";
import type { ColumnKind, MatrixLike, MissingPolicy } from "../../../src/core/matrix.ts";
import { resolveMetric } from "../../../src/distance/anyMetric.ts";
import { columnsTaken, fitMetric, metricNames, queriesFor } from "../../../src/distance/metric.ts";
import type { MetricName, MetricOptions } from "../../../src/distance/metric.ts";
import * as rare from "../../../src/distance/measures/rare/index.ts";
import { kernelParameters, kernelTypes } from "../../../src/distance/measures/kernels.ts";
import { atOnce } from "../../../src/core/async/yielding.ts";
import type { KernelOptions } from "../../../src/distance/metric.ts";

function fit(metric: MetricName, rows: number[][], kinds?: ColumnKind[], options: MetricOptions = {}) {
  const data = Float64Array.from(rows.flat());
  const train = toMatrix({ data, rows: rows.length, cols: rows[0].length, kinds }, "train", "skip");
  return atOnce(fitMetric({ metric, ...options }, train, rare));
}

describe("the options of a metric", () => {
  it.each<[MetricOptions, RegExp]>([
    [
      { metric: "euclid" as MetricName },
      /unknown metric "euclid"; expected euclidean, .*such as rapidminer:MixedEuclideanDistance$/,
    ],
    [{ metric: "minkowski", p: 0 }, /p is 0; .* above 0$/],
    [{ metric: "minkowski", p: 1e-310 }, /p is 1e-310; .* above 0, and at least 1e-300$/],
    [{ metric: "minkowski", p: "2" as unknown as number }, /p is 2; .* above 0/],
    [{ metric: "cosine", kernel: { type: "dot" } }, /a kernel is given, but cosine has none/],
    [
      { metric: "cosine", columnWeights: [1] },
      /columnWeights do not apply to cosine; they belong to euclidean/,
    ],
    [{ metric: "minkowski", p: Infinity, columnWeights: [1] }, /do not apply to minkowski with p = Infinity/],
    [{ columnWeights: [1, -1] }, /weight of column 1 is -1; expected a finite number of at least 0/],
    [{ missing: "drop" as "skip" }, /missing is "drop"; expected error, skip or rescale/],
    [{ metric: "cosine", missing: "rescale" }, /"rescale" needs a sum of differences, which cosine is not/],
    [{ metric: "CamberraDistance" as MetricName }, /expected rapidminer:.*rapidminer:CamberraDistance/],
  ])("%o are refused", (options, message) => {
    expect(() => resolveMetric(options)).toThrow(message);
  });

  it("of a kernel are checked by name, type and range", () => {
    const metric = "rapidminer:KernelEuclideanDistance";
    expect(() => resolveMetric({ metric, kernel: { type: "gauss" as "dot" } })).toThrow(
      /unknown kernel "gauss"; expected dot, radial, .*gausian_combination or multiquadric/,
    );
    expect(() => resolveMetric({ metric, kernel: { gamma: -1 } })).toThrow(
      /kernel's gamma is -1; expected a finite number of at least 0/,
    );
    expect(() => resolveMetric({ metric, kernel: { sigma: 1 } as object })).toThrow(
      /the kernel radial has no parameter "sigma"; expected gamma/,
    );
  });
});

describe("the parameters of a kernel", () => {
  const metric = "rapidminer:KernelEuclideanDistance";
  const rows = [Float64Array.of(0.5, -1), Float64Array.of(0.6, -0.75)] as const;
  const others = { gamma: 3, sigma1: 0.5, sigma2: 4, sigma3: 0.75, degree: 2, shift: 0.5, a: 0.25, b: 2 };

  it.each(kernelTypes)("of %s alone are taken, and each of them changes the distance", (type) => {
    const usual = resolveMetric({ metric, kernel: { type } }).rank(...rows);
    for (const [name, value] of Object.entries(others)) {
      const kernel = { type, [name]: value };
      if ((kernelParameters[type] as readonly string[]).includes(name))
        expect(resolveMetric({ metric, kernel }).rank(...rows), name).not.toBe(usual);
      else
        expect(() => resolveMetric({ metric, kernel })).toThrow(
          `the kernel ${type} has no parameter "${name}"; expected `,
        );
      expect(resolveMetric({ metric, kernel: { type, [name]: undefined } }).rank(...rows)).toBe(usual);
    }
  });

  it.each(["constructor", "toString", "__proto__", "hasOwnProperty"])("do not include %s", (name) => {
    const kernel = Object.fromEntries([
      ["type", "polynomial"],
      [name, 1],
    ]) as KernelOptions;
    expect(() => resolveMetric({ metric, kernel })).toThrow(
      `the kernel polynomial has no parameter "${name}"; expected degree or shift`,
    );
  });

  it("end in time for any pair of rows, issue 19", () => {
    const kernel = { type: "polynomial", degree: 1000 } as const;
    expect(resolveMetric({ metric, kernel }).rank(Float64Array.of(0), Float64Array.of(0))).toBe(0);
    for (const degree of [1000.5, 1e300])
      expect(() => resolveMetric({ metric, kernel: { ...kernel, degree } })).toThrow(
        `the kernel's degree is ${degree}; expected a finite number from 0 to 1000`,
      );
    for (const type of ["anova", "epanechnikov"] as const)
      expect(() => resolveMetric({ metric, kernel: { type, degree: 1e300 } })).not.toThrow();
  });
});

describe("the training set of a metric", () => {
  it("is refused with RapidMiner's error 104 for nominal columns of a numerical measure", () => {
    expect(() => fit("rapidminer:CamberraDistance", [[1, 0]], ["numeric", "nominal"])).toThrow(
      /takes numeric columns only, but column 1 of train is nominal \(RapidMiner's error 104\)/,
    );
    expect(() => fit("euclidean", [[0, 1]], ["binominal", "numeric"])).toThrow(
      /euclidean takes numeric columns only, but column 0 of train is nominal; .* mixed_euclidean/,
    );
  });

  it("is refused with error 103 for numbers in a nominal measure, with 501 for both kinds in either", () => {
    expect(() => fit("rapidminer:NominalDistance", [[1, 0]])).toThrow(/nominal columns only.*error 103/);
    expect(() => fit("rapidminer:DiceSimilarity", [[1, 0]], ["nominal", "numeric"])).toThrow(
      /columns of one kind only, but column 1 of train is numeric \(RapidMiner's error 501\)/,
    );
  });

  it("of a divergence must have its values, and one column where it is a loss", () => {
    const message = (metric: MetricName, rows: number[][]) => () => fit(metric, rows);
    expect(
      message("rapidminer:GeneralizedIDivergence", [
        [1, 2],
        [3, 0],
      ]),
    ).toThrow(/train row 1, column 1 is 0, .*above 0 \(RapidMiner's error inapplicable_bregman_divergence\)/);
    expect(message("rapidminer:GeneralizedIDivergence", [[1, NaN]])).not.toThrow();
    expect(message("rapidminer:KLDivergence", [[-1, 0]])).not.toThrow();
    expect(message("rapidminer:SquaredLoss", [[1, 2]])).toThrow(
      /exactly one attribute, but train has 2 columns .*inapplicable_bregman_divergence.multiple/,
    );
    expect(message("rapidminer:LogisticLoss", [[0.5], [1]])).toThrow(
      /train row 1, column 0 is 1, .*between 0 and 1 .*inapplicable_bregman_divergence.range/,
    );
  });

  it("of Mahalanobis must have a covariance that can be inverted", () => {
    expect(() =>
      fit("rapidminer:MahalanobisDistance", [
        [1, 2],
        [2, 4],
        [3, 6],
      ]),
    ).toThrow(/covariance of train \(3 rows, 2 columns\) is singular/);
  });

  it("of haversine is two columns in radians", () => {
    expect(() => fit("haversine", [[1, 2, 3]])).toThrow(
      /two columns, latitude and longitude, but train has 3/,
    );
    expect(() =>
      fit("haversine", [
        [0, 0],
        [48.1, 11.6],
      ]),
    ).toThrow(/train row 1 has the latitude 48.1, beyond pi\/2; .*multiply degrees by pi\/180/);
  });

  it("of time warping has no more columns than a table of all pairs of them has room for", () => {
    const rows = (cols: number) => [Array.from({ length: cols }, (_, j) => j)];
    const metric = "rapidminer:DynamicTimeWarpingDistance";
    expect(() => fit(metric, rows(8192))).not.toThrow();
    expect(() => fit(metric, rows(8193))).toThrow(
      /train has 8193 columns; expected at most 8192: choose fewer, or average neighbouring ones$/,
    );
  });

  it("has a weight for each column where weights are given", () => {
    expect(() => fit("euclidean", [[1, 2]], undefined, { columnWeights: [1] })).toThrow(
      /columnWeights has 1 weight, but train has 2 columns/,
    );
  });
});

describe("queries", () => {
  const train = toMatrix(
    { data: Float64Array.of(0, 1), rows: 1, cols: 2, kinds: ["nominal", "numeric"] },
    "train",
  );
  const readAs = (queries: MatrixLike, missing?: MissingPolicy) =>
    atOnce(queriesFor({ metric: "mixed_euclidean", missing }, train, queries, rare));

  it("have train's columns, nominal where train's are", () => {
    const named = (kinds: ColumnKind[]) => ({ data: Float64Array.of(0, 1), rows: 1, cols: 2, kinds });
    expect(() => readAs(named(["numeric", "numeric"]))).toThrow(
      /column 0 of queries is numeric, but nominal in train \(RapidMiner's error 965\)/,
    );
    expect(() => readAs(named(["binominal", "numeric"]))).not.toThrow();
    expect(() => readAs([[0]])).toThrow(/queries have 1 column, but train has 2/);
  });

  it.each([-1, 3.0000000001, -1e30, 0.5])("are refused where they have %d for a code", (code) => {
    const refusal = `queries row 1, column 0 is ${code}, but the column is nominal; expected a code 0, 1, 2 ... or NaN`;
    const rows = [
      [0, 0.5],
      [code, 0.5],
    ];
    expect(() => readAs(rows)).toThrow(refusal);
    expect(() => readAs({ data: Float64Array.from(rows.flat()), rows: 2, cols: 2 })).toThrow(refusal);
  });

  it("may have codes that train does not have, and miss some", () => {
    expect(readAs([[77, -1]])).toMatchObject({ kinds: train.kinds, gaps: false });
    expect(readAs([[NaN, -1]], "skip")).toMatchObject({ gaps: true });
  });
});

it("every metric says which columns it takes", () => {
  const taken = (kind: string) => metricNames.filter((name) => columnsTaken(name) === kind);
  expect(taken("any")).toEqual(["mixed_euclidean", "hamming", "rapidminer:MixedEuclideanDistance"]);
  expect(taken("either")).toEqual(["rapidminer:DiceSimilarity", "rapidminer:JaccardSimilarity"]);
  expect(taken("nominal")).toHaveLength(5);
  expect(metricNames).toHaveLength(17 + 27);
});
