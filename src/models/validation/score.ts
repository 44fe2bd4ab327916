/**
 * Scores neighbours of tested rows by what they predict, for `tune`, which does so for every k. The vote and
 * the average are those of the estimators.
 */
import type { Column } from "../../table/column.ts";
import { labelsOf } from "../../table/classes.ts";
import type { Table } from "../../table/table.ts";
import { average } from "../average.ts";
import type { Neighborhoods } from "../tally.ts";
import { targetsOf } from "../target.ts";
import { vote } from "../vote.ts";
import type { Weights } from "../weights.ts";
import { classReport } from "./classReport.ts";
import { regressionPerformance } from "./performance.ts";

/**
 * `tune` can go by these measures; see `TuneOptions`.
 * @example
 * const measure: TuneMeasure = "mae";
 * const table = Table.fromColumns({ x: [0, 1, 2, 8, 9, 10], y: [0, 1, 2, 8, 9, 10] });
 * const { best } = await tune(new KNeighborsRegressor(), table, "y", { measure, k: [1], folds: "leave-one-out" });
 * best.mean; // => 1
 */
export type TuneMeasure = "accuracy" | "balancedAccuracy" | "logLoss" | "rmse" | "mae" | "r2";

/** They are the measures of classes and those of numbers, the default ones first. */
export const tuneMeasures = {
  classes: ["accuracy", "balancedAccuracy", "logLoss"],
  numbers: ["rmse", "mae", "r2"],
} as const satisfies Record<string, readonly TuneMeasure[]>;

export function isSmallestBest(measure: TuneMeasure): boolean {
  return measure === "logLoss" || measure === "rmse" || measure === "mae";
}

export interface Scorer {
  readonly smallestIsBest: boolean;
  /**
   * Returns what scores the neighbours of the tested rows, which are numbers of trained rows.
   */
  inFold(
    trained: readonly number[],
    tested: readonly number[],
  ): (neighbors: Neighborhoods, weights: Weights) => number;
}

/** @param sampleWeights of the rows of the table; default 1 each */
export function scorerFor(
  measure: TuneMeasure,
  table: Table,
  label: string,
  sampleWeights?: Float64Array,
): Scorer {
  const weighing = (tested: readonly number[]) => ({
    sampleWeights: sampleWeights && tested.map((row) => sampleWeights[row]),
  });
  const smallestIsBest = isSmallestBest(measure);
  const labelled = labelledRows(table.column(label), table.rows);
  const only = table.take(labelled);
  const placeOf = new Uint32Array(table.rows);
  labelled.forEach((row, at) => (placeOf[row] = at));
  if (measure === "rmse" || measure === "mae" || measure === "r2") {
    const targets = targetsOf(only, label);
    return {
      smallestIsBest,
      inFold: (trained, tested) => {
        const known = Float64Array.from(trained, (row) => targets[placeOf[row]]);
        const truth = tested.map((row) => targets[placeOf[row]]);
        return (neighbors, weights) =>
          regressionPerformance(truth, average(neighbors, known, weights), weighing(tested))[measure];
      },
    };
  }
  const { codes, classes } = labelsOf(only.column(label), only.origin);
  return {
    smallestIsBest,
    inFold: (trained, tested) => {
      const known = Uint32Array.from(trained, (row) => codes[placeOf[row]]);
      const truth = tested.map((row) => codes[placeOf[row]]);
      return (neighbors, weights) => {
        const wanted = measure === "logLoss";
        const { winners, probabilities } = vote(neighbors, known, classes.length, weights, !wanted);
        const all = Array.from(classes.keys());
        const given = wanted ? { classes: all, probabilities } : {};
        if (measure === "accuracy" && sampleWeights === undefined)
          return truth.filter((code, i) => code === winners[i]).length / truth.length;
        return classReport(truth, winners, { ...given, ...weighing(tested) })[measure];
      };
    },
  };
}

function labelledRows({ valid }: Column, rows: number): number[] {
  return Array.from({ length: rows }, (_, row) => row).filter((row) => valid?.get(row) !== false);
}
