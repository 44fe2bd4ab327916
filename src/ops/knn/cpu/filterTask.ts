/**
 * This runs `knn.filter` and `knn.sketchedFilter` in a worker: a block of queries against a range of
 * references. It copies both into the worker's own memory a cache-sized tile at a time, has the WASM module
 * visit the tiles in order, and writes the lists back where they came from. The arithmetic and the lists
 * themselves are in wasm/filter.ts.
 */
import { clamp, roundDown, roundUp } from "../../../core/math.ts";
import { sketchStride } from "../contract/sketch.ts";
import { floatsOf as floats, wordsIn as words, type Slice } from "../../../runtime/cpu/buffers.ts";
import { CORES, QUERIES, REFS } from "../../../distance/tileKernels.ts";
import type { KnnKernels } from "./exports.ts";
import type { WorkerMemory } from "../../../runtime/cpu/memory.ts";
import { mayQuantize, QuantizedRows } from "./quantized.ts";
import { listRoom, type FilterTask, type FilterTaskResult, type FilterTaskSketch } from "./filterRequest.ts";

export function runKnnTask(task: FilterTask, kernels: KnnKernels, memory: WorkerMemory): FilterTaskResult {
  const block = new TileWalk(task, kernels, memory);
  block.readLists();
  block.visitAll();
  block.writeLists();
  const { heads, candidates, intervals } = task;
  return { heads, candidates, intervals };
}

/** A task sums its own rows, or their sketches. */
interface Summed {
  readonly queries: Slice;
  readonly refs: Slice;
  readonly dims: number;
  readonly stride: number;
}

function summedOf({ params, queries, refs, sketch }: FilterTask): Summed {
  const { dims, stride } = params;
  if (!sketch) return { queries, refs, dims, stride };
  const { axes } = sketch;
  return {
    queries: sketch.queries,
    refs: sketch.refs,
    dims: axes + SKETCH_EXTRAS,
    stride: sketchStride(axes),
  };
}

/** A sketch has this many entries that are not along an axis. */
const SKETCH_EXTRAS = 2;

/** With sketches the whole rows of a tile and the floors that replace their bases lie at these addresses. */
interface WholeRows {
  readonly refs: number;
  readonly refFloors: number;
  readonly queryFloors: number;
}

/** Holds the addresses of one task's arrays, and walks over its tiles. */
class TileWalk {
  readonly #task: FilterTask;
  readonly #kernels: KnnKernels;
  readonly #memory: WorkerMemory;
  /** The largest tile has this many columns and references. */
  readonly #depth: number;
  readonly #tileRows: number;
  readonly #room: number;
  readonly #summed: Summed;
  readonly #at: Record<
    "raw" | "rawMeta" | "queries" | "refs" | "refMeta" | "heads" | "candidates" | "intervals",
    number
  >;
  /** With sketches this holds the addresses of the tile's whole rows and floors. */
  readonly #whole: WholeRows | undefined;
  readonly #quantized: QuantizedRows | undefined;

  constructor(task: FilterTask, kernels: KnnKernels, memory: WorkerMemory) {
    const { params, tuning } = task;
    const { core, p, weight, slack, cut, keepAll = false, k, capacity } = params;
    const { stride, queryRows, refRows } = params;
    this.#task = task;
    this.#kernels = kernels;
    this.#memory = memory;
    this.#summed = summedOf(task);
    const { dims } = this.#summed;
    this.#depth = Math.min(dims, tuning.depth);
    const fitting = Math.min(
      Math.floor(tuning.tileBytes / (4 * this.#depth)),
      task.sketch ? Math.floor(tuning.rowsBytes / (4 * stride)) : Infinity,
    );
    this.#tileRows = clamp(
      roundDown(Math.min(fitting, tuning.tileRows, roundUp(refRows, REFS)), REFS),
      REFS,
      Infinity,
    );
    this.#room = listRoom(params, held(task).most);

    memory.reset();
    const padded = roundUp(queryRows, QUERIES);
    const valueRows = this.#depth === dims ? QUERIES : padded;
    const queryMeta = memory.take(queryRows * 16);
    const values = memory.take(valueRows * this.#tileRows * 4);
    const lanes = memory.take(32);
    const marks = memory.take(queryRows * 4);
    const scratch = memory.take(this.#room * 4);
    this.#at = {
      raw: memory.take(this.#tileRows * roundUp(this.#depth, 4) * 4),
      rawMeta: memory.take(this.#tileRows * 16),
      queries: memory.take(padded * dims * 4),
      refs: memory.take(this.#tileRows * this.#depth * 4),
      refMeta: memory.take(this.#tileRows * 12),
      heads: memory.take(queryRows * 8),
      candidates: memory.take(queryRows * this.#room * 4),
      intervals: memory.take(queryRows * this.#room * 8),
    };
    const { refMeta, heads, candidates, intervals } = this.#at;
    memory.f32(queryMeta, queryRows * 4).set(floats(task.queryMeta));
    kernels.configure(CORES.indexOf(core), p, weight, slack, cut, keepAll, k, capacity, this.#room);
    if (params.mixed) {
      const { codes, unit, gaps, mark, counts, quotient, columns = 0 } = params.mixed;
      const neither = quotient?.neither ?? 0;
      kernels.configureMixed(codes, unit, gaps, mark, counts, quotient !== undefined, neither, columns);
    }
    if (params.power) kernels.configurePower(params.power.shift, params.power.times);
    kernels.place(
      queryMeta,
      refMeta,
      this.#tileRows * 4,
      values,
      lanes,
      heads,
      marks,
      candidates,
      intervals,
      scratch,
    );
    this.#whole = task.sketch && this.#placeSketched(task.sketch);
    this.#quantized = mayQuantize(task, this.#summed) ? this.#placeQuantized(queryMeta, values) : undefined;
  }

  #placeSketched({ queryFloors }: FilterTaskSketch): WholeRows {
    const { stride, queryRows } = this.#task.params;
    const memory = this.#memory;
    const queries = memory.take(queryRows * stride * 4);
    const floorsOfQueries = memory.take(queryRows * 4);
    const refs = memory.take(this.#tileRows * stride * 4);
    const refFloors = memory.take(this.#tileRows * 4);
    memory.f32(queries, queryRows * stride).set(floats(this.#task.queries));
    memory.f32(floorsOfQueries, queryRows).set(floats(queryFloors));
    this.#kernels.placeSketched(queries, refs, stride * 4, floorsOfQueries, refFloors);
    return { refs, refFloors, queryFloors: floorsOfQueries };
  }

  /** Places the rows that are quantized; without sketches these are the rows that are compared whole. */
  #placeQuantized(queryMeta: number, values: number): QuantizedRows {
    const { k, queryRows } = this.#task.params;
    const { dims, stride, queries } = this.#summed;
    const { raw: refs, refMeta } = this.#at;
    const memory = this.#memory;
    const rows = memory.take(queryRows * stride * 4);
    memory.f32(rows, queryRows * stride).set(floats(queries));
    if (!this.#whole) this.#kernels.placeRows(rows, refs, stride * 4);
    const bases = this.#whole
      ? { queryBases: this.#whole.queryFloors, baseStep: 4, refBases: this.#whole.refFloors }
      : { queryBases: queryMeta, baseStep: 16, refBases: refMeta };
    const shape = { dims, stride, queryRows, tileRows: this.#tileRows };
    const places = { queries: rows, refs, values, ...bases };
    const missing = Math.ceil(Math.max(0, k - held(this.#task).fewest) / this.#tileRows);
    return new QuantizedRows(this.#kernels, memory, shape, places, this.#task.tuning, missing);
  }

  readLists(): void {
    const { queryRows } = this.#task.params;
    this.#memory.u32(this.#at.heads, queryRows * 2).set(words(this.#task.heads));
    this.#eachList((inside, outside) => inside.set(outside));
    this.#kernels.begin(queryRows);
  }

  writeLists(): void {
    const { queryRows } = this.#task.params;
    this.#kernels.finish(queryRows);
    words(this.#task.heads).set(this.#memory.u32(this.#at.heads, queryRows * 2));
    this.#eachList((inside, outside) => outside.set(inside));
  }

  visitAll(): void {
    const { refBegin, refRows, refOffset, queryRows } = this.#task.params;
    const { dims } = this.#summed;
    this.#packQueries();
    for (let ref = 0; ref < refRows; ref += this.#tileRows) {
      const rows = Math.min(this.#tileRows, refRows - ref);
      this.#splitMeta(ref, rows);
      this.#copyWhole(ref, rows);
      if (this.#visitQuantized(ref, rows)) continue;
      for (let column = 0; column < dims; column += this.#depth) {
        const depth = Math.min(this.#depth, dims - column);
        const last = column + depth === dims;
        this.#packRefs(ref, rows, column, depth);
        const queries = this.#packedQueries(column);
        const index = refOffset + refBegin + ref;
        this.#kernels.visit(queries, queryRows, this.#at.refs, rows, depth, column === 0, last, index);
      }
    }
  }

  /**
   * Visits a tile by its quantized rows, where that pays.
   * @returns true where the tile needs no other visit
   */
  #visitQuantized(ref: number, rows: number): boolean {
    const { refBegin, refOffset } = this.#task.params;
    if (!this.#quantized || this.#quantized.skips()) return false;
    this.#readRows(this.#summed.refs, ref, rows, 0, this.#summed.dims);
    return this.#quantized.visit(rows, refOffset + refBegin + ref);
  }

  #packQueries(): void {
    const { queryRows } = this.#task.params;
    const { queries, dims } = this.#summed;
    for (let column = 0; column < dims; column += this.#depth) {
      const depth = Math.min(this.#depth, dims - column);
      for (let query = 0; query < queryRows; query += this.#tileRows) {
        const rows = Math.min(this.#tileRows, queryRows - query);
        const pitch = this.#readRows(queries, query, rows, column, depth);
        const packed = this.#packedQueries(column) + query * depth * 4;
        this.#kernels.packQueries(this.#at.raw, rows, pitch * 4, depth, packed);
      }
    }
  }

  /** Returns the address of the columns from `column` on of every query. */
  #packedQueries(column: number): number {
    return this.#at.queries + roundUp(this.#task.params.queryRows, QUERIES) * column * 4;
  }

  #packRefs(row: number, rows: number, column: number, depth: number): void {
    const pitch = this.#readRows(this.#summed.refs, row, rows, column, depth);
    this.#kernels.packRefs(this.#at.raw, rows, pitch * 4, depth, this.#at.refs);
  }

  #splitMeta(row: number, rows: number): void {
    const { core, mixed } = this.#task.params;
    const isBased = core === "dot" || (mixed?.columns ?? 0) > 0;
    this.#memory
      .f32(this.#at.rawMeta, rows * 4)
      .set(floats(this.#task.refMeta).subarray(row * 4, (row + rows) * 4));
    this.#kernels.splitMeta(this.#at.rawMeta, rows, isBased, this.#at.refMeta, this.#tileRows * 4);
  }

  #copyWhole(row: number, rows: number): void {
    const { sketch, refs, params } = this.#task;
    if (!sketch || !this.#whole) return;
    const { stride } = params;
    const whole = floats(refs).subarray(row * stride, (row + rows) * stride);
    this.#memory.f32(this.#whole.refs, rows * stride).set(whole);
    this.#memory.f32(this.#whole.refFloors, rows).set(floats(sketch.refFloors).subarray(row, row + rows));
  }

  /** Copies columns of rows to `raw`. @returns how many float32 lie from one row to the next there */
  #readRows(from: Slice, row: number, rows: number, column: number, depth: number): number {
    const { stride, dims } = this.#summed;
    const source = floats(from);
    if (stride === roundUp(dims, 4) && depth === dims) {
      this.#memory.f32(this.#at.raw, rows * stride).set(source.subarray(row * stride, (row + rows) * stride));
      return stride;
    }
    const target = this.#memory.f32(this.#at.raw, rows * depth);
    for (let i = 0; i < rows; i++) {
      const begin = (row + i) * stride + column;
      target.set(source.subarray(begin, begin + depth), i * depth);
    }
    return depth;
  }

  /** Calls `copy` with the used entries of each list, here and outside; a list that overflowed has none. */
  #eachList(copy: (inside: Uint32Array, outside: Uint32Array) => void): void {
    const { queryRows, capacity } = this.#task.params;
    const heads = this.#memory.u32(this.#at.heads, queryRows * 2);
    const candidates = this.#memory.u32(this.#at.candidates, queryRows * this.#room);
    const intervals = this.#memory.u32(this.#at.intervals, queryRows * this.#room * 2);
    const outerCandidates = words(this.#task.candidates);
    const outerIntervals = words(this.#task.intervals);
    for (let query = 0; query < queryRows; query++) {
      const count = heads[query * 2];
      if (count === 0 || count > capacity) continue;
      const [inner, outer] = [query * this.#room, query * capacity];
      copy(candidates.subarray(inner, inner + count), outerCandidates.subarray(outer, outer + count));
      copy(
        intervals.subarray(2 * inner, 2 * (inner + count)),
        outerIntervals.subarray(2 * outer, 2 * (outer + count)),
      );
    }
  }
}

/** Returns how many entries the fullest list has that has not overflowed, and how many the emptiest. */
function held({ heads, params }: FilterTask): { readonly most: number; readonly fewest: number } {
  const counts = words(heads);
  let [most, fewest] = [0, Infinity];
  for (let query = 0; query < params.queryRows; query++) {
    const count = counts[query * 2];
    if (count > most && count <= params.capacity) most = count;
    if (count < fewest) fewest = count;
  }
  return { most, fewest };
}
