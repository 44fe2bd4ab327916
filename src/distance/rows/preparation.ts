/**
 * This module says how rows become what the filters want, as plain data, and where the columns of such a row
 * lie. It prepares nothing: that is prepare.ts on the host and the primitive `distance.prepare` on a device.
 */
import type { ColumnKind, Matrix } from "../../core/matrix.ts";
import { roundUp } from "../../core/math.ts";
import type { Bound } from "../bound/bound.ts";
import type { DistanceCore } from "../core.ts";
import type { RowForm } from "./forms.ts";

/** This says, as plain data, how one side (train or queries) becomes float32 rows. */
export interface RowPreparation {
  readonly core: DistanceCore;
  /** The meta's base holds half of what a pair adds to its dot. */
  readonly base: "squaredNorm" | "minusSquaredNorm" | "half" | "zero" | "own";
  /** These numbers are subtracted in float64, one per column; undefined leaves rows where they are. */
  readonly centre: Float64Array | undefined;
  /** Rows get this form after centring. */
  readonly rows: RowForm;
  /**
   * Rows are multiplied by 2^exponent, and what belongs to them beside their entries by 2^factsExponent.
   */
  readonly exponent: number;
  readonly factsExponent: number;
  readonly p: number;
  readonly bound: Bound;
  /** It says how columns become entries, for rows with codes or gaps. */
  readonly mixed?: MixedRows | undefined;
  /** This side prepares; a device takes the parts "raw" and "centre" instead of "values" and "meta". */
  readonly on: "host" | "device";
}

/** Puts the columns of a row where its entries are, where that is not in their order (mixed.ts). */
export interface ColumnPlaces {
  /** Puts numbers, which norms are made of, and zeros everywhere else. */
  putNumbers(row: Float64Array, prepared: Float32Array): void;
  /** Puts what is no number, or not there. */
  putOthers(matrix: Matrix, index: number, row: Float64Array, prepared: Float32Array): void;
}

/** Returns the float32 entries from one prepared row to the next. */
export function strideOf(cols: number): number {
  return roundUp(cols, 4);
}

/** It says how columns become entries of a row, as plain data. */
export interface MixedRows {
  /** Each entry has its column; -1 for padding. */
  readonly columns: Int32Array;
  /** The first entries, a multiple of 4, are codes. */
  readonly codes: number;
  /**
   * A missing cell becomes this number, and so does what is past the columns; undefined where none is
   * missing.
   */
  readonly gap: number | undefined;
  /** A missing code becomes this number where that is no gap; the other side does not have it. */
  readonly missingCode: number;
  /**
   * Code 0 of a binominal column becomes this number where it is not like other values; undefined: it stays.
   */
  readonly negative: number | undefined;
  /** An entry past the columns becomes this number where there is no gap. */
  readonly padding: number;
  /** Numbers stand for true and false, which is 0: they become 1 and `negative`. */
  readonly truths: boolean;
  readonly kinds: readonly ColumnKind[] | undefined;
}
