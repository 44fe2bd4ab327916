/**
 * These are rows of a matrix with nominal columns or gaps as `knn.mixedFilter` wants them: codes first,
 * filled up to whole vectors of four so that a kernel treats four columns alike, then numbers; gaps as
 * numbers beyond all others. How they are compared is contract/mixed.ts.
 */
import { roundUp } from "../../core/math.ts";
import type { Matrix } from "../../core/matrix.ts";
import type { ColumnPlaces, MixedRows } from "./preparation.ts";
import type { Range } from "./range.ts";
import { SMALLEST_NORMAL } from "../float32.ts";

export function orderColumns(
  cols: number,
  isCode: (column: number) => boolean,
): Pick<MixedRows, "columns" | "codes"> {
  const all = Array.from({ length: cols }, (_, column) => column);
  const numbers = all.filter((column) => !isCode(column));
  const codes = roundUp(cols - numbers.length, 4);
  const columns = new Int32Array(roundUp(codes + numbers.length, 4)).fill(-1);
  columns.set(all.filter(isCode));
  columns.set(numbers, codes);
  return { columns, codes };
}

export class MixedColumns implements ColumnPlaces {
  readonly #how: MixedRows;

  constructor(how: MixedRows) {
    this.#how = how;
  }

  putNumbers(row: Float64Array, prepared: Float32Array): void {
    const { columns, codes } = this.#how;
    prepared.fill(0);
    for (let at = codes; at < columns.length; at++) {
      const value = row[columns[at]];
      if (Math.abs(value) >= SMALLEST_NORMAL) prepared[at] = value;
    }
  }

  putOthers({ data, cols }: Matrix, index: number, row: Float64Array, prepared: Float32Array): void {
    const { columns, codes, gap, padding } = this.#how;
    for (let at = 0; at < codes; at++) {
      const column = columns[at];
      prepared[at] = column < 0 ? (gap ?? padding) : this.#codeOf(data[index * cols + column], column);
    }
    if (gap === undefined) return;
    for (let at = codes; at < columns.length; at++)
      if (columns[at] < 0 || Number.isNaN(row[columns[at]])) prepared[at] = gap;
  }

  #codeOf(code: number, column: number): number {
    const { gap, missingCode, negative, kinds, truths } = this.#how;
    if (Number.isNaN(code)) return gap ?? missingCode;
    const isNegative = code === 0 && (truths || kinds?.[column] === "binominal");
    if (isNegative && negative !== undefined) return negative;
    return truths ? 1 : code;
  }
}

/**
 * Finds the numbers' range, and what else must be known of such rows; `single` is left out, since devices do
 * not prepare them. A cell that is no code but stands where one should makes the largest code infinite.
 */
export function mixedRangeOf({ data, cols, kinds }: Matrix, centre: Float64Array | undefined): Range {
  const nominal = Array.from({ length: cols }, (_, j) => kinds !== undefined && kinds[j] !== "numeric");
  let [largest, smallest, largestCode, fewest] = [0, Infinity, 0, cols];
  let whole = !centre || centre.every((mean) => Number.isInteger(mean));
  for (let begin = 0; begin < data.length; begin += cols) {
    let present = 0;
    for (let j = 0; j < cols; j++) {
      const value = data[begin + j];
      if (value !== value) continue;
      present++;
      if (nominal[j]) {
        largestCode = value >= 0 && Number.isInteger(value) ? Math.max(largestCode, value) : Infinity;
        continue;
      }
      const size = Math.abs(centre ? value - centre[j] : value);
      largest = Math.max(largest, size);
      if (size > 0) smallest = Math.min(smallest, size);
      whole &&= Number.isInteger(value);
    }
    fewest = Math.min(fewest, present);
  }
  const exact = (data instanceof Float32Array && !centre) || (whole && largest < 2 ** 24);
  return { largest, smallest, exact, largestCode, fewest };
}
