/**
 * The contract between a plan and the engine, the same for every operator: jobs one after the other, what was seen of
 * each, and pure functions from one plan to the next. Not the plans themselves (knn.ts).
 */
import type { BufferSpec, Segment, SegmentOutput } from "./backend.ts";
import type { DeviceLostError, OutOfMemoryError } from "../core/errors.ts";

/** One segment for the device and what the host does with its output. */
export interface Job {
  /** Undefined when the device has nothing to do. */
  readonly segment: Segment | undefined;
  /** Work units of the segment: multiply-adds. */
  readonly work: number;
  /** Units of progress it answers, such as queries. */
  readonly units: number;
}

export type Done = { readonly kind: "done" } & SegmentOutput;

export type Observation =
  | Done
  | { readonly kind: "outOfMemory"; readonly error: OutOfMemoryError }
  | { readonly kind: "deviceLost"; readonly error: DeviceLostError };

/** Pure. A plan is immutable; `next` throws when a failure cannot be mended. */
export interface Program<Plan, J extends Job> {
  /** Equal for plans whose resident buffers hold the same bytes. */
  residentKey(plan: Plan): string;
  residentBuffers(plan: Plan): readonly BufferSpec[];
  setupSegment(plan: Plan): Segment | undefined;
  nextJob(plan: Plan): J | undefined;
  next(plan: Plan, job: J, seen: Observation): Plan;
  /**
   * Where the output of a segment, the setup's too, shows that the plan assumed of the input what does not hold: the plan to end
   * with. What was found so far then does not count.
   */
  refuted?(plan: Plan, output: Pick<SegmentOutput, "downloads">): Plan | undefined;
  /** Units of progress not yet answered, such as queries. */
  unitsLeft(plan: Plan): number;
  /** What progress calls it; default "search". */
  readonly phase?: string;
}
