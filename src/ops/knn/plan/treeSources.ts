/**
 * These sources have rows of few columns as they lie in the caller's memory, one after the other, as a part
 * "packed"; and these are the steps by which a GPU that has a tree spreads them. To spread them on the host
 * takes five times as long as to copy them: where there is no tree, one loop over words does, whatever types
 * other searches have had. Only searches of few columns load this module, as part of tree.ts.
 */
import type { Matrix } from "../../../core/matrix.ts";
import type { Filter } from "../../../distance/forms/filter.ts";
import { uploadRows } from "../../../distance/prepareSteps.ts";
import type { Side } from "../../../distance/assumed.ts";
import type { PairProblem } from "../../../distance/problem.ts";
import type { Step } from "../../../runtime/backend.ts";
import { run } from "../../../runtime/primitive.ts";
import {
  rowAt,
  rowCount,
  type BufferSpec,
  type HostSource,
  type RowSet,
  type Sources,
} from "../../../runtime/source.ts";
import type { KnnTreeParams } from "../contract/tree.ts";
import { knnSpread } from "../treePrimitives.ts";

/** Returns the bytes of packed rows, where a GPU has a tree. */
export function packedBytes({ onGpu, cols }: KnnTreeParams, rows: number): number {
  return onGpu ? rows * cols * 4 : 0;
}

/** Returns the buffer of packed rows that go to the buffer `to`. */
export function packedBuffer(tree: KnnTreeParams, rows: number, to: string): BufferSpec[] {
  return tree.onGpu ? [{ name: `${to}.packed`, bytes: packedBytes(tree, rows) }] : [];
}

/** Makes the steps that bring rows into the buffers of that name, packed where the device prepares them. */
export function uploadPoints(
  tree: KnnTreeParams,
  problem: PairProblem,
  filter: Filter,
  side: Side,
  rows: RowSet,
  to: string,
  metas: string,
): Step[] {
  const steps = uploadRows(problem, filter, side, rows, to, metas);
  if (!tree.onGpu || filter[side].on === "host") return steps;
  const packed = `${to}.packed`;
  const params = { rows: rowCount(rows), dims: tree.cols };
  return [
    { kind: "upload", to: packed, source: side, part: "packed", rows },
    run(knnSpread, { params, bindings: { packed, rows: to }, cost: params.rows }),
    ...steps.slice(1),
  ];
}

/** Returns the sources of the sides, to stand in place of those of the same names. */
export function pointSources(sides: Sources, train: Matrix, queries: Matrix): Sources {
  const rows = { train, queries };
  return Object.fromEntries(
    Object.entries(rows).flatMap(([name, matrix]) => {
      const { [name]: source } = sides;
      return matrix.cols > 3 || !source ? [] : [[name, new PackedPoints(source, matrix)]];
    }),
  );
}

class PackedPoints implements HostSource {
  readonly rows: number;
  readonly #prepared: HostSource;
  readonly #matrix: Matrix;

  constructor(prepared: HostSource, matrix: Matrix) {
    this.rows = prepared.rows;
    this.#prepared = prepared;
    this.#matrix = matrix;
  }

  rowBytes(part: string): number {
    return part === "packed" ? this.#matrix.cols * 4 : this.#prepared.rowBytes(part);
  }

  fill(part: string, rows: RowSet, target: Uint8Array): void {
    const { data, cols } = this.#matrix;
    const to = new Float32Array(target.buffer, target.byteOffset, target.byteLength >> 2);
    if (part === "raw" && "begin" in rows && data instanceof Float32Array)
      return spread(wordsOf(data.subarray(rows.begin * cols, rows.end * cols)), cols, wordsOf(to));
    if (part !== "packed") return this.#prepared.fill(part, rows, target);
    if ("begin" in rows) return to.set(data.subarray(rows.begin * cols, rows.end * cols));
    for (let i = 0; i < rows.length; i++) {
      for (let j = 0; j < cols; j++) to[i * cols + j] = data[rowAt(rows, i) * cols + j];
    }
  }
}

function wordsOf({ buffer, byteOffset, length }: Float32Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, length);
}

/** Copies rows of up to three words to rows of four, which end in 0. */
function spread(from: Uint32Array, cols: number, to: Uint32Array): void {
  for (let at = 0, begin = 0; at < from.length; at += cols, begin += 4) {
    to[begin] = from[at];
    to[begin + 1] = cols > 1 ? from[at + 1] : 0;
    to[begin + 2] = cols > 2 ? from[at + 2] : 0;
    to[begin + 3] = 0;
  }
}
