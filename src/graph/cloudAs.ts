/**
 * This module makes a cloud of the points of a matrix or a table, and a table of a cloud. The coordinates are
 * the columns that are compared; all others are carried along.
 */
import { InvalidInputError } from "../core/errors.ts";
import type { Matrix } from "../core/matrix.ts";
import { Table } from "../table/index.ts";
import type { CloudFacts, TableFacts } from "./facts.ts";
import { featuresOf } from "./facts.ts";
import { featureFacts, featureMatrix } from "./featureMatrix.ts";
import { featureNames } from "./features.ts";
import type { PointCloudValue, TableValue } from "./values.ts";

const COORDINATES = ["x", "y", "z"];

/** Returns the names of coordinates where somebody has counted them. */
export function coordinatesOf(cols: number | undefined): string[] | undefined {
  return cols === undefined ? undefined : COORDINATES.slice(0, cols);
}

/** @throws InvalidInputError for more than three columns, or none */
export function cloudOf(points: Matrix, file?: string): PointCloudValue {
  checkCoordinates(points.cols, (message) => {
    throw new InvalidInputError(message, file === undefined ? {} : { file });
  });
  return { points, names: COORDINATES.slice(0, points.cols), attributes: undefined };
}

/** Says that points cannot have this many columns. */
export function checkCoordinates(cols: number | undefined, say: (message: string) => void): void {
  if (cols === undefined || (cols >= 1 && cols <= COORDINATES.length)) return;
  say(
    `the points have ${cols} columns; a cloud has 1 to ${COORDINATES.length}; leave out others, or set their roles`,
  );
}

/** @param names the coordinates; default all features */
export function cloudOfTable(
  value: TableValue,
  names: readonly string[] = featureNames(value),
): PointCloudValue {
  const points = cloudOf(featureMatrix(value, names)).points;
  const others = value.table.names.filter((name) => !names.includes(name));
  return { points, names, attributes: others.length === 0 ? undefined : value.table.select(others) };
}

export function cloudFacts(table: TableFacts, say: (message: string) => void): CloudFacts {
  const { rows, cols, prepared } = featureFacts(table, say);
  const features = featuresOf(table);
  if (features?.every(({ kind }) => kind === "numeric")) checkCoordinates(cols, say);
  const names = features?.map(({ name }) => name);
  const attributes = table.columns?.filter(({ name }) => names?.includes(name) === false) ?? [];
  return { rows, names, attributes, prepared };
}

export function tableOfCloud({ points, names, attributes }: PointCloudValue): TableValue {
  const { data, rows, cols } = points;
  const columns = names.map((name, col) => ({
    kind: "numeric" as const,
    name,
    values: Float64Array.from({ length: rows }, (_, row) => data[row * cols + col]),
  }));
  const others = attributes?.columns ?? [];
  return {
    table: new Table([...columns, ...others]),
    roles: new Map(others.map(({ name }) => [name, "ignored"])),
  };
}

export function factsOfCloud({ rows, names, attributes, prepared }: CloudFacts): TableFacts {
  const columns = names && [...names.map((name) => ({ name, kind: "numeric" as const })), ...attributes];
  const roles = new Map(attributes.map(({ name }) => [name, "ignored" as const]));
  return { columns, rows, roles, prepared, predicted: undefined };
}
