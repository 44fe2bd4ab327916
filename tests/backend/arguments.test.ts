/** What bad arguments get: one message that names what was given, what is expected and what to do. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  Device,
  InvalidInputError,
  KNeighborsClassifier,
  NearestNeighbors,
  UnavailableError,
  kneighbors,
} from "../../dist/node.js";
import type { DeviceOptions, KneighborsOptions, MatrixLike } from "../../dist/node.js";
import { openDevice } from "./helpers.ts";

let device: Device;
beforeAll(async () => {
  device = await openDevice("cpu");
});
afterAll(() => device.dispose());

const train = [
  [0, 0],
  [1, 1],
  [2, 2],
];

describe("a search refuses", () => {
  it.each<[string, MatrixLike, KneighborsOptions, RegExp]>([
    ["k = 0", train, { k: 0 }, /k is 0; expected a whole number of at least 1/],
    ["k that is not whole", train, { k: 1.5 }, /k is 1\.5/],
    [
      "k above the rows of train",
      train,
      { k: 4 },
      /k is 4, but train has only 3 rows; choose k of at most 3/,
    ],
    ["other columns than train has", [[1, 2, 3]], { k: 1 }, /queries have 3 columns, but train has 2/],
    ["no queries", [], { k: 1 }, /queries has no rows/],
    [
      "an unknown metric",
      train,
      { k: 1, metric: "euclid" as "euclidean" },
      /unknown metric "euclid"; expected euclidean, .*such as rapidminer:/,
    ],
    ["an exponent of 0", train, { k: 1, metric: "minkowski", p: 0 }, /p is 0/],
    ["an exponent of a metric without one", train, { k: 1, p: 3 }, /p is 3, but euclidean has no exponent/],
    ["an exponent that is no number", train, { k: 1, metric: "minkowski", p: NaN }, /p is NaN/],
    [
      "an unknown precision",
      train,
      { k: 1, precision: "half" as "float32" },
      /unknown precision "half"; expected float64 or float32/,
    ],
    [
      "out that is too short",
      train,
      { k: 2, out: { indices: new Uint32Array(5), distances: new Float64Array(6) } },
      /out holds 5 indices and 6 distances, but 6 are needed/,
    ],
  ])("%s", async (_, queries, options, pattern) => {
    const failed = kneighbors(train, queries, { ...options, device });
    await expect(failed).rejects.toThrow(pattern);
    await expect(failed).rejects.toBeInstanceOf(InvalidInputError);
  });

  it("more results than an array can hold, naming the way out", async () => {
    const rows = 70_000;
    const many = { data: new Uint8Array(rows), rows, cols: 1 };
    await expect(kneighbors(many, many, { k: rows, device })).rejects.toThrow(
      /70000 queries x 70000 neighbours .* several calls/,
    );
  });
});

describe("a device refuses", () => {
  it.each<[DeviceOptions, RegExp]>([
    [{ backend: "tpu" as "gpu" }, /unknown backend "tpu"; expected auto, gpu or cpu/],
    [{ threads: 1e6 }, /threads is 1000000; expected at most 1024/],
    [{ threads: 0 }, /threads is 0; expected a whole number of at least 1/],
    [{ memory: -1 }, /memory is -1/],
    [{ deviceMemory: 1.5 }, /deviceMemory is 1\.5/],
    [{ gpu: -1 }, /gpu is -1/],
    [{ matrixUnits: "off" as never }, /unknown matrixUnits "off"; expected true or false/],
  ])("the options %o", async (options, pattern) => {
    await expect(Device.create(options)).rejects.toThrow(pattern);
  });

  it("to be used after dispose, instead of hanging", async () => {
    const gone = await openDevice("cpu");
    gone.dispose();
    gone.dispose();
    await expect(kneighbors(train, train, { k: 1, device: gone })).rejects.toThrow(/dispos/);
  });
});

describe("an estimator refuses", () => {
  it("to answer before it is fitted", async () => {
    await expect(new NearestNeighbors().kneighbors(train)).rejects.toThrow(/not fitted yet; call fit/);
    await expect(new KNeighborsClassifier().predict(train)).rejects.toThrow(/not fitted yet; call fit/);
  });

  it("labels that are not one per row", async () => {
    await expect(new KNeighborsClassifier({ device }).fit(train, ["a"])).rejects.toThrow(
      /1 label for 3 rows of train/,
    );
  });

  it("distance weights for a metric that can be negative, before any work", () => {
    expect(() => new KNeighborsClassifier({ metric: "inner_product", weights: "distance" })).toThrow(
      InvalidInputError,
    );
  });
});

it("auto falls to the CPU where the only GPU is software, and says so", async () => {
  const auto = await Device.create({ backend: "auto" });
  const { kind, software } = auto.info;
  auto.dispose();
  expect(software).toBe(false);
  if (kind === "cpu") expect(auto.note).toMatch(/GPU|WebGPU/);
});

it.each(["gpu", "auto"] as const)(
  "a GPU that %s does not find is an error, no fall to the CPU",
  async (backend) => {
    const failed = Device.create({ backend, gpu: 99 });
    await expect(failed).rejects.toThrow(/99|WebGPU/);
    const error: unknown = await failed.catch((reason: unknown) => reason);
    expect(error instanceof InvalidInputError || error instanceof UnavailableError).toBe(true);
  },
);
