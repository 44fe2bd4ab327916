/**
 * This finds exact k-nearest neighbours among rows that lie where they can be fetched from, such as in a
 * file. It is one search, for which a GPU is given the rows as they are and the host keeps none. It takes
 * only searches that a GPU can do alone: the GPU evaluates the metric in float64, sees that all values are as
 * a sample says, and takes all queries together while rows come by. For others rows come in chunks
 * (stream.ts).
 */
import { unlessAborted } from "../../core/async/aborted.ts";
import { type BackendInfo } from "../../runtime/backend.ts";
import { rowCount, type HostSource, type RowSet } from "../../runtime/source.ts";
import { assert } from "../../core/errors.ts";
import type { Matrix } from "../../core/matrix.ts";
import { queriesFor, resolveMetric } from "../../distance/metric.ts";
import type { Metric } from "../../distance/metric.ts";
import type { Fetch, FetchableRows } from "../../core/fetchable.ts";
import { PreparedRows } from "../../distance/rows/prepare.ts";
import { runYielding } from "../../core/async/yielding.ts";
import type { Device } from "../../runtime/device.ts";
import { Executor } from "../../runtime/execute.ts";
import type { ExecuteOptions } from "../../runtime/execute.ts";
import { collectRanked, listsOf } from "./refine.ts";
import type { Neighbors } from "./refine.ts";
import { knnProgram } from "./plan/knn.ts";
import type { KnnProblem } from "./plan/problem.ts";
import type { Program } from "../../runtime/program.ts";
import { rateKey } from "./run.ts";
import type { KnnOptions } from "./options.ts";
import { neighborsInto } from "./arguments.ts";
import { fitAsTheyAre, type Fit } from "../../distance/fit.ts";
import { fitPlan } from "../../distance/fitPlan.ts";
import { findRange, type Range } from "../../distance/rows/range.ts";
import { strideOf } from "../../distance/rows/preparation.ts";
import { planKnn } from "./plan/start.ts";
import type { KnnJob, KnnPlan } from "./plan/knnPlan.ts";

export interface PlacedSearch extends KnnOptions, ExecuteOptions {
  readonly k: number;
  /** The phase in progress has this name, and is reported in rows of train. */
  readonly phase: string;
}

/**
 * Searches rows where they lie, if one search can.
 * @returns undefined where the rows must come in chunks
 */
export async function searchPlaced(
  device: Device,
  train: FetchableRows,
  queries: Matrix,
  options: PlacedSearch,
): Promise<Pick<Neighbors, "indices" | "distances"> | undefined> {
  const { k, signal } = options;
  if (!mayFetch(device.info, train)) return undefined;
  const fitting = fitPlan(device.info.kind, { ...train, float32: true }, options);
  if (!fitting.refines || !fitting.assumes) return undefined;
  const sample = await unlessAborted(sampleOf(train), signal);
  const like = await runYielding(fitAsTheyAre(fitting, sample, options), signal);
  if (!like) return undefined;
  const metric = resolveMetric(options, like.fitted);
  const matrix = await runYielding(queriesFor(options, sample, queries), signal);
  const range = await runYielding(findRange(matrix, undefined), signal);
  const problem = problemOf(train, matrix, metric, like, range, options);
  const key = rateKey(metric, train.cols);
  const plan = planKnn(problem, device.info, options.tiles, device.rates.get(key));
  if (plan.technique.form === "none" || !plan.technique.refinable) return undefined;
  if (plan.technique.train.on !== "device") return undefined;
  const into = neighborsInto(matrix.rows, k, undefined);
  const sources = {
    train: new FetchedRows(train),
    queries: new PreparedRows(matrix, plan.technique.queries),
  };
  const done = await execute(device, plan, metric, sources, into, options);
  if (done.observed) device.rates.set(key, done.rate);
  return done.violated || done.todo.length > 0 ? undefined : into;
}

/**
 * Tells whether rows are in the form that a GPU takes, and whether the device is a GPU whose memory others
 * may fill.
 */
function mayFetch({ kind, fetches = false }: BackendInfo, { type, cols }: FetchableRows): boolean {
  return kind === "gpu" && fetches && type === Float32Array && strideOf(cols) === cols;
}

const SAMPLE_PLACES = 64;
const SAMPLE_ROWS = 16;

/** Fetches a few rows at each of several places, evenly spread. */
async function sampleOf({ rows, cols, fetch }: FetchableRows): Promise<Matrix> {
  const each = Math.min(rows, SAMPLE_ROWS);
  const places = Math.min(SAMPLE_PLACES, Math.floor(rows / each));
  const data = new Float32Array(places * each * cols);
  const bytes = each * cols * 4;
  const fetched = Array.from({ length: places }, (_, i) => {
    const row = Math.floor((i * rows) / places);
    return fetch(new Uint8Array(data.buffer, i * bytes, bytes), row * cols * 4);
  });
  await Promise.all(fetched);
  return { data, rows: places * each, cols };
}

function problemOf(
  train: FetchableRows,
  queries: Matrix,
  { name, p }: Metric,
  { fitted, range }: Pick<Fit, "fitted" | "range">,
  queryRange: Range,
  { k, ...options }: PlacedSearch,
): KnnProblem {
  return {
    trainRows: train.rows,
    queryRows: queries.rows,
    cols: train.cols,
    k,
    metric: name,
    p,
    options,
    fitted,
    precision: "float64",
    centre: undefined,
    train: range,
    queries: queryRange,
  };
}

/**
 * Makes the program. It ends with work left rather than read all rows for a part of the queries, or leave
 * candidates to the host; lists that overflow are searched again together, for which all rows are read once
 * more. Its units are rows, of which every query has a share.
 */
function programOf(phase: string): Program<KnnPlan, KnnJob> {
  return {
    ...knnProgram,
    phase,
    unitsLeft: (plan) => inRows(plan, knnProgram.unitsLeft(plan)),
    nextJob(plan) {
      const job = knnProgram.nextJob(plan);
      if (!job || job.probe) return job;
      const evaluated = job.finish.kind === "refine" && job.finish.lists?.keys !== undefined;
      const together = plan.layout?.resident === true || job.units === rowCount(plan.todo[0].rows);
      return evaluated && together ? { ...job, units: inRows(plan, job.units) } : undefined;
    },
  };
}

function inRows({ problem }: KnnPlan, queries: number): number {
  return Math.ceil((queries / problem.queryRows) * problem.trainRows);
}

async function execute(
  device: Device,
  plan: KnnPlan,
  metric: Metric,
  sources: Readonly<Record<string, HostSource>>,
  into: Neighbors,
  { phase, signal, onProgress }: PlacedSearch,
): Promise<KnnPlan> {
  const executor = new Executor(device);
  try {
    return await executor.execute(
      programOf(phase),
      plan,
      sources,
      ({ finish }, downloads) => {
        const lists = listsOf(finish, downloads); // a probe has none
        if (lists) collectRanked(metric, finish.rows, lists, into);
        return Promise.resolve();
      },
      { signal, onProgress },
    );
  } finally {
    executor.dispose();
  }
}

/** A device that prepares rows itself asks for these parts; see PreparedRows. */
class FetchedRows implements HostSource {
  readonly rows: number;
  readonly elsewhere = true;
  readonly #rowBytes: number;
  readonly #fetch: Fetch;

  constructor({ rows, cols, fetch }: FetchableRows) {
    this.rows = rows;
    this.#rowBytes = cols * 4;
    this.#fetch = fetch;
  }

  rowBytes(): number {
    return this.#rowBytes;
  }

  fill(part: string, _rows: RowSet, target: Uint8Array): void {
    assert(part === "centre", `rows that lie elsewhere cannot be filled in as "${part}"`);
    target.fill(0);
  }

  fetcher(part: string, rows: RowSet): Fetch | undefined {
    if (part !== "raw" || !("begin" in rows)) return undefined;
    return (target, begin) => this.#fetch(target, rows.begin * this.#rowBytes + begin);
  }
}
