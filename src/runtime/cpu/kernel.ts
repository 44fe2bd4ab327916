/**
 * This is the type of a primitive's kernel on the CPU: one function from parameters and buffers to a promise,
 * called on the main thread, which may hand tasks to workers. The tasks are not here (task.ts).
 */
import type { BufferSpace, HostBuffer, Address } from "./buffers.ts";
import type { Workers } from "./workers.ts";

export interface CpuKernel<Params, Binding extends string> {
  /**
   * Runs the primitive. Buffers that the step leaves out must not be needed. Rejects with the signal's reason
   * once that is aborted.
   */
  run(
    params: Params,
    buffers: Readonly<Record<Binding, HostBuffer>>,
    context: CpuContext,
  ): Promise<void> | void;
}

/** Every run of a backend is given these things beside its parameters and buffers. */
export interface CpuMachine extends Workers {
  /** Buffers are in shared memory, where workers use them in place. */
  readonly shared: boolean;
  /** The backend may have the bytes of this space. */
  readonly space: BufferSpace;
}

/**
 * These workers may share a step on arrays: "keep" means all, since those that are started for it stay;
 * "brief" means all, but they may go after it, so that starting them must pay within it; "none" means none.
 */
export type WorkerUse = "keep" | "brief" | "none";

export interface CpuContext extends CpuMachine {
  readonly signal: AbortSignal;
  /**
   * Is called when a task has finished, with its share of the step, which add up to 1, and what it adds to
   * the counter `work`.
   */
  readonly onTask: (share: number, work: number) => void;
  readonly workers: WorkerUse;
}

/** Returns the places where whole buffers, or arrays of the caller, begin. */
export function addressesOf<Binding extends string>(
  buffers: Readonly<Record<Binding, HostBuffer>>,
): Record<Binding, Address> {
  const entries = Object.entries<HostBuffer>(buffers).map(([name, buffer]) => [name, buffer.address]);
  return Object.fromEntries(entries) as Record<Binding, Address>;
}
