/** Workers' handlers in the process of a test, whose WASM counts its calls. */
import { WorkerMemory } from "../../../dist/runtime/cpu/memory.js";
import { importsOf, kernelsOf } from "../../../dist/runtime/cpu/instance.js";
import { wasmBytes } from "../../../dist/runtime/cpu/module.js";
import type { WorkerWasm } from "../../../dist/runtime/cpu/task.js";

type Exports = Readonly<Record<string, unknown>>;

/** Counts the calls of one function among others. */
export function counting<T extends object>(
  functions: T,
  name: string,
): { functions: T; calls: () => number } {
  let calls = 0;
  const counted = (...values: readonly unknown[]): unknown => {
    calls++;
    return ((functions as Exports)[name] as (...args: readonly unknown[]) => unknown)(...values);
  };
  return { functions: { ...functions, [name]: counted }, calls: () => calls };
}

/** A worker's WASM, whose function of that name is counted. @param limit bytes that its memory may have */
export async function countedWasm(name: string, limit = 2 ** 26) {
  const memory = new WorkerMemory(limit);
  const module = await WebAssembly.compile(await wasmBytes("baseline"));
  const instance = await WebAssembly.instantiate(module, importsOf(memory));
  const { functions, calls } = counting(kernelsOf(instance, memory), name);
  const wasm = { kernels: functions, memory } as unknown as WorkerWasm;
  return { wasm, calls };
}
