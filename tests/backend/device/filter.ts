/**
 * knn.filter twice: on a backend, every buffer full of garbage beforehand, and naively in float64. Shares no
 * code with src/ but types and the size of scratch.
 */
import type { Backend, Segment, SegmentOutput, Step } from "../../../dist/runtime/backend.js";
import type { DistanceCore, KnnFilterParams } from "../../../dist/ops/knn/contract/filter.js";
import type { PairMixed } from "../../../dist/distance/contract/mixed.js";
import { knnFilterScratchBytes, type KnnRooms } from "../../../dist/ops/knn/contract/filter.js";
import { mixedVariant } from "../../../dist/distance/gpu/mixed/variants.js";
import { knnFilterPasses } from "../../../dist/ops/knn/gpu/filter/filter.js";
import { kernelLimits } from "../../../dist/runtime/gpu/passes/pass.js";
import { randomizer, rowsOf } from "./gpu.ts";
import { knnFilter, knnMixedFilter } from "../../../dist/ops/knn/primitives.js";
import { type PassRunner } from "./passRunner.ts";

export interface Problem {
  readonly core: DistanceCore;
  readonly p: number;
  readonly weight: number;
  readonly slack: number;
  readonly cut: boolean;
  readonly k: number;
  readonly capacity: number;
  readonly dims: number;
  readonly stride: number;
  readonly queries: Float32Array;
  readonly queryMeta: Float32Array;
  readonly refs: Float32Array;
  readonly refMeta: Float32Array;
  /** The group and keepAll of KnnFilterParams. */
  readonly group?: number;
  readonly keepAll?: boolean;
  /** The rows are those of knn.mixedFilter. */
  readonly mixed?: PairMixed;
}

export interface List {
  readonly count: number;
  readonly threshold: number;
  readonly rows: readonly number[];
  readonly lows: readonly number[];
  readonly highs: readonly number[];
}

export interface ProblemShape {
  readonly queryRows: number;
  readonly refRows: number;
  readonly dims: number;
  readonly k: number;
  readonly seed: number;
  readonly value?: (random: () => number) => number;
}

/** Small whole numbers and dyadic metas: every step of every core but lp is exact in float32. */
export function exactProblem(shape: ProblemShape, fields: Partial<Problem> = {}): Problem {
  const { queryRows, refRows, dims, k, seed, value = (random) => Math.floor(random() * 9) - 4 } = shape;
  const random = randomizer(seed);
  const stride = Math.ceil(dims / 4) * 4 + (seed % 2) * 4;
  const matrix = (rows: number): Float32Array => {
    const data = new Float32Array(rows * stride);
    for (let i = 0; i < rows; i++) for (let j = 0; j < dims; j++) data[i * stride + j] = value(random);
    return data;
  };
  const meta = (rows: number): Float32Array =>
    Float32Array.from({ length: rows * 4 }, (_, at) =>
      at % 4 === 3 ? NaN : at % 4 === 0 ? Math.floor(random() * 8) : Math.floor(random() * 4) / 8,
    );
  return {
    core: "dot",
    p: 3,
    weight: -2,
    slack: 0.25,
    cut: false,
    k,
    capacity: Math.max(k, refRows),
    dims,
    stride,
    queries: matrix(queryRows),
    queryMeta: meta(queryRows),
    refs: matrix(refRows),
    refMeta: meta(refRows),
    ...fields,
  };
}

export const rowsIn = (meta: Float32Array): number => meta.length / 4;

export function value64(problem: Problem, query: number, ref: number): number {
  const { core, p, weight, dims, stride, queries, refs, queryMeta, refMeta, mixed } = problem;
  let sum = 0;
  let common = 0;
  for (let j = 0; j < dims; j++) {
    const a = queries[query * stride + j];
    const b = refs[ref * stride + j];
    const size = Math.abs(a - b);
    if (mixed?.gaps && (a >= 2 ** 62 || b <= -(2 ** 62))) continue;
    common++;
    if (mixed && j < mixed.codes) sum += a === b ? 0 : mixed.unit;
    else if (core === "dot") sum += a * b;
    else if (core === "l2") sum += size * size;
    else if (core === "l1") sum += size;
    else if (core === "linf") sum = Math.max(sum, size);
    else sum += size ** p;
  }
  if (mixed && mixed.mark > 0 && common === 0) return 2 ** 120;
  return core === "dot" ? queryMeta[query * 4] + refMeta[ref * 4] + weight * sum : sum;
}

export function interval64(
  problem: Problem,
  query: number,
  ref: number,
): readonly [low: number, high: number] {
  const value = value64(problem, query, ref);
  if (problem.cut) return [value, value];
  const [, qProduct, qMargin] = problem.queryMeta.subarray(query * 4);
  const [, rProduct, rMargin] = problem.refMeta.subarray(ref * 4);
  const half = problem.slack * Math.abs(value) + qProduct * rProduct + qMargin + rMargin;
  return [value - half, value + half];
}

/** The list as the contract says, from all references at once; an overflowing one has no entries. */
export function naiveList(problem: Problem, query: number): List {
  const { k, cut, capacity } = problem;
  const all = Array.from({ length: rowsIn(problem.refMeta) }, (_, row) => {
    const [low, high] = interval64(problem, query, row);
    return { row, low, high };
  });
  const highs = all.map(({ high }) => high).sort((a, b) => a - b);
  const threshold = highs[k - 1] ?? Infinity;
  let kept = all.filter(({ low }) => low <= threshold);
  if (cut) {
    const ties = k - all.filter(({ low }) => low < threshold).length;
    let seen = 0;
    kept = kept.filter(({ low }) => low < threshold || seen++ < ties);
  }
  if (kept.length > capacity) return { count: kept.length, threshold, rows: [], lows: [], highs: [] };
  return {
    count: kept.length,
    threshold,
    rows: kept.map(({ row }) => row),
    lows: kept.map(({ low }) => low),
    highs: kept.map(({ high }) => high),
  };
}

/**
 * @param tiles sizes of the calls, ascending over the references; default: one call
 * @param moved whether each tile is uploaded to the start of `refs`, instead of staying in place
 */
export async function filter(
  backend: Backend,
  problem: Problem,
  tiles: readonly number[] = [rowsIn(problem.refMeta)],
  moved = false,
): Promise<List[]> {
  const session = await backend.open([]);
  const { segment, sources } = filterSegment(problem, tiles, moved);
  try {
    return lists(problem, await session.run(segment, sources));
  } finally {
    session.dispose();
  }
}

export function filterSegment(problem: Problem, tiles: readonly number[], moved = false) {
  const { stride, capacity } = problem;
  const queryRows = rowsIn(problem.queryMeta);
  const refRows = rowsIn(problem.refMeta);
  const buffers = [
    { name: "queries", bytes: queryRows * stride * 4 },
    { name: "queryMeta", bytes: queryRows * 16 },
    { name: "refs", bytes: refRows * stride * 4 },
    { name: "refMeta", bytes: refRows * 16 },
    { name: "heads", bytes: queryRows * 8 },
    { name: "candidates", bytes: queryRows * capacity * 4 },
    { name: "intervals", bytes: queryRows * capacity * 8 },
    { name: "scratch", bytes: scratchBytes(problem, tiles) },
  ];
  const bindings = Object.fromEntries(buffers.map(({ name }) => [name, name]));
  const upload = (to: string, source: string, begin: number, end: number): Step => ({
    kind: "upload",
    to,
    source,
    part: "",
    rows: { begin, end },
  });
  const steps: Step[] = buffers.map(({ name, bytes }) => upload(name, "garbage", 0, bytes / 4));
  steps.push(upload("queries", "queries", 0, queryRows), upload("queryMeta", "queryMeta", 0, queryRows));
  if (!moved) steps.push(upload("refs", "refs", 0, refRows), upload("refMeta", "refMeta", 0, refRows));
  steps.push({ kind: "clear", buffer: "heads" });
  let begin = 0;
  for (const tile of tiles) {
    if (moved) {
      steps.push(
        upload("refs", "refs", begin, begin + tile),
        upload("refMeta", "refMeta", begin, begin + tile),
      );
    }
    const { mixed } = problem;
    const params = paramsOf(problem, begin, tile, moved);
    const call = mixed
      ? { primitive: knnMixedFilter, params: { ...params, mixed } }
      : { primitive: knnFilter, params };
    steps.push({ kind: "run", ...call, bindings, cost: queryRows * tile * problem.dims });
    begin += tile;
  }
  for (const { name, bytes } of buffers.slice(4, 7)) steps.push({ kind: "download", from: name, bytes });
  const garbage = new Uint32Array(Math.max(...buffers.map(({ bytes }) => bytes / 4))).fill(0xffffffff);
  const sources = {
    queries: rowsOf(problem.queries, stride),
    queryMeta: rowsOf(problem.queryMeta, 4),
    refs: rowsOf(problem.refs, stride),
    refMeta: rowsOf(problem.refMeta, 4),
    garbage: rowsOf(garbage, 1),
  };
  const segment: Segment = { label: "test filter", buffers, steps };
  return { segment, sources };
}

/** The parameters of a call over `refRows` references from `begin` on. */
function paramsOf(problem: Problem, begin: number, refRows: number, moved: boolean): KnnFilterParams {
  const { core, p, weight, slack, cut, k, capacity, dims, stride, group, keepAll } = problem;
  return {
    ...{ core, p, weight, slack, cut, k, capacity, dims, stride, group, keepAll },
    queryRows: rowsIn(problem.queryMeta),
    refRows,
    ...(moved ? { refBegin: 0, refOffset: begin } : { refBegin: begin, refOffset: 0 }),
  };
}

/** `filter` below the backend, which knows no caps. */
export async function filterCapped(
  runner: PassRunner,
  problem: Problem,
  caps: Partial<KnnRooms>,
  tiles: readonly number[] = [rowsIn(problem.refMeta)],
): Promise<List[]> {
  const { mixed, capacity, queries, queryMeta, refs, refMeta } = problem;
  const queryRows = rowsIn(queryMeta);
  const limits = kernelLimits(runner.device);
  const variant = mixed && mixedVariant(mixed);
  const begins = tiles.map((_, at) => tiles.slice(0, at).reduce((sum, tile) => sum + tile, 0));
  const passes = tiles.flatMap((tile, at) =>
    knnFilterPasses(paramsOf(problem, begins[at], tile, false), limits, {
      caps,
      ...(variant && { variant }),
    }),
  );
  const words = (data: Float32Array) => new Uint32Array(data.slice().buffer);
  const got = await runner.run(passes, {
    queries: words(queries),
    queryMeta: words(queryMeta),
    refs: words(refs),
    refMeta: words(refMeta),
    heads: new Uint32Array(queryRows * 2),
    candidates: queryRows * capacity,
    intervals: queryRows * capacity * 2,
    scratch: scratchBytes(problem, tiles) / 4,
  });
  const downloads = new Map(Object.entries(got).map(([name, { buffer }]) => [name, buffer]));
  return lists(problem, { downloads });
}

function scratchBytes({ queryMeta, ...problem }: Problem, tiles: readonly number[]): number {
  const queryRows = rowsIn(queryMeta);
  return Math.max(...tiles.map((refRows) => knnFilterScratchBytes({ ...problem, queryRows, refRows })));
}

/** In order of row index, which the contract leaves open. */
export function lists(
  { capacity, queryMeta }: Problem,
  { downloads }: Pick<SegmentOutput, "downloads">,
): List[] {
  const heads = downloads.get("heads")!;
  const counts = new Uint32Array(heads);
  const thresholds = new Float32Array(heads);
  const candidates = new Uint32Array(downloads.get("candidates")!);
  const intervals = new Float32Array(downloads.get("intervals")!);
  return Array.from({ length: rowsIn(queryMeta) }, (_, query) => {
    const count = counts[query * 2];
    const entries = count > capacity ? [] : Array.from({ length: count }, (_, i) => query * capacity + i);
    entries.sort((a, b) => candidates[a] - candidates[b]);
    return {
      count,
      threshold: thresholds[query * 2 + 1],
      rows: entries.map((entry) => candidates[entry]),
      lows: entries.map((entry) => intervals[entry * 2]),
      highs: entries.map((entry) => intervals[entry * 2 + 1]),
    };
  });
}
