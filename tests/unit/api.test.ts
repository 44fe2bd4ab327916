/**
 * What the package exports by name: a change here is a change for every user, and belongs in CHANGELOG.md.
 */
import { expect, it } from "vitest";
import * as browser from "../../dist/index.js";
import * as node from "../../dist/node.js";
import * as nodeAlone from "../../dist/node/index.js";

it("exports these names", () => {
  expect(Object.keys(node).sort()).toMatchInlineSnapshot(`
    [
      "Device",
      "DeviceError",
      "DeviceLostError",
      "GpuPrimitives",
      "InvalidInputError",
      "KNeighborsClassifier",
      "KNeighborsRegressor",
      "NO_NEIGHBOR",
      "NearestNeighbors",
      "NearfieldError",
      "Normalize",
      "OutOfMemoryError",
      "Pipeline",
      "PointCloud",
      "PrincipalAxes",
      "ReplaceMissingValues",
      "Table",
      "UnavailableError",
      "argsort",
      "binKeys",
      "blobSource",
      "bytesSource",
      "classificationPerformance",
      "collectMatrix",
      "collectTable",
      "compact",
      "confusion",
      "convolve",
      "convolveStream",
      "correlate",
      "crossValidate",
      "decompressed",
      "encode",
      "evenEdges",
      "explanationText",
      "flatnonzero",
      "histogram",
      "inspectDevice",
      "inspectMachine",
      "isNearfieldError",
      "kneighbors",
      "kneighborsGraph",
      "kneighborsStream",
      "loadModel",
      "loadPreparation",
      "matrixStream",
      "measureConvolve",
      "measureCopy",
      "measurePeak",
      "metricNames",
      "openBvecs",
      "openFvecs",
      "openIdx",
      "openIvecs",
      "openMatrix",
      "openNpy",
      "openTable",
      "radiusNeighbors",
      "readBvecs",
      "readCsv",
      "readFvecs",
      "readIdxLabels",
      "readIdxMatrix",
      "readIvecs",
      "readNpy",
      "readNpyArray",
      "readTable",
      "readWav",
      "reduce",
      "regressionPerformance",
      "runLength",
      "saveModel",
      "savePreparation",
      "scan",
      "select",
      "selfTest",
      "sort",
      "sortPairs",
      "splitTable",
      "streamOf",
      "tableFromArrow",
      "tableStream",
      "textSource",
      "unique",
      "writeBvecs",
      "writeCsv",
      "writeFvecs",
      "writeIvecs",
      "writeMatrix",
      "writeNpy",
      "writeTable",
      "writeWav",
    ]
  `);
});

it("exports the same names to browsers and to Node", () => {
  expect(Object.keys(browser).sort()).toEqual(Object.keys(node).sort());
});

it("exports what only Node and Deno have apart", () => {
  expect(Object.keys(nodeAlone)).toEqual(["fileSource"]);
});
