/** Weights of rows in measures: a row of weight 3 counts as three rows do. */
import { describe, expect, it } from "vitest";
import {
  KNeighborsClassifier,
  KNeighborsRegressor,
  Table,
  classReport,
  classificationPerformance,
  crossValidate,
  permutationImportance,
  regressionPerformance,
  tune,
} from "../../../dist/node.js";
import { runningScores } from "../../../dist/models/validation/runningScore.js";
import type { Row } from "../../oracle/crossValidation.ts";
import { importanceOf } from "../../oracle/importance.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const random = new Random(printedSeed());
const rows = 40;
const weights = Array.from({ length: rows }, () => random.int(0, 4));
const kinds = Array.from({ length: rows }, (_, at) => (at % 13 === 5 ? null : random.pick(["a", "b", "c"])));
const sizes = Array.from({ length: rows }, (_, at) => (at % 13 === 5 ? null : random.int(0, 20)));
const table = Table.fromColumns({ x: sizes.map((size) => size ?? 3), w: weights, kind: kinds, size: sizes });

/** Repeats each value as often as its weight says. */
const repeated = <T>(values: ArrayLike<T>) =>
  weights.flatMap((weight, at) => new Array<T>(weight).fill(values[at]));
/** A class that nobody predicted has no precision on either side. */
const near = (found: number, expected: number, name: string) => {
  if (Number.isNaN(expected)) expect(found, name).toBeNaN();
  else expect(found, name).toBeCloseTo(expected, 12);
};
const close = (found: object, expected: object) => {
  for (const [name, value] of Object.entries(expected))
    if (name === "precision" || name === "recall")
      (value as Float64Array).forEach((each, c) =>
        near((found as Record<string, Float64Array>)[name][c], each, name),
      );
    else if (typeof value === "number" && name !== "rows" && name !== "leftOut")
      near((found as Record<string, number>)[name], value, name);
};

describe("measures by weight", () => {
  it("are those of rows that are repeated", () => {
    const guessed = kinds.map(() => random.pick(["a", "b", "c"]));
    const found = classificationPerformance(kinds, guessed, { sampleWeights: weights });
    close(found, classificationPerformance(repeated(kinds), repeated(guessed)));
    expect(found.rows).toBe(rows - found.leftOut);
    const [truth, numbers] = [sizes.map((size) => size ?? NaN), sizes.map(() => random.int(0, 20))];
    close(
      regressionPerformance(truth, numbers, { sampleWeights: weights }),
      regressionPerformance(repeated(truth), repeated(numbers)),
    );
  });

  it("are those of the folds, of importance and of tune", async () => {
    const classifier = new KNeighborsClassifier({ nNeighbors: 3, features: ["x"], backend: "cpu" });
    const options = { folds: 4, sampleWeights: "w" } as const;
    const found = await crossValidate(classifier, table, "kind", { ...options, importance: { repeats: 1 } });
    close(found.micro, classificationPerformance(repeated(kinds), repeated(found.predictions)));
    expect(found.importance!.baseline).toBe(found.micro.accuracy);
    const without = await crossValidate(classifier, table, "kind", { folds: 4 });
    const accuracies = ({ folds }: Pick<typeof found, "folds">) => folds.map(({ accuracy }) => accuracy);
    expect(accuracies(found)).not.toEqual(accuracies(without));
    const regressor = new KNeighborsRegressor({ nNeighbors: 3, backend: "cpu" });
    const only = table.drop(["kind"]);
    const numbers = await crossValidate(regressor, only, "size", options);
    close(
      numbers.micro,
      regressionPerformance(repeated(sizes.map((size) => size ?? NaN)), repeated(numbers.predictions)),
    );
    for (const measure of ["accuracy", "balancedAccuracy"] as const) {
      const { best, validation } = await tune(classifier, table, "kind", { ...options, k: [3], measure });
      const scores = Array.from({ length: 4 }, (_, fold) => {
        const at = [...weights.keys()].filter((row) => validation.foldOf[row] === fold);
        const own = (values: ArrayLike<string | null>) => at.map((row) => values[row]);
        const sampleWeights = at.map((row) => weights[row]);
        return classReport(own(kinds), own(validation.predictions as string[]), { sampleWeights })[measure];
      });
      expect([...best.scores]).toEqual(scores);
    }
    for (const model of [classifier, regressor]) model.dispose();
  });

  it("count the folds of leave-one-out, where each has one row", async () => {
    const model = new KNeighborsRegressor({ nNeighbors: 3, features: ["x"], backend: "cpu" });
    const options = { folds: "leave-one-out", sampleWeights: "w" } as const;
    const { macro, micro } = await crossValidate(model, table, "size", options);
    expect(macro.mae.mean).toBeCloseTo(micro.mae, 12);
    const whole = { ...options, k: [3], weights: ["uniform"], scalings: ["none"] } as const;
    const { best, validation } = await tune(model, table, "size", { ...whole, measure: "mae" });
    const errors = validation.predictions.map((each, row) => Math.abs(Number(each) - (sizes[row] ?? NaN)));
    const counted = repeated(Array.from(errors)).filter((error) => !Number.isNaN(error));
    const mean = counted.reduce((sum, error) => sum + error, 0) / counted.length;
    expect(best.mean).toBeCloseTo(mean, 12);
    const folds = weights.filter((weight, row) => weight > 0 && sizes[row] !== null).length;
    const squares = counted.reduce((sum, error) => sum + (error - mean) ** 2, 0);
    const deviation = Math.sqrt(squares / (counted.length * (1 - 1 / folds)));
    expect(best.deviation).toBeCloseTo(deviation, 12);
    expect(macro.mae.deviation).toBeCloseTo(deviation, 12);
    model.dispose();
  });

  it("are those of permutationImportance", async () => {
    const model = new KNeighborsClassifier({ nNeighbors: 3, features: ["x", "size"], backend: "cpu" });
    const filled = table.withColumn(
      "size",
      Array.from(weights.keys(), (at) => (at * 7) % 10),
    );
    const labelled = filled.filter(({ kind }) => kind !== null);
    await model.fit(labelled, "kind");
    const own = weights.filter((_, at) => kinds[at] !== null);
    const score = (truth: readonly unknown[], predicted: readonly unknown[]) =>
      own.reduce((sum, weight, at) => sum + (truth[at] === predicted[at] ? weight : 0), 0) /
      own.reduce((sum, weight) => sum + weight, 0);
    const [train, test] = [labelled.toRows(), filled.toRows()] as Row[][];
    const settings = { features: ["x", "size"], k: 3, repeats: 2, seed: 7, label: "kind", score };
    const options = { repeats: 2, seed: 7, sampleWeights: "w" };
    const found = await permutationImportance(model, filled, "kind", options);
    const { baseline, lost } = importanceOf({ train, test, ...settings });
    expect(found.baseline).toBeCloseTo(baseline, 12);
    found.columns.forEach(({ scores }, at) =>
      lost[at].forEach((each, repeat) => expect(scores[repeat]).toBeCloseTo(each, 12)),
    );
    const refused = permutationImportance(model, filled, "kind", { sampleWeights: "size" });
    await expect(refused).rejects.toThrow(
      'column "size" is both the sample weights and a feature of the model',
    );
    model.dispose();
  });

  it("need a number of at least 0 in each row with a label", async () => {
    const model = new KNeighborsClassifier({ nNeighbors: 1, backend: "cpu" });
    const refused = (column: (number | string | null)[], label = "kind", sampleWeights = "w") => {
      const given = Table.fromColumns({ x: [1, 2, 3], w: column, kind: ["a", "b", null] });
      return crossValidate(model, given, label, { folds: 2, sampleWeights }).then(() => "", String);
    };
    expect(await refused([1, -2, null])).toContain(
      'column "w": the sample weight is -2; expected a number of at',
    );
    expect(await refused([null, 1, 1])).toContain("the sample weight is missing; expected");
    expect(await refused(["1", "x", "y"])).toContain('the sample weight is "1"; expected a number');
    expect(await refused([1, 1, 1], "kind", "kind")).toContain("both the label and the sample weights");
    expect(await refused([1, 1, null])).toBe("");
    model.dispose();
  });
});

it("gives R2 of labels that are alike, among rows with a weight, as 1 or 0", () => {
  const score = (label: number, predictions: readonly number[]) => {
    // A row without weight has another label.
    const found = runningScores("r2", [label, 7])();
    found.add(7, 3, 0);
    for (const each of predictions) found.add(label, each, 0.1 + random.uniform());
    return found.value();
  };
  for (let turn = 0; turn < 50; turn++) {
    const label = random.uniform();
    expect(score(label, [label, label, label])).toBe(1);
    expect(score(label, [label, label + 1, label])).toBe(0);
  }
});
