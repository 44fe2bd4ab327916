/**
 * All that searches need of rows with nominal columns or gaps, and no others: loaded when the first such row comes, so that pages
 * which search numbers do without.
 */
export { MixedColumns, mixedRangeOf } from "../core/mixedRows.ts";
export { mixedFormOf, mixedOf } from "../plan/mixed.ts";
