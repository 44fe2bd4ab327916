/**
 * The rows of a task of `knn.filter` rounded to 16 bits: whether the task rounds them at all, where they lie, and which tiles that pays
 * for. The arithmetic is wasm/rounded.ts; whose rows, and what becomes of tiles that are not rounded, knnTask.ts.
 */
import { ceilDiv, roundUp } from "../core/math.ts";
import { type KnnKernels, QUERIES, REFS } from "./kernels.ts";
import type { KnnTask } from "./knnTask.ts";
import type { WorkerMemory } from "./memory.ts";

/** Rows that are summed: their columns that count, and float32 from one to the next. */
export interface RoundedShape {
  readonly dims: number;
  readonly stride: number;
  readonly queryRows: number;
  readonly tileRows: number;
}

/** float32 of the caller: rows [queryRows][stride] and [tileRows][stride], and what stands for the base of each, `baseStep` bytes apart of queries. */
export interface RoundedPlaces {
  readonly queries: number;
  readonly queryBases: number;
  readonly baseStep: number;
  readonly refs: number;
  readonly refBases: number;
  /** i32 [QUERIES][tileRows] */
  readonly values: number;
}

/** Only sums of products, of few enough columns, for enough queries to make up for rounding the references. */
export function mayRound(
  { params, tuning }: KnnTask,
  { dims, stride }: Pick<RoundedShape, "dims" | "stride">,
): boolean {
  const { core, cut, mixed, power, queryRows } = params;
  const isPlain = core === "dot" && !cut && !mixed && !power;
  return isPlain && queryRows >= tuning.fewestRounded && dims <= tuning.depth && stride === roundUp(dims, 4);
}

/** Tiles that are not rounded after one that left too many pairs. */
const PAUSE = 8;

/** What it costs to compare a pair whole, and what rounding saves on every pair, in columns of a tile of float32. */
const COST = { whole: 150, wholeColumn: 1.5, saved: 4, savedColumn: 0.4 } as const;

export class RoundedRows {
  readonly #kernels: KnnKernels;
  readonly #shape: RoundedShape;
  readonly #places: RoundedPlaces;
  readonly #at: Record<
    "integers" | "queries" | "queryScales" | "queryErrors" | "refs" | "refScales" | "refErrors",
    number
  >;
  readonly #canRound: boolean;
  #pause: number;

  /** @param full whether the lists hold k entries, before which no pair is ruled out */
  constructor(
    kernels: KnnKernels,
    memory: WorkerMemory,
    shape: RoundedShape,
    places: RoundedPlaces,
    full: boolean,
  ) {
    const { dims, stride, queryRows, tileRows } = shape;
    const packedBytes = ceilDiv(dims, 2) * 4;
    this.#kernels = kernels;
    this.#shape = shape;
    this.#places = places;
    this.#at = {
      integers: memory.take(Math.max(queryRows, tileRows) * stride * 2),
      queries: memory.take(roundUp(queryRows, QUERIES) * packedBytes),
      queryScales: memory.take(queryRows * 4),
      queryErrors: memory.take(queryRows * 4),
      refs: memory.take(roundUp(tileRows, REFS) * packedBytes),
      refScales: memory.take(tileRows * 4),
      refErrors: memory.take(tileRows * 4),
    };
    const { integers, queries, queryScales, queryErrors } = this.#at;
    this.#canRound = kernels.roundRows(places.queries, queryRows, stride, integers, queryScales, queryErrors);
    kernels.packQueries(integers, queryRows, stride * 2, ceilDiv(dims, 2), queries);
    this.#pause = full ? 0 : 1;
  }

  /** Whether the next tile is worth rounding; asked once for each. */
  wants(): boolean {
    if (!this.#canRound) return false;
    if (this.#pause === 0) return true;
    this.#pause--;
    return false;
  }

  /** Offers the tile's first `rows` references to the lists. @returns false, without having done so, if they cannot be rounded */
  visit(rows: number, refIndex: number): boolean {
    const { dims, stride, queryRows } = this.#shape;
    const { integers, queries, queryScales, queryErrors, refs, refScales, refErrors } = this.#at;
    const { queryBases, baseStep, refs: refRows, refBases, values } = this.#places;
    const kernels = this.#kernels;
    const pairs = ceilDiv(dims, 2);
    if (!kernels.roundRows(refRows, rows, stride, integers, refScales, refErrors)) return false;
    kernels.packRefs(integers, rows, stride * 2, pairs, refs);
    kernels.placeRounded(
      queryBases,
      baseStep,
      queryScales,
      queryErrors,
      refBases,
      refScales,
      refErrors,
      values,
    );
    const whole = kernels.visitRounded(queries, queryRows, refs, rows, pairs, refIndex);
    const lost = whole * (COST.whole + COST.wholeColumn * dims);
    if (lost > rows * queryRows * (COST.saved + COST.savedColumn * dims)) this.#pause = PAUSE;
    return true;
  }
}
