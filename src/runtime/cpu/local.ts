/**
 * This module runs WASM on the main thread, for arrays that workers cannot be given, or that are so short
 * that giving costs more than the work. It gives the event loop its turn in between.
 */
import { Yielder } from "../../core/async/yielding.ts";
import { ARRAY_MEMORY_BYTES, arrayWasm, type ArrayWasm } from "./arrayWasm.ts";
import { importsOf, kernelsOf, type WasmExports } from "./instance.ts";
import { WorkerMemory } from "./memory.ts";
import type { CpuContext } from "./kernel.ts";

/**
 * Work on so many elements, a fraction of a millisecond, lies between two looks at the clock. It is a
 * multiple of SUM_CHUNK, as scans assert.
 */
const STRETCH = 65_536;

/**
 * Instantiates the WASM module on the main thread.
 * @param shared whether the module has shared memory, although no one shares it: engines copy to and from a
 *   SharedArrayBuffer in another way than between others, which is sooner on some machines (copies.ts).
 */
export async function instantiateLocal(
  module: WebAssembly.Module,
  shared: boolean,
): Promise<ArrayWasm<WasmExports>> {
  const memory = new WorkerMemory(ARRAY_MEMORY_BYTES, shared);
  const instance = await WebAssembly.instantiate(module, importsOf(memory));
  return arrayWasm(kernelsOf(instance, memory), memory);
}

/**
 * Has `work` done for stretch after stretch of `count` elements, and gives other events their turn in
 * between.
 */
export async function eachStretch(
  count: number,
  { signal, onTask }: Pick<CpuContext, "signal" | "onTask">,
  work: (begin: number, end: number) => void,
): Promise<void> {
  const yielder = new Yielder(signal);
  let reported = 0;
  for (let begin = 0; begin < count; begin += STRETCH) {
    const end = Math.min(begin + STRETCH, count);
    work(begin, end);
    if (!yielder.due && end < count) continue;
    onTask((end - reported) / count, 0);
    reported = end;
    if (end < count) await yielder.next();
  }
}
