/// <reference lib="esnext.disposable" preserve="true" />
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
export { measureCopy } from "./runtime/copy.ts";
export type { CopyOptions, CopyReport } from "./runtime/copy.ts";
export { measurePeak } from "./runtime/peak.ts";
export type { DeviceCounters, DeviceOptions } from "./runtime/device.ts";
export { inspectDevice, inspectMachine } from "./runtime/inspect.ts";
export { selfTest } from "./selfTest/selfTest.ts";
export type {
  SelfTestCheck,
  SelfTestOperators,
  SelfTestOptions,
  SelfTestRates,
  SelfTestReport,
} from "./selfTest/report.ts";
export type { AdapterReport, DeviceReport, MachineReport, TransferReport } from "./runtime/inspect.ts";
export type { Progress } from "./runtime/execute.ts";

export {
  kneighbors,
  kneighborsGraph,
  kneighborsStream,
  NO_NEIGHBOR,
  radiusNeighbors,
} from "./ops/knn/index.ts";
export type {
  KneighborsOptions,
  KnnChunk,
  KnnExplanation,
  KnnOptions,
  KnnResult,
  KnnSearchBinding,
  KnnSearchMetric,
  KnnSearchParams,
  KnnVariant,
  NearestPointsBinding,
  NearestPointsParams,
  PointTreeBinding,
  PointTreeParams,
  RadiusOptions,
  RadiusResult,
  SearchOptions,
  StreamOptions,
} from "./ops/knn/index.ts";
export {
  PointCloud,
  chamferDistance,
  estimateNormals,
  hausdorffDistance,
  icp,
  meanNearestDistance,
  removeDuplicatePoints,
  removeOutlierPoints,
} from "./ops/cloud/index.ts";
export type {
  ChamferOptions,
  ChamferResult,
  CloudOptions,
  CloudRadiusOptions,
  DuplicatePointsOptions,
  DuplicatePointsResult,
  HausdorffResult,
  IcpOptions,
  IcpResult,
  NearestOptions,
  NormalsOptions,
  NormalsResult,
  OutlierPointsOptions,
  OutlierPointsResult,
  PointCloudOptions,
} from "./ops/cloud/index.ts";
export { GpuPrimitives } from "./gpuPrimitives.ts";
export type {
  BufferArgument,
  GpuBuffers,
  GpuCompactBinding,
  GpuCompactParams,
  GpuConvolveParams,
  GpuKnnParams,
  GpuNearestPointsParams,
  GpuOperation,
  GpuRunLengthParams,
  GpuScanParams,
  GpuSortBinding,
  GpuSortParams,
  GpuUniqueParams,
} from "./gpuPrimitives.ts";
export { closeDefaultDevice } from "./runtime/onArrays.ts";
export type { ArrayOptions } from "./runtime/onArrays.ts";
export type { ElementArray, ElementType } from "./runtime/element.ts";
export { compact, flatnonzero, runLength, unique } from "./ops/compact/index.ts";
export type {
  CompactBinding,
  CompactOptions,
  CompactParams,
  FlagArray,
  FlagType,
  RunLengthBinding,
  RunLengthOptions,
  RunLengthParams,
  RunLengthResult,
  UniqueBinding,
  UniqueParams,
} from "./ops/compact/index.ts";
export { binKeys, evenEdges, histogram } from "./ops/histogram/index.ts";
export type {
  BinKeys,
  HistogramBinding,
  HistogramOptions,
  HistogramParams,
  HistogramResult,
} from "./ops/histogram/index.ts";
export { reduce } from "./ops/reduce/index.ts";
export type { ReduceBinding, ReduceOp, ReduceOptions, ReduceParams } from "./ops/reduce/index.ts";
export {
  distanceHistogram,
  distanceHistogramStream,
  distanceQuantile,
  hubness,
  localIntrinsicDimension,
  relativeContrast,
} from "./ops/distances/index.ts";
export type {
  DistanceBuffer,
  DistanceCounts,
  DistanceHistogramBinding,
  DistanceHistogramChunk,
  DistanceHistogramExplanation,
  DistanceHistogramOptions,
  DistanceHistogramParams,
  DistanceHistogramResult,
  DistanceHistogramStreamOptions,
  DistanceQuantile,
  Hubness,
} from "./ops/distances/index.ts";
export { convolve, convolveStream, correlate, measureConvolve } from "./ops/convolve/index.ts";
export type {
  Boundary,
  ConvolveBinding,
  ConvolveMeasureOptions,
  ConvolveMode,
  ConvolveOptions,
  ConvolveReport,
  ConvolveStreamOptions,
  ConvolveTechnique,
  ConvolveTime,
  Samples,
} from "./ops/convolve/index.ts";
export { scan } from "./ops/scan/index.ts";
export type { ScanBinding, ScanOp, ScanOptions, ScanParams } from "./ops/scan/index.ts";
export { select } from "./ops/select/index.ts";
export type { SelectBinding, SelectOptions, SelectParams, SelectResult } from "./ops/select/index.ts";
export { argsort, sort, sortPairs } from "./ops/sort/index.ts";
export type {
  KeyArray,
  KeyType,
  SortBinding,
  SortedPairs,
  SortOptions,
  SortPairsOptions,
  SortParams,
  SortValues,
  ValueArray,
} from "./ops/sort/index.ts";
export { explanationText } from "./explanationText.ts";
export type { Explanation, Stage } from "./runtime/explain.ts";
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
export { loadPreparation, savePreparation } from "./models/file/preparation.ts";
export type { LoadedPreparation } from "./models/file/preparation.ts";
export { PrincipalAxes } from "./models/principalAxes.ts";
export type { PrincipalAxesOptions } from "./models/principalAxes.ts";
export { dataHints } from "./models/hints.ts";
export type { DataHint, DataHintOptions } from "./models/hints.ts";
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
  classReport,
  classificationPerformance,
  crossValidate,
  permutationImportance,
  regressionPerformance,
  splitTable,
  tune,
} from "./models/validation/index.ts";
export type {
  ClassAverage,
  ClassReport,
  ClassReportOptions,
  ClassificationPerformance,
  PerformanceOptions,
  ClassificationValidation,
  ColumnImportance,
  CrossValidateOptions,
  FoldOptions,
  ImportanceOptions,
  PermutationImportance,
  RegressionPerformance,
  RegressionValidation,
  Sampling,
  SplitOptions,
  Spread,
  TestedNeighbors,
  TuneCandidate,
  TuneMeasure,
  TuneOptions,
  TuneResult,
  TuneScaling,
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
  TableRow,
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
  readGroundTruth,
  readIdxLabels,
  readIdxMatrix,
  readIvecs,
  readNpy,
  readNpyArray,
  readTable,
  readWav,
  tableFromArrow,
  textSource,
  writeBvecs,
  writeCsv,
  writeFvecs,
  writeGroundTruth,
  writeIvecs,
  writeMatrix,
  writeNpy,
  writeTable,
  writeWav,
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
  FileInput,
  FormatName,
  FvecsWriteOptions,
  GroundTruth,
  IdxStream,
  NpyHeader,
  NpyOptions,
  NpyStream,
  NpyWriteOptions,
  Pieces,
  ReadOptions,
  VecsWriteOptions,
  Wav,
  WavForm,
  WriteOptions,
} from "./io/index.ts";
