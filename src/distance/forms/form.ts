/**
 * These are the types of a metric's float32 form: the core that computes it, the rows it needs, the rules of
 * rows with codes or gaps, and the scale of rows. Which metric has which form is forms.ts, and mixed.ts with
 * rareForms.ts for what few searches need.
 */
import type { RowForm } from "../rows/forms.ts";
import type { PairProblem } from "../problem.ts";
import type { PairPower } from "../contract/power.ts";
import type { PairMixed } from "../contract/mixed.ts";
import type { RowPreparation, MixedRows } from "../rows/preparation.ts";
import type { DistanceCore } from "../core.ts";
import type { BoundProblem, Bound } from "../bound/bound.ts";

export interface Form {
  readonly form: "expanded" | "direct";
  readonly core: DistanceCore;
  readonly dot: BoundProblem["dot"];
  /** The core computes the metric with this exponent: 1, 2, Infinity or minkowski's. */
  readonly p: number;
  readonly base: RowPreparation["base"];
  readonly weight: number;
  readonly train: RowForm;
  readonly queries: RowForm;
  /** Rows may be moved by column means. */
  readonly movable: boolean;
  /** The value times a power of two is the metric's rank, so that it may be reported as it is. */
  readonly isRank: boolean;
  /** An entry of a row becomes larger by this factor at most. */
  readonly growth: number;
  /**
   * The last step of the float64 definition may move or tie at most so much, in units of the rank, beyond its
   * relative error.
   */
  readonly absolute: number;
  readonly displaced: number;
  readonly sizeFactor: number;
  readonly ties: Ties | undefined;
  /** Rows with codes or gaps follow these rules, where there are such rows. */
  readonly mixed: MixedForm | undefined;
  /** A form may have rules of its own. */
  readonly own?: OwnRules | undefined;
  readonly why: string;
}

/** A form has these defaults unless it has reasons for others. */
export const defaults = {
  p: 2,
  base: "zero",
  weight: -1,
  train: { kind: "plain" },
  queries: { kind: "plain" },
  movable: false,
  isRank: false,
  growth: 1,
  absolute: 0,
  displaced: 0,
  sizeFactor: 0,
  ties: undefined,
  mixed: undefined,
} as const satisfies Partial<Form>;

export interface OwnRules {
  /** Returns the scale, or why rows cannot be scaled; default: the core's. */
  readonly scale?: (problem: PairProblem) => Scale | string;
  /** Makes the bound from that of the core. */
  readonly bound: (core: Bound, problem: PairProblem) => Bound;
}

export interface MixedForm {
  /** Says which columns are compared for equality. */
  readonly isCode: (column: number) => boolean;
  /** A code that differs adds so much to the rank. */
  readonly unit: number;
  /**
   * A column that is missing on either side adds nothing; otherwise no number is missing, and a missing code
   * equals no other.
   */
  readonly gaps: boolean;
  /** The negative value of a binominal column equals nothing. */
  readonly negativeDiffers: boolean;
  /** There is nothing but codes: values are whole numbers of them, exactly, and the rank rises with them. */
  readonly counts: boolean;
  /** Sums are multiplied by columns / common columns. */
  readonly rescale?: boolean;
  /** The rank rises just as exactly with this quotient of two counts. */
  readonly quotient?: Quotient | undefined;
}

/** Such a quotient of u columns that differ and e that are equal and not false rises with u / e. */
export interface Quotient {
  /** The distance is 0, not NaN, where both counts are 0. */
  readonly neitherIsNear: boolean;
  /** Numbers are compared as what is true, anything but 0, and what is false. */
  readonly truths: boolean;
}

/**
 * A last step that flattens makes ties: from this distance on rows that the filter left out may tie with the
 * k-th (they never come before it), and none is beyond the ceiling.
 */
export interface Ties {
  readonly from: number;
  readonly ceiling: number;
}

export interface Mixed {
  readonly params: PairMixed;
  /** So many entries of a row count, padding of codes among them. */
  readonly dims: number;
  /** So many terms of a sum are rounded. */
  readonly terms: number;
  /** Marks add at most so much to a value, together with what a device may leave out of its codes. */
  readonly astray: number;
  readonly train: MixedRows;
  readonly queries: MixedRows;
}

export interface Scale {
  readonly train: number;
  readonly queries: number;
  /** It is the exponent of what belongs to rows beside their entries; default twice that of train. */
  readonly facts?: number;
  /** The rank is the value * 2^rank. */
  readonly rank: number;
  /** Entries stay below 2^largest. */
  readonly largest: number;
  /** Float64's own underflow adds so much to a scaled rank. */
  readonly underflow: number;
  readonly power?: PairPower;
}
