/**
 * This module has the inputs of the self-tests, and answers them by plain loops in float64, from the
 * definitions alone. No code of the library takes part, so that a mistake of the library or of a device
 * cannot hide.
 */

/** This is a matrix, row-major [rows][cols]. */
export interface NaiveMatrix {
  readonly data: Float32Array;
  readonly rows: number;
  readonly cols: number;
}

export interface NaiveAnswer {
  readonly indices: readonly number[];
  readonly distances: readonly number[];
}

/** Every REPEAT-th row repeats an earlier one, so that distances tie. */
const REPEAT = 50;

/** Returns the same numbers everywhere: in [0, 1), with repeated rows. */
export function seededRows(rows: number, cols: number, seed: number): NaiveMatrix {
  const data = seededFloats(rows * cols, seed);
  for (let row = REPEAT; row < rows; row += REPEAT) {
    const earlier = row - REPEAT + 1;
    data.copyWithin(row * cols, earlier * cols, (earlier + 1) * cols);
  }
  return { data, rows, cols };
}

export function seededFloats(count: number, seed: number): Float32Array {
  const words = seededWords(count, seed);
  const floats = new Float32Array(count);
  for (let i = 0; i < count; i++) floats[i] = (words[i] >>> 8) / 2 ** 24;
  return floats;
}

/** Returns words of 32 random bits (mulberry32, by Tommy Ettinger). */
export function seededWords(count: number, seed: number): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(count);
  for (let i = 0, state = seed; i < count; i++) {
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    words[i] = word ^ (word >>> 14);
  }
  return words;
}

/** Returns the k rows nearest to a query: the smallest by (Euclidean distance, index). */
export function naiveNeighbors(
  train: NaiveMatrix,
  queries: NaiveMatrix,
  query: number,
  k: number,
): NaiveAnswer {
  const { cols } = train;
  const indices: number[] = [];
  const distances: number[] = [];
  for (let row = 0; row < train.rows; row++) {
    let sum = 0;
    for (let j = 0; j < cols; j++) {
      const difference = queries.data[query * cols + j] - train.data[row * cols + j];
      sum += difference * difference;
    }
    const distance = Math.sqrt(sum);
    if (distances.length === k && distance >= distances[k - 1]) continue;
    // Rows come in the order of their indices, so that a new row comes last among equal distances.
    let rank = distances.length;
    while (rank > 0 && distances[rank - 1] > distance) rank--;
    indices.splice(rank, 0, row);
    distances.splice(rank, 0, distance);
    indices.length = distances.length = Math.min(k, distances.length);
  }
  return { indices, distances };
}

/** Returns, for each element, the sum of all elements up to it, modulo 2^32. */
export function naivePrefixSums(input: Uint32Array): Uint32Array {
  let sum = 0;
  return input.map((each) => (sum = (sum + each) >>> 0));
}

/** Returns the smallest element of each of `rows` rows of equal length. */
export function naiveMinima(input: Float32Array, rows: number): Float32Array {
  const cols = input.length / rows;
  return Float32Array.from({ length: rows }, (_, row) =>
    input.subarray(row * cols, (row + 1) * cols).reduce((a, b) => Math.min(a, b)),
  );
}
