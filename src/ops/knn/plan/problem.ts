/** The k-NN problem that a plan is made for, as plain data. Not how it is solved (technique.ts, tile.ts). */
import type { PairProblem } from "../../../distance/problem.ts";

export type { Precision } from "../../../distance/problem.ts";

export interface KnnProblem extends PairProblem {
  readonly k: number;
  /** Lists keep all that was ever among the k nearest so far (`KnnFilterParams.history`); default false. */
  readonly keepAll?: boolean | undefined;
  /** Only neighbours are wanted that are nearer than the source "bounds" says; default false. */
  readonly bounded?: boolean | undefined;
  /** Threads of the host that evaluate all pairs of a query; default one, the main thread. */
  readonly evaluators?: number | undefined;
}
