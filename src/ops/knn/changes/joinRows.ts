/** This copies what is left of several matrices, one after the other, into one. It searches nothing. */
import { PIECE, type Yielding } from "../../../core/async/yielding.ts";
import { zerosLike, type Matrix } from "../../../core/matrix.ts";

/** Some rows of a matrix are left, and each has a number. */
export interface SomeRows {
  readonly index: { readonly train: Matrix };
  /** Each row has a number; they ascend, above all numbers of the rows before. */
  readonly ids: Uint32Array;
  /** These rows were removed; they are named by their places. */
  readonly removed: ReadonlySet<number>;
}

/** Returns how many rows are left. */
export function leftOf({ ids, removed }: SomeRows): number {
  return ids.length - removed.size;
}

/** Returns the numbers of the rows that are left. */
export function idsOf(parts: readonly SomeRows[]): Uint32Array {
  const ids = parts.map(({ ids, removed }) =>
    removed.size === 0 ? ids : ids.filter((_, row) => !removed.has(row)),
  );
  const joined = new Uint32Array(ids.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const each of ids) {
    joined.set(each, at);
    at += each.length;
  }
  return joined;
}

/** Returns the place of a number in ascending ones, -1 where it is not among them. */
export function placeOf(ids: Uint32Array, id: number): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ids[middle] < id) low = middle + 1;
    else high = middle;
  }
  return ids[low] === id ? low : -1;
}

/** Returns the rows that are left; of matrices of several types as float64. */
export function* joinRows(parts: readonly SomeRows[]): Yielding<Matrix> {
  const [{ data: first, cols, kinds }] = parts.map(({ index }) => index.train);
  const rows = parts.reduce((sum, part) => sum + leftOf(part), 0);
  const isOne = parts.every(({ index }) => index.train.data.constructor === first.constructor);
  const data = isOne ? zerosLike(first, rows * cols) : new Float64Array(rows * cols);
  const step = Math.max(1, Math.floor(PIECE / cols));
  let at = 0;
  for (const { index, ids, removed } of parts) {
    for (let row = 0; row < ids.length; row++) {
      if (row % step === 0) yield;
      if (removed.has(row)) continue;
      data.set(index.train.data.subarray(row * cols, (row + 1) * cols), at);
      at += cols;
    }
  }
  return { data, rows, cols, kinds, gaps: parts.some(({ index }) => index.train.gaps) };
}
