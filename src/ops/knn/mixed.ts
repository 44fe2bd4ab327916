/**
 * All that searches need of rows with nominal columns or gaps, and no others: loaded when the first such row comes, so that pages
 * which search numbers do without.
 */
export { MixedColumns, mixedRangeOf } from "../../distance/rows/mixed.ts";
export { mixedFormOf, mixedOf } from "../../distance/forms/mixed.ts";
