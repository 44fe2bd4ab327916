/**
 * These are the types of a float32 filter once it was chosen: how pairs get their intervals, and how rows are
 * prepared for it. The choice is technique.ts.
 */
import type { Ties } from "./form.ts";
import type { PairPower } from "../contract/power.ts";
import type { PairMixed } from "../contract/mixed.ts";
import type { RowPreparation } from "../rows/preparation.ts";
import type { DistanceCore } from "../core.ts";
import type { BoundProblem } from "../bound/bound.ts";

export interface Filter {
  readonly form: "expanded" | "direct";
  readonly why: string;
  readonly core: DistanceCore;
  readonly p: number;
  readonly weight: number;
  readonly slack: number;
  readonly train: RowPreparation;
  readonly queries: RowPreparation;
  /** The rank of a pair is its value times 2^rankExponent, where it is the metric's rank at all. */
  readonly rankExponent: number;
  readonly isRank: boolean;
  /** The values are exact, so that only the k nearest are candidates. */
  readonly points: boolean;
  /** So many entries of a row count. */
  readonly dims: number;
  readonly mixed: PairMixed | undefined;
  readonly power: PairPower | undefined;
  /** The intervals were proved for this problem. */
  readonly bounding: BoundProblem;
  readonly ties: Ties | undefined;
  /** Rows lie on the device as they are, and it can evaluate the metric's rank in float64. */
  readonly refinable: boolean;
}

export interface NoFilter {
  readonly form: "none";
  readonly why: string;
}

export type Technique = Filter | NoFilter;

/** Tells whether a distance is the larger one wherever its interval is above the other's. */
export function separates({ isRank, points, ties }: Filter): boolean {
  return points || (isRank && ties === undefined);
}
