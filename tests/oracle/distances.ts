/**
 * Distances counted by bins, from the contract (section 6): every edge is computed as it is written there,
 * and a distance is compared with one after the other. Slow and obvious on purpose; shares no code with src/.
 */

export interface Binned {
  readonly counts: number[];
  readonly below: number;
  readonly above: number;
  readonly nan: number;
}

/** Edge i = min + i * (max - min) / bins, in that order of operations. */
export function edgesBetween(min: number, max: number, bins: number): number[] {
  const edges: number[] = [];
  for (let i = 0; i < bins; i++) {
    const span = max - min;
    const product = i * span;
    edges.push(min + product / bins);
  }
  edges.push(max);
  return edges;
}

/** The least and the largest finite distance; NaN without one. */
export function finiteRange(distances: readonly number[]): [min: number, max: number] {
  const finite = distances.filter((distance) => Number.isFinite(distance)).sort((a, b) => a - b);
  return finite.length === 0 ? [NaN, NaN] : [finite[0], finite[finite.length - 1]];
}

export function binned(distances: readonly number[], edges: readonly number[]): Binned {
  const bins = edges.length - 1;
  const counts = new Array<number>(bins).fill(0);
  let [below, above, nan] = [0, 0, 0];
  for (const distance of distances) {
    if (Number.isNaN(distance)) nan++;
    else if (distance === Infinity || distance > edges[bins]) above++;
    else if (distance === -Infinity || distance < edges[0]) below++;
    else if (edges[0] === edges[bins]) counts[0]++;
    else {
      let bin = -1;
      for (let i = 0; i < bins; i++) if (edges[i] <= distance) bin = i;
      counts[bin]++;
    }
  }
  return { counts, below, above, nan };
}

/** Does what `binned` does for many distances and edges, in ascending order of both. */
export function binnedInOrder(distances: readonly number[], edges: readonly number[]): Binned {
  const bins = edges.length - 1;
  const numbers = distances.filter((distance) => !Number.isNaN(distance)).sort((a, b) => a - b);
  const counts = new Array<number>(bins).fill(0);
  let [below, above, bin] = [0, 0, 0];
  for (const distance of numbers) {
    if (distance === -Infinity || distance < edges[0]) below++;
    else if (distance === Infinity || distance > edges[bins]) above++;
    else {
      while (bin < bins - 1 && edges[bin + 1] <= distance) bin++;
      counts[edges[0] === edges[bins] ? 0 : bin]++;
    }
  }
  return { counts, below, above, nan: distances.length - numbers.length };
}
