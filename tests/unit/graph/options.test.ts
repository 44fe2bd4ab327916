/**
 * Every option of a library call that an operator makes is a parameter of that operator, or stands here with
 * the reason why it is none. A new option of the library does not compile here until that is decided.
 */
import { describe, expect, it } from "vitest";
import { operators } from "../../../dist/graph/index.js";
import type {
  ChamferOptions,
  ClassifierOptions,
  CloudOptions,
  CompactOptions,
  ConvolveOptions,
  CrossValidateOptions,
  DistanceHistogramOptions,
  DuplicatePointsOptions,
  HistogramOptions,
  IcpOptions,
  KernelOptions,
  KneighborsCallOptions,
  NearestOptions,
  NormalizeOptions,
  NormalsOptions,
  OutlierPointsOptions,
  RadiusOptions,
  ReadOptions,
  ReduceOptions,
  ReplaceMissingOptions,
  RunLengthOptions,
  ScanOptions,
  SelectOptions,
  SortOptions,
  SortPairsOptions,
  SplitOptions,
  WriteOptions,
} from "../../../dist/node.js";

/** The parameter of each option, or the reason for none in brackets. */
type Covers<Options> = Readonly<Record<keyof Required<Options>, string>>;

const OF_RUN = "(the run's: it changes no result)";
const BY_ROLES = "(Set Role says it)";

const ofDevices = {
  device: OF_RUN,
  backend: OF_RUN,
  gpu: OF_RUN,
  gpuDevice: OF_RUN,
  threads: OF_RUN,
  memory: OF_RUN,
  deviceMemory: OF_RUN,
  matrixUnits: OF_RUN,
  profile: OF_RUN,
};

const readTable: Covers<ReadOptions> = {
  format: "format",
  columns: "columns",
  nominal: "nominal",
  numeric: "numeric",
  dates: "dates",
  header: "header",
  delimiter: "delimiter",
  decimal: "decimal",
  na: "missing",
  skip: "skip",
  comment: "comment",
  thousands: "thousands",
  units: "units",
  encoding: "encoding",
  memory: OF_RUN,
  signal: OF_RUN,
  onProgress: OF_RUN,
  ignoreUnknown: "(a column that the file lacks is an error)",
  keepText: "(tables are written by value)",
};

const writeTable: Covers<WriteOptions> = {
  signal: OF_RUN,
  delimiter: "(the reader's default is written)",
  decimal: "(the reader's default is written)",
  header: "(the reader's default is written)",
  newline: "(one form, so that the same rows are the same bytes)",
};

const knn: Covers<ClassifierOptions> = {
  nNeighbors: "k",
  metric: "metric",
  p: "p",
  weights: "weights",
  compat: "compat",
  features: BY_ROLES,
  roles: BY_ROLES,
  kernel: "kernel",
  columnWeights: "(weights by place fit no columns by name)",
  missing: "(of matrices: in tables gaps add nothing)",
  precision: "float32",
  ...ofDevices,
  tiles: OF_RUN,
};

const kernel: Covers<KernelOptions> = {
  type: "kernel",
  gamma: "kernelGamma",
  sigma1: "kernelSigma1",
  sigma2: "kernelSigma2",
  sigma3: "kernelSigma3",
  degree: "kernelDegree",
  shift: "kernelShift",
  a: "kernelA",
  b: "kernelB",
};

const nearestNeighbours: Covers<KneighborsCallOptions> = {
  nNeighbors: "k",
  excludeSelf: "excludeSelf",
  radius: "radius",
  out: "(where results are written in memory)",
  asKeys: "(internal)",
  asked: "(internal)",
  signal: OF_RUN,
  onProgress: OF_RUN,
};

const withinRadius: Covers<RadiusOptions> = {
  radius: "radius",
  metric: "metric",
  p: "p",
  kernel: "(of one measure of RapidMiner's, whose defaults hold)",
  columnWeights: "(weights by place fit no columns by name)",
  missing: "(of matrices: in tables gaps add nothing)",
  precision: "float32",
  ...ofDevices,
  tiles: OF_RUN,
  signal: OF_RUN,
  onProgress: OF_RUN,
};

const splitData: Covers<SplitOptions> = {
  ratios: "ratios",
  sampling: "sampling",
  seed: "seed",
  label: BY_ROLES,
};

const crossValidation: Covers<CrossValidateOptions> = {
  folds: "folds",
  sampling: "sampling",
  seed: "seed",
  groups: "(of the library and of tune)",
  probabilities: "(the operator gives measures alone)",
  neighbors: "(the operator gives measures alone)",
  importance: "(the operator gives measures alone)",
  sampleWeights: "(of the library and of tune)",
  signal: OF_RUN,
  onProgress: OF_RUN,
  onExplanation: OF_RUN,
};

const normalize: Covers<NormalizeOptions> = {
  method: "method",
  min: "min",
  max: "max",
  allowNegative: "allowNegative",
  compat: "compat",
};

const replaceMissing: Covers<ReplaceMissingOptions> = { by: "by", value: "value" };

const ofArrays = {
  ...ofDevices,
  out: "(where results are written in memory)",
  tuning: "(internal)",
  signal: OF_RUN,
  onProgress: OF_RUN,
  onExplanation: OF_RUN,
};
const BY_SHAPE = "(the rows of the matrix)";
const reduce: Covers<ReduceOptions> = { ...ofArrays, op: "op", rows: BY_SHAPE };
const scan: Covers<ScanOptions> = { ...ofArrays, op: "op", exclusive: "exclusive" };
const select: Covers<SelectOptions> = { ...ofArrays, k: "k", largest: "largest", rows: BY_SHAPE };
const unique: Covers<CompactOptions> = ofArrays;
const runLength: Covers<RunLengthOptions> = ofArrays;
const sort: Covers<SortOptions> = {
  ...ofArrays,
  descending: "descending",
  rows: BY_SHAPE,
  offsets: "(the rows of a matrix are equally long)",
  beginBit: "(all bits count)",
  endBit: "(all bits count)",
};
const argsort = sort;
const sortPairs: Covers<SortPairsOptions> = sort;
const histogram: Covers<HistogramOptions> = {
  ...ofArrays,
  bins: "bins",
  edges: "edges",
  range: "range",
  rows: BY_SHAPE,
};
const convolve: Covers<ConvolveOptions> = {
  ...ofArrays,
  mode: "mode",
  boundary: "boundary",
  fill: "fill",
  rows: "(the signals of the input)",
  masks: "(one mask for all)",
  technique: OF_RUN,
  precision: "(what every device gives)",
  overflow: "wrapOverflow",
};

const distanceHistogram: Covers<DistanceHistogramOptions> = {
  ...ofArrays,
  bins: "bins",
  edges: "edges",
  range: "range",
  excludeSelf: "excludeSelf",
  metric: "metric",
  p: "p",
  kernel: "kernel",
  precision: "float32",
  columnWeights: "(weights by place fit no columns by name)",
  missing: "(of matrices: in tables gaps add nothing)",
};

const nearestInCloud: Covers<NearestOptions> = {
  k: "k",
  radius: "radius",
  excludeSelf: "(of a cloud by itself)",
  out: "(where results are written in memory)",
  asKeys: "(internal)",
  asked: "(internal)",
  signal: OF_RUN,
  onProgress: OF_RUN,
};
const ofClouds = { ...ofDevices, signal: OF_RUN, onExplanation: OF_RUN };
const cloudDistance: Covers<ChamferOptions> = { ...ofClouds, metric: "metric" };
const cloudSpacing: Covers<CloudOptions> = ofClouds;
const removeDuplicates: Covers<DuplicatePointsOptions> = { tolerance: "tolerance", signal: OF_RUN };
const removeOutliers: Covers<OutlierPointsOptions> = { ...ofClouds, k: "k", deviations: "deviations" };
const estimateNormals: Covers<NormalsOptions> = { ...ofClouds, k: "k", viewpoint: "viewpoint" };
const icp: Covers<IcpOptions> = {
  ...ofClouds,
  maxIterations: "iterations",
  tolerance: "tolerance",
  maxDistance: "maxDistance",
  overlap: "overlap",
  initial: "(a matrix; the cloud can be moved before)",
};

describe("the options of the library", () => {
  const all = {
    ...{ readTable, writeTable, knn, nearestNeighbours, withinRadius },
    ...{ splitData, crossValidation, normalize, replaceMissing },
    ...{ reduce, scan, select, unique, runLength, sort, argsort, sortPairs, histogram, convolve },
    ...{ distanceHistogram, nearestInCloud, cloudDistance },
    ...{ cloudSpacing, removeDuplicates, removeOutliers, estimateNormals, icp },
  };
  it.each([...Object.entries(all), ["knn", kernel], ["nearestNeighbours", kernel]] as const)(
    "that %s can use are its parameters",
    (id, covered) => {
      const names = operators.find((each) => each.id === id)?.parameters.map(({ name }) => name);
      const parameters = Object.values(covered).filter((each) => !each.startsWith("("));
      expect(parameters.filter((name) => !names?.includes(name))).toEqual([]);
    },
  );
});
