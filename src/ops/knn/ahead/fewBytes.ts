/**
 * Makes ready what searches of few queries need that read bytes of an index: the plan, and its kernels, which
 * are compiled beside the searches and tried out. What such a search is stands in plan/bytes/few.ts, when
 * there is one in keptPlan.ts, which loads this.
 */
import type { FittedRows } from "../../../distance/fittedRows.ts";
import { compilesPackedProducts } from "../gpu/bytes/rate.ts";
import type { KnnOptions } from "../options.ts";
import { quantizingOf } from "../plan/bytes/choose.ts";
import { readingBytes } from "../plan/bytes/few.ts";
import type { KnnJob, KnnPlan } from "../plan/knnPlan.ts";
import { rateKey, ratedBy } from "../rates.ts";
import { readsBytesRightly } from "./byteTrial.ts";

/**
 * Returns the plan of the same search that reads bytes, once all is ready; undefined where it cannot, or
 * would gain nothing.
 * @param nextJob makes the next job of a plan
 */
export async function preparedBytes(
  fitted: FittedRows<KnnOptions>,
  plan: KnnPlan,
  nextJob: (plan: KnnPlan) => KnnJob | undefined,
): Promise<KnnPlan | undefined> {
  const { metric, train } = fitted;
  const { backend, rates } = fitted.device;
  const found = await readingOf(fitted, plan);
  if (!found) return undefined;
  const bytes = ratedBy(found.plan, rates.get(rateKey(metric, train.cols, undefined, "fewBytes")));
  for (const segment of [found.fill, nextJob(bytes)?.segment])
    if (segment) await backend.compileAhead?.(segment, true).done;
  return (await readsBytesRightly(backend)) ? bytes : undefined;
}

/** Returns that plan at once, which options ask for: its kernels are compiled when it needs them. */
export async function bytesAtOnce(fitted: FittedRows<KnnOptions>, plan: KnnPlan) {
  return (await readingOf(fitted, plan))?.plan;
}

async function readingOf({ device: { backend }, train }: FittedRows<KnnOptions>, plan: KnnPlan) {
  if (!(await compilesPackedProducts(backend))) return undefined;
  return readingBytes(plan, () => quantizingOf(plan, train));
}
