/**
 * This merges what searches of one set of rows after the other have found into the best of all. ../stream.ts
 * searches the chunks of a stream, and parts.ts the rows that were fitted and those that came later.
 */
import { comesBefore } from "../../../distance/order.ts";
import { NO_NEIGHBOR } from "../arguments.ts";
import type { Before } from "../plan/bounds.ts";

/** Keeps the first k neighbours so far, by (key, index). */
export class Best implements Before {
  readonly indices: Uint32Array;
  readonly distances: Float64Array;
  readonly #k: number;
  readonly #row: { readonly indices: Uint32Array; readonly distances: Float64Array };
  #size = 0;

  constructor(queries: number, k: number) {
    this.#k = k;
    this.indices = new Uint32Array(queries * k);
    this.distances = new Float64Array(queries * k);
    this.#row = { indices: new Uint32Array(k), distances: new Float64Array(k) };
  }

  get isFull(): boolean {
    return this.#size === this.#k;
  }

  kth(query: number): number {
    return this.distances[(query + 1) * this.#k - 1];
  }

  /**
   * Merges neighbours. `found` has up to `size` of each query, numbered from `offset` on; all are later than
   * those before.
   */
  merge(found: FoundNeighbors, size: number, offset: number): void {
    const k = this.#k;
    const had = this.#size;
    this.#size = Math.min(k, had + size);
    for (let row = 0, other = 0; row < this.indices.length; row += k, other += size) {
      // In most chunks a query has none that is nearer.
      const last = row + k - 1;
      const index = found.indices[other];
      if (index === NO_NEIGHBOR) continue;
      const first = found.distances[other];
      if (had === k && !comesBefore(first, index + offset, this.distances[last], this.indices[last]))
        continue;
      let count = size;
      while (found.indices[other + count - 1] === NO_NEIGHBOR) count--;
      this.#mergeRow(row, had, found, other, count, offset);
    }
  }

  #mergeRow(
    row: number,
    had: number,
    found: FoundNeighbors,
    other: number,
    size: number,
    offset: number,
  ): void {
    const { indices, distances } = this.#row;
    indices.set(this.indices.subarray(row, row + had));
    distances.set(this.distances.subarray(row, row + had));
    for (let at = row, i = 0, j = 0; at < row + this.#size; at++) {
      const [key, index] = [found.distances[other + j], found.indices[other + j] + offset];
      const takeNew = i === had || (j < size && comesBefore(key, index, distances[i], indices[i]));
      this.indices[at] = takeNew ? index : indices[i];
      this.distances[at] = takeNew ? key : distances[i];
      if (takeNew) j++;
      else i++;
    }
  }
}

interface FoundNeighbors {
  readonly indices: Uint32Array;
  readonly distances: Float64Array;
}
