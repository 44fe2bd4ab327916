/**
 * This makes a source of uploads of the values of a matrix: as they are, without padding, as float32 or as
 * float64.
 */
import type { Matrix } from "../../../core/matrix.ts";
import { rowAt, rowCount, type HostSource, type RowSet } from "../../../runtime/source.ts";

export class PointRows implements HostSource {
  readonly rows: number;
  readonly #matrix: Matrix;
  readonly #isWide: boolean;

  constructor(matrix: Matrix, isWide: boolean) {
    this.rows = matrix.rows;
    this.#matrix = matrix;
    this.#isWide = isWide;
  }

  rowBytes(): number {
    return this.#matrix.cols * (this.#isWide ? 8 : 4);
  }

  fill(_: string, rows: RowSet, target: Uint8Array): void {
    const { data, cols } = this.#matrix;
    const place = [target.buffer, target.byteOffset, rowCount(rows) * cols] as const;
    const values = this.#isWide ? new Float64Array(...place) : new Float32Array(...place);
    if ("begin" in rows) return values.set(data.subarray(rows.begin * cols, rows.end * cols));
    for (let i = 0; i < rows.length; i++) {
      const begin = rowAt(rows, i) * cols;
      values.set(data.subarray(begin, begin + cols), i * cols);
    }
  }
}
