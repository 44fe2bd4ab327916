/**
 * `tune`: each candidate scores as a cross-validation of a model with its settings, also by plain float64
 * loops, though one search serves every k.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import {
  Device,
  KNeighborsClassifier,
  KNeighborsRegressor,
  Normalize,
  Pipeline,
  ReplaceMissingValues,
  Table,
  bytesSource,
  classReport,
  crossValidate,
  readTable,
  tune,
} from "../../../dist/node.js";
import type { TuneCandidate, TuneOptions } from "../../../dist/node.js";
import { crossValidated } from "../../oracle/crossValidation.ts";
import { Random } from "../../oracle/random.ts";

const random = new Random(2020);
const rows = 60;
const cell = () => (random.uniform() < 0.1 ? null : Math.floor(random.uniform(0, 9)));
const mass = Array.from({ length: rows }, () => Math.floor(random.uniform(0, 5)) * 700);
const bill = mass.map(cell);
const kind = mass.map((value, row) => (row % 13 === 0 ? null : ["a", "b", "c"][(value / 700 + row) % 3]));
const y = mass.map((value, row) => (row % 17 === 0 ? null : value / 100 + Math.floor(random.uniform(0, 9))));
const table = Table.fromColumns({ mass, bill, kind });
const numbers = Table.fromColumns({ mass, bill, y });

const device = await Device.create({ backend: "cpu", threads: 1 });
afterAll(() => device.dispose());

/** Scores a candidate anew, by a cross-validation of its own. */
async function scoreAnew(candidate: TuneCandidate, of: Table, label: string, folds: TuneOptions) {
  const settings = {
    nNeighbors: candidate.k,
    metric: candidate.metric as "euclidean",
    weights: candidate.weights,
    device,
  };
  const steps = candidate.scaling === "none" ? [] : [new Normalize({ method: candidate.scaling as "z" })];
  const isText = of.column(label).kind === "nominal";
  const model = new Pipeline(
    steps,
    isText ? new KNeighborsClassifier(settings) : new KNeighborsRegressor(settings),
  );
  const found = await crossValidate(model, of, label, folds);
  model.dispose();
  return found;
}

describe("every candidate scores as a cross-validation of its own", () => {
  it.each<[string, Table, string, TuneOptions]>([
    ["classes", table, "kind", { k: [1, 2, 5, 30], scalings: ["none", "z", "range"], folds: 3 }],
    ["numbers", numbers, "y", { k: [4, 1], folds: 4, seed: 7 }],
    ["other metrics", numbers, "y", { k: [3], metrics: ["chebyshev", "nan_euclidean"], folds: 2 }],
  ])("%s", async (_, of, label, options) => {
    const model = label === "y" ? new KNeighborsRegressor({ device }) : new KNeighborsClassifier({ device });
    const { candidates, best, searches, validation } = await tune(model, of, label, options);
    const { folds, seed } = options;
    for (const candidate of candidates) {
      const found = await scoreAnew(candidate, of, label, { folds, seed });
      const expected = found.kind === "classification" ? found.macro.accuracy : found.macro.rmse;
      expect(candidate.mean, JSON.stringify(candidate)).toBe(expected.mean);
      expect(candidate.deviation).toBe(expected.deviation);
    }
    const means = candidates.map(({ mean }) => mean);
    expect(best).toBe(candidates[means.indexOf(label === "y" ? Math.min(...means) : Math.max(...means))]);
    expect(searches).toBe((candidates.length / 2 / options.k!.length) * Number(folds));
    const again = await scoreAnew(best, of, label, { folds, seed });
    expect(validation.predictions).toEqual(again.predictions);
  });
});

it("a candidate's accuracy is that of plain loops in float64", async () => {
  const rowsOf = mass.map((_, row) => ({ mass: mass[row], bill: bill[row], kind: kind[row] }));
  const model = new KNeighborsClassifier({ device });
  const options = {
    k: [1, 3, 7],
    scalings: ["z"] as const,
    metrics: ["euclidean"] as const,
    weights: ["uniform"] as const,
  };
  const { candidates } = await tune(model, table, "kind", { ...options, folds: 5, seed: 11 });
  for (const { k, scores } of candidates) {
    const { foldOf, predictions } = crossValidated({
      rows: rowsOf,
      label: "kind",
      features: ["mass", "bill"],
      k,
      folds: 5,
      seed: 11,
    });
    scores.forEach((score, fold) => {
      const tested = kind.flatMap((_, row) => (foldOf[row] === fold ? [row] : []));
      expect(score).toBe(tested.filter((row) => predictions[row] === kind[row]).length / tested.length);
    });
  }
});

it("groups, leave-one-out, log loss, the model's own steps and device", async () => {
  const grouped = Table.fromColumns({ mass, bill, kind, farm: mass.map((_, row) => row % 6) });
  const model = new Pipeline([new ReplaceMissingValues()], new KNeighborsClassifier({ device }));
  const found = await tune(model, grouped, "kind", {
    k: [5, 9],
    folds: "leave-one-out",
    groups: "farm",
    measure: "logLoss",
    scalings: ["z"],
  });
  expect(found.smallestIsBest).toBe(true);
  expect(found.best.mean).toBe(Math.min(...found.candidates.map(({ mean }) => mean)));
  const { validation } = found;
  if (validation.kind !== "classification") throw new Error("expected classes");
  const { classes, probabilities } = validation;
  const report = classReport(kind, validation.predictions, { classes, probabilities });
  expect(report.rows).toBe(55);
  expect(report.logLoss).toBeGreaterThan(0);
  const scaled = new Pipeline([new Normalize({ method: "range" })], new KNeighborsRegressor({ device }));
  const own = await tune(scaled, numbers, "y", {
    k: [2],
    folds: 2,
    weights: ["uniform"],
    metrics: ["euclidean"],
  });
  expect(own.candidates.map(({ scaling }) => scaling)).toEqual(["own"]);
});

it("penguins: 98.55 % and more are found without a hint", async () => {
  const bytes = gunzipSync(readFileSync(new URL("../../../examples/penguins.csv.gz", import.meta.url)));
  const penguins = await readTable(bytesSource(bytes, "penguins.csv"));
  const { best, candidates } = await tune(new KNeighborsClassifier({ device }), penguins, "species");
  const five = candidates.filter(({ k, weights }) => k === 5 && weights === "uniform");
  expect(five.map(({ scaling, mean }) => [scaling, mean.toFixed(4)])).toEqual([
    ["none", "0.7934"],
    ["z", "0.9855"],
  ]);
  expect(best.mean).toBeGreaterThanOrEqual(0.9855);
  expect(best.scaling).toBe("z");
});

it.each<[string, TuneOptions, RegExp]>([
  ["a k beyond the rows", { k: [1, 99], folds: 2 }, /k is 99; expected whole numbers from 1 to 27/],
  ["no k", { k: [] }, /k is an empty list/],
  [
    "a measure of numbers",
    { measure: "rmse" },
    /unknown measure "rmse"; expected accuracy, balancedAccuracy or logLoss/,
  ],
  ["a scaling", { scalings: ["zz" as "z"] }, /unknown scaling "zz"/],
  ["weights", { weights: ["far" as "uniform"] }, /unknown weights "far"/],
  [
    "distance weights of inner products",
    { metrics: ["inner_product"], weights: ["distance"] },
    /can be negative; add "uniform"/,
  ],
  ["no metric", { metrics: [] }, /is empty/],
])("refuses %s", async (_, options, message) => {
  const model = new KNeighborsClassifier({ device });
  await expect(tune(model, table, "kind", options)).rejects.toThrow(message);
});

it("refuses compat, and ends when it is aborted", async () => {
  const compat = new KNeighborsClassifier({ compat: "rapidminer", device });
  await expect(tune(compat, table, "kind")).rejects.toThrow(/leave out compat/);
  const signal = AbortSignal.abort(new Error("enough"));
  const model = new KNeighborsClassifier({ device });
  await expect(tune(model, table, "kind", { signal })).rejects.toThrow("enough");
});
