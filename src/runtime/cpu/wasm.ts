/**
 * This is what every WASM module tells of itself. It is AssemblyScript, like each room's wasm.ts: all of them
 * are compiled into one module, twice, with RELAXED = 0 (plain SIMD) and 1 (relaxed SIMD). Memory is
 * imported, and its layout is the caller's (memory.ts): nothing in them allocates.
 */

/** Returns the first byte that the module's own constants leave free. */
export function heapBase(): usize {
  return __heap_base;
}
