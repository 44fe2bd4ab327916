/**
 * This module makes an instance of the WASM module over a memory that outlives tasks. Where its bytes come
 * from is backend.ts.
 */
import type { WorkerMemory } from "./memory.ts";

export function importsOf({ memory }: WorkerMemory): WebAssembly.Imports {
  const abort = (): never => {
    throw new Error("the WASM module stopped");
  };
  return { env: { memory, abort } };
}

/**
 * A module has these functions by name: all rooms' AssemblyScript exports them. A room knows the types of its
 * own, which the build compiles into the same module.
 */
export type WasmExports = WebAssembly.Exports & { heapBase(): number };

/** Returns the instance's exports, after reserving the module's own data in the memory. */
export function kernelsOf({ exports }: WebAssembly.Instance, memory: WorkerMemory): WasmExports {
  const kernels = exports as WasmExports;
  memory.reserve(kernels.heapBase());
  return kernels;
}
