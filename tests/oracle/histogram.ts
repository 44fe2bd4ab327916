/**
 * Histograms the plain way, in float64: edges by their formula, bins by comparing with edges. Shares no code
 * with src/.
 */

export interface HistogramAnswer {
  /** [rows][bins] */
  readonly counts: number[];
  /** [rows][3]: below, above, NaN */
  readonly outside: number[];
}

/** Edge i = min + i * (max - min) / bins, the last one max. */
export function evenEdges(min: number, max: number, bins: number): number[] {
  return [...Array.from({ length: bins }, (_, i) => min + (i * (max - min)) / bins), max];
}

/** The smallest and the largest number of a row, zero as +0; NaN without numbers. */
export function numbersRange(row: ArrayLike<number>): [number, number] {
  let [min, max] = [NaN, NaN];
  for (let i = 0; i < row.length; i++) {
    const value = row[i];
    if (!(value >= min)) min = Number.isNaN(value) ? min : value;
    if (!(value <= max)) max = Number.isNaN(value) ? max : value;
  }
  return [min + 0, max + 0];
}

/** @param edgesOf the bins + 1 edges of a row */
export function countBins(
  input: ArrayLike<number>,
  rows: number,
  bins: number,
  edgesOf: (row: number) => readonly number[],
): HistogramAnswer {
  const cols = input.length / rows;
  const counts = new Array<number>(rows * bins).fill(0);
  const outside = new Array<number>(rows * 3).fill(0);
  for (let row = 0; row < rows; row++) {
    const edges = edgesOf(row);
    for (let column = 0; column < cols; column++) {
      const value = input[row * cols + column];
      if (Number.isNaN(value)) outside[row * 3 + 2]++;
      else if (value < edges[0]) outside[row * 3]++;
      else if (value > edges[bins]) outside[row * 3 + 1]++;
      else counts[row * bins + binOf(value, edges, bins)]++;
    }
  }
  return { counts, outside };
}

/**
 * The last i with edge i <= value; the largest value belongs to the last bin, and all to the first one if min
 * = max.
 */
function binOf(value: number, edges: readonly number[], bins: number): number {
  if (edges[0] === edges[bins]) return 0;
  let [low, high] = [0, bins];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (edges[middle] <= value) low = middle;
    else high = middle;
  }
  return low;
}
