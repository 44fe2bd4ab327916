/**
 * This builds the tree of `knn.tree` from rows in memory: it splits at the median of the widest column, level
 * after level, or halves the order of the cells of a grid. This is pure but for the arrays it fills. The
 * search is in wasm/tree.ts.
 *
 * The median is found by selection (Floyd and Rivest, Algorithm 489, 1975, without its sampling), with pivots
 * drawn at random so that no input is slow.
 */
import { gridOrder } from "./gridOrder.ts";
import { EMPTY_PLACE, leafBegin, leafRows, type KnnTreeParams } from "../contract/tree.ts";

export interface TreeArrays {
  readonly points: Float32Array;
  readonly order: Uint32Array;
  readonly margins: Float32Array;
  readonly boxes: Float32Array;
  readonly nodeMargins: Float32Array;
}

/** Fills the arrays of a tree. @param refs float32 [rows][stride]; metas are float32 [rows][4] */
export function buildTree(
  params: KnnTreeParams,
  refs: Float32Array,
  metas: Float32Array,
  into: TreeArrays,
): void {
  const { rows, cols, levels, cells } = params;
  const leaves = 2 ** levels;
  const splitter = new Splitter(params, refs);
  if (cells !== undefined) splitter.sortByCells(cells);
  for (let level = 0; level <= levels; level++) {
    for (let at = 0; at < 2 ** level; at++) {
      const [begin, end] = [leafBegin(rows, at, level), leafBegin(rows, at + 1, level)];
      const widest = splitter.box(begin, end, into.boxes, (2 ** level + at) * 2 * cols);
      if (level < levels && cells === undefined)
        splitter.split(begin, leafBegin(rows, 2 * at + 1, level + 1), end, widest);
    }
  }
  for (let leaf = 0; leaf < leaves; leaf++) fillLeaf(params, leaf, splitter, metas, into);
  for (let node = leaves - 1; node >= 1; node--) {
    into.nodeMargins[node] = Math.max(into.nodeMargins[2 * node], into.nodeMargins[2 * node + 1]);
  }
}

function fillLeaf(
  params: KnnTreeParams,
  leaf: number,
  { values, order }: Splitter,
  metas: Float32Array,
  into: TreeArrays,
): void {
  const { rows, cols, levels } = params;
  const places = leafRows(params);
  const begin = leafBegin(rows, leaf, levels);
  const count = leafBegin(rows, leaf + 1, levels) - begin;
  let largest = 0;
  for (let i = 0; i < places; i++) {
    const place = leaf * places + i;
    const row = i < count ? order[begin + i] : EMPTY_PLACE;
    const margin = i < count ? metas[row * 4 + 2] : 0;
    into.order[place] = row;
    into.margins[place] = margin;
    largest = Math.max(largest, margin);
    for (let j = 0; j < cols; j++) {
      into.points[leaf * places * cols + j * places + i] = i < count ? values[(begin + i) * cols + j] : 0;
    }
  }
  into.nodeMargins[2 ** levels + leaf] = largest;
}

/** Moves rows about so that those of a node lie together. */
class Splitter {
  /** The values lie in the order of the splits so far, float32 [rows][cols]. */
  readonly values: Float32Array;
  /** Each place has this row. */
  readonly order: Uint32Array;
  readonly #cols: number;
  #seed = 1;

  constructor({ rows, cols, stride }: KnnTreeParams, refs: Float32Array) {
    this.#cols = cols;
    this.order = Uint32Array.from({ length: rows }, (_, row) => row);
    this.values = new Float32Array(rows * cols);
    for (let row = 0; row < rows; row++) {
      for (let j = 0; j < cols; j++) this.values[row * cols + j] = refs[row * stride + j];
    }
  }

  /** Moves all rows into the order of the cells of a grid. */
  sortByCells(cells: number): void {
    const { values, order } = this;
    const cols = this.#cols;
    const sorted = gridOrder(values, order.length, cols, cells).order;
    const before = values.slice();
    for (let at = 0; at < sorted.length; at++) {
      for (let j = 0; j < cols; j++) values[at * cols + j] = before[sorted[at] * cols + j];
    }
    order.set(sorted);
  }

  /**
   * Writes the least and the largest values of rows [begin, end).
   * @returns the column where they differ most
   */
  box(begin: number, end: number, boxes: Float32Array, at: number): number {
    const cols = this.#cols;
    for (let j = 0; j < cols; j++) {
      boxes[at + j] = this.values[begin * cols + j];
      boxes[at + cols + j] = boxes[at + j];
    }
    for (let row = begin; row < end; row++) {
      for (let j = 0; j < cols; j++) {
        const value = this.values[row * cols + j];
        if (value < boxes[at + j]) boxes[at + j] = value;
        else if (value > boxes[at + cols + j]) boxes[at + cols + j] = value;
      }
    }
    let widest = 0;
    for (let j = 1; j < cols; j++) {
      if (boxes[at + cols + j] - boxes[at + j] > boxes[at + cols + widest] - boxes[at + widest]) widest = j;
    }
    return widest;
  }

  /**
   * Moves rows so that none of [begin, middle) has a larger value in the column than any of [middle, end).
   */
  split(begin: number, middle: number, end: number, column: number): void {
    const { values } = this;
    const cols = this.#cols;
    let [left, right] = [begin, end - 1];
    while (left < right) {
      this.#seed = (Math.imul(this.#seed, 1664525) + 1013904223) >>> 0;
      const drawn = left + Math.floor((this.#seed / 2 ** 32) * (right - left + 1));
      const pivot = values[drawn * cols + column];
      let [i, j] = [left, right];
      while (i <= j) {
        while (values[i * cols + column] < pivot) i++;
        while (values[j * cols + column] > pivot) j--;
        if (i <= j) this.#swap(i++, j--);
      }
      if (middle <= j) right = j;
      else if (middle >= i) left = i;
      else return;
    }
  }

  #swap(a: number, b: number): void {
    const { values, order } = this;
    const cols = this.#cols;
    for (let j = 0; j < cols; j++) {
      const value = values[a * cols + j];
      values[a * cols + j] = values[b * cols + j];
      values[b * cols + j] = value;
    }
    const row = order[a];
    order[a] = order[b];
    order[b] = row;
  }
}
