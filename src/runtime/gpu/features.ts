/** These are parts of WebGPU that an implementation may lack; what a self-test finds out is traits.ts. */

/** Subgroups multiply small matrices; Dawn has it where `allow_unsafe_apis` is on, and no types yet. */
export const MATRIX_FEATURE = "chromium-experimental-subgroup-matrix" as GPUFeatureName;

/**
 * Says whether shaders may multiply packed bytes, which browsers may lack. Where there is no `navigator.gpu`
 * to ask, as in Node, the implementation is Dawn, which has it.
 */
export function hasPackedProducts(): boolean {
  const { gpu } = (globalThis.navigator ?? {}) as Partial<Navigator>;
  return gpu?.wgslLanguageFeatures.has("packed_4x8_integer_dot_product") ?? true;
}
