/**
 * Replays which k rows RapidMiner keeps, and in which order it adds them up: every row is offered in training
 * order to a bounded binary heap with the largest distance on top, and the heap's array is the list of
 * neighbours. Among rows tied at the k-th distance the sequence of the heap's steps decides, so that each
 * step is replayed. distance/topk.ts breaks ties otherwise, in favour of the lower row.
 *
 * Distances compare as by Java's Double.compareTo: -0 before +0, NaN after everything and equal to itself.
 */

/** It has rows in training order, by position. */
export interface Offered {
  readonly count: number;
  /**
   * Intervals that are certain to hold the distances have these low ends. Where the low end of one row is
   * above the high end of another, nobody asks for its distance.
   */
  readonly lows: Float64Array;
  readonly highs: Float64Array;
  distance(position: number): number;
}

/**
 * Returns the positions of the neighbours, in the order of the heap's array, not sorted.
 *
 * Rows that never enter the heap may be left out. Row i enters exactly when fewer than k earlier rows j have
 * d_j <= d_i.
 * @param k at least 1; all positions are kept when there are no more than k
 * @param pause called now and then; where too few rows are offered for a pause, nothing is waited for
 */
export function replayHeap(
  rows: Offered,
  k: number,
  pause: () => Promise<void> | void,
): Promise<Uint32Array> | Uint32Array {
  const heap = new BoundedHeap(rows, Math.min(k, rows.count));
  if (rows.count > PIECE) return replayInPieces(heap, rows.count, pause);
  for (let at = 0; at < rows.count; at++) heap.offer(at);
  return heap.positions;
}

async function replayInPieces(
  heap: BoundedHeap,
  count: number,
  pause: () => Promise<void> | void,
): Promise<Uint32Array> {
  for (let at = 0; at < count; at++) {
    heap.offer(at);
    if (at % PIECE === PIECE - 1) await pause();
  }
  return heap.positions;
}

/** This many rows are offered between two pauses. */
const PIECE = 1024;

class BoundedHeap {
  readonly positions: Uint32Array;
  readonly #rows: Offered;
  readonly #lows: Float64Array;
  readonly #highs: Float64Array;
  #size = 0;

  constructor(rows: Offered, capacity: number) {
    this.#rows = rows;
    this.#lows = rows.lows;
    this.#highs = rows.highs;
    this.positions = new Uint32Array(capacity);
  }

  offer(position: number): void {
    if (this.#size === this.positions.length) {
      if (!this.#isGreater(this.positions[0], position)) return;
      this.#removeTop();
    }
    this.#insert(position);
  }

  /** Inserts an entry, which never passes a parent that is equal. */
  #insert(position: number): void {
    const { positions } = this;
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isGreater(position, positions[parent])) break;
      positions[at] = positions[parent];
      at = parent;
    }
    positions[at] = position;
  }

  /** Removes the top: the last entry sinks from there, and of equal children the left one rises. */
  #removeTop(): void {
    const { positions } = this;
    const size = --this.#size;
    const position = positions[size];
    let at = 0;
    while (at < size >> 1) {
      let child = 2 * at + 1;
      if (child + 1 < size && this.#isGreater(positions[child + 1], positions[child])) child++;
      if (!this.#isGreater(positions[child], position)) break;
      positions[at] = positions[child];
      at = child;
    }
    positions[at] = position;
  }

  #isGreater(a: number, b: number): boolean {
    if (this.#lows[a] > this.#highs[b]) return true;
    if (this.#lows[b] > this.#highs[a]) return false;
    return isGreater(this.#rows.distance(a), this.#rows.distance(b));
  }
}

/** Returns true where distance a is after b. */
function isGreater(a: number, b: number): boolean {
  if (a > b) return true;
  if (a < b) return false;
  if (a === b) return a === 0 && Object.is(b, -0) && !Object.is(a, -0);
  return Number.isNaN(a) && !Number.isNaN(b);
}
