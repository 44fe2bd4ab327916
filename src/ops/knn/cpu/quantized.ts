/**
 * A task of `knn.filter` may compare rows quantized to 16 bits first. This decides whether it does, where
 * these rows lie, and for which tiles it pays. The arithmetic is in wasm/quantized.ts; filterTask.ts brings
 * the rows and visits the other tiles.
 */
import { ceilDiv, roundUp } from "../../../core/math.ts";
import { QUERIES, REFS } from "../../../distance/tileKernels.ts";
import type { KnnKernels } from "./exports.ts";
import type { FilterTask } from "./filterRequest.ts";
import type { WorkerMemory } from "../../../runtime/cpu/memory.ts";
import type { KnnTuning } from "./tuning.ts";

/** Rows with `dims` columns that count are summed; they lie `stride` float32 apart. */
export interface QuantizedShape {
  readonly dims: number;
  readonly stride: number;
  readonly queryRows: number;
  readonly tileRows: number;
}

/**
 * The caller's float32 lie at these addresses: rows [queryRows][stride] and [tileRows][stride], and what
 * replaces the base of each, `baseStep` bytes apart for queries.
 */
export interface QuantizedPlaces {
  readonly queries: number;
  readonly queryBases: number;
  readonly baseStep: number;
  readonly refs: number;
  readonly refBases: number;
  /** The sums lie here, i32 [QUERIES][tileRows]. */
  readonly values: number;
}

/**
 * Tells whether a task may quantize. It may for sums of products alone, of few enough columns, and for enough
 * queries to make up for quantizing the references.
 */
export function mayQuantize(
  { params, tuning }: FilterTask,
  { dims, stride }: Pick<QuantizedShape, "dims" | "stride">,
): boolean {
  const { core, cut, mixed, power, queryRows } = params;
  const isPlain = core === "dot" && !cut && !mixed && !power;
  return (
    isPlain && queryRows >= tuning.fewestQuantized && dims <= tuning.depth && stride === roundUp(dims, 4)
  );
}

/**
 * Returns how many of the next tiles are compared whole, after a quantized tile that left `whole` of its
 * pairs to be compared whole, and after the last pause.
 */
export function pauseAfter(
  { whole, pairs, dims }: { readonly whole: number; readonly pairs: number; readonly dims: number },
  lastPause: number,
  { quantizedCost: cost, mostPaused }: Pick<KnnTuning, "quantizedCost" | "mostPaused">,
): number {
  const lost = whole * (cost.whole + cost.wholeColumn * dims);
  const saved = pairs * (cost.saved + cost.savedColumn * dims);
  return lost > saved ? Math.min(Math.max(2 * lastPause, 1), mostPaused) : 0;
}

export class QuantizedRows {
  readonly #kernels: KnnKernels;
  readonly #shape: QuantizedShape;
  readonly #tuning: FilterTask["tuning"];
  readonly #at: Record<"rows" | "integers" | "queries" | "refs" | "refScales" | "refErrors", number>;
  readonly #canQuantize: boolean;
  /**
   * This many tiles of the current pause are still compared whole; `#pause` is the length of the whole pause.
   */
  #paused: number;
  #pause = 0;

  /** @param missing tiles until the lists hold k entries, before which no pair is ruled out */
  constructor(
    kernels: KnnKernels,
    memory: WorkerMemory,
    shape: QuantizedShape,
    places: QuantizedPlaces,
    tuning: FilterTask["tuning"],
    missing: number,
  ) {
    const { dims, stride, queryRows, tileRows } = shape;
    const packedBytes = ceilDiv(dims, 2) * 4;
    const queryScales = memory.take(queryRows * 4);
    const queryErrors = memory.take(queryRows * 4);
    this.#kernels = kernels;
    this.#shape = shape;
    this.#tuning = tuning;
    this.#paused = missing;
    this.#at = {
      rows: places.refs,
      integers: memory.take(Math.max(queryRows, tileRows) * stride * 2),
      queries: memory.take(roundUp(queryRows, QUERIES) * packedBytes),
      refs: memory.take(roundUp(tileRows, REFS) * packedBytes),
      refScales: memory.take(tileRows * 4),
      refErrors: memory.take(tileRows * 4),
    };
    const { integers, queries, refScales, refErrors } = this.#at;
    const { queryBases, baseStep, refBases, values } = places;
    this.#canQuantize = kernels.quantizeRows(
      places.queries,
      queryRows,
      stride,
      integers,
      queryScales,
      queryErrors,
    );
    kernels.packQueries(integers, queryRows, stride * 2, ceilDiv(dims, 2), queries);
    kernels.placeQuantized(
      queryBases,
      baseStep,
      queryScales,
      queryErrors,
      refBases,
      refScales,
      refErrors,
      values,
    );
  }

  /** Tells whether the next tile is compared whole, and counts it off the pause. */
  skips(): boolean {
    if (!this.#canQuantize) return true;
    if (this.#paused === 0) return false;
    this.#paused--;
    return true;
  }

  /**
   * Offers the tile's first `rows` references to the lists.
   * @returns false, without having done so, if they cannot be quantized
   */
  visit(rows: number, refIndex: number): boolean {
    const { dims, stride, queryRows } = this.#shape;
    const { rows: from, integers, queries, refs, refScales, refErrors } = this.#at;
    const steps = ceilDiv(dims, 2);
    if (!this.#kernels.quantizeRows(from, rows, stride, integers, refScales, refErrors)) return false;
    this.#kernels.packRefs(integers, rows, stride * 2, steps, refs);
    const whole = this.#kernels.visitQuantized(queries, queryRows, refs, rows, steps, refIndex);
    this.#pause = pauseAfter({ whole, pairs: rows * queryRows, dims }, this.#pause, this.#tuning);
    this.#paused = this.#pause;
    return true;
  }
}
