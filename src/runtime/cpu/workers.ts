/**
 * The threads of a CPU backend are for whoever has tasks for them: primitives, and work that is no step of a
 * segment.
 */
import type { ArrayWasm } from "./arrayWasm.ts";
import type { Pool } from "./pool.ts";
import type { Overrides } from "./tuning.ts";

export interface Workers {
  readonly pool: Pick<Pool, "run" | "runEndable" | "offer" | "isRunning" | "declines">;
  readonly threads: number;
  readonly tuning: Overrides;
  /**
   * Returns the WASM module on the main thread: for work that mostly reads, which has the functions of
   * workers, or for work on arrays that also writes.
   */
  readonly local: <Kernels>(use: "reads" | "writes") => Promise<ArrayWasm<Kernels>>;
}
