/** This is the bound of sketches, which only the CPU has; its proof is part of the header of bound.ts. */
import { boundOf, type Bound, type BoundProblem } from "./bound.ts";

/**
 * Returns the bound of sketches of rows that `problem` describes: value - product - margins is at most the
 * rank.
 * @param defect of the axes (distance/axes.ts)
 */
export function sketchBound(
  problem: BoundProblem,
  axes: number,
  stride: number,
  defect: number,
): Bound | undefined {
  const sums = (stride + axes + 8) * 2 ** -51;
  const displaced = 2 * (1.01 * 2 ** -24 + Math.sqrt(defect + sums) + defect);
  const largest = problem.largest * problem.dims;
  return boundOf({ ...problem, dims: axes + 2, largest, displaced });
}
