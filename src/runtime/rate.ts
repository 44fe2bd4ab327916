/**
 * This module reads a device's speed off a job, in work units per second, by which dispatches are cut. It is
 * pure.
 */
import type { Done, Job } from "./program.ts";

/**
 * Steps that took less say nothing of a slow device, since they are mostly latency; a dispatch of eight times
 * as long is not too long.
 */
const SHORT_MS = 20;
/** A rate rises by this factor at most after one job, in case the job was lucky. */
const MOST_RISE = 4;

/**
 * Returns the rate after a job. It falls at once, so that no dispatch grows too long, and rises by at most
 * four times a job.
 */
export function updatedRate(rate: number, job: Job, done: Done): number {
  const steps = job.segment?.steps.filter(({ kind }) => kind === "run").length ?? 0;
  const measured = measuredRate(job, done);
  if (done.compiled || (measured < rate && done.ms < SHORT_MS * steps)) return rate;
  return Math.min(measured, rate * MOST_RISE);
}

/** Returns the rate at which a job was done. */
export function measuredRate({ cost }: Job, { ms }: Done): number {
  return cost / (Math.max(ms, 1) / 1000);
}
