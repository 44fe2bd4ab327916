/**
 * This fits a metric to rows that lie where they can be fetched from: by a sample, since the host reads no
 * more of them. Whether all rows are as the sample says is seen by the GPU (search.ts).
 */
import { unlessAborted } from "../../../core/async/aborted.ts";
import { runYielding, type Yielding } from "../../../core/async/yielding.ts";
import type { FetchableRows } from "../../../core/fetchable.ts";
import type { Matrix } from "../../../core/matrix.ts";
import { resolveMetric } from "../../../distance/anyMetric.ts";
import { fitAsTheyAre, type Fit } from "../../../distance/fit.ts";
import { fitPlan } from "../../../distance/fitPlan.ts";
import { fitMetric, queriesFor, type Metric } from "../../../distance/metric.ts";
import { pairProblem } from "../../../distance/problem.ts";
import { findRange, type Range } from "../../../distance/rows/range.ts";
import type { Device } from "../../../runtime/device.ts";
import type { ExecuteOptions } from "../../../runtime/execute.ts";
import type { KnnOptions } from "../options.ts";
import type { KnnPlan } from "../plan/knnPlan.ts";
import type { KnnProblem } from "../plan/problem.ts";
import { planKnn } from "../plan/start.ts";
import { rateKey } from "../rates.ts";

export interface PlacedSearch extends KnnOptions, ExecuteOptions {
  readonly k: number;
  /** The phase in progress has this name, and is reported in rows of train. */
  readonly phase: string;
}

/** A search of rows where they lie has these facts of its rows and queries. */
export interface Placed {
  readonly device: Device;
  readonly train: FetchableRows;
  readonly queries: Matrix;
  readonly queryRange: Range;
  readonly metric: Metric;
  readonly like: Pick<Fit, "fitted" | "range">;
  readonly options: PlacedSearch;
}

/** Fits the metric to a sample of the rows; undefined where one search cannot take rows like these. */
export async function fitPlaced(
  device: Device,
  train: FetchableRows,
  queries: Matrix,
  ofBytes: boolean,
  options: PlacedSearch,
): Promise<Placed | undefined> {
  const { signal } = options;
  const fitting = fitPlan(device.info.kind, { ...train, float32: !ofBytes }, options);
  if (!fitting.refines || (!ofBytes && !fitting.assumes)) return undefined;
  const sample = await unlessAborted(sampleOf(train), signal);
  const like = await runYielding(
    ofBytes ? fitBytes(sample, options) : fitAsTheyAre(fitting, sample, options),
    signal,
  );
  if (!like) return undefined;
  const matrix = await runYielding(queriesFor(options, sample, queries, undefined), signal);
  const queryRange = await runYielding(findRange(matrix, undefined), signal);
  const metric = resolveMetric(options, like.fitted);
  return { device, train, queries: matrix, queryRange, metric, like, options };
}

/** Plans the search of some queries, of rows as they are. */
export function planOf({ device, ...placed }: Placed, queries: Matrix): KnnPlan {
  const { train, metric, options } = placed;
  const rate = device.rates.get(rateKey(metric, train.cols));
  return planKnn(problemOf(placed, queries), device.info, options.tiles, rate);
}

function problemOf(
  { train, metric, like, queryRange, options: { k, ...options } }: Omit<Placed, "device">,
  queries: Matrix,
): KnnProblem {
  const { fitted, range } = like;
  const known = { options, fitted, precision: "float64", centre: undefined } as const;
  return { ...pairProblem(train, queries, metric, { ...known, train: range, queries: queryRange }), k };
}

/** Returns what is known of bytes, all of which are numbers, whatever a sample has. */
function* fitBytes(sample: Matrix, options: KnnOptions): Yielding<Pick<Fit, "fitted" | "range">> {
  const fitted = yield* fitMetric(options, sample);
  return { fitted, range: { largest: 255, exact: true, single: true } };
}

const SAMPLE_PLACES = 64;
const SAMPLE_ROWS = 16;

/** Fetches a few rows at each of several places, evenly spread. */
async function sampleOf({ rows, cols, type, fetch }: FetchableRows): Promise<Matrix> {
  const each = Math.min(rows, SAMPLE_ROWS);
  const places = Math.min(SAMPLE_PLACES, Math.floor(rows / each));
  const data = new (type as Float32ArrayConstructor | Uint8ArrayConstructor)(places * each * cols);
  const bytes = each * cols * data.BYTES_PER_ELEMENT;
  const fetched = Array.from({ length: places }, (_, i) => {
    const row = Math.floor((i * rows) / places);
    return fetch(new Uint8Array(data.buffer, i * bytes, bytes), row * cols * data.BYTES_PER_ELEMENT);
  });
  await Promise.all(fetched);
  return { data, rows: places * each, cols };
}
