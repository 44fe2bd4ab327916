/** Permutation importance against plain loops that follow scikit-learn's algorithm. */
import { describe, expect, it } from "vitest";
import {
  KNeighborsClassifier,
  KNeighborsRegressor,
  Normalize,
  Pipeline,
  Table,
  crossValidate,
  permutationImportance,
} from "../../../dist/node.js";
import type { Row } from "../../oracle/crossValidation.ts";
import {
  accuracyOf,
  balancedOf,
  foldImportanceOf,
  importanceOf,
  meanErrorOf,
  r2Of,
  rootErrorOf,
  spreadOf,
} from "../../oracle/importance.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const random = new Random(printedSeed());
const backend = "cpu" as const;
const features = ["x", "y", "bark", "same"];

/** Rows with gaps and ties; x tells the kind, y the height, `same` nothing. */
const make = (count: number): Row[] =>
  Array.from({ length: count }, (_, row) => {
    const kind = random.pick(["oak", "elm", "ash"]);
    const y = random.int(0, 12);
    return {
      x: row % 11 === 3 ? null : random.int(0, 6) + (kind === "oak" ? 8 : 0),
      y,
      bark: random.pick([kind, "rough", null]),
      same: 4,
      kind: row % 9 === 4 ? null : kind,
      height: row % 9 === 5 ? null : 3 * y + random.int(0, 4),
    };
  });
const test = make(41);
const trained = (label: string) => make(60).filter((row) => row[label] !== null);

describe.each([1, 3])("the importance of columns, k = %d", (nNeighbors) => {
  it.each([
    ["accuracy", "kind", undefined, accuracyOf],
    ["r2", "height", undefined, r2Of],
    ["mae", "height", "mae", meanErrorOf],
    ["rmse", "height", "rmse", rootErrorOf],
    ["balancedAccuracy", "kind", "balancedAccuracy", balancedOf],
  ] as const)("for %s is what the score loses", async (measure, label, given, score) => {
    const train = trained(label);
    const seed = random.int(0, 2 ** 31);
    const repeats = 3;
    const Model = label === "kind" ? KNeighborsClassifier : KNeighborsRegressor;
    const model = new Model({ nNeighbors, features, backend });
    await model.fit(Table.fromRows(train), label);
    const options = { repeats, seed, measure: given };
    const found = await permutationImportance(model, Table.fromRows(test), label, options);
    const expected = importanceOf({ train, test, label, features, k: nNeighbors, repeats, seed, score });
    expect(found).toMatchObject({
      measure,
      repeats,
      seed,
      rows: test.filter((row) => row[label] !== null).length,
    });
    const isLoss = given === "mae" || given === "rmse";
    expect(found.baseline).toBeCloseTo(isLoss ? -expected.baseline : expected.baseline, 12);
    expect(found.columns.map(({ column }) => column)).toEqual(features);
    found.columns.forEach(({ scores, mean, deviation }, at) => {
      expected.lost[at].forEach((lost, repeat) => expect(scores[repeat]).toBeCloseTo(lost, 12));
      const spread = spreadOf(expected.lost[at]);
      expect(mean).toBeCloseTo(spread.mean, 12);
      expect(deviation).toBeCloseTo(spread.deviation, 12);
    });
    expect([...found.columns[3].scores]).toEqual([0, 0, 0]);
    expect(await permutationImportance(model, Table.fromRows(test), label, options)).toEqual(found);
    const other = await permutationImportance(model, Table.fromRows(test), label, {
      ...options,
      seed: seed + 1,
    });
    expect(other.columns.map(({ scores }) => scores)).not.toEqual(found.columns.map(({ scores }) => scores));
    model.dispose();
  });
});

describe("the importance of columns to the folds of a cross-validation", () => {
  it.each([
    ["kind", 4, undefined, accuracyOf],
    ["kind", "leave-one-out", "balancedAccuracy", balancedOf],
    ["height", 3, undefined, r2Of],
    ["height", 3, "mae", meanErrorOf],
    ["height", 5, "rmse", rootErrorOf],
  ] as const)(
    "for %s in folds %s is what the score over all rows loses",
    async (label, folds, measure, score) => {
      const Model = label === "kind" ? KNeighborsClassifier : KNeighborsRegressor;
      const model = new Model({ nNeighbors: 3, features, backend });
      const settings = { repeats: 2, seed: random.int(0, 2 ** 31) };
      const options = { folds, importance: { ...settings, measure } };
      const { importance, foldOf } = await crossValidate(model, Table.fromRows(test), label, options);
      const expected = foldImportanceOf({ rows: test, foldOf, label, features, k: 3, score, ...settings });
      expect(importance).toMatchObject({
        ...settings,
        rows: test.filter((row) => row[label] !== null).length,
      });
      const isLoss = measure === "mae" || measure === "rmse";
      expect(importance!.baseline).toBeCloseTo(isLoss ? -expected.baseline : expected.baseline, 12);
      expect([...importance!.columns[3].scores]).toEqual([0, 0]);
      expect(importance!.columns.map(({ column }) => column)).toEqual(features);
      importance!.columns.forEach(({ scores }, at) =>
        expected.lost[at].forEach((lost, repeat) => expect(scores[repeat]).toBeCloseTo(lost, 12)),
      );
      model.dispose();
    },
  );

  it("is of the columns before their preparation, and refused by a measure that labels do not tell", async () => {
    const model = new Pipeline([new Normalize()], new KNeighborsClassifier({ nNeighbors: 5, backend }));
    const table = Table.fromRows(test).drop(["height"]);
    const { importance, micro } = await crossValidate(model, table, "kind", { importance: true });
    expect(importance).toMatchObject({
      measure: "accuracy",
      baseline: micro.accuracy,
      repeats: 5,
      seed: 2001,
    });
    const refused = (importance: object) =>
      crossValidate(model, table, "kind", { importance }).then(String, String);
    expect(await refused({ measure: "logLoss" })).toContain(
      'unknown measure "logLoss"; expected accuracy or balancedAccuracy',
    );
    expect(await refused({ repeat: 3 })).toContain("repeats");
    model.dispose();
  });
});

it("is of the columns before their preparation, and of losses as of shares", async () => {
  const train = trained("kind");
  const model = new Pipeline(
    [new Normalize()],
    new KNeighborsClassifier({ nNeighbors: 5, features: ["y", "x"], backend }),
  );
  await model.fit(Table.fromRows(train), "kind");
  const table = Table.fromRows(test);
  const { columns, baseline } = await permutationImportance(model, table, "kind", { measure: "logLoss" });
  expect(columns.map(({ column }) => column)).toEqual(["y", "x"]);
  expect(baseline).toBeGreaterThan(0);
  const steps: string[] = [];
  const found = await permutationImportance(model, table, "kind", {
    measure: "balancedAccuracy",
    repeats: 1,
    onProgress: ({ phase, done, total }) => steps.push(`${phase} ${done}/${total}`),
  });
  expect(found.columns[1].scores).toHaveLength(1);
  expect(found.columns[1].deviation).toBe(0);
  expect(steps).toEqual([0, 1, 2, 3].map((done) => `importance ${done}/3`));
  model.dispose();
});

describe("importance", () => {
  const fitted = async () =>
    new KNeighborsClassifier({ nNeighbors: 1, features: ["y"], backend }).fit(
      Table.fromRows(trained("kind")),
      "kind",
    );

  it("stops where it is told to", async () => {
    const model = await fitted();
    const stop = new AbortController();
    let searches = 0;
    const found = permutationImportance(model, Table.fromRows(test), "kind", {
      signal: stop.signal,
      onProgress: () => {
        if (++searches === 3) stop.abort(new Error("enough"));
      },
    });
    await expect(found).rejects.toThrow("enough");
    expect(searches).toBe(3);
    model.dispose();
  });

  it("refuses what it cannot do, and says why", async () => {
    const model = await fitted();
    const table = Table.fromRows(test);
    const refused = (options: object, rows = table, label = "kind") =>
      permutationImportance(model, rows, label, options).then(String, String);
    expect(await refused({ repeats: 0 })).toContain("repeats is 0; expected a whole number of at least 1");
    expect(await refused({ seed: -1 })).toContain("the seed is -1; expected a whole number from 0");
    const takes = "permutationImportance takes a Table and the name of its label column";
    expect(await refused({}, [[1, 2]] as never)).toContain(takes);
    expect(await refused({}, table, null as never)).toContain(takes);
    expect(await refused({ measure: "r2" })).toContain('unknown measure "r2"; expected accuracy,');
    expect(await refused({}, table, "species")).toContain('there is no column "species"');
    const none = table.withColumn("kind", new Array<null>(table.rows).fill(null));
    expect(await refused({}, none)).toContain('column "kind": no row has a label; expected at least one');
    const numbers = table.withColumn("kind", (_, row) => row);
    expect(await refused({}, numbers)).toContain(
      "the label is numeric here but nominal in the training table",
    );
    expect(await refused({}, table.drop(["y"]))).toContain('there is no column "y", a feature');
    const matrix = await new KNeighborsClassifier({ nNeighbors: 1, backend }).fit([[0], [1]], ["a", "b"]);
    await expect(permutationImportance(matrix, table, "kind")).rejects.toThrow(
      "the model was fitted on a matrix, whose columns have no names; fit it on a table",
    );
    for (const each of [model, matrix]) each.dispose();
  });
});
