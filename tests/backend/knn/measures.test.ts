/**
 * Every measure beyond the classic eight, and those with gaps and weights, through the public search on every
 * backend against the oracle: the same rows in the same order with the same bits. Only haversine (sin, cos,
 * asin) and Mahalanobis (a matrix inverse) are compared within 1e-12, or its condition number times that.
 */
import { describe, expect, it } from "vitest";
import { InvalidInputError, kneighbors, metricNames } from "../../../dist/node.js";
import type { KernelType, MetricName, MetricOptions } from "../../../dist/node.js";
import { ownKernel } from "../../oracle/measures.ts";
import type { Cell, Kind } from "../../oracle/measures.ts";
import { comparedWith, ordered } from "../../oracle/neighbors.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame, onEachBackend } from "../helpers.ts";

const seed = printedSeed();

interface Case {
  readonly name: string;
  readonly options: MetricOptions;
  readonly kinds: Kind[];
  /** null is missing. */
  readonly train: Cell[][];
  readonly queries: Cell[][];
  readonly tolerance?: number;
}

const K = 9;
const oneColumn = ["ItakuraSaitoDistance", "LogarithmicLoss", "LogisticLoss", "SquaredLoss"];
const nominalOnly = ["Kulczynski", "RogersTanimoto", "RussellRao", "SimpleMatching", "NominalDistance"];

const numeric = (cols: number): Kind[] => new Array<Kind>(cols).fill("numeric");
const nominal: Kind[] = ["binominal", "nominal", "nominal", "binominal", "nominal"];
const mixed: Kind[] = ["numeric", "nominal", "numeric", "binominal", "numeric"];

type Value = (random: Random, kind: Kind) => number;

/** Coarse values, so that distances tie; codes for nominal columns. */
const coarse: Value = (random, kind) =>
  kind === "numeric" ? random.int(-6, 7) / 2 : random.int(0, kind === "binominal" ? 2 : 4);
const normal: Value = (random, kind) => (kind === "numeric" ? random.normal() : coarse(random, kind));
const share: Value = (random) => random.uniform(0.01, 0.99);

function caseOf(
  name: string,
  options: MetricOptions,
  kinds: Kind[],
  { value = normal, gaps = 0, tolerance }: { value?: Value; gaps?: number; tolerance?: number } = {},
): Case {
  const random = new Random(seed + name.length);
  const row = () => kinds.map((kind) => (random.uniform() < gaps ? null : value(random, kind)));
  const train = Array.from({ length: 61 }, row);
  const queries = [...Array.from({ length: 5 }, row), train[17], train[60]];
  return {
    name: `${name}${gaps > 0 ? " with gaps" : ""}`,
    options: gaps > 0 ? { missing: "skip", ...options } : options,
    kinds,
    train,
    queries,
    ...(tolerance === undefined ? {} : { tolerance }),
  };
}

function casesOf(metric: MetricName): Case[] {
  const [, own] = metric.split("rapidminer:");
  if (own !== undefined) return rapidMinerCases(metric, own);
  switch (metric) {
    case "precomputed":
      return [];
    case "haversine":
      return [
        caseOf(metric, { metric }, numeric(2), {
          value: (random) => random.uniform(-1.5, 1.5),
          tolerance: 1e-12,
        }),
      ];
    case "mixed_euclidean":
      return both(metric, mixed);
    case "hamming":
      return [...both(metric, mixed, coarse), ...both(metric, nominal)];
    case "minkowski":
      return [0.5, 1, 2, 3, Infinity].map((p) =>
        caseOf(`minkowski ${p}`, { metric, p }, numeric(5), { gaps: 0.2 }),
      );
    default:
      return both(metric, numeric(5), coarse);
  }
}

function both(metric: MetricName, kinds: Kind[], value: Value = normal): Case[] {
  return [0, 0.3].map((gaps) => caseOf(metric, { metric }, kinds, { value, gaps }));
}

function rapidMinerCases(metric: MetricName, own: string): Case[] {
  if (own === "KernelEuclideanDistance") return kernels.flatMap(kernelCases);
  if (oneColumn.includes(own)) return [caseOf(metric, { metric }, numeric(1), { value: share })];
  if (own === "MahalanobisDistance") return [caseOf(metric, { metric }, numeric(4), { tolerance: 1e-10 })];
  if (own === "MixedEuclideanDistance") return [...both(metric, mixed), ...both(metric, numeric(5))];
  if (own === "GeneralizedIDivergence" || own === "KLDivergence") return both(metric, numeric(5), share);
  const asNominal = nominalOnly.some((start) => own.startsWith(start)) || /^(Dice|Jaccard)/.test(own);
  const asNumeric = !nominalOnly.some((start) => own.startsWith(start));
  return [
    ...(asNominal ? both(metric, nominal) : []),
    ...(asNumeric ? [...both(metric, numeric(5)), ...both(metric, numeric(5), coarse)] : []),
  ];
}

const kernels: KernelType[] = [
  "dot",
  "radial",
  "polynomial",
  "sigmoid",
  "anova",
  "epanechnikov",
  "gausian_combination",
  "multiquadric",
];

function kernelCases(type: KernelType): Case[] {
  const metric = "rapidminer:KernelEuclideanDistance";
  const all = { gamma: 0.5, sigma1: 4, sigma2: 1.5, sigma3: 2, degree: 2.5, shift: 1.25, a: 0.3, b: 0.1 };
  return [
    caseOf(`kernel ${type}`, { metric, kernel: ownKernel({ type, ...all }) }, numeric(4), { value: coarse }),
    caseOf(`kernel ${type} with its defaults`, { metric, kernel: { type } }, numeric(3)),
  ];
}

const weights = [0.5, 0, 2, 1, 3];
const weighted = (
  ["euclidean", "sqeuclidean", "manhattan", "nan_euclidean", "mixed_euclidean", "hamming"] as const
).map((metric) =>
  caseOf(
    `weighted ${metric}`,
    { metric, columnWeights: weights },
    metric === "mixed_euclidean" ? mixed : numeric(5),
    { gaps: 0.2 },
  ),
);
const rescaled = (["euclidean", "sqeuclidean", "manhattan", "mixed_euclidean"] as const).map((metric) =>
  caseOf(`rescaled ${metric}`, { metric, missing: "rescale" }, numeric(5), { gaps: 0.3 }),
);

const cases = [...metricNames.flatMap(casesOf), ...weighted, ...rescaled];

function bruteForce({ queries, ...measuring }: Case) {
  const first = queries.flatMap((query) => ordered(comparedWith(query, measuring)).slice(0, K));
  return {
    indices: Uint32Array.from(first, ({ index }) => index),
    distances: Float64Array.from(first, ({ distance }) => distance),
  };
}

function matrixOf(rows: Cell[][], kinds: Kind[]) {
  return {
    data: Float64Array.from(rows.flat(), (cell) => cell ?? NaN),
    rows: rows.length,
    cols: kinds.length,
    // A matrix of numbers need not say so.
    ...(kinds.every((kind) => kind === "numeric") ? {} : { kinds }),
  };
}

describe("every measure finds the neighbours the oracle finds", () => {
  it("and each of them has a case here", () => {
    const covered = new Set(cases.map(({ options }) => options.metric));
    expect(metricNames.filter((name) => !covered.has(name))).toEqual(["precomputed"]);
  });

  onEachBackend((device) => {
    it.each(cases)("by $name", async (each) => {
      const { train, queries, kinds, options, tolerance } = each;
      const expected = bruteForce(each);
      const found = await kneighbors(matrixOf(train, kinds), matrixOf(queries, kinds), {
        ...options,
        k: K,
        device: device(),
      });
      if (tolerance === undefined) return expectSame(found, expected, K);
      for (const [at, distance] of found.distances.entries()) {
        const own = comparedWith(queries[Math.floor(at / K)], each)[found.indices[at]].distance;
        expect(Math.abs(distance - own)).toBeLessThanOrEqual(tolerance);
        expect(Math.abs(distance - expected.distances[at])).toBeLessThanOrEqual(tolerance);
      }
    });
  });
});

describe("precomputed distances", () => {
  onEachBackend((device) => {
    it("are taken from the queries' rows, ties by index, missing ones last", async () => {
      const train = [[0], [0], [0], [0]];
      const found = await kneighbors(
        train,
        [
          [3, 1, 2, 1],
          [NaN, 5, 0, NaN],
        ],
        { metric: "precomputed", k: 4, missing: "skip", device: device() },
      );
      expect([...found.indices]).toEqual([1, 3, 2, 0, 2, 1, 0, 3]);
      expect([...found.distances]).toEqual([1, 1, 2, 3, 0, 5, NaN, NaN]);
    });

    it("are refused where they are negative or not one for each row of train", async () => {
      const search = (queries: number[][]) =>
        kneighbors([[0], [0]], queries, { metric: "precomputed", k: 1, device: device() });
      await expect(search([[1, -1]])).rejects.toThrow(/queries row 0, column 1 is -1/);
      await expect(search([[1, 2, 3]])).rejects.toThrow(/3 columns, but train has 2 rows/);
      await expect(search([[1]])).rejects.toThrow(InvalidInputError);
    });
  });
});
