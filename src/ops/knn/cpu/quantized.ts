/**
 * The rows of a task of `knn.filter` quantized to 16 bits: whether the task does that at all, where they lie, and which tiles it pays
 * for. The arithmetic is wasm/quantized.ts; whose rows, and what becomes of other tiles, filterTask.ts.
 */
import { ceilDiv, roundUp } from "../../../core/math.ts";
import { type KnnKernels, QUERIES, REFS } from "./exports.ts";
import type { FilterTask } from "./filterRequest.ts";
import type { WorkerMemory } from "../../../runtime/cpu/memory.ts";
import type { KnnTuning } from "./tuning.ts";

/** Rows that are summed: their columns that count, and float32 from one to the next. */
export interface QuantizedShape {
  readonly dims: number;
  readonly stride: number;
  readonly queryRows: number;
  readonly tileRows: number;
}

/** float32 of the caller: rows [queryRows][stride] and [tileRows][stride], and what stands for the base of each, `baseStep` bytes apart of queries. */
export interface QuantizedPlaces {
  readonly queries: number;
  readonly queryBases: number;
  readonly baseStep: number;
  readonly refs: number;
  readonly refBases: number;
  /** i32 [QUERIES][tileRows] */
  readonly values: number;
}

/** Only sums of products, of few enough columns, for enough queries to make up for quantizing the references. */
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

/** How many tiles in a row are compared whole next, after a quantized one that left so many pairs whole and the pauses before it. */
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
  /** Tiles that are compared whole: those to come of the current pause, and all of it. */
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

  /** Whether the tile that comes next is compared whole, which is then one less of a pause. */
  skips(): boolean {
    if (!this.#canQuantize) return true;
    if (this.#paused === 0) return false;
    this.#paused--;
    return true;
  }

  /** Offers the tile's first `rows` references to the lists. @returns false, without having done so, if they cannot be quantized */
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
