/**
 * Asks a GPU how fast it compares bytes, for a search that may gain by it, and measures it once searches have
 * earned that. What follows from the answer is plan/bytes/choose.ts, how it is measured gpu/bytes/rate.ts. A
 * search that may gain loads this (run.ts).
 */
import { isNearfieldError } from "../../../core/errors.ts";
import type { Matrix } from "../../../core/matrix.ts";
import type { Backend } from "../../../runtime/backend.ts";
import type { Device } from "../../../runtime/device.ts";
import {
  byteRate,
  compilesPackedProducts,
  isReadyToMeasure,
  knownByteRate,
  type ByteRate,
} from "../gpu/bytes/rate.ts";
import { hasFewRows, mayGain, mayTakeBytes, saying, withBytes, workOf } from "../plan/bytes/choose.ts";
import type { KnnPlan } from "../plan/knnPlan.ts";
import { FAST_RATE } from "../rates.ts";

/**
 * Searches on a device must take this many seconds together before the rate is measured, which takes up to
 * half as long: a single search would not earn it. Its shaders are compiled beside the searches that follow.
 */
const WORTH_SECONDS = 1;

const spent = new WeakMap<Backend, number>();

/** Returns the plan with bytes first where they pay, for which the device is asked. */
export async function withStage(
  plan: KnnPlan,
  { train, device: { backend } }: { readonly train: Matrix; readonly device: Pick<Device, "backend"> },
): Promise<KnnPlan> {
  if (!mayTakeBytes(plan)) return plan;
  if (hasFewRows(plan)) return saying(plan, "no bytes first for so few rows");
  if (plan.caps.bytes === true)
    return (await compilesPackedProducts(backend)) ? withBytes(plan, train, undefined) : plan;
  const rate = await rateFor(plan, plan.technique.dims, backend);
  return rate ? withBytes(plan, train, rate) : plan;
}

/** Returns the rate of the device, where the search may gain by it and it is known or worth a measurement. */
export async function rateFor(plan: KnnPlan, dims: number, backend: Backend): Promise<ByteRate | undefined> {
  if (!mayGain(plan, dims)) return undefined;
  const known = knownByteRate(backend, dims);
  if (known || plan.device.software) return known;
  const taking = workOf(plan.problem, dims) / (plan.observed ? plan.rate : FAST_RATE);
  const seconds = (spent.get(backend) ?? 0) + taking;
  spent.set(backend, seconds);
  const isAsked = plan.caps.bytes === "measured";
  if (seconds < WORTH_SECONDS || !(isAsked || isReadyToMeasure(backend, dims))) return undefined;
  try {
    return await byteRate(backend, dims);
  } catch (error) {
    // Without room for it, or a device, the search itself finds out what is left to do.
    if (!isNearfieldError(error, "OutOfMemory", "DeviceLost")) throw error;
    return undefined;
  }
}
