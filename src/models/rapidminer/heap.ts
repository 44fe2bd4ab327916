/**
 * Which k rows RapidMiner keeps, and in which order it adds them up: every row is offered in training order to a bounded
 * binary heap with the largest distance on top, and the heap's array is the list of neighbours. Among rows tied at the
 * k-th distance the history of the heap decides, so it is replayed step by step. Not core/topk.ts, whose ties go to the
 * lower row.
 *
 * Distances compare as Java's Double.compareTo has it: -0 before +0, NaN after everything and equal to itself.
 */

/**
 * Positions in `distances` of the neighbours, in the order of the heap's array, not sorted.
 *
 * Rows that never enter the heap may be left out. Row i enters exactly when fewer than k earlier rows j have d_j <= d_i.
 * @param distances in training order
 * @param k at least 1; all positions are kept when there are no more than k
 */
export function replayHeap(distances: ArrayLike<number>, k: number): Uint32Array {
  const heap = new BoundedHeap(Math.min(k, distances.length));
  for (let at = 0; at < distances.length; at++) heap.offer(distances[at], at);
  return heap.positions;
}

class BoundedHeap {
  readonly positions: Uint32Array;
  readonly #distances: Float64Array;
  readonly #capacity: number;
  #size = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#distances = new Float64Array(capacity);
    this.positions = new Uint32Array(capacity);
  }

  offer(distance: number, position: number): void {
    if (this.#size === this.#capacity) {
      if (!isGreater(this.#distances[0], distance)) return;
      this.#removeTop();
    }
    this.#insert(distance, position);
  }

  /** An equal entry never passes its parent. */
  #insert(distance: number, position: number): void {
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isGreater(distance, this.#distances[parent])) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, distance, position);
  }

  /** The last entry sinks from the top; of equal children the left one rises. */
  #removeTop(): void {
    const size = --this.#size;
    const distance = this.#distances[size];
    const position = this.positions[size];
    let at = 0;
    while (at < size >> 1) {
      let child = 2 * at + 1;
      if (child + 1 < size && isGreater(this.#distances[child + 1], this.#distances[child])) child++;
      if (!isGreater(this.#distances[child], distance)) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(at, distance, position);
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#distances[from], this.positions[from]);
  }

  #put(at: number, distance: number, position: number): void {
    this.#distances[at] = distance;
    this.positions[at] = position;
  }
}

function isGreater(a: number, b: number): boolean {
  if (a > b) return true;
  if (a < b) return false;
  if (a === b) return a === 0 && Object.is(b, -0) && !Object.is(a, -0);
  return Number.isNaN(a) && !Number.isNaN(b);
}
