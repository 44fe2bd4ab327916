/**
 * Has a search on a GPU begin by kernels that are there. It asks the device; which beginnings there are is
 * plan/meanwhile.ts.
 */
import type { FittedRows } from "../../../distance/fittedRows.ts";
import type { KnnOptions } from "../options.ts";
import type { KnnJob, KnnPlan } from "../plan/knnPlan.ts";
import type { Beginning } from "../plan/meanwhile.ts";

/**
 * Returns the plan, or one of the same search that begins by kernels that a GPU has, if those of the plan
 * are not compiled yet. Where none are, it begins by kernels for few queries, which take a driver the least
 * time.
 */
export async function withoutWait(
  { device: { info, backend }, options }: FittedRows<KnnOptions>,
  plan: KnnPlan,
  nextJob: (plan: KnnPlan) => KnnJob | undefined,
): Promise<KnnPlan> {
  const mayWait = backend.isCompiled && (options.tiles?.few ?? !info.software);
  if (!mayWait || !plan.layout?.resident || plan.tree) return plan;
  const { beginningsOf } = await import("../plan/meanwhile.ts");
  const few: Beginning[] = [];
  for (const way of beginningsOf(plan, nextJob)) {
    if (!way.kernels || (await backend.isCompiled?.(way.kernels))) return way.plan;
    if (way.plan.stage?.rated === "few") few.push(way);
  }
  // Another number of queries may come next: both kernels for few together take a driver hardly longer.
  for (const { kernels } of few) if (kernels) backend.compileAhead?.(kernels);
  return few[0]?.plan ?? plan;
}
