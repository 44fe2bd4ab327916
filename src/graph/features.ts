/**
 * This module finds the features and the label of a table with roles, as estimators and preparation take
 * them.
 */
import { InvalidInputError } from "../core/errors.ts";
import { featuresBeside } from "../models/preparation/index.ts";
import { columnOf } from "./values.ts";
import type { TableValue } from "./values.ts";

/** @throws InvalidInputError where no column is left to compare */
export function featureNames({ table, roles }: TableValue): readonly string[] {
  const special = new Map([...roles].map(([name, role]) => [name, `the ${role} ${JSON.stringify(name)}`]));
  return featuresBeside(table, special, undefined);
}

/** @throws InvalidInputError for rows without a label */
export function labelOf({ table, roles }: TableValue): string {
  const label = columnOf(roles, "label");
  if (label !== undefined) return label;
  throw new InvalidInputError("the rows have no label; send them through Set Role first", {
    ...(table.origin === undefined ? {} : { file: table.origin.file }),
  });
}
