/** These are names of features that WebGPU's types do not have yet. */

/** Products of small matrices by a subgroup, in Dawn where `allow_unsafe_apis` is on. */
export const MATRIX_FEATURE = "chromium-experimental-subgroup-matrix" as GPUFeatureName;
