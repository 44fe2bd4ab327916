/**
 * A kernel is what runs a primitive on a GPU: it leads from parameters to passes and to the bytes its buffers
 * need. Nothing here decides what to run. Kernels are modules of their own, which descriptors load before a
 * segment that needs them runs.
 */
import type { KernelLimits, Pass } from "./pass.ts";

export interface GpuKernel<Params, Binding extends string> {
  /** Returns the dispatches, in order; none for an empty problem. */
  passes(params: Params, limits: KernelLimits): readonly Pass[];
  /** Returns the bytes that each buffer must have at least; a buffer of none may be left out. */
  bytes(params: Params, limits: KernelLimits): Readonly<Record<Binding, number>>;
  /** Returns the units it adds to the counter `work`; default none. */
  work?(params: Params): number;
  /**
   * Tells whether its passes depend on the device's traits, which take a self-test to know; default they do
   * not.
   */
  wantsTraits?(params: Params): boolean;
  /**
   * Passes look at large buffers through windows, so that these may be larger than a device binds; default
   * false.
   */
  readonly windowed?: boolean;
}
