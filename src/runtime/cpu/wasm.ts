/**
 * What every WASM module tells of itself. AssemblyScript, like each room's wasm.ts beside it: all of them are compiled into one module,
 * twice, with RELAXED = 0 (plain SIMD) and 1 (relaxed SIMD). Memory is imported, its layout is the caller's (memory.ts): nothing in
 * them allocates.
 */

/** First byte that the module's own constants leave free. */
export function heapBase(): usize {
  return __heap_base;
}
