/**
 * This finds the range of float32 rows around a centre by WASM, which takes a fraction of the time that
 * range.ts takes, and finds the same. Other rows are left to range.ts. It runs on the caller's thread, for a
 * CPU: a GPU that searches looks at most rows itself (assumed.ts).
 */
import type { Matrix, MatrixLike } from "../../core/matrix.ts";
import { BLOCK, copyIn, REST_BYTES, type ArrayWasm } from "../../runtime/cpu/arrayWasm.ts";
import type { Workers } from "../../runtime/cpu/workers.ts";
import { rangeOf } from "./range.ts";

/** The module has this function (distance/wasm/rows.ts). */
interface LookKernels {
  lookAt(values: number, count: number, extremes: number, period: number, place: number): number;
}

/** These are bits of what the kernel returns: some number is not whole, or is NaN. */
const FRACTION = 1;
const NAN = 2;

/** Slices of fewer rows are looked at as fast without it, since it goes over their columns once more. */
const FEWEST_ROWS = 16;

/** Train has at least so many values where a look by WASM is worth its start. */
const WORTH_WASM = 2 ** 20;

/**
 * Returns what finds ranges of train and of queries. WASM finds the same in less time, so that a search goes
 * on without it where it cannot start, such as for want of memory.
 */
export async function rangeFinder(workers: Workers, train: MatrixLike): Promise<typeof rangeOf> {
  const { data } = (train ?? {}) as Partial<Matrix>;
  if (!(data instanceof Float32Array) || data.length < WORTH_WASM) return rangeOf;
  try {
    return await rangeByWasm(workers);
  } catch {
    return rangeOf;
  }
}

/** Returns what may take the place of `rangeOf`. */
export async function rangeByWasm({ local }: Workers): Promise<typeof rangeOf> {
  const wasm = await local<LookKernels>("reads");
  return (slice, centre) => {
    const fits = slice.rows >= FEWEST_ROWS && 8 * periodOf(slice.cols) <= REST_BYTES;
    const found = centre && fits && slice.data instanceof Float32Array && look(slice.data, slice, wasm);
    // No row goes beyond the extremes of columns, but others may have fractions.
    const range = rangeOf(found ? { ...slice, ...found } : slice, centre);
    return found ? { ...range, exact: range.exact && found.whole } : range;
  };
}

/** Finds two rows that have the extremes of each column; undefined where there is NaN. */
function look(data: Float32Array, { cols }: Matrix, wasm: ArrayWasm<LookKernels>) {
  const { kernels, words, block, rest } = wasm;
  const period = periodOf(cols);
  const extremes = new Float32Array(rest.words.buffer, rest.at, 2 * period);
  extremes.fill(-Infinity, 0, period).fill(Infinity, period);
  const bits = new Uint32Array(data.buffer, data.byteOffset, data.length);
  let seen = 0;
  for (let begin = 0; begin < bits.length; begin += BLOCK) {
    const part = bits.subarray(begin, begin + BLOCK);
    copyIn(words, part);
    let count = part.length;
    // Numbers of the columns that would follow fill up the last vector.
    for (; count % 4 !== 0; count++) words[count] = bits[(begin + count) % cols];
    seen |= kernels.lookAt(block, count, rest.at, period, begin % period);
  }
  if (seen & NAN) return undefined;
  const rows = new Float32Array(2 * cols);
  for (let j = 0; j < cols; j++) {
    let [most, least] = [-Infinity, Infinity];
    for (let at = j; at < period; at += cols) {
      most = Math.max(most, extremes[at]);
      least = Math.min(least, extremes[period + at]);
    }
    rows[j] = most;
    rows[cols + j] = least;
  }
  return { data: rows, rows: 2, whole: !(seen & FRACTION) };
}

/** Returns after how many numbers vectors of four begin in the same columns again. */
function periodOf(cols: number): number {
  return cols % 4 === 0 ? cols : cols % 2 === 0 ? 2 * cols : 4 * cols;
}
