/** Folds of groups, of single rows, and the probabilities of rows that were left out of their training. */
import { afterAll, expect, it } from "vitest";
import {
  KNeighborsClassifier,
  KNeighborsRegressor,
  NearestNeighbors,
  Table,
  crossValidate,
} from "../../../dist/node.js";
import { Random } from "../../oracle/random.ts";

const random = new Random(20);
const rows = 48;
const x = Array.from({ length: rows }, () => Math.floor(random.uniform(0, 12)));
const kind = x.map((value, row) =>
  row % 17 === 0 ? null : value + Math.floor(random.uniform(0, 6)) > 8 ? "high" : "low",
);
const patient = x.map((_, row) => `p${(row * row) % 11}`);
const table = Table.fromColumns({ x, kind, patient });
const classifier = new KNeighborsClassifier({ nNeighbors: 3, backend: "cpu" });
afterAll(() => classifier.dispose());

it("groups stay together, in folds of about one size, and are no feature", async () => {
  const { foldOf, predictions } = await crossValidate(classifier, table, "kind", {
    folds: 3,
    groups: "patient",
  });
  const labelled = x.flatMap((_, row) => (kind[row] === null ? [] : [row]));
  const foldsOf = new Map<string, Set<number>>();
  for (const row of labelled)
    foldsOf.set(patient[row], (foldsOf.get(patient[row]) ?? new Set()).add(foldOf[row]));
  expect([...foldsOf.values()].every(({ size }) => size === 1)).toBe(true);
  const sizes = [0, 1, 2].map((fold) => labelled.filter((row) => foldOf[row] === fold).length);
  expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(9);
  for (const row of labelled) {
    const others = labelled.filter((other) => foldOf[other] !== foldOf[row]);
    const nearest = others
      .sort((a, b) => Math.abs(x[a] - x[row]) - Math.abs(x[b] - x[row]) || a - b)
      .slice(0, 3);
    const high = nearest.filter((other) => kind[other] === "high").length;
    expect(predictions[row]).toBe(high >= 2 ? "high" : "low");
  }
});

it("the largest group goes first to the emptiest fold, as in GroupKFold", async () => {
  const g = [..."aabbbbcdd"];
  const few = Table.fromColumns({ x: g.map((_, row) => row), y: g.map((_, row) => row), g });
  const model = new KNeighborsRegressor({ nNeighbors: 1, backend: "cpu" });
  const { foldOf } = await crossValidate(model, few, "y", { folds: 2, groups: "g" });
  expect([...foldOf]).toEqual([1, 1, 0, 0, 0, 0, 0, 1, 1]);
  model.dispose();
});

it("leave-one-out is a search that leaves out the row itself", async () => {
  const labelled = table.take(x.flatMap((_, row) => (kind[row] === null ? [] : [row]))).select(["x", "kind"]);
  const { predictions, foldOf } = await crossValidate(classifier, labelled, "kind", {
    folds: "leave-one-out",
  });
  expect([...foldOf]).toEqual(Array.from({ length: labelled.rows }, (_, row) => row));
  const search = await new NearestNeighbors({ nNeighbors: 3, backend: "cpu" }).fit(labelled.select(["x"]));
  const { indices } = await search.kneighbors(labelled.select(["x"]), { excludeSelf: true });
  const truth = kind.filter((value) => value !== null);
  truth.forEach((_, row) => {
    const high = [...indices.subarray(3 * row, 3 * row + 3)].filter(
      (index) => truth[index] === "high",
    ).length;
    expect(predictions[row]).toBe(high >= 2 ? "high" : "low");
  });
  search.dispose();
});

it("probabilities are shares of the vote, of classes that a fold lacks too", async () => {
  const rare = Table.fromColumns({ x: [0, 1, 2, 3], kind: ["a", "a", "b", "c"] });
  const { classes, probabilities, predictions } = await crossValidate(classifier, rare, "kind", {
    folds: "leave-one-out",
    probabilities: true,
  });
  expect(classes).toEqual(["a", "b", "c"]);
  const third = 1 / 3;
  const expected = [third, third, third, third, third, third, 2 * third, 0, third, 2 * third, third, 0];
  expect([...probabilities!]).toEqual(expected);
  expect(predictions).toEqual(["a", "a", "a", "a"]);
});

it("probabilities of predictions alone are the largest of all, NaN without a label", async () => {
  const options = { folds: 3, seed: 4 };
  const all = await crossValidate(classifier, table, "kind", { ...options, probabilities: true });
  const top = await crossValidate(classifier, table, "kind", { ...options, probabilities: "top" });
  const [high, low] = [0, 1].map((code) => x.map((_, row) => all.probabilities![2 * row + code]));
  expect(all.classes).toEqual(["high", "low"]);
  expect([...top.probabilities!]).toEqual(x.map((_, row) => Math.max(high[row], low[row])));
  expect(top.probabilities!.filter(Number.isNaN)).toHaveLength(kind.filter((each) => each === null).length);
  expect(top.classes).toBeUndefined();
});

it.each<[string, object, RegExp]>([
  ["too many folds", { folds: 12, groups: "patient" }, /12 folds of \d+ groups of "patient"/],
  [
    "sampling of groups",
    { folds: 2, groups: "patient", sampling: "linear" },
    /leave out \(option sampling\)/,
  ],
  ["a list as groups", { groups: [1, 1, 2] }, /there is no column 1,1,2 of type object, expected a string/],
  ["a seed of groups", { folds: 2, groups: "patient", seed: 4 }, /dealt by size; leave out \(option seed\)/],
  ["the label as groups", { groups: "kind" }, /both the label and the groups/],
  ["odd probabilities", { probabilities: "all" }, /unknown probabilities "all"; expected true, false or top/],
  ["one fold", { folds: 1 }, /1 folds of 45 rows with a label/],
])("refuses %s", async (_, options, message) => {
  await expect(crossValidate(classifier, table, "kind", options)).rejects.toThrow(message);
});
