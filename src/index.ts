/**
 * Nearfield: exact nearest-neighbour data mining on any GPU.
 *
 * @example
 * import { KNeighborsClassifier } from "nearfield";
 *
 * const model = await new KNeighborsClassifier({ nNeighbors: 3 }).fit(
 *   { data: new Float32Array([0, 0, 0, 1, 5, 5, 6, 5]), rows: 4, cols: 2 },
 *   ["near", "near", "far", "far"],
 * );
 * await model.predict([[5, 6]]); // => ["far"]
 * model.dispose();
 *
 * @module
 */
import { browserPlatform } from "./browser.ts";
import { installPlatform } from "./core/platform.ts";

installPlatform(browserPlatform);

export {
  DeviceError,
  DeviceLostError,
  InvalidInputError,
  NearfieldError,
  OutOfMemoryError,
  UnavailableError,
  isNearfieldError,
} from "./core/errors.ts";
export type { ErrorTag, Place } from "./core/errors.ts";
export type { ColumnKind, Matrix, MatrixLike, MissingPolicy, NumericArray } from "./core/matrix.ts";
export { collectMatrix, matrixStream, streamOf } from "./core/matrixStream.ts";
export type { ChunkOptions, ChunkSource, MatrixStream } from "./core/matrixStream.ts";
export { metricNames } from "./distance/metric.ts";
export type { KernelOptions, KernelType, MetricName, MetricOptions } from "./distance/metric.ts";
export type { BackendInfo, BackendKind, BackendTraits } from "./runtime/backend.ts";

export { Device } from "./runtime/device.ts";
export { measurePeak } from "./runtime/peak.ts";
export type { DeviceCounters, DeviceOptions } from "./runtime/device.ts";
export { inspectDevice, inspectMachine } from "./runtime/inspect.ts";
export type { AdapterReport, DeviceReport, MachineReport, TransferReport } from "./runtime/inspect.ts";
export type { Progress } from "./runtime/execute.ts";

export { kneighbors } from "./ops/knn/kneighbors.ts";
export type { KneighborsOptions } from "./ops/knn/kneighbors.ts";
export { NO_NEIGHBOR } from "./ops/knn/arguments.ts";
export type { KnnOptions, KnnResult, SearchOptions } from "./ops/knn/knnIndex.ts";
export { kneighborsGraph } from "./ops/knn/graph.ts";
export { kneighborsStream } from "./ops/knn/stream.ts";
export type { KnnChunk, StreamOptions } from "./ops/knn/stream.ts";
export { radiusNeighbors } from "./ops/knn/radiusNeighbors.ts";
export type { RadiusOptions, RadiusResult } from "./ops/knn/radiusNeighbors.ts";
export { GpuPrimitives } from "./gpuPrimitives.ts";
export type {
  BufferArgument,
  GpuBuffers,
  GpuCompactBinding,
  GpuCompactParams,
  GpuKnnParams,
  GpuOperation,
  GpuRunLengthParams,
  GpuScanParams,
  GpuUniqueParams,
  KnnVariant,
} from "./gpuPrimitives.ts";
export type { ArrayOptions } from "./runtime/onArrays.ts";
export type { KnnSearchBinding, KnnSearchMetric, KnnSearchParams } from "./ops/knn/contract/search.ts";
export type {
  CompactBinding,
  CompactParams,
  ElementArray,
  ElementType,
  FlagType,
  HistogramBinding,
  HistogramParams,
  ReduceBinding,
  ReduceOp,
  ReduceParams,
  RunLengthBinding,
  RunLengthParams,
  ScanBinding,
  ScanOp,
  ScanParams,
  ScanPath,
  SelectBinding,
  SelectParams,
  UniqueBinding,
  UniqueParams,
} from "./runtime/primitives.ts";
export { binKeys, evenEdges } from "./ops/histogram/bins.ts";
export type { BinKeys } from "./ops/histogram/bins.ts";
export { compact, flatnonzero } from "./ops/compact/compact.ts";
export type { CompactOptions, CompactTuning } from "./ops/compact/compact.ts";
export type { FlagArray } from "./runtime/arrayArguments.ts";
export { histogram } from "./ops/histogram/histogram.ts";
export type { HistogramOptions, HistogramResult } from "./ops/histogram/histogram.ts";
export { reduce } from "./ops/reduce/reduce.ts";
export type { ReduceOptions } from "./ops/reduce/reduce.ts";
export { runLength } from "./ops/compact/runLength.ts";
export type { RunLengthOptions, RunLengthResult } from "./ops/compact/runLength.ts";
export { scan } from "./ops/scan/scan.ts";
export type { ScanOptions } from "./ops/scan/scan.ts";
export { select } from "./ops/select/select.ts";
export type { SelectOptions, SelectResult } from "./ops/select/select.ts";
export { unique } from "./ops/compact/unique.ts";
export { explanationText } from "./ops/knn/plan/explain.ts";
export type { Explanation, Stage } from "./ops/knn/plan/explain.ts";
export type { Precision } from "./distance/problem.ts";

export { NearestNeighbors } from "./models/nearestNeighbors.ts";
export type {
  Compat,
  KneighborsCallOptions,
  NeighborsOptions,
  TrainedRows,
} from "./models/nearestNeighbors.ts";
export { KNeighborsClassifier } from "./models/classifier.ts";
export type { Classification, ClassifierOptions } from "./models/classifier.ts";
export { loadModel, saveModel } from "./models/file/model.ts";
export type { LoadOptions, LoadedModel } from "./models/file/model.ts";
export { Pipeline } from "./models/pipeline.ts";
export type { Estimator } from "./models/pipeline.ts";
export { Normalize, ReplaceMissingValues } from "./models/preparation/index.ts";
export type {
  NormalizeMethod,
  NormalizeOptions,
  Preparation,
  PreparationState,
  ReplaceMissingOptions,
  Replacement,
  Roles,
} from "./models/preparation/index.ts";
export {
  classificationPerformance,
  crossValidate,
  regressionPerformance,
  splitTable,
} from "./models/validation/index.ts";
export type {
  ClassificationPerformance,
  ClassificationValidation,
  CrossValidateOptions,
  RegressionPerformance,
  RegressionValidation,
  Sampling,
  SplitOptions,
  Spread,
} from "./models/validation/index.ts";
export { confusion } from "./models/confusion.ts";
export type { Confusion } from "./models/confusion.ts";
export type { EncodedLabels, Label, Labels } from "./models/labels.ts";
export type { Weights } from "./models/weights.ts";
export { KNeighborsRegressor } from "./models/regressor.ts";
export type { Regression, RegressorOptions } from "./models/regressor.ts";
export type { Rows } from "./models/features.ts";
export type { Targets } from "./models/target.ts";

export { Table, collectTable, encode, tableStream } from "./table/index.ts";
export type {
  Bitset,
  Cell,
  Column,
  ColumnInput,
  ColumnSchema,
  Dictionary,
  EncodeOptions,
  Guess,
  NominalColumn,
  NominalType,
  NumericColumn,
  NumericType,
  RowPlace,
  TableChunkOptions,
  TableOrigin,
  TableStream,
  TimeUnit,
} from "./table/index.ts";
export {
  blobSource,
  bytesSource,
  decompressed,
  openBvecs,
  openFvecs,
  openIdx,
  openIvecs,
  openMatrix,
  openNpy,
  openTable,
  readBvecs,
  readCsv,
  readFvecs,
  readIdxLabels,
  readIdxMatrix,
  readIvecs,
  readNpy,
  readTable,
  tableFromArrow,
  textSource,
  writeBvecs,
  writeCsv,
  writeFvecs,
  writeIvecs,
  writeMatrix,
  writeNpy,
  writeTable,
} from "./io/index.ts";
export type {
  ArrowField,
  ArrowTable,
  ArrowType,
  ArrowVector,
  ByteSource,
  CsvCell,
  CsvOptions,
  CsvWriteOptions,
  Decimal,
  FormatName,
  FvecsWriteOptions,
  IdxStream,
  NpyHeader,
  NpyOptions,
  NpyStream,
  NpyWriteOptions,
  Pieces,
  ReadOptions,
  VecsWriteOptions,
  WriteOptions,
} from "./io/index.ts";
