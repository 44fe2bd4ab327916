/**
 * This has a GPU count distances by bins: it plans, has the plan executed, and puts what comes back where it
 * belongs. exact.ts counts what a GPU cannot.
 */
import { evenEdges } from "../histogram/index.ts";
import { assert } from "../../core/errors.ts";
import type { Matrix } from "../../core/matrix.ts";
import type { FittedRows, PairCall } from "../../distance/fittedRows.ts";
import { sampleOf } from "../../distance/rows/centre.ts";
import type { ExecuteOptions } from "../../runtime/execute.ts";
import { hasPackedProducts } from "../../runtime/gpu/features.ts";
import { rowAt, rowCount, type HostSource } from "../../runtime/source.ts";
import { BESIDE_BINS, BOUNDS_WORDS, thresholdWords } from "./deviceContract.ts";
import type { Bins } from "./counting.ts";
import { OUTSIDE } from "./contract.ts";
import type { DistancesTuning } from "./options.ts";
import { isExact, type DistancesAsk, type DistancesJob, type DistancesPlan } from "./plan/distancesPlan.ts";
import { distancesProgram } from "./plan/program.ts";
import { planDistances } from "./plan/start.ts";
import { sharedThresholds } from "./plan/thresholds.ts";
import { widths } from "./plan/widths.ts";

/** A caller gives the distances to count, and the arrays to count in, as in exact.ts. */
export interface GpuCount {
  readonly queries: Matrix;
  readonly ask: DistancesAsk;
  /** Returns the bins that the GPU does not make itself, once they can be known. */
  readonly bins: () => Bins;
  readonly counts: Uint32Array;
  readonly outside: Uint32Array;
  readonly ranges: Float64Array;
  readonly tuning: DistancesTuning;
}

/**
 * Has the GPU of a device count the distances, if it can.
 * @returns the plan as executed. Where it says why the GPU is unsuited, nothing was done
 */
export async function countOnGpu(
  fitted: FittedRows,
  count: GpuCount,
  options: ExecuteOptions,
): Promise<DistancesPlan> {
  const { device, train } = fitted;
  const { queries, ask } = count;
  const tuning = hasPackedProducts() ? count.tuning : { ...count.tuning, whole: false };
  const metric = fitted.metricFor(queries);
  const key = `distances ${metric.name} ${train.cols}`;
  const keys = widths.map((width) => `${key} ${width} queries`);
  const rates = keys.map((each) => device.rates.get(each));
  const sample = { train: sampleOf(train), queries: sampleOf(queries), cols: train.cols };
  const call: PairCall<DistancesPlan, DistancesJob> = {
    queries,
    program: distancesProgram,
    plan: (problem, mixing) => {
      const rate = device.rates.get(key);
      return planDistances(
        problem,
        { ask, metric, device: device.info, tuning, rate, rates, sample },
        mixing,
      );
    },
    begin: (plan) => ({
      sources: { thresholds: thresholdsSource(plan, count), bounds: boundsSource(count) },
      finish: async (job, downloads) => collect(count, job, downloads),
    }),
  };
  const done = await fitted.run(call, options);
  if (done.observed) device.rates.set(key, done.rate);
  done.rates.forEach((rate, at) => rate !== undefined && device.rates.set(keys[at], rate));
  return done;
}

/** This word of a query in `bounds` is 1 where the query has a distance. */
const HAS_DISTANCE = 6;

/** Makes the thresholds of shared bins when they are uploaded; by then all ranges are known. */
function thresholdsSource(plan: DistancesPlan, { ask, bins: binsOf }: GpuCount): HostSource {
  const exact = isExact(plan);
  const { technique, root } = plan;
  return {
    rows: 1,
    rowBytes: () => thresholdWords(ask.bins, exact) * 4,
    fill(_part, _rows, target) {
      const bins = binsOf();
      const isEven = !("edges" in bins);
      const edges = isEven ? evenEdges(bins.min[0], bins.max[0], ask.bins) : bins.edges;
      const rankExponent = technique.form === "none" ? 0 : technique.rankExponent;
      const words = sharedThresholds(edges, isEven, { root, rankExponent }, exact);
      target.set(new Uint8Array(words.buffer));
    },
  };
}

/** Brings the known range of each query, as `distances.thresholds` has it in `bounds`. */
function boundsSource({ queries, bins: binsOf }: GpuCount): HostSource {
  return {
    rows: queries.rows,
    rowBytes: () => BOUNDS_WORDS * 4,
    fill(_part, rows, target) {
      const bins = binsOf();
      assert(!("edges" in bins), "queries with bins of their own have no shared edges");
      const words = new Uint32Array(rowCount(rows) * BOUNDS_WORDS);
      const distances = new Float64Array(words.buffer);
      for (let place = 0; place < rowCount(rows); place++) {
        const query = rowAt(rows, place);
        const [min, max] = [bins.min[query], bins.max[query]];
        if (Number.isNaN(min)) continue;
        distances.set([min, max, max - min], (place * BOUNDS_WORDS) / 2);
        words[place * BOUNDS_WORDS + HAS_DISTANCE] = 1;
      }
      target.set(new Uint8Array(words.buffer));
    },
  };
}

function collect(
  { ask, counts, outside, ranges }: GpuCount,
  { queries, counts: isCounted }: DistancesJob,
  downloads: ReadonlyMap<string, ArrayBuffer>,
): void {
  const bounds = downloads.get("bounds") ?? new ArrayBuffer(0);
  const [distances, words] = [new Float64Array(bounds), new Uint32Array(bounds)];
  const counted = new Uint32Array(downloads.get("counts") ?? new ArrayBuffer(0));
  const width = ask.bins + BESIDE_BINS;
  for (let query = queries.begin; query < queries.end; query++) {
    const place = query - queries.begin;
    const at = (place * BOUNDS_WORDS) / 2;
    const isAny = words[place * BOUNDS_WORDS + HAS_DISTANCE] === 1;
    ranges.set(isAny ? [distances[at], distances[at + 1]] : [NaN, NaN], 2 * query);
    if (!isCounted) continue;
    const own = counted.subarray(place * width, (place + 1) * width);
    counts.set(own.subarray(0, ask.bins), query * ask.bins);
    outside.set([own[ask.bins], own[ask.bins + 1], 0], query * OUTSIDE);
  }
}
