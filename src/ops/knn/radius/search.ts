/**
 * This finds all neighbours within a radius along a GPU's tree, of rows of up to three columns. What it does
 * not serve is searched by radiusNeighbors.ts, which asks here first.
 */
import { runYielding, type Yielding } from "../../../core/async/yielding.ts";
import { froundUp, scaleByPowerOfTwo } from "../../../core/math.ts";
import { assert } from "../../../core/errors.ts";
import type { Matrix } from "../../../core/matrix.ts";
import { currentPlatform } from "../../../core/platform.ts";
import type { FittedRows, PairCall } from "../../../distance/fittedRows.ts";
import { LARGEST_FLOAT, SMALLEST_NORMAL } from "../../../distance/float32.ts";
import { rankBound, type Metric } from "../../../distance/metric.ts";
import { sortAscending } from "../../../distance/topk.ts";
import type { ExecuteOptions } from "../../../runtime/execute.ts";
import { rowAt, rowCount, type HostSource } from "../../../runtime/source.ts";
import { UNFINISHED } from "../contract/tree.ts";
import type { KnnOptions } from "../options.ts";
import { explainKnn, type KnnExplanation } from "../plan/explain.ts";
import * as trees from "../plan/tree.ts";
import { countersOf } from "../plan/order.ts";
import { planKnn } from "../plan/start.ts";
import { Evaluator } from "../refine.ts";
import { rateKey } from "../rates.ts";
import { planWithin, withinProgram, type WithinJob, type WithinPlan } from "./program.ts";

const MAX_RESULT = 2 ** 32 - 1;
/** A candidate takes so many bytes on the host: twice, since results are without gaps. */
const HOST_BYTES = 24;
/** Results may leave one in so many of the candidates' places empty behind them. */
const MOST_SPARE = 64;
/** This many queries are gone through between two chances to pause. */
const PIECE_QUERIES = 4096;

/** The neighbours of query i are entries [offsets[i], offsets[i + 1]). */
interface Neighborhoods {
  readonly offsets: Uint32Array;
  readonly indices: Uint32Array;
  readonly distances: Float64Array;
}

/**
 * Searches within a radius along a tree, if there is one.
 * @returns undefined where these rows need another search
 */
export async function searchWithin(
  rows: FittedRows<KnnOptions>,
  queries: Matrix,
  radius: number,
  { signal, onProgress }: ExecuteOptions,
): Promise<(Neighborhoods & { readonly explanation: KnnExplanation }) | undefined> {
  const start = performance.now();
  const { device, train } = rows;
  const metric = rows.metricFor(queries);
  device.takeStages();
  let found = new Within(metric, train, queries, radius);
  const call: PairCall<WithinPlan, WithinJob> = {
    queries,
    program: withinProgram,
    plan(problem, mixing) {
      const rate = device.rates.get(rateKey(metric, train.cols, mixing));
      const one = { ...problem, k: 1, evaluators: device.workerThreads };
      const plan = planKnn(one, device.info, rows.options.tiles, rate, mixing, trees);
      const { technique } = plan;
      const exponent = technique.form === "none" ? 0 : technique.rankExponent;
      const threshold = Number.isInteger(exponent) ? thresholdOf(metric, radius, exponent) : undefined;
      return planWithin(
        plan,
        threshold,
        Math.min(MAX_RESULT, Math.floor(currentPlatform().memory / HOST_BYTES)),
      );
    },
    begin(plan, sides) {
      found = new Within(metric, train, queries, radius);
      return {
        sources: { ...plan.trees?.sources(sides, train, queries), room: found.room },
        finish: (job, downloads) => runYielding(found.take(job, downloads), signal),
      };
    },
  };
  const done = await rows.run(call, { signal, onProgress });
  if (done.asked.length > 0 || !done.tree) return undefined;
  const result = await runYielding(found.joined(), signal);
  device.countHostWork(found.evaluated);
  const explanation = explainKnn(done, {
    refinedPairs: found.evaluated,
    peakDeviceBytes: device.counters.peakBytes,
    ms: performance.now() - start,
    note: device.note,
    stages: device.takeStages(),
  });
  return { ...result, explanation };
}

/** Returns a value that the low end of no pair within the radius exceeds; undefined for some metrics. */
function thresholdOf(metric: Metric, radius: number, rankExponent: number): number | undefined {
  const bound = rankBound(metric);
  if (!bound) return undefined;
  const value = froundUp(scaleByPowerOfTwo(bound(radius), -rankExponent));
  if (value > 0 && value < SMALLEST_NORMAL) return SMALLEST_NORMAL;
  return value < LARGEST_FLOAT ? value : LARGEST_FLOAT;
}

/** It holds what was found so far: candidates are counted first, and those within the radius stay. */
class Within {
  readonly #metric: Metric;
  readonly #radius: number;
  readonly #evaluate: Evaluator;
  readonly #queries: number;
  /** It counts the candidates of each query, then its neighbours. */
  readonly #counts: Uint32Array;
  /** Candidates of each query go from here on, where their counts are known. */
  #starts: Uint32Array | undefined;
  #indices = new Uint32Array();
  #distances = new Float64Array();
  #isCut = false;
  evaluated = 0;

  constructor(metric: Metric, train: Matrix, queries: Matrix, radius: number) {
    this.#metric = metric;
    this.#radius = radius;
    this.#evaluate = new Evaluator(metric, train, queries);
    this.#queries = queries.rows;
    this.#counts = new Uint32Array(queries.rows);
  }

  /** These are the counts of candidates, which make room for lists on the device. */
  get room(): HostSource {
    const starts = () => this.#begin();
    return {
      rows: this.#queries,
      rowBytes: () => 4,
      fill(_part, rows, target) {
        const out = new Uint32Array(target.buffer, target.byteOffset, target.byteLength / 4);
        const at = starts();
        for (let i = 0; i < out.length; i++) {
          const query = rowAt(rows, i);
          out[i] = at[query + 1] - at[query];
        }
      },
    };
  }

  /** Takes what a job brought back. */
  *take({ task, listed, ordered }: WithinJob, downloads: ReadonlyMap<string, ArrayBuffer>): Yielding<void> {
    const words = (name: string) => new Uint32Array(downloads.get(name) ?? []);
    const { rows, counts } = task;
    if (!counts) {
      const heads = words("heads");
      const length = rowCount(rows);
      for (let i = 0; i < length; i++) {
        const count = heads[2 * i];
        if (count !== UNFINISHED) this.#counts[rowAt(rows, i)] = count;
      }
      return;
    }
    if (listed === 0 || countersOf(downloads).unlisted > 0) return;
    this.evaluated += listed;
    if (ordered) {
      const distances = new Float64Array(downloads.get("nearDistances") ?? []);
      yield* this.#put(task.rows, counts, words("nearRows"), distances);
    } else {
      yield* this.#evaluated(task.rows, counts, words("entries"));
    }
  }

  /** Returns the neighbours, query by query, without gaps. */
  *joined(): Yielding<Neighborhoods> {
    const starts = this.#begin();
    if (!this.#isCut) return { offsets: starts, indices: this.#indices, distances: this.#distances };
    const counts = this.#counts;
    const offsets = offsetsOf(counts);
    // Few queries are cut; lists of those between follow each other as they are.
    let [from, to] = [0, 0];
    const closeUp = (end: number) => {
      if (to < from) {
        this.#indices.copyWithin(to, from, end);
        this.#distances.copyWithin(to, from, end);
      }
      to += end - from;
    };
    for (let query = 0; query < this.#queries; query++) {
      if (query % PIECE_QUERIES === 0) yield;
      const end = starts[query] + counts[query];
      if (end === starts[query + 1]) continue;
      closeUp(end);
      from = starts[query + 1];
    }
    closeUp(starts[this.#queries]);
    const total = offsets[this.#queries];
    const isNearlyAll = starts[this.#queries] - total <= total / MOST_SPARE;
    const some = isNearlyAll ? "subarray" : "slice";
    return { offsets, indices: this.#indices[some](0, total), distances: this.#distances[some](0, total) };
  }

  /** Makes room for all candidates, once they are counted. */
  #begin(): Uint32Array {
    if (this.#starts) return this.#starts;
    this.#starts = offsetsOf(this.#counts);
    const total = this.#starts[this.#queries];
    this.#indices = new Uint32Array(total);
    this.#distances = new Float64Array(total);
    return this.#starts;
  }

  /** Copies lists that are in order, and cuts them at the radius. */
  *#put(
    rows: WithinJob["task"]["rows"],
    counts: Uint32Array,
    indices: Uint32Array,
    distances: Float64Array,
  ): Yielding<void> {
    const starts = this.#begin();
    const isBlock = "begin" in rows;
    if (isBlock) {
      this.#indices.set(indices, starts[rows.begin]);
      yield;
      this.#distances.set(distances, starts[rows.begin]);
    }
    const radius = this.#radius;
    for (let i = 0, from = 0; i < counts.length; i++) {
      if (i % PIECE_QUERIES === 0) yield;
      const end = from + counts[i];
      if (!isBlock) {
        this.#indices.set(indices.subarray(from, end), starts[rows[i]]);
        this.#distances.set(distances.subarray(from, end), starts[rows[i]]);
      }
      if (end > from && !(distances[end - 1] <= radius)) {
        let last = end - 1;
        while (last > from && !(distances[last - 1] <= radius)) last--;
        this.#cut(rowAt(rows, i), last - from);
      }
      from = end;
    }
  }

  /** Evaluates candidates, and keeps those within the radius in their order. */
  *#evaluated(rows: WithinJob["task"]["rows"], counts: Uint32Array, entries: Uint32Array): Yielding<void> {
    const starts = this.#begin();
    const { ordersByRank, distance } = this.#metric;
    const longest = counts.reduce((most, count) => Math.max(most, count), 0);
    const spare = { keys: new Float64Array(longest), indices: new Uint32Array(longest) };
    for (let i = 0, from = 0; i < counts.length; i++) {
      if (i % (PIECE_QUERIES / 64) === 0) yield;
      const query = rowAt(rows, i);
      const [begin, count] = [starts[query], counts[i]];
      const indices = this.#indices.subarray(begin, begin + count);
      const keys = this.#distances.subarray(begin, begin + count);
      for (let c = 0; c < count; c++) indices[c] = entries[2 * (from + c)];
      this.#evaluate.take(query);
      this.#evaluate.keys({ keys, indices }, count);
      sortAscending({ keys, indices }, spare, count);
      if (ordersByRank) for (let c = 0; c < count; c++) keys[c] = distance(keys[c]);
      let last = count;
      while (last > 0 && !(keys[last - 1] <= this.#radius)) last--;
      this.#cut(query, last);
      from += count;
    }
  }

  #cut(query: number, count: number): void {
    this.#isCut ||= count < this.#counts[query];
    this.#counts[query] = count;
  }
}

/** Returns where the lists begin; the plan sees to it that there are not too many entries. */
function offsetsOf(counts: Uint32Array): Uint32Array {
  const offsets = new Uint32Array(counts.length + 1);
  let total = 0;
  for (let i = 0; i < counts.length; i++) {
    total += counts[i];
    offsets[i + 1] = total;
  }
  assert(total <= MAX_RESULT, `${total} candidates were counted, for which offsets have no bits`);
  return offsets;
}
