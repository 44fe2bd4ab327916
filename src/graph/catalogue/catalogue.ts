/** This module lists all operators, by group in the order of a palette. */
import { applyModel } from "../operators/learning/applyModel.ts";
import { attachColumn, selectColumns } from "../operators/rows/columns.ts";
import { crossValidation, performance } from "../operators/learning/evaluation.ts";
import { histogram, sort } from "../operators/arrays/arrays.ts";
import {
  cloudDistance,
  cloudSpacing,
  nearestInCloud,
  readCloud,
  tableToCloud,
} from "../operators/clouds/clouds.ts";
import { distanceHistogram } from "../operators/neighbours/distanceHistogram.ts";
import { argsort, sortPairs } from "../operators/arrays/order.ts";
import { quantiles } from "../operators/arrays/quantiles.ts";
import { runLength, unique } from "../operators/arrays/runs.ts";
import { select } from "../operators/arrays/selection.ts";
import { reduce, scan } from "../operators/arrays/sums.ts";
import { convolve, readSignal, writeSignal } from "../operators/arrays/signals.ts";
import { readMatrix, tableToMatrix, writeMatrix } from "../operators/data/matrices.ts";
import { knn } from "../operators/learning/knn.ts";
import { readModel, writeModel } from "../operators/data/models.ts";
import { hubness, localDimension } from "../operators/neighbours/hubness.ts";
import { nearestNeighbours } from "../operators/neighbours/nearestNeighbours.ts";
import { neighbourRows, withinRadius } from "../operators/neighbours/pairs.ts";
import { normalize, replaceMissing } from "../operators/learning/preparation.ts";
import { principalAxes } from "../operators/rows/principalAxes.ts";
import { readLabels } from "../operators/data/readLabels.ts";
import { readTable } from "../operators/data/readTable.ts";
import { removeDuplicates, removeOutliers } from "../operators/clouds/clean.ts";
import { icp } from "../operators/clouds/icp.ts";
import { estimateNormals } from "../operators/clouds/normals.ts";
import { filterRows, sampleRows } from "../operators/rows/rows.ts";
import { setRole } from "../operators/rows/setRole.ts";
import { splitData } from "../operators/rows/splitData.ts";
import { writeTable } from "../operators/data/writeTable.ts";
import type { Operator, OperatorEntry } from "./operator.ts";

export const entries: readonly OperatorEntry[] = [
  readTable,
  readMatrix,
  readLabels,
  readSignal,
  readCloud,
  readModel,
  writeTable,
  writeMatrix,
  writeSignal,
  writeModel,
  setRole,
  selectColumns,
  filterRows,
  splitData,
  sampleRows,
  attachColumn,
  tableToMatrix,
  tableToCloud,
  principalAxes,
  replaceMissing,
  normalize,
  knn,
  applyModel,
  nearestNeighbours,
  withinRadius,
  neighbourRows,
  distanceHistogram,
  hubness,
  localDimension,
  nearestInCloud,
  cloudDistance,
  cloudSpacing,
  removeDuplicates,
  removeOutliers,
  estimateNormals,
  icp,
  performance,
  crossValidation,
  reduce,
  scan,
  select,
  unique,
  runLength,
  sort,
  argsort,
  sortPairs,
  histogram,
  quantiles,
  convolve,
];

/**
 * A process may have these operators, in the order of a palette.
 * @example
 * import { operators } from "nearfield/graph";
 *
 * const knn = operators.find(({ id }) => id === "knn");
 * knn?.outputs.map(({ name, type }) => `${name}: ${type}`); // => ["model: Model", "learner: Learner"]
 */
export const operators: readonly Operator[] = entries;

const byId: ReadonlyMap<string, OperatorEntry> = new Map(entries.map((entry) => [entry.id, entry]));

export function entryOf(id: string): OperatorEntry | undefined {
  return byId.get(id);
}

/** Says whether an operator reads a file that its parameter `file` names. */
export function readsFile({ effect, parameters }: Operator): boolean {
  return !effect && parameters.some(({ kind }) => kind === "file");
}
