/** `classReport` beside scikit-learn's outputs, and what it refuses. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { classReport } from "../../../dist/node.js";

interface Case {
  readonly truth: number[];
  readonly predicted: number[];
  readonly shares: number[];
  readonly weights: number[] | null;
  readonly expected: Readonly<Record<string, number | number[] | Record<string, number>>>;
}

const file = new URL("../../fixtures/sklearn-report.json", import.meta.url);
const cases = JSON.parse(readFileSync(file, "utf8")) as Case[];

/** Every number of the report, by its path. */
function flat(value: unknown, path = ""): [string, number][] {
  if (typeof value === "number") return [[path, value]];
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, inner]) => flat(inner, `${path}.${name}`));
}

describe("scikit-learn's measures", () => {
  it.each(cases.map((each, at) => [at, each] as const))(
    "case %i",
    (_, { truth, predicted, shares, weights, expected }) => {
      const classes = [...new Set(truth)].sort((a, b) => a - b);
      const report = classReport(truth, predicted, {
        classes,
        probabilities: shares,
        ...(weights === null ? {} : { sampleWeights: weights }),
      });
      const found = new Map(flat(report));
      const wanted = flat(expected);
      expect(wanted.length).toBeGreaterThan(12);
      for (const [path, value] of wanted) expect(found.get(path), path).toBeCloseTo(value, 12);
    },
  );

  it("a permutation of rows and of columns changes nothing but the last bits", () => {
    const { truth, predicted, shares } = cases[2];
    const rows = truth.map((_, row) => (row * 7) % truth.length);
    const report = classReport(truth, predicted, { classes: [0, 1, 2], probabilities: shares });
    const other = classReport(
      rows.map((row) => truth[row]),
      rows.map((row) => predicted[row]),
      { classes: [2, 0, 1], probabilities: rows.flatMap((row) => [2, 0, 1].map((c) => shares[row * 3 + c])) },
    );
    expect(other.auc).toBeCloseTo(report.auc, 12);
    expect(other.logLoss).toBeCloseTo(report.logLoss, 12);
  });
});

it("leaves out rows without a label or a prediction", () => {
  const report = classReport(["a", null, "b", "b"], ["a", "a", null, "b"]);
  expect(report).toMatchObject({ rows: 2, leftOut: 2, accuracy: 1, auc: NaN, logLoss: NaN });
});

it.each<[string, () => unknown, RegExp]>([
  ["lengths", () => classReport(["a"], []), /1 true labels for 0 predictions/],
  ["no classes", () => classReport(["a"], ["a"], { probabilities: [1] }), /pass classes/],
  [
    "few probabilities",
    () => classReport(["a"], ["a"], { classes: ["a", "b"], probabilities: [1] }),
    /expected 2/,
  ],
  [
    "a weight",
    () => classReport(["a"], ["a"], { sampleWeights: [-1] }),
    /row 0 is -1; expected a number of at least 0/,
  ],
  [
    "few weights",
    () => classReport(["a"], ["a"], { sampleWeights: [] }),
    /0 sample weights for 1 row; pass one for each row/,
  ],
])("refuses %s", (_, call, message) => {
  expect(call).toThrow(message);
});
