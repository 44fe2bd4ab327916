/** Model files on the CPU: loaded models predict the same bits, and what is no model is refused. */
import { describe, expect, it } from "vitest";
import {
  KNeighborsClassifier,
  KNeighborsRegressor,
  Normalize,
  Pipeline,
  ReplaceMissingValues,
  Table,
  loadModel,
  saveModel,
} from "../../../dist/node.js";
import type { ClassifierOptions, Estimator } from "../../../dist/node.js";
import { replaced, resealed, withByte } from "./modelFileBytes.ts";
import { device, random, useDevice } from "./modelFileDevice.ts";
import { mutateModel } from "./modelMutation.ts";

useDevice();

const value = () => random.pick([random.normal(), -0, 1e-310, 1 / 3, 1e300, random.int(0, 5)]);
const train = Table.fromColumns({
  id: Array.from({ length: 40 }, (_, i) => i),
  'a, "b"\n': Array.from({ length: 40 }, value),
  größe: Array.from({ length: 40 }, () => random.normal()),
  kind: Array.from({ length: 40 }, () => random.pick(["ä", "\ud800", "", "b"])),
});
const test = Table.fromColumns({
  größe: Array.from({ length: 15 }, () => random.normal()),
  'a, "b"\n': Array.from({ length: 15 }, value),
});

/** Everything a model says about some rows. */
async function answers(model: Estimator, rows: Parameters<Estimator["kneighbors"]>[0]) {
  if (model instanceof KNeighborsRegressor) return [...(await model.predict(rows))];
  const { labels, probabilities, neighbors } = await model.classify(rows);
  return { classes: model.classes, labels, probabilities, ...neighbors, explanation: undefined };
}

describe("a loaded model predicts the same bits", () => {
  it.each<ClassifierOptions>([
    {},
    { nNeighbors: 3, weights: "distance", metric: "minkowski", p: 2.5 },
    { metric: "minkowski", p: Infinity },
    { compat: "rapidminer", weights: "distance" },
    { roles: { id: "id" }, metric: "cosine" },
  ])("as a classifier of a table with %j", async (options) => {
    const model = new KNeighborsClassifier({ features: ["größe", 'a, "b"\n'], ...options, device });
    await model.fit(train.take([3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]), "kind");
    const loaded = await loadModel(saveModel(model), { device });
    expect(loaded).toMatchObject({ features: ["größe", 'a, "b"\n'], label: "kind", notes: {} });
    expect(await answers(loaded.pipeline.model, test)).toEqual(await answers(model, test));
    model.dispose();
    loaded.pipeline.dispose();
  });

  it("as a regressor behind preparation", async () => {
    const gappy = Table.fromColumns({ x: [1, null, 3, 9], y: [4, 4, 4, null], price: [1, 2, 3, 4] });
    const model = new Pipeline(
      [new ReplaceMissingValues({ by: "maximum" }), new Normalize({ method: "range", min: -1 })],
      new KNeighborsRegressor({ nNeighbors: 3, weights: "distance", device }),
    );
    await model.fit(gappy, "price");
    const queries = Table.fromColumns({ y: [null, 7], x: [1.3, null] });
    const { pipeline } = await loadModel(saveModel(model), { device });
    expect(pipeline.steps).toHaveLength(2);
    expect(await pipeline.predict(queries)).toEqual(await model.predict(queries));
    model.dispose();
    pipeline.dispose();
  });

  it.each([Float64Array, Float32Array, Int16Array, Uint8Array])("as a model of a %o", async (Kind) => {
    const rows = { data: new Kind(Array.from({ length: 60 }, () => random.int(0, 9))), rows: 20, cols: 3 };
    const queries = { data: new Kind(Array.from({ length: 9 }, () => random.int(0, 9))), rows: 3, cols: 3 };
    const words = Array.from({ length: 20 }, () => random.pick(["x", "y"]));
    const models = [
      await new KNeighborsClassifier({ device }).fit(rows, words),
      await new KNeighborsClassifier({ device }).fit(
        rows,
        Uint8Array.from(words, (word) => (word === "x" ? 7 : 3)),
      ),
      await new KNeighborsClassifier({ compat: "rapidminer", device }).fit(rows, [null, ...words.slice(1)]),
      await new KNeighborsRegressor({ device }).fit(
        rows,
        Float64Array.from(words, () => random.normal()),
      ),
    ];
    for (const model of models) {
      const { pipeline, features, label } = await loadModel(saveModel(model), { device });
      expect([features, label]).toEqual([undefined, undefined]);
      expect(await answers(pipeline.model, queries)).toEqual(await answers(model, queries));
      model.dispose();
      pipeline.dispose();
    }
  });

  it("as a model of declared types, gaps, column weights or a kernel", async () => {
    const binominal = Table.fromColumns({
      a: ["no", "yes", null, "no"],
      b: ["yes", "yes", "no", null],
      kind: ["p", "q", "p", "q"],
    }).withTypes({ a: "binominal", b: "binominal" });
    const numbers = Table.fromColumns({ a: [1, 2, null, 4], b: [0.5, 1, 7, 2], kind: ["p", "q", "p", "q"] });
    const cases: [Table, ClassifierOptions][] = [
      [binominal, { metric: "rapidminer:RogersTanimotoSimilarity", compat: "rapidminer" }],
      [numbers.withTypes({ b: "date" }), { columnWeights: Float64Array.of(3, 0.1), missing: "rescale" }],
      [
        Table.fromColumns({ a: [1, 2, 3, 4], b: [0.5, 1, 7, 2], kind: ["p", "q", "p", "q"] }),
        { metric: "rapidminer:KernelEuclideanDistance", kernel: { type: "anova", gamma: 0.5 } },
      ],
    ];
    for (const [table, options] of cases) {
      const model = await new KNeighborsClassifier({ nNeighbors: 2, ...options, device }).fit(table, "kind");
      const { pipeline } = await loadModel(saveModel(model), { device });
      expect(await answers(pipeline.model, table)).toEqual(await answers(model, table));
      model.dispose();
      pipeline.dispose();
    }
  });

  it("and saves to the same bytes again, with the notes given along", async () => {
    const model = await new KNeighborsClassifier({ device }).fit(train.drop(["id"]), "kind");
    const notes = { by: "Ada", texts: ["1.0", "2"], zero: -0, none: NaN };
    const bytes = saveModel(model, notes);
    const loaded = await loadModel(bytes, { device });
    expect(loaded.notes).toEqual(notes);
    expect(saveModel(loaded.pipeline, loaded.notes)).toEqual(bytes);
    expect((await loadModel(Buffer.concat([Buffer.from("x"), bytes]).subarray(1), { device })).notes).toEqual(
      notes,
    );
    model.dispose();
  });

  it("unless a signal stops it", async () => {
    const model = await new KNeighborsRegressor({ nNeighbors: 1, device }).fit(
      { data: new Float64Array(2_000_000), rows: 1_000_000, cols: 2 },
      new Float64Array(1_000_000),
    );
    const controller = new AbortController();
    setImmediate(() => controller.abort(new Error("enough")));
    const load = loadModel(saveModel(model), { device, signal: controller.signal });
    await expect(load).rejects.toThrow("enough");
    model.dispose();
  });

  it("on a device of its own, which it closes", async () => {
    const model = await new KNeighborsRegressor({ nNeighbors: 1, device }).fit([[0], [1]], [5, 6]);
    const { pipeline } = await loadModel(saveModel(model), { backend: "cpu", threads: 1 });
    expect([...(await pipeline.predict([[0.9]]))]).toEqual([6]);
    pipeline.dispose();
    model.dispose();
  });
});

describe("a model file is refused", () => {
  const saved = async () =>
    saveModel(await new KNeighborsRegressor({ nNeighbors: 1, device }).fit([[0], [1]], [5, 6]));

  it.each<[string, (bytes: Uint8Array) => Uint8Array, string]>([
    [
      "when it is empty",
      () => new Uint8Array(),
      "some.nfm: is not a Nearfield model; name a file that was written with",
    ],
    ["when it is something else", () => Buffer.from("x,y\n1,2\n"), "some.nfm: is not a Nearfield model"],
    [
      "when its line ends were changed",
      (bytes) => Buffer.concat([bytes.subarray(0, 4), bytes.subarray(5)]),
      "is not a Nearfield",
    ],
    [
      "when it is cut off at once",
      (bytes) => bytes.subarray(0, 5),
      "some.nfm: is cut off after 5 bytes; copy it again",
    ],
    ["when it is cut off", (bytes) => bytes.subarray(0, -1), " bytes, or damaged; copy it again"],
    [
      "when something follows",
      (bytes) => Buffer.concat([bytes, Buffer.from("\n")]),
      "is damaged: its checksum differs",
    ],
    [
      "when a bit of a row is wrong",
      (bytes) => withByte(bytes, bytes.length - 12, 1),
      "is damaged: its checksum differs",
    ],
    [
      "when the format is newer",
      (bytes) => resealed(withByte(bytes, 8, 3)),
      "some.nfm: has format 2, from a newer version of Nearfield, and this one reads up to format 1; update",
    ],
    [
      "when the format is none",
      (bytes) => resealed(withByte(bytes, 8, 1)),
      "has format 0, which no version of Nearfield wrote",
    ],
    [
      "when its header ends beyond it",
      (bytes) => resealed(withByte(bytes, 14, 1)),
      "its header is longer than the file",
    ],
    [
      "when its header is no JSON",
      (bytes) => resealed(withByte(bytes, 24, 1)),
      "holds no model that can be read: its header is not JSON",
    ],
    [
      "when it is of another kind",
      (bytes) => replaced(bytes, '"regressor"', '"regrescor"'),
      '$.model is "regrescor"; expected "classifier" or "regressor" or "preparation"',
    ],
    [
      "when numbers are the labels of a classifier",
      (bytes) => replaced(bytes, '"regressor"', '"classifier"'),
      "$.labels are numbers of rows; expected classes and codes for a classifier",
    ],
    [
      "when an option is unknown",
      (bytes) => replaced(bytes, '"nNeighbors":1', '"nNeighbors":0'),
      "$.options.nNeighbors is 0; expected a whole number of at least 1",
    ],
    [
      "when an array is out of reach",
      (bytes) => replaced(bytes, '"begin":16', '"begin":24'),
      "$.labels ends beyond the file, at byte 40 of 32",
    ],
    ["when labels are missing", (bytes) => replaced(bytes, '"labels":', '"label":'), "$.label is unknown"],
    [
      "when notes are missing",
      (bytes) => replaced(bytes, '"notes":{}', '"notes":1'),
      "$.notes is 1; expected an object",
    ],
    [
      "when a step is unknown",
      (bytes) =>
        replaced(bytes, '"preparation":[]', '"preparation":[{"step":"pca","options":{},"columns":[]}]'),
      '$.preparation[0].step is "pca"; expected "normalize" or "replaceMissing"',
    ],
    [
      "when a step is no step",
      (bytes) => replaced(bytes, '"preparation":[]', '"preparation":[7]'),
      "$.preparation[0] is 7; expected an object",
    ],
  ])("%s", async (_, change, message) => {
    const load = loadModel(change(await saved()), { device, name: "some.nfm" });
    await expect(load).rejects.toThrow(message);
    await expect(load).rejects.toMatchObject({ tag: "InvalidInput", place: { file: "some.nfm" } });
  });

  it("when columns share an array, of which there would be a copy for each", async () => {
    const table = Table.fromColumns({ a: [1, 2], b: [3, 4], kind: ["x", "y"] });
    const model = await new KNeighborsClassifier({ nNeighbors: 1, device }).fit(table, "kind");
    const shared = replaced(saveModel(model), '"begin":16', '"begin":0');
    await expect(loadModel(shared, { device })).rejects.toThrow(
      "$.train.columns[1].cells takes bytes that are another array's, too",
    );
    model.dispose();
  });

  it("when it needs more memory than it may have", async () => {
    const load = loadModel(await saved(), { device, name: "some.nfm", memory: 500 });
    await expect(load).rejects.toThrow(
      /^some.nfm: needs \d{4} bytes of main memory by what it says, and the budget is 500/,
    );
  });

  it("in all of 300 mutations, never with an error of ours", async () => {
    await mutateModel(random, 300, device);
  });

  it("with a step of a class that a loaded model would not have, which it would lose", async () => {
    class Halved extends Normalize {
      override transform(rows: never): never {
        return super.transform(super.transform(rows)) as never;
      }
    }
    const model = new Pipeline([new Halved()], new KNeighborsClassifier({ nNeighbors: 1, device }));
    await model.fit(train.drop(["id"]).select(["größe", "kind"]), "kind");
    expect(() => saveModel(model)).toThrow("a model file cannot hold the step Halved");
    model.dispose();
  });

  it("before it is looked at, where its signal is aborted already", async () => {
    const reason = new Error("enough");
    const load = loadModel(new Uint8Array(4), { device, signal: AbortSignal.abort(reason) });
    await expect(load).rejects.toBe(reason);
  });

  it("before its model is fitted", () => {
    expect(() => saveModel(new KNeighborsClassifier())).toThrow("this classifier is not fitted yet");
    expect(() => saveModel(new Pipeline([], new KNeighborsRegressor()))).toThrow("not fitted yet");
  });
});
