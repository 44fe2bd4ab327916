/**
 * This makes bytes of few queries on the host, which has made them before a GPU would have begun. They are
 * what knn_quantize.wgsl makes of references, with facts that are as large or larger: how bytes were rounded
 * does not matter, since what that took of a row is measured (distance/bound/bytes.ts).
 */
import { clamp, froundUp, roundUp } from "../../../../core/math.ts";
import { rowCount, type HostSource, type RowSet } from "../../../../runtime/source.ts";
import { knnByteWords } from "../../contract/bytes.ts";
import type { KnnQuantizing } from "../../contract/fewBytes.ts";
import { turnedRows, TURNED } from "./sample.ts";

/** A length that is cut off has this many steps, as in the kernel. */
const FAR = 65_536;
/** The rounding of sums and of what follows takes less than this share. */
const UP = 1 + 2 ** -18;
/** Moving and turning entries in float32 errs by less than this share of a row's length. */
const ROUNDING = 2 ** -17;
/** Flushing subnormal entries takes less. */
const FLUSHED = 2 ** -60;

/** It gives queries as bytes and their facts: int8 [depth * 16], then u32 [4]. */
export class QueryBytes implements HostSource {
  readonly rows: number;
  readonly #queries: HostSource;
  readonly #how: KnnQuantizing;
  readonly #centre: Float32Array;
  readonly #steps: Int8Array;

  /**
   * @param queries float32 [stride], as they are compared
   * @param centre float32 [stride]
   */
  constructor(queries: HostSource, how: KnnQuantizing, centre: Float32Array) {
    this.rows = queries.rows;
    this.#queries = queries;
    this.#how = how;
    this.#centre = centre;
    this.#steps = new Int8Array(4 * knnByteWords(centre.length));
  }

  rowBytes(): number {
    return this.#steps.length + 16;
  }

  fill(_part: string, rows: RowSet, target: Uint8Array): void {
    const stride = this.#centre.length;
    const values = new Float32Array(rowCount(rows) * stride);
    this.#queries.fill("values", rows, new Uint8Array(values.buffer));
    for (let begin = 0, at = 0; begin < values.length; begin += stride, at += this.rowBytes()) {
      const facts = this.#quantize(values.subarray(begin, begin + stride));
      target.set(this.#steps, at);
      target.set(facts, at + this.#steps.length);
    }
  }

  /** Leaves the steps of a row. @returns its facts */
  #quantize(row: Float32Array): Uint8Array {
    const { bytes, turned } = this.#how;
    const { scale, factor, constant } = bytes;
    const moved = new Float32Array(row.length);
    let [square, spread, loss, length] = [0, 0, 0, 0];
    for (let column = 0; column < row.length; column++) {
      moved[column] = row[column] - this.#centre[column];
      square += row[column] ** 2;
      spread += moved[column] ** 2;
    }
    const entries = turned ? turnedRows(moved, row.length, roundUp(row.length, TURNED)) : moved;
    for (let column = 0; column < entries.length; column++) {
      const step = clamp(Math.round(entries[column] / scale), -127, 127);
      this.#steps[column] = step;
      loss += (entries[column] - step * scale) ** 2;
      length += step * step;
    }
    const taken = Math.sqrt(loss) + ROUNDING * Math.sqrt(spread) + FLUSHED;
    const own = Math.sqrt(factor * square + constant) + FLUSHED;
    const facts = new Float32Array([0, stepsOf(taken, scale), stepsOf(own, scale), 0]);
    new Uint32Array(facts.buffer)[0] = length;
    return new Uint8Array(facts.buffer);
  }
}

function stepsOf(length: number, scale: number): number {
  return froundUp(Math.min(length / scale, FAR) * UP);
}
