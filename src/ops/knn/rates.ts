/**
 * These are the rates of k-NN searches: the names under which a device keeps what it does a second, and what
 * one rate says of another. They are measured by runtime/rate.ts; plans cut dispatches by them.
 */
import type { Mixing } from "../../distance/fittedRows.ts";
import type { Metric } from "../../distance/metric.ts";
import type { KnnPlan } from "./plan/knnPlan.ts";

/**
 * These have rates of their own: bytes, compared first or throughout, few queries, which may read bytes, and
 * a GPU's tree.
 */
export type Rated = "bytes" | "few" | "fewBytes" | "tree";

/** Returns a key that is equal for searches that take a device as long per multiply-add. */
export function rateKey({ name }: Metric, cols: number, mixing?: Mixing, of: Rated | "" = ""): string {
  return `${name} ${cols} ${mixing ? "mixed" : ""}${of}`;
}

/** Returns a plan with the rate of its kind, where that is known. */
export function ratedBy(plan: KnnPlan, rate: number | undefined): KnnPlan {
  return rate === undefined ? plan : { ...plan, rate, observed: true };
}

/** A fast GPU does so many multiply-adds a second, which are assumed where no search was timed. */
export const FAST_RATE = 2 ** 42;
/** A GPU that reaches this share of it with few queries is a fast one. */
const FAST_SHARE = 1 / 16;
/** Few queries wait for the memory of a GPU: with many it does at least so many times as much. */
const FEW_TIMES = 4;

/** Returns the rate of a fast GPU, or less, where the rate of few queries shows that this is one. */
export function fastRate(few: number | undefined): number | undefined {
  return few !== undefined && few >= FAST_RATE * FAST_SHARE
    ? Math.min(FAST_RATE, few * FEW_TIMES)
    : undefined;
}
