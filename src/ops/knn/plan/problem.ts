/**
 * A plan is made for this k-NN problem, which is plain data. distance/forms/technique.ts and tile.ts decide
 * how it is solved.
 */
import type { PairProblem } from "../../../distance/problem.ts";

export type { Precision } from "../../../distance/problem.ts";

export interface KnnProblem extends PairProblem {
  readonly k: number;
  /** True asks for keep-all lists (`KnnFilterParams.keepAll`); default false. */
  readonly keepAll?: boolean | undefined;
  /** True asks for only those neighbours that are nearer than the source "bounds" says; default false. */
  readonly bounded?: boolean | undefined;
  /** The host evaluates all pairs of a query on this many threads; default one, the main thread. */
  readonly evaluators?: number | undefined;
}
