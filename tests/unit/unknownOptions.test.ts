/**
 * Every public call refuses an option that it does not have, by name, and before any work. What the values of
 * options may be is tested with each call.
 */
import { expect, it } from "vitest";
import * as nearfield from "../../dist/node.js";
import { fileSource } from "../../dist/node/index.js";

const {
  Device,
  GpuPrimitives,
  InvalidInputError,
  KNeighborsClassifier,
  KNeighborsRegressor,
  NearestNeighbors,
  Normalize,
  Pipeline,
  ReplaceMissingValues,
  Table,
} = nearfield;

const numbers = Float32Array.of(1, 2);
const matrix = { data: numbers, rows: 2, cols: 1 };
const table = Table.fromColumns({ x: [1, 2], y: ["a", "b"] });
const source = nearfield.textSource("x\n1\n", "x.csv");
const numeric = nearfield.matrixStream(matrix, "x");
const classifier = new KNeighborsClassifier();
const regressor = new KNeighborsRegressor();

/** Calls that take options, the ones of a name first; `odd` stands for the options. */
const calls: Readonly<Record<string, readonly ((odd: never) => unknown)[]>> = {
  Device: [(odd) => Device.create(odd)],
  GpuPrimitives: (
    [
      "scan",
      "reduce",
      "histogram",
      "select",
      "compact",
      "unique",
      "runLength",
      "convolve",
      "sort",
      "knn",
      "pointTree",
      "nearestPoints",
    ] as const
  ).map((name) => (odd: never) => (GpuPrimitives.prototype[name] as (odd: never) => unknown)(odd)),
  KNeighborsClassifier: [
    (odd) => new KNeighborsClassifier(odd),
    (odd) => classifier.kneighbors(matrix, odd),
    (odd) => classifier.predict(matrix, odd),
    (odd) => classifier.predictProba(matrix, odd),
    (odd) => classifier.classify(matrix, odd),
    (odd) => classifier.score(matrix, ["a", "b"], odd),
  ],
  KNeighborsRegressor: [
    (odd) => new KNeighborsRegressor(odd),
    (odd) => regressor.kneighbors(matrix, odd),
    (odd) => regressor.predict(matrix, odd),
    (odd) => regressor.regress(matrix, odd),
    (odd) => regressor.score(matrix, numbers, odd),
  ],
  NearestNeighbors: [
    (odd) => new NearestNeighbors(odd),
    (odd) => new NearestNeighbors().kneighbors(matrix, odd),
  ],
  Normalize: [(odd) => new Normalize(odd)],
  PointCloud: [(odd) => nearfield.PointCloud.create(matrix, odd)],
  PrincipalAxes: [
    (odd) => new nearfield.PrincipalAxes(odd),
    (odd) => new nearfield.PrincipalAxes().fit(table, ["x"], odd),
  ],
  Pipeline: [(odd) => new Pipeline([], classifier).predict(matrix, odd)],
  ReplaceMissingValues: [(odd) => new ReplaceMissingValues(odd)],
  argsort: [(odd) => nearfield.argsort(numbers, odd)],
  chamferDistance: [(odd) => nearfield.chamferDistance(matrix, matrix, odd)],
  collectMatrix: [(odd) => nearfield.collectMatrix(numeric, odd)],
  collectTable: [(odd) => nearfield.collectTable(nearfield.tableStream(table), odd)],
  compact: [(odd) => nearfield.compact(numbers, Uint8Array.of(0, 1), odd)],
  convolve: [(odd) => nearfield.convolve(numbers, [1], odd)],
  convolveStream: [(odd) => nearfield.convolveStream([numbers], [1], odd).next()],
  correlate: [(odd) => nearfield.correlate(numbers, [1], odd)],
  crossValidate: [(odd) => nearfield.crossValidate(classifier, table, "y", odd)],
  classReport: [(odd) => nearfield.classReport(["a"], ["a"], odd)],
  permutationImportance: [(odd) => nearfield.permutationImportance(classifier, table, "y", odd)],
  tune: [(odd) => nearfield.tune(classifier, table, "y", odd)],
  dataHints: [(odd) => nearfield.dataHints(table, ["x"], odd)],
  decompressed: [(odd) => nearfield.decompressed(source, odd)],
  encode: [(odd) => nearfield.encode(table, ["x"], odd)],
  flatnonzero: [(odd) => nearfield.flatnonzero(Uint8Array.of(0, 1), odd)],
  distanceHistogram: [(odd) => nearfield.distanceHistogram(matrix, matrix, odd)],
  distanceHistogramStream: [(odd) => nearfield.distanceHistogramStream(matrix, matrix, odd).next()],
  hausdorffDistance: [(odd) => nearfield.hausdorffDistance(matrix, matrix, odd)],
  estimateNormals: [(odd) => nearfield.estimateNormals(matrix, odd)],
  icp: [(odd) => nearfield.icp(matrix, matrix, odd)],
  histogram: [(odd) => nearfield.histogram(numbers, odd)],
  kneighbors: [(odd) => nearfield.kneighbors(matrix, matrix, odd)],
  kneighborsGraph: [(odd) => nearfield.kneighborsGraph(matrix, odd)],
  kneighborsStream: [(odd) => nearfield.kneighborsStream(matrix, matrix, odd).next()],
  meanNearestDistance: [(odd) => nearfield.meanNearestDistance(matrix, odd)],
  removeOutlierPoints: [(odd) => nearfield.removeOutlierPoints(matrix, odd)],
  removeDuplicatePoints: [(odd) => nearfield.removeDuplicatePoints(matrix, odd)],
  loadModel: [(odd) => nearfield.loadModel(new Uint8Array(), odd)],
  loadPreparation: [(odd) => nearfield.loadPreparation(new Uint8Array(), odd)],
  matrixStream: [(odd) => next(numeric.chunks(odd))],
  measureConvolve: [(odd) => nearfield.measureConvolve({} as never, odd)],
  measureCopy: [(odd) => nearfield.measureCopy({} as never, odd)],
  openBvecs: [(odd) => nearfield.openBvecs(source, odd)],
  openFvecs: [(odd) => nearfield.openFvecs(source, odd)],
  openIdx: [(odd) => nearfield.openIdx(source, odd)],
  openIvecs: [(odd) => nearfield.openIvecs(source, odd)],
  openMatrix: [(odd) => nearfield.openMatrix(source, odd)],
  openNpy: [(odd) => nearfield.openNpy(source, odd)],
  openTable: [
    (odd) => nearfield.openTable(source, odd),
    async (odd) => next((await nearfield.openTable(source)).chunks(odd)),
  ],
  radiusNeighbors: [
    (odd: object) => nearfield.radiusNeighbors(matrix, matrix, { ...odd, radius: 1 }),
  ] as never,
  readBvecs: [(odd) => nearfield.readBvecs(source, odd)],
  readCsv: [(odd) => nearfield.readCsv(source, odd)],
  readFvecs: [(odd) => nearfield.readFvecs(source, odd)],
  readGroundTruth: [(odd) => nearfield.readGroundTruth(source, odd)],
  readIdxLabels: [(odd) => nearfield.readIdxLabels(source, odd)],
  readIdxMatrix: [(odd) => nearfield.readIdxMatrix(source, odd)],
  readIvecs: [(odd) => nearfield.readIvecs(source, odd)],
  readNpy: [(odd) => nearfield.readNpy(source, odd)],
  readNpyArray: [(odd) => nearfield.readNpyArray(source, odd)],
  readTable: [(odd) => nearfield.readTable(source, odd)],
  readWav: [(odd) => nearfield.readWav(source, odd)],
  reduce: [(odd) => nearfield.reduce(numbers, odd)],
  regressionPerformance: [(odd) => nearfield.regressionPerformance([1], [1], odd)],
  runLength: [(odd) => nearfield.runLength(numbers, odd)],
  scan: [(odd) => nearfield.scan(numbers, odd)],
  select: [(odd) => nearfield.select(numbers, odd)],
  selfTest: [(odd) => nearfield.selfTest({} as never, {} as never, odd)],
  sort: [(odd) => nearfield.sort(numbers, odd)],
  sortPairs: [(odd) => nearfield.sortPairs(numbers, numbers, odd)],
  splitTable: [(odd) => nearfield.splitTable(table, odd)],
  streamOf: [(odd) => next(nearfield.streamOf({ name: "x", cols: 1, chunks: numeric.chunks() }).chunks(odd))],
  tableFromArrow: [(odd) => nearfield.tableFromArrow({} as never, odd)],
  tableStream: [(odd) => next(nearfield.tableStream(table).chunks(odd))],
  unique: [(odd) => nearfield.unique(numbers, odd)],
  writeBvecs: [(odd) => nearfield.writeBvecs(matrix, odd).next()],
  writeCsv: [(odd) => nearfield.writeCsv(["x"], [], odd).next()],
  writeFvecs: [(odd) => nearfield.writeFvecs(matrix, odd).next()],
  writeGroundTruth: [
    (odd) => nearfield.writeGroundTruth({ indices: [0], distances: [0], queries: 1, k: 1 }, odd).next(),
  ],
  writeIvecs: [(odd) => nearfield.writeIvecs(matrix, odd).next()],
  writeMatrix: [(odd) => nearfield.writeMatrix("csv", matrix, odd).next()],
  writeNpy: [(odd) => nearfield.writeNpy(matrix, odd).next()],
  writeTable: [(odd) => nearfield.writeTable("csv", table, odd).next()],
};

/** What takes no options, or passes plain data on, as the notes of a model. */
const without = [
  "closeDefaultDevice",
  ...["DeviceError", "DeviceLostError", "InvalidInputError", "NearfieldError", "OutOfMemoryError"],
  ...["UnavailableError", "NO_NEIGHBOR", "Table", "binKeys", "blobSource", "bytesSource", "metricNames"],
  ...["classificationPerformance", "confusion", "evenEdges", "explanationText", "inspectDevice"],
  ...["distanceQuantile", "hubness", "localIntrinsicDimension", "relativeContrast"],
  ...[
    "inspectMachine",
    "isNearfieldError",
    "measurePeak",
    "saveModel",
    "savePreparation",
    "textSource",
    "writeWav",
  ],
];

const next = (chunks: AsyncIterable<unknown>) => chunks[Symbol.asyncIterator]().next();

it("concerns every name of the package", () => {
  expect([...Object.keys(calls), ...without].sort()).toEqual(Object.keys(nearfield).sort());
});

it.each([...Object.entries(calls), ["fileSource", [(odd: never) => fileSource("x", odd)]] as const])(
  "%s refuses an option it does not have",
  async (_, each) => {
    for (const call of each) {
      const refused = (async () => call({ nNeighbours: 3 } as never))();
      await expect(refused, String(call)).rejects.toThrow(
        / has no option "nNeighbours"( \(did you mean \w+\?\))?; expected some of \w/,
      );
      await expect(refused).rejects.toBeInstanceOf(InvalidInputError);
    }
  },
);

it.each([...Object.entries(calls), ["fileSource", [(odd: never) => fileSource("x", odd)]] as const])(
  "%s refuses a signal, a device or a function that is none",
  async (_, each) => {
    const live = { signal: "an AbortSignal", device: "a Device" };
    const functions = { onProgress: "a function", onExplanation: "a function" };
    for (const call of each)
      for (const [name, expected] of Object.entries({ ...live, ...functions }))
        for (const value of [5, null, "x", Object.create(null) as object]) {
          const given = value === null ? "null" : `of type ${typeof value}`;
          const refused = (async () => call({ [name]: value } as never))();
          await expect(refused, String(call)).rejects.toThrow(`${name} is ${given}; expected ${expected}`);
          await expect(refused).rejects.toBeInstanceOf(InvalidInputError);
        }
  },
);

it("rows that are no objects are refused with their place", () => {
  const rows = [
    [[null], "row 0 is null; expected an object with a cell for each column, such as { x: 1 }"],
    [[{ x: 1 }, undefined], "row 1 is undefined; expected an object"],
    [[{ x: 1 }, [1]], "row 1 is an array; expected an object"],
    [["a"], 'row 0 is "a"; expected an object'],
    [null, "the rows are null; expected an array of objects"],
    [5, "the rows are 5; expected an array of objects"],
  ] as const;
  for (const [given, message] of rows) {
    expect(() => Table.fromRows(given as never)).toThrow(message);
    expect(() => Table.fromRows(given as never)).toThrow(InvalidInputError);
  }
});

it("an option that is undefined is none, and options are an object", async () => {
  const found = await nearfield.kneighbors(matrix, matrix, { k: 1, backend: "cpu", kk: undefined } as never);
  expect([...found.indices]).toEqual([0, 1]);
  for (const odd of [null, 5, "k"])
    await expect(nearfield.kneighbors(matrix, matrix, odd as never)).rejects.toThrow(
      `the options of kneighbors are ${odd}; expected an object`,
    );
});

it("names the option that was meant, and none that is far off", () => {
  const refused = (odd: object) => () => new nearfield.KNeighborsClassifier(odd);
  expect(refused({ k: 3 })).toThrow('has no option "k" (did you mean nNeighbors?); ');
  expect(refused({ n_neighbors: 3 })).toThrow('has no option "n_neighbors" (did you mean nNeighbors?); ');
  expect(refused({ Metric: "cosine" })).toThrow('has no option "Metric" (did you mean metric?); ');
  expect(refused({ leafSize: 30 })).toThrow('has no option "leafSize"; expected some of ');
});

it("names the options that there are, but for those for tests", async () => {
  await expect(nearfield.scan(numbers, { exclusiv: true } as never)).rejects.toThrow(
    'scan has no option "exclusiv" (did you mean exclusive?); expected some of op, exclusive, signal, onProgress, backend, gpu, ' +
      "gpuDevice, threads, memory, deviceMemory, matrixUnits, profile, device, onExplanation, out",
  );
});
