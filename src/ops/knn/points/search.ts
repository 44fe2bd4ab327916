/**
 * This searches for the nearest points on a CPU, where workers can do all of it: for up to three columns of
 * numbers, by the Euclidean distance or its square. Other searches are those of knnIndex.ts, which asks here
 * first.
 */
import type { Matrix } from "../../../core/matrix.ts";
import type { FittedRows, PairCall } from "../../../distance/fittedRows.ts";
import type { BackendInfo } from "../../../runtime/backend.ts";
import { grouped } from "../../../runtime/explain.ts";
import type { KnnOptions, SearchOptions } from "../options.ts";
import type { KnnExplanation } from "../plan/explain.ts";
import { noJobs } from "../plan/knnPlan.ts";
import type { KnnProblem } from "../plan/problem.ts";
import { collectOrdered, targetsOf } from "../plan/order.ts";
import type { Neighbors } from "../refine.ts";
import { pointTree } from "./contract.ts";
import { PointRows } from "./pointRows.ts";
import { pointProgram, pointTotalBytes, type PointJob, type PointPlan } from "./program.ts";

/** Fewer pairs than this are compared sooner than a tree is built, and with a tree that stays fewer rows. */
const LEAST_PAIRS = 2e7;
const LEAST_KEPT_ROWS = 2 ** 12;
/** Float32 holds the squares of coordinates of these sizes. */
const SIZES = { least: 2 ** -40, most: 2 ** 60 };
/** The tree may take this share of the budget, so that there is room for queries. */
const TREE_SHARE = 0.8;
const MOST_QUERIES = 2 ** 20;

/**
 * Searches among points, if this search serves them.
 * @param k the neighbours to find: one more where each query is a row that does not count
 * @returns how the search was done; undefined where it was not, since these rows need another one
 */
export async function searchPoints(
  rows: FittedRows<KnnOptions>,
  queries: Matrix,
  k: number,
  into: Neighbors,
  options: SearchOptions,
): Promise<KnnExplanation | undefined> {
  const start = performance.now();
  const { device, train } = rows;
  if (!isWorthwhile(rows, queries, options)) return undefined;
  device.takeStages();
  const isWide = ![train, queries].every(({ data }) => data instanceof Float32Array);
  const { tiles = {} } = rows.options;
  let refinedPairs = 0;
  const call: PairCall<PointPlan, PointJob> = {
    queries,
    program: pointProgram,
    plan: (problem) => planPoints({ ...problem, k }, device.info, isWide, tiles),
    begin() {
      refinedPairs = 0;
      return {
        sources: { points: new PointRows(train, isWide), sought: new PointRows(queries, isWide) },
        targets: targetsOf(into, k),
        async finish({ finish }, downloads) {
          refinedPairs += collectOrdered(finish.rows, downloads, k, into);
        },
      };
    },
  };
  const { tree, technique, runLog, begin } = await rows.run(call, options, options.asked);
  if (!tree || begin < queries.rows) return undefined;
  const { jobs, dispatches, pairs, largestTile, lost } = runLog;
  return {
    operator: "knn",
    backend: device.info.kind,
    device: device.info.name,
    note: device.note,
    technique: `direct form in float32, along a tree of ${tree.leaves} leaves, certified in float64`,
    why: technique.why,
    references: `${grouped(train.rows)} rows resident in one buffer`,
    largestTile,
    jobs,
    dispatches,
    pairs,
    refinedPairs,
    repeatedQueries: 0,
    exhaustiveQueries: 0,
    heaps: undefined,
    timesMemoryHalved: 0,
    timesDeviceLost: lost,
    peakDeviceBytes: device.counters.peakBytes,
    seconds: (performance.now() - start) / 1000,
    stages: device.takeStages(),
  };
}

/** Tells whether the points are numbers that are compared by their squares, and so many that a tree pays. */
function isWorthwhile(rows: FittedRows<KnnOptions>, queries: Matrix, { asked }: SearchOptions): boolean {
  const { train, metric, options } = rows;
  const { precision = "float64", columnWeights, tiles = {} } = options;
  const { tree, keepsTree = false, cells, chunk = Infinity } = tiles;
  const { gaps, kinds } = rows.fittedFor(queries);
  if (!/^(sq)?euclidean$/.test(metric.name) || columnWeights || precision !== "float64") return false;
  if (gaps || kinds || asked?.before || cells !== undefined || chunk < train.rows) return false;
  const isMuch = keepsTree ? train.rows >= LEAST_KEPT_ROWS : train.rows * queries.rows >= LEAST_PAIRS;
  return tree ?? isMuch;
}

/** Plans the search, without a tree where values are too large for one, or there is no room. */
function planPoints(
  problem: KnnProblem,
  device: BackendInfo,
  isWide: boolean,
  { budget = Infinity, queries = MOST_QUERIES }: NonNullable<KnnOptions["tiles"]>,
): PointPlan {
  const { trainRows, cols, centre, train, queries: sought } = problem;
  const all = Math.min(device.budgetBytes, budget);
  const size = Math.max(train.largest, sought.largest);
  const tree = pointTree(
    trainRows,
    cols,
    isWide,
    [0, 1, 2].map((j) => centre?.[j] ?? 0),
  );
  const fits =
    pointTotalBytes(tree, device.threads) <= TREE_SHARE * all &&
    tree.leaves * tree.places * 24 <= device.bufferBytes;
  return {
    problem,
    technique: { form: "none", why: "a tree of few columns leaves little to compare" },
    device,
    tree: fits && size >= SIZES.least && size <= SIZES.most ? tree : undefined,
    budget: all,
    most: queries,
    begin: 0,
    runLog: noJobs,
  };
}
