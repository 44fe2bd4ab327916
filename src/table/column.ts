/**
 * A named column of a table: numbers, or nominal values as codes. `valid` has a bit per row that is 0 where the cell is
 * missing; no `valid` means that no cell is. Columns are shared between tables and never written to.
 */
import type { Bitset } from "./bitset.ts";
import type { Dictionary } from "./dictionary.ts";

/** The code under a missing nominal cell. */
export const MISSING_CODE = 0xffffffff;

/** Values are finite; under a missing cell lies NaN. */
export interface NumericColumn {
  readonly kind: "numeric";
  readonly name: string;
  readonly values: Float64Array;
  readonly valid?: Bitset;
}

/** Codes of `dictionary`; under a missing cell lies MISSING_CODE. */
export interface NominalColumn {
  readonly kind: "nominal";
  readonly name: string;
  readonly codes: Uint32Array;
  readonly dictionary: Dictionary;
  readonly valid?: Bitset;
}

/** A named column of a table. */
export type Column = NumericColumn | NominalColumn;

export function columnLength(column: Column): number {
  return column.kind === "numeric" ? column.values.length : column.codes.length;
}

export function isMissing({ valid }: Column, row: number): boolean {
  return valid !== undefined && !valid.get(row);
}

/** The cell as users see it; null where it is missing. */
export function cellOf(column: Column, row: number): number | string | null {
  if (isMissing(column, row)) return null;
  return column.kind === "numeric" ? column.values[row] : column.dictionary.values[column.codes[row]];
}
