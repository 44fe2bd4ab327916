/** Preparation, cross-validation and tuning of matrices, and pipelines that end in a search. */
import { afterAll, describe, expect, it } from "vitest";
import {
  KNeighborsClassifier,
  KNeighborsRegressor,
  NearestNeighbors,
  Normalize,
  Pipeline,
  ReplaceMissingValues,
  Table,
  crossValidate,
  loadModel,
  saveModel,
  tune,
} from "../../../dist/node.js";
import { crossValidated } from "../../oracle/crossValidation.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const random = new Random(printedSeed());
const backend = "cpu" as const;
const opened: { dispose(): void }[] = [];
const kept = <Model extends { dispose(): void }>(model: Model): Model => {
  opened.push(model);
  return model;
};
afterAll(() => opened.forEach((each) => each.dispose()));

/** Two columns of unlike scales. */
const make = (count: number) =>
  Array.from({ length: count }, () => [random.int(0, 9), 1000 * random.int(0, 30)]);
const train = make(50);
const queries = make(12);
const kinds = train.map(([x]) => (x + random.int(0, 3) > 5 ? "high" : "low"));
const heights = train.map(([x, y]) => x + y / 500);

const momentsOf = (column: number) => {
  const values = train.map((row) => row[column]);
  const mean = values.reduce((a, b) => a + b) / values.length;
  return {
    mean,
    deviation: Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (values.length - 1)),
  };
};
const scaled = (rows: readonly number[][]) =>
  rows.map((row) => row.map((x, c) => (x - momentsOf(c).mean) / momentsOf(c).deviation));
const nearestOf = (query: readonly number[], k: number) =>
  scaled(train)
    .map((row, index) => ({ index, far: Math.hypot(...row.map((x, c) => x - query[c])) }))
    .sort((a, b) => a.far - b.far || a.index - b.index)
    .slice(0, k);

describe("preparation of a matrix", () => {
  it("is that of its columns, of arrays and of typed ones", () => {
    const step = new Normalize().fit(train);
    const { data, rows, cols, gaps } = step.transform(queries);
    expect([rows, cols, gaps]).toEqual([12, 2, false]);
    scaled(queries)
      .flat()
      .forEach((value, at) => expect(data[at]).toBeCloseTo(value, 12));
    const typed = { data: Float32Array.from(queries.flat()), rows: 12, cols: 2 };
    expect(step.transform(typed)).toEqual({ data, rows, cols, gaps });
    const table = step.transform(Table.fromColumns({ "0": [1], "1": [2] }));
    expect(table).toBeInstanceOf(Table);
  });

  it("fills NaN, or leaves it missing", () => {
    expect(new ReplaceMissingValues().fit([[1], [4]]).transform([[NaN], [7]])).toMatchObject({
      data: Float64Array.of(3, 7),
      gaps: false,
    });
    expect(new Normalize({ method: "range" }).fit([[0], [4]]).transform([[NaN], [1]])).toMatchObject({
      data: Float64Array.of(NaN, 0.25),
      gaps: true,
    });
  });

  it.each<[string, () => unknown, string]>([
    [
      "a number",
      () => new Normalize().fit(3 as never),
      "rows must be { data, rows, cols } or an array of rows",
    ],
    ["ragged rows", () => new Normalize().fit([[1], [2, 3]]), "rows row 1 has 2 values, but row 0 has 1"],
    [
      "codes",
      () => new Normalize().fit({ data: Float64Array.of(1), rows: 1, cols: 1, kinds: ["nominal"] }),
      "column 0 of rows holds codes of nominal values; pass a table",
    ],
    ["too few columns", () => new Normalize().fit(train).transform([[1]]), 'no column "1"'],
  ])("refuses %s", (_, call, message) => {
    expect(call).toThrow(message);
  });
});

describe("a pipeline", () => {
  it.each(["matrix", "table"])(
    "that ends in a search finds the nearest of prepared rows, of a %s",
    async (kind) => {
      const as = (rows: readonly number[][]) =>
        kind === "matrix" ? rows : Table.fromRows(rows.map(([x, y]) => ({ x, y })));
      const search = kept(new Pipeline([new Normalize()], new NearestNeighbors({ nNeighbors: 3, backend })));
      await search.fit(as(train));
      const { indices, distances } = await search.kneighbors(as(queries));
      const expected = scaled(queries).flatMap((query) => nearestOf(query, 3));
      expected.forEach(({ far }, at) => expect(distances[at]).toBeCloseTo(far, 10));
      scaled(queries).forEach((query, q) => {
        const all = nearestOf(query, train.length);
        for (let at = 3 * q; at < 3 * q + 3; at++)
          expect(all.find(({ index }) => index === indices[at])!.far).toBeCloseTo(distances[at], 10);
      });
      expect(() => search.predict(as(queries))).toThrow(
        "ends in a search, which predicts nothing; call kneighbors",
      );
      for (const model of [search, search.model] as unknown as Pipeline[])
        for (const validate of [crossValidate, tune]) {
          const validated = validate(model, as(train), kinds, { folds: 2 });
          await expect(validated).rejects.toThrow("the model ends in a search, which predicts nothing");
        }
      await expect(search.fit(as(train), kinds)).rejects.toThrow("a search has no labels; leave them out");
      expect(() => saveModel(search as never)).toThrow("a search cannot be saved");
    },
  );

  it("is asked for where a table is given in its place", async () => {
    const table = Table.fromRows([{ x: 1 }]);
    for (const [given, called] of [
      [table, "a Table"],
      [undefined, "undefined"],
      ["knn", "a String"],
    ] as const)
      for (const validate of [crossValidate, tune])
        await expect(validate(given as never, table, "x")).rejects.toThrow(
          `the model is ${called}; expected a KNeighborsClassifier, a KNeighborsRegressor or a Pipeline`,
        );
  });

  it("of a matrix predicts as that of a table does, and after it was saved", async () => {
    const pipeline = kept(
      new Pipeline([new Normalize()], new KNeighborsClassifier({ nNeighbors: 3, backend })),
    );
    const rows = train.map(([x, y], at) => ({ x, y, kind: kinds[at] }));
    const like = kept(new Pipeline([new Normalize()], new KNeighborsClassifier({ nNeighbors: 3, backend })));
    await like.fit(Table.fromRows(rows), "kind");
    const expected = await like.predict(Table.fromRows(queries.map(([x, y]) => ({ x, y }))));
    await pipeline.fit(train, kinds);
    expect(await pipeline.predict(queries)).toEqual(expected);
    const loaded = kept((await loadModel(saveModel(pipeline), { backend })).pipeline);
    expect(await loaded.predict(queries)).toEqual(expected);
    expect(() => pipeline.predict([[1, 2, 3]])).toThrow(
      "queries have 3 columns, but train has 2; pass as many",
    );
    expect(() => like.predict(queries)).toThrow("preparation needs the names of columns");
    await expect(pipeline.fit(train)).rejects.toThrow("labels are missing; pass one per row");
  });
});

describe("a matrix and its labels", () => {
  it.each(["classes", "numbers"])("are cross-validated as plain loops do it, %s", async (what) => {
    const labels = what === "classes" ? kinds : heights;
    const Model = what === "classes" ? KNeighborsClassifier : KNeighborsRegressor;
    const model = kept(new Pipeline([new Normalize()], new Model({ nNeighbors: 3, backend })));
    const rows = train.map(([x, y], at) => ({ x, y, label: labels[at] }));
    const job = { rows, label: "label", features: ["x", "y"], k: 3, folds: 4, seed: 2001 };
    const expected = crossValidated(job);
    const flat = { data: Float64Array.from(train.flat()), rows: train.length, cols: 2 };
    for (const given of [train, flat, Table.fromRows(rows).select(["x", "y"])]) {
      const { predictions, foldOf } = await crossValidate(model, given, labels, { folds: 4 });
      expect([...foldOf]).toEqual(expected.foldOf);
      if (what === "classes") expect(predictions).toEqual(expected.predictions);
      else
        predictions.forEach((value, at) => expect(value).toBeCloseTo(Number(expected.predictions[at]), 10));
    }
  });

  it("leave a feature of a table that is called label as it is", async () => {
    const model = kept(new KNeighborsClassifier({ nNeighbors: 3, backend }));
    const named = (second: string) => Table.fromRows(train.map(([x, y]) => ({ x, [second]: y })));
    const [expected, found] = [
      await crossValidate(model, named("y"), kinds, { folds: 4 }),
      await crossValidate(model, named("label"), kinds, { folds: 4 }),
    ];
    expect(found.predictions).toEqual(expected.predictions);
  });

  it("are tuned, and the best model takes matrices", async () => {
    const options = { k: [1, 3], folds: 3, metrics: ["euclidean"] as const };
    const { best, model } = await tune(new KNeighborsClassifier({ backend }), train, kinds, options);
    const rows = train.map(([x, y], at) => ({ x, y, kind: kinds[at] }));
    const like = await tune(new KNeighborsClassifier({ backend }), Table.fromRows(rows), "kind", options);
    expect(best).toEqual(like.best);
    await kept(model).fit(train, kinds);
    expect(await model.predict(queries)).toHaveLength(12);
    like.model.dispose();
  });

  it.each<[string, unknown, string]>([
    ["too few", kinds.slice(1), "49 labels for 50 rows; pass one label per row"],
    ["a name", "kind", 'label "kind" names a column, but rows are a matrix'],
    ["nothing", undefined, "0 labels for 50 rows"],
  ])("are refused where they are %s", async (_, labels, message) => {
    const model = kept(new KNeighborsClassifier({ backend }));
    await expect(crossValidate(model, train, labels as never)).rejects.toThrow(message);
    await expect(tune(model, train, labels as never)).rejects.toThrow(message);
  });

  it("are refused by estimators where labels are left out", async () => {
    for (const Model of [KNeighborsClassifier, KNeighborsRegressor]) {
      const model = kept(new Model({ backend }));
      await expect(model.fit(train, undefined as never)).rejects.toThrow("0 labels for 50 rows of train");
    }
  });
});
