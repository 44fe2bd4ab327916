/** An instance of the WASM module over a memory that outlives tasks. Where its bytes come from is backend.ts. */
import type { WorkerMemory } from "./memory.ts";

export function importsOf({ memory }: WorkerMemory): WebAssembly.Imports {
  const abort = (): never => {
    throw new Error("the WASM module stopped");
  };
  return { env: { memory, abort } };
}

/** The instance's exports, once the memory leaves the module's own data alone. */
export function kernelsOf<Kernels>(
  { exports }: WebAssembly.Instance,
  memory: WorkerMemory,
): Kernels & { heapBase(): number } {
  const kernels = exports as unknown as Kernels & { heapBase(): number };
  memory.reserve(kernels.heapBase());
  return kernels;
}
