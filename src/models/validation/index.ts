export { NO_FOLD, crossValidate } from "./crossValidate.ts";
export type {
  ClassificationValidation,
  CrossValidateOptions,
  RegressionValidation,
  Spread,
} from "./crossValidate.ts";
export { DEFAULT_SEED, samplings } from "./partition.ts";
export type { Sampling } from "./partition.ts";
export { classificationPerformance, regressionPerformance } from "./performance.ts";
export type { ClassificationPerformance, RegressionPerformance } from "./performance.ts";
export { splitTable } from "./split.ts";
export type { SplitOptions } from "./split.ts";
