/** What the package exports by name: a change here is a change for every user, and belongs in CHANGELOG.md. */
import { expect, it } from "vitest";
import * as browser from "../../dist/index.js";
import * as node from "../../dist/node.js";

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
      "OutOfMemoryError",
      "Table",
      "UnavailableError",
      "binKeys",
      "blobSource",
      "bytesSource",
      "collectMatrix",
      "compact",
      "confusion",
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
      "matrixStream",
      "metricNames",
      "openBvecs",
      "openFvecs",
      "openIdx",
      "openIvecs",
      "openNpy",
      "radiusNeighbors",
      "readBvecs",
      "readCsv",
      "readFvecs",
      "readIdxLabels",
      "readIdxMatrix",
      "readIvecs",
      "readNpy",
      "reduce",
      "runLength",
      "scan",
      "select",
      "streamOf",
      "textSource",
      "unique",
      "writeBvecs",
      "writeCsv",
      "writeFvecs",
      "writeIvecs",
      "writeNpy",
    ]
  `);
});

it("exports the same names to browsers and to Node", () => {
  expect(Object.keys(browser).sort()).toEqual(Object.keys(node).sort());
});
