/**
 * Filters for rows with nominal columns and gaps: they leave few rows to float64, having looked at every pair
 * on the device, and answer like a plain evaluation of everything, by the rules of section 3 of the
 * contracts.
 */
import { describe, expect, it } from "vitest";
import { kneighbors } from "../../../dist/node.js";
import type { KneighborsOptions, MetricName } from "../../../dist/node.js";
import { measure } from "../../oracle/measures.ts";
import type { Cell, Kind } from "../../oracle/measures.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { onEachBackend } from "../helpers.ts";

const seed = printedSeed();

interface Shape {
  readonly metric: MetricName;
  readonly kinds: readonly Kind[];
  /** Of the cells, missing. */
  readonly gaps: number;
  readonly rows?: number;
  readonly k?: number;
  readonly weights?: readonly number[];
  /** Of numbers; default 1. */
  readonly size?: number;
  readonly missing?: "skip" | "rescale";
  /** Of numbers, zero; default none. */
  readonly zeros?: number;
}

const [QUERIES, ROWS, CATEGORIES] = [5, 1200, 6];

function rowsOf(random: Random, rows: number, { kinds, gaps, size = 1, zeros = 0 }: Shape): Cell[][] {
  return Array.from({ length: rows }, () =>
    kinds.map((kind) => {
      if (random.uniform() < gaps) return null;
      if (kind === "numeric") return random.uniform() < zeros ? 0 : size * random.uniform(-1, 1);
      return kind === "binominal" ? random.int(0, 2) : random.int(0, CATEGORIES);
    }),
  );
}

function matrixOf(rows: readonly Cell[][], kinds: readonly Kind[]) {
  const data = Float64Array.from(rows.flat(), (cell) => (cell === null ? NaN : Number(cell)));
  return { data, rows: rows.length, cols: kinds.length, kinds, gaps: data.some(Number.isNaN) };
}

/** By (distance, row), NaN last. */
function naive(train: readonly Cell[][], query: Cell[], { metric, kinds, weights, missing = "skip" }: Shape) {
  const setting = { kinds: [...kinds], ...(weights ? { weights: [...weights] } : {}), training: [], missing };
  return train
    .map((row, index) => ({ index, distance: measure(metric, row, query, setting).value }))
    .sort((a, b) => order(a.distance, b.distance) || a.index - b.index);
}

function order(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a - b;
}

const nominal = (count: number): Kind[] => Array.from({ length: count }, () => "nominal");
const numeric = (count: number): Kind[] => Array.from({ length: count }, () => "numeric");
const binominal = (count: number): Kind[] => Array.from({ length: count }, () => "binominal");
const mixed: Kind[] = [
  "numeric",
  "nominal",
  "numeric",
  "binominal",
  "numeric",
  "nominal",
  "numeric",
  "numeric",
  "numeric",
];

const shapes: readonly (readonly [string, Shape])[] = [
  ["mixed columns", { metric: "mixed_euclidean", kinds: mixed, gaps: 0 }],
  ["mixed columns with gaps", { metric: "mixed_euclidean", kinds: mixed, gaps: 0.05 }],
  [
    "mixed columns with gaps, RapidMiner's",
    { metric: "rapidminer:MixedEuclideanDistance", kinds: mixed, gaps: 0.05 },
  ],
  [
    "more gaps than values, so that some rows share nothing",
    { metric: "mixed_euclidean", kinds: numeric(9), gaps: 0.6 },
  ],
  [
    "equal weights of codes",
    { metric: "mixed_euclidean", kinds: mixed, gaps: 0.05, weights: [1, 0.3, 2, 0.3, 1, 0.3, 0, 5, 1] },
  ],
  ["numbers far larger than one", { metric: "mixed_euclidean", kinds: mixed, gaps: 0.05, size: 1e12 }],
  ["numbers far smaller than one", { metric: "mixed_euclidean", kinds: mixed, gaps: 0.05, size: 1e-12 }],
  [
    "one nominal column and numbers",
    { metric: "mixed_euclidean", kinds: [...nominal(1), ...numeric(16)], gaps: 0 },
  ],
  ["numbers with gaps", { metric: "euclidean", kinds: numeric(17), gaps: 0.1 }],
  ["numbers with gaps, sum of differences", { metric: "manhattan", kinds: numeric(6), gaps: 0.3 }],
  [
    "numbers with gaps, largest difference",
    { metric: "rapidminer:ChebychevDistance", kinds: numeric(5), gaps: 0.4 },
  ],
  ["rescaled numbers", { metric: "nan_euclidean", kinds: numeric(24), gaps: 0.1 }],
  ["rescaled numbers, most missing", { metric: "nan_euclidean", kinds: numeric(7), gaps: 0.6, size: 1e9 }],
  [
    "rescaled sums of differences",
    { metric: "manhattan", missing: "rescale", kinds: numeric(5), gaps: 0.4, size: 1e-20 },
  ],
  [
    "rescaled sums of codes and numbers",
    { metric: "mixed_euclidean", missing: "rescale", kinds: mixed, gaps: 0.2 },
  ],
  ["rescaled codes", { metric: "mixed_euclidean", missing: "rescale", kinds: nominal(20), gaps: 0.2, k: 2 }],
  ["codes alone", { metric: "mixed_euclidean", kinds: nominal(9), gaps: 0 }],
  ["codes with gaps", { metric: "rapidminer:NominalDistance", kinds: nominal(7), gaps: 0.4 }],
  ["hamming of codes with gaps", { metric: "hamming", kinds: nominal(10), gaps: 0.1 }],
  [
    "matches with gaps",
    { metric: "rapidminer:SimpleMatchingSimilarity", kinds: [...nominal(4), "binominal"], gaps: 0.1 },
  ],
  ["RogersTanimoto", { metric: "rapidminer:RogersTanimotoSimilarity", kinds: nominal(6), gaps: 0.1 }],
  [
    "RussellRao with binominal columns",
    {
      metric: "rapidminer:RussellRaoSimilarity",
      kinds: ["nominal", "binominal", "binominal", "nominal"],
      gaps: 0.1,
    },
  ],
  ["Jaccard", { metric: "rapidminer:JaccardSimilarity", kinds: nominal(6), gaps: 0.1 }],
  ["Dice", { metric: "rapidminer:DiceSimilarity", kinds: nominal(6), gaps: 0.1 }],
  ["Kulczynski", { metric: "rapidminer:KulczynskiSimilarity", kinds: nominal(6), gaps: 0.1 }],
  ["Jaccard of truths", { metric: "rapidminer:JaccardSimilarity", kinds: binominal(13), gaps: 0, k: 200 }],
  ["Dice of truths with gaps", { metric: "rapidminer:DiceSimilarity", kinds: binominal(9), gaps: 0.1 }],
  [
    "Kulczynski of truths and other codes, with gaps",
    { metric: "rapidminer:KulczynskiSimilarity", kinds: [...nominal(2), ...binominal(5)], gaps: 0.05 },
  ],
  ["textbook jaccard", { metric: "jaccard", kinds: numeric(14), gaps: 0, zeros: 0.6, size: 1e300 }],
  ["textbook jaccard with gaps", { metric: "jaccard", kinds: numeric(30), gaps: 0.1, zeros: 0.6 }],
  ["textbook dice", { metric: "dice", kinds: numeric(14), gaps: 0, zeros: 0.6 }],
  ["textbook dice with gaps", { metric: "dice", kinds: numeric(10), gaps: 0.3, zeros: 0.3 }],
];

/** Each needs shaders of its own, which a software GPU takes seconds to compile. */
const onGpu = [
  "mixed columns",
  "mixed columns with gaps",
  "more gaps",
  "codes",
  "hamming",
  "RussellRao",
  "numbers far",
  "textbook dice with gaps",
  "rescaled sums of codes and numbers",
];

describe("rows of 100,000 columns, nominal ones and gaps among them", () => {
  onEachBackend((device) => {
    it("are searched like others", async () => {
      const random = new Random(seed);
      const kinds: Kind[] = Array.from({ length: 100_000 }, (_, j) => (j % 3 === 0 ? "nominal" : "numeric"));
      const shape: Shape = { metric: "mixed_euclidean", kinds, gaps: 0.05 };
      const [train, queries] = [rowsOf(random, 6, shape), rowsOf(random, 1, shape)];
      const options = { k: 3, missing: "skip", device: device() } as const;
      const found = await kneighbors(matrixOf(train, kinds), matrixOf(queries, kinds), options);
      const expected = queries.flatMap((query) => naive(train, query, shape).slice(0, 3));
      expect([...found.indices]).toEqual(expected.map(({ index }) => index));
      expect([...found.distances]).toEqual(expected.map(({ distance }) => distance));
      expect(found.explanation.technique).toMatch(/^direct form/);
    });
  });
});

/**
 * A row of ones and gaps against which a query of `shared` ones has u columns that differ and e that are
 * equal.
 */
function rowOfCounts(cols: number, shared: number, u: number, e: number): Cell[] {
  return Array.from({ length: cols }, (_, j) => {
    if (j < e) return 1;
    if (j < shared) return null;
    return j < shared + u ? 1 : null;
  });
}

describe("a filter of rows with codes or gaps", () => {
  onEachBackend((device, backend) => {
    const searched = shapes.filter(
      ([name]) => backend === "cpu" || onGpu.some((each) => name.startsWith(each)),
    );
    it.each(searched)("evaluates few rows in float64 and errs in none: %s", async (_, shape) => {
      const { metric, kinds, k = 5, weights, rows = ROWS, missing = "skip" } = shape;
      const random = new Random(seed);
      const train = rowsOf(random, rows, shape);
      // One without any value is at no distance from all rows, which float64 finds.
      const queries = rowsOf(random, 2 * QUERIES, shape)
        .filter((query) => query.some((cell) => cell !== null))
        .slice(0, QUERIES);
      const options: KneighborsOptions = {
        metric,
        k,
        missing,
        device: device(),
        ...(weights ? { columnWeights: weights } : {}),
      };
      const { indices, distances, explanation } = await kneighbors(
        matrixOf(train, kinds),
        matrixOf(queries, kinds),
        options,
      );
      const expected = queries.flatMap((query) => naive(train, query, shape).slice(0, k));
      expect([...indices]).toEqual(expected.map(({ index }) => index));
      expect([...distances]).toEqual(expected.map(({ distance }) => distance));
      expect(explanation.technique).toMatch(/^direct form in float32/);
      expect(explanation.pairs).toBeGreaterThan(0);
      expect(explanation.refinedPairs).toBeLessThanOrEqual(QUERIES * Math.max(4 * k, rows / 100));
    });

    it("tells the closest quotients of 4095 columns apart, and takes equal ones by row", async () => {
      const [cols, shared] = [4095, 2048];
      const query: Cell[] = Array.from({ length: cols }, (_, j) => (j < shared ? 1 : 0));
      const counts = [
        ...[0, 1, 2, 3, 4].flatMap((less) => [
          [2047 - less, 2048],
          [2047, 2048 - less],
          [2047 - less, 2048 - less],
        ]),
        ...[
          [1, 2],
          [700, 1400],
          [2, 4],
          [1, 1],
          [2047, 2047],
          [2047, 1],
          [2046, 1],
          [1, 2048],
          [1, 2047],
        ],
        ...[
          [0, 2048],
          [0, 1],
          [3, 0],
          [2, 0],
        ],
      ];
      const train = counts.map(([u, e]) => rowOfCounts(cols, shared, u, e));
      const options = { metric: "dice", k: train.length, missing: "skip", device: device() } as const;
      const kinds = numeric(cols);
      const found = await kneighbors(matrixOf(train, kinds), matrixOf([query], kinds), options);
      const expected = naive(train, query, { metric: "dice", kinds, gaps: 0 });
      expect([...found.indices]).toEqual(expected.map(({ index }) => index));
      expect([...found.distances]).toEqual(expected.map(({ distance }) => distance));
      const half = await kneighbors(matrixOf(train, kinds), matrixOf([query], kinds), { ...options, k: 9 });
      expect([...half.indices]).toEqual(expected.slice(0, 9).map(({ index }) => index));
      expect([found, half].map(({ explanation }) => explanation.exhaustiveQueries)).toEqual([0, 0]);
      expect(half.explanation.refinedPairs).toBe(9);
    });
  });
});
