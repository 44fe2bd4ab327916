/** What a job tells of a device's speed, in work units per second, by which dispatches are cut. Pure. */
import type { Done, Job } from "./program.ts";

/** Steps that took less say nothing of a slow device, being mostly latency; eight times as long is no dispatch too long. */
const SHORT_MS = 20;
/** In case a job was lucky. */
const MOST_RISE = 4;

/** Falls at once, so that no dispatch grows too long; rises by at most four times a job. */
export function updatedRate(rate: number, { cost, segment }: Job, { ms, compiled = false }: Done): number {
  const steps = segment?.steps.filter(({ kind }) => kind === "run").length ?? 0;
  const measured = cost / (Math.max(ms, 1) / 1000);
  if (compiled || (measured < rate && ms < SHORT_MS * steps)) return rate;
  return Math.min(measured, rate * MOST_RISE);
}
