export { preparationOf, snapshotsOf } from "./fromState.ts";
export { Normalize, normalizeMethods } from "./normalize.ts";
export type { NormalizeMethod, NormalizeOptions } from "./normalize.ts";
export type { Preparation, PreparationState } from "./preparation.ts";
export { ReplaceMissingValues, replacements } from "./replaceMissing.ts";
export type { ReplaceMissingOptions, Replacement } from "./replaceMissing.ts";
export { chooseFeatures, featuresBeside } from "./roles.ts";
export type { Roles } from "./roles.ts";
