export { classReport } from "./classReport.ts";
export type { ClassAverage, ClassReport, ClassReportOptions } from "./classReport.ts";
export { crossValidate } from "./crossValidate.ts";
export type {
  ClassificationValidation,
  CrossValidateOptions,
  RegressionValidation,
  Spread,
} from "./crossValidate.ts";
export { permutationImportance } from "./importance.ts";
export type { ColumnImportance, ImportanceOptions, PermutationImportance } from "./importance.ts";
export type { TestedNeighbors } from "./kept.ts";
export { NO_FOLD } from "./folds.ts";
export type { FoldOptions } from "./folds.ts";
export { DEFAULT_SEED, samplings } from "./partition.ts";
export type { Sampling } from "./partition.ts";
export { classificationPerformance, regressionPerformance } from "./performance.ts";
export type { ClassificationPerformance, PerformanceOptions, RegressionPerformance } from "./performance.ts";
export { tuneMeasures } from "./score.ts";
export type { TuneMeasure } from "./score.ts";
export { tune } from "./tune.ts";
export type { TuneCandidate, TuneOptions, TuneResult, TuneScaling } from "./tune.ts";
export { splitTable } from "./split.ts";
export type { SplitOptions } from "./split.ts";
