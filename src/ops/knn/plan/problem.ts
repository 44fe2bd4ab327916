/**
 * The k-NN problem that a plan is made for, as plain data. technique.ts and tile.ts decide how it is solved.
 */
import type { PairProblem } from "../../../distance/problem.ts";

export type { Precision } from "../../../distance/problem.ts";

export interface KnnProblem extends PairProblem {
  readonly k: number;
  /** True for keep-all lists (`KnnFilterParams.keepAll`); default false. */
  readonly keepAll?: boolean | undefined;
  /** True where only neighbours are wanted that are nearer than the source "bounds" says; default false. */
  readonly bounded?: boolean | undefined;
  /** The number of threads of the host that evaluate all pairs of a query; default one, the main thread. */
  readonly evaluators?: number | undefined;
}
