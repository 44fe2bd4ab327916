/**
 * RapidMiner's heap is replayed where the rows are found: by a GPU where intervals tell them apart, which
 * they nearly always do, and by the host otherwise. Either way it is the heap that saw every row; the
 * explanation counts both, and few rows are evaluated.
 */
import { describe, expect, it } from "vitest";
import type { Segment } from "../../../dist/runtime/backend.js";
import { NearestNeighbors } from "../../../dist/node.js";
import type { Device, KnnExplanation, KnnOptions, MetricName } from "../../../dist/node.js";
import { measure } from "../../oracle/measures.ts";
import type { Cell, Kind } from "../../oracle/measures.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { heapOrder } from "../../oracle/rapidminer.ts";
import { onEachBackend } from "../helpers.ts";

const seed = printedSeed();
const [QUERIES, ROWS] = [24, 1200];

interface Shape {
  readonly metric: MetricName;
  readonly kinds: readonly Kind[];
  /** Of the cells, missing; default none. */
  readonly gaps?: number;
  /** Numbers are whole and below; default fractions. */
  readonly levels?: number;
  readonly float32?: boolean;
  readonly k?: number;
}

/** Of the queries, those that a GPU must decide. */
type Share = "all" | "most" | "any" | "none";
const least: Readonly<Record<Share, number>> = { all: 1, most: 0.8, any: 0, none: 0 };

const alike = (kind: Kind, count: number): Kind[] => Array.from({ length: count }, () => kind);
const numbers = alike("numeric", 4);
const mixed: Kind[] = [...numbers, "nominal", "binominal", "nominal"];
const euclid = "rapidminer:MixedEuclideanDistance";

const shapes: readonly (readonly [string, Share, Shape])[] = [
  ["numbers", "most", { metric: "euclidean", kinds: numbers }],
  ["numbers, k = 1", "most", { metric: "euclidean", kinds: numbers, k: 1 }],
  ["numbers, k = 9", "most", { metric: "manhattan", kinds: numbers, k: 9 }],
  ["numbers, k = 40", "any", { metric: "manhattan", kinds: numbers, k: 40 }],
  ["numbers, k = 65", "none", { metric: "euclidean", kinds: numbers, k: 65 }],
  ["numbers that tie, k = 64", "any", { metric: "euclidean", kinds: numbers, k: 64, levels: 2 }],
  ["float32 rows", "most", { metric: "sqeuclidean", kinds: numbers, float32: true }],
  ["float32 rows that tie", "any", { metric: "euclidean", kinds: numbers, float32: true, levels: 4 }],
  ["whole numbers that tie", "any", { metric: euclid, kinds: numbers, levels: 3 }],
  ["mixed columns with gaps", "most", { metric: euclid, kinds: mixed, gaps: 0.05 }],
  ["codes, which tie", "any", { metric: euclid, kinds: mixed.slice(3), gaps: 0.05, levels: 2 }],
  ["rows that share no column", "any", { metric: euclid, kinds: numbers, gaps: 0.7 }],
  ["angles", "any", { metric: "rapidminer:CosineSimilarity", kinds: numbers }],
  ["counts of codes", "all", { metric: "rapidminer:NominalDistance", kinds: alike("nominal", 6), gaps: 0.6 }],
  [
    "counts, nearly all rows alike",
    "all",
    { metric: "rapidminer:RussellRaoSimilarity", kinds: ["binominal"] },
  ],
  ["quotients", "all", { metric: "rapidminer:JaccardSimilarity", kinds: alike("binominal", 7), gaps: 0.2 }],
];

function rowsOf(random: Random, rows: number, { kinds, gaps = 0, levels, float32 }: Shape): Cell[][] {
  return Array.from({ length: rows }, () =>
    kinds.map((kind) => {
      if (random.uniform() < gaps) return null;
      if (kind !== "numeric") return random.int(0, kind === "binominal" ? 2 : 4);
      const value = levels === undefined ? random.uniform(-1, 1) : random.int(0, levels);
      return float32 ? Math.fround(value) : value;
    }),
  );
}

function matrixOf(rows: readonly Cell[][], { kinds, float32 }: Shape) {
  const data = Float64Array.from(rows.flat(), (cell) => (cell === null ? NaN : Number(cell)));
  return {
    data: float32 ? Float32Array.from(data) : data,
    rows: rows.length,
    cols: kinds.length,
    kinds: kinds.every((kind) => kind === "numeric") ? undefined : kinds,
    gaps: data.some(Number.isNaN),
  };
}

onEachBackend((device, backend) => {
  async function search(train: readonly Cell[][], queries: readonly Cell[][], shape: Shape, tiles = {}) {
    const { metric, k = 5 } = shape;
    const options: KnnOptions = { metric, missing: "skip", tiles };
    const before = device().counters;
    const nn = await new NearestNeighbors({ ...options, compat: "rapidminer", device: device() }).fit(
      matrixOf(train, shape),
    );
    const { indices, distances, explanation } = await nn.kneighbors(matrixOf(queries, shape), {
      nNeighbors: k,
    });
    nn.dispose();
    const setting = { kinds: [...shape.kinds], training: [] };
    const all = queries.map((query) => train.map((row) => measure(metric, row, query, setting).value));
    const heaps = all.map((byRow) => heapOrder(byRow, k));
    expect([...indices]).toEqual(heaps.flat());
    const exact = heaps.flatMap((heap, q) => heap.map((row) => all[q][row]));
    distances.forEach((distance, at) => {
      if (metric !== "rapidminer:CosineSimilarity") expect(distance).toBe(exact[at]);
      else expect(distance).toBeCloseTo(exact[at], 10);
    });
    const { pairs, dispatches } = explanation;
    const after = device().counters;
    expect(pairs).toBeGreaterThanOrEqual(train.length * queries.length);
    expect(after.work - before.work).toBe(pairs);
    // Preparing train is part of no job.
    const setup = backend === "gpu" && shape.float32 ? 1 : 0;
    expect(after.dispatches - before.dispatches).toBe(dispatches + setup);
    expectCounted(explanation, queries.length);
    return explanation;
  }

  function expectCounted({ heaps }: KnnExplanation, queries: number): void {
    expect(heaps!.gpu + heaps!.host).toBe(queries);
    if (backend === "cpu") expect(heaps!.gpu).toBe(0);
  }

  describe("the heap that saw every row is found", () => {
    it.each(shapes)("among %s", async (_, share, shape) => {
      const random = new Random(seed);
      const [train, queries] = [rowsOf(random, ROWS, shape), rowsOf(random, QUERIES, shape)];
      const { heaps, refinedPairs } = await search(train, queries, shape);
      if (backend === "cpu") return;
      expect(heaps!.gpu).toBeGreaterThanOrEqual(QUERIES * least[share]);
      if (share === "none") expect(heaps!.gpu).toBe(0);
      if (share === "all") expect(refinedPairs).toBe(QUERIES * (shape.k ?? 5));
    });

    it("among copies of a few rows, in tiles of few queries and chunks of few rows", async () => {
      const random = new Random(seed + 1);
      const shape: Shape = { metric: euclid, kinds: mixed, gaps: 0.1 };
      const few = rowsOf(random, 40, shape);
      const train = Array.from({ length: 300 }, () => random.pick(few));
      const queries = rowsOf(random, 9, shape);
      await search(train, queries, shape, { queries: 4, chunk: 70, references: 33 });
    });

    it("in fewer than k rows, and in exactly k", async () => {
      const random = new Random(seed + 2);
      const shape: Shape = { metric: euclid, kinds: mixed, gaps: 0.1, k: 7 };
      for (const rows of [1, 6, 7, 8])
        await search(rowsOf(random, rows, shape), rowsOf(random, 5, shape), shape);
    });
  });

  if (backend === "gpu") {
    it("is not asked of a GPU again where its intervals decide nothing", async () => {
      const shape: Shape = { metric: euclid, kinds: numbers };
      const row = rowsOf(new Random(seed + 3), 1, shape)[0];
      const same = (rows: number) => Array.from({ length: rows }, () => row);
      const jobs = recordSegments(device());
      await search(same(50), same(12), shape, { queries: 4 });
      const replays = jobs.map(({ steps }) =>
        steps.some((step) => step.kind === "run" && step.primitive.name === "knn.replay"),
      );
      expect(replays.length).toBeGreaterThanOrEqual(3);
      expect(replays.filter(Boolean).length).toBe(1);
    });
  }
});

/** The segments with a filter that sessions of the device run from now on. */
function recordSegments({ backend }: Device): Segment[] {
  const segments: Segment[] = [];
  const open = backend.open.bind(backend);
  backend.open = async (resident) => {
    const session = await open(resident);
    const run = session.run.bind(session);
    session.run = (segment, ...rest) => {
      if (segment.steps.some((step) => step.kind === "run" && /filter$/i.test(step.primitive.name)))
        segments.push(segment);
      return run(segment, ...rest);
    };
    return session;
  };
  return segments;
}
