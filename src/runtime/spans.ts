/**
 * This module cuts long rows of a matrix into spans of equal columns and leaves short rows whole, so that a
 * stream works them off span by span. Pure; what is computed of a span is the business of the primitive.
 */
import { ceilDiv } from "../core/math.ts";

/**
 * It is some spans of one row, or some whole rows: `count` stretches of `cols` elements each, one after the
 * other.
 */
export interface RowSpans {
  /** The first begins at this element of the input. */
  readonly begin: number;
  readonly count: number;
  readonly cols: number;
  /** The first is in this row, and begins at this column. */
  readonly row: number;
  readonly column: number;
}

export class SpanCutter {
  /** A row has this many spans. */
  readonly perRow: number;
  /** Every span has so many columns, but the last of a row may have fewer. */
  readonly spanCols: number;
  readonly #cols: number;

  constructor(cols: number, span: number) {
    this.#cols = cols;
    this.perRow = ceilDiv(cols, span);
    this.spanCols = Math.min(cols, span);
  }

  /**
   * Returns spans [begin, end) of all rows; they are all of one row and of the same length, or whole rows.
   */
  spans(begin: number, end: number): RowSpans {
    const row = Math.floor(begin / this.perRow);
    const column = (begin % this.perRow) * this.spanCols;
    const cols = Math.min(this.spanCols, this.#cols - column);
    return { begin: row * this.#cols + column, count: end - begin, cols, row, column };
  }

  /** Does Stream.cut: a row's last span, which may be shorter, comes alone. */
  cut(begin: number, end: number): number {
    if (this.perRow === 1) return end;
    const last = begin - (begin % this.perRow) + this.perRow - 1;
    return begin === last ? begin + 1 : Math.min(end, last);
  }
}
