/**
 * This is the contract between a plan and the engine, the same for every operator: jobs one after the other,
 * what was seen of each, and pure functions from one plan to the next. The plans themselves are not here:
 * they are those of the operators.
 */
import type { Segment, SegmentOutput, Session } from "./backend.ts";
import type { BufferSpec, Sources } from "./source.ts";
import type { DeviceLostError, OutOfMemoryError } from "../core/errors.ts";

/** A job is one segment for the device and what the host does with its output. */
export interface Job {
  /** The device runs this segment; undefined when it has nothing to do. */
  readonly segment: Segment | undefined;
  /** The segment takes this many multiply-adds. */
  readonly cost: number;
  /** It answers this many units of progress, such as queries. */
  readonly units: number;
  /** The next job waits for what the host makes of this one, which `next` is then given; default false. */
  readonly awaited?: boolean;
  /**
   * Makes resident what the segment needs beside the buffers of its plan (kept.ts), in a moment in which no
   * abort is heard; default nothing.
   */
  readonly kept?: (session: Session, sources: Sources) => Promise<void>;
  /** Once the job has ended, the device compiles what this segment needs, while jobs run; default nothing. */
  readonly ahead?: Segment;
}

export interface Done extends SegmentOutput {
  readonly kind: "done";
  /** The host made this result of a job that is awaited. */
  readonly host?: unknown;
  /** The job's `ahead`, once what it needs is compiled; default nothing. */
  readonly ready?: Segment;
}

export type Observation =
  | Done
  | { readonly kind: "outOfMemory"; readonly error: OutOfMemoryError }
  | { readonly kind: "deviceLost"; readonly error: DeviceLostError };

/**
 * By these pure functions the engine walks a plan. A plan is immutable; `next` throws when it cannot recover
 * from a failure.
 */
export interface Program<Plan, J extends Job> {
  /** Returns a key that is equal for plans whose resident buffers hold the same bytes. */
  residentKey(plan: Plan): string;
  residentBuffers(plan: Plan): readonly BufferSpec[];
  /**
   * Returns the next segment that fills the resident buffers: one after the other, each with the outputs of
   * those before it, until there is none. After the loss of a device all of them run again, so that nothing
   * else may fill resident buffers.
   */
  setupSegment(plan: Plan, ran: readonly SegmentOutput[]): Segment | undefined;
  /**
   * Returns the plan with what the set-up's segments showed, for what they decide, such as cells that are
   * crowded; default the plan as it is. It is asked before each job and returns the very plan where there is
   * nothing to change, such as one that it returned before.
   */
  afterSetup?(plan: Plan, ran: readonly SegmentOutput[]): Plan;
  nextJob(plan: Plan): J | undefined;
  next(plan: Plan, job: J, seen: Observation): Plan;
  /**
   * Returns the plan as if a job that runs were done, for programs whose jobs do not depend on each other:
   * the next job then begins while this one ends, so that uploads, kernels and downloads overlap. It is
   * undefined where it should not, and for a job that is awaited. A plan of other resident buffers begins
   * when this job has ended. Where `next` then asks for other resident buffers, what began early does not
   * count, and its work is still to do.
   */
  begun?(plan: Plan, job: J): Plan | undefined;
  /**
   * Returns the plan to end with, where the output of a segment, the setup's too, shows that the plan assumed
   * of the input what does not hold. What was found so far then does not count.
   */
  violated?(plan: Plan, output: Pick<SegmentOutput, "downloads">): Plan | undefined;
  /** Returns the units of progress not yet answered, such as queries. */
  unitsLeft(plan: Plan): number;
  /** Progress names it so. */
  readonly phase: string;
}
