/**
 * This is what a shader with matrices of subgroups begins with; matrixUnits.ts says whether a device has
 * them.
 */
export const matrixDirectives = [
  "enable subgroups",
  "enable chromium_experimental_subgroup_matrix",
  "diagnostic(off, chromium.subgroup_matrix_uniformity)",
];
