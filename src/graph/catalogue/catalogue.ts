/** All operators, by group in the order of a palette. */
import { applyModel } from "../operators/applyModel.ts";
import { attachColumn, selectColumns } from "../operators/columns.ts";
import { crossValidation, performance } from "../operators/evaluation.ts";
import { histogram, sort } from "../operators/arrays.ts";
import { cloudDistance, cloudSpacing, nearestInCloud, readCloud, tableToCloud } from "../operators/clouds.ts";
import { distanceHistogram } from "../operators/distanceHistogram.ts";
import { select, unique } from "../operators/selection.ts";
import { reduce, scan } from "../operators/sums.ts";
import { convolve, readSignal, writeSignal } from "../operators/signals.ts";
import { readMatrix, tableToMatrix, writeMatrix } from "../operators/matrices.ts";
import { knn } from "../operators/knn.ts";
import { readModel, writeModel } from "../operators/models.ts";
import { nearestNeighbours } from "../operators/nearestNeighbours.ts";
import { neighbourRows, withinRadius } from "../operators/pairs.ts";
import { normalize, replaceMissing } from "../operators/preparation.ts";
import { principalAxes } from "../operators/principalAxes.ts";
import { readTable } from "../operators/readTable.ts";
import { removeDuplicates, removeOutliers } from "../operators/scans/clean.ts";
import { icp } from "../operators/scans/icp.ts";
import { estimateNormals } from "../operators/scans/normals.ts";
import { filterRows, sampleRows } from "../operators/rows.ts";
import { setRole } from "../operators/setRole.ts";
import { splitData } from "../operators/splitData.ts";
import { writeTable } from "../operators/writeTable.ts";
import type { Operator, OperatorEntry } from "./operator.ts";

export const entries: readonly OperatorEntry[] = [
  readTable,
  readMatrix,
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
  sort,
  histogram,
  convolve,
];

/**
 * The operators that a process may have, in the order of a palette.
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
