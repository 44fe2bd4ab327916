/**
 * This module makes the features of a table a matrix of float64, and says what is known of it before a run.
 */
import { InvalidInputError } from "../core/errors.ts";
import type { Matrix } from "../core/matrix.ts";
import { encode } from "../table/index.ts";
import { quote } from "./document/json.ts";
import { featuresOf } from "./facts.ts";
import type { MatrixFacts, TableFacts } from "./facts.ts";
import { featureNames } from "./features.ts";
import type { TableValue } from "./values.ts";

/** Returns the features as float64, gaps as NaN. @throws InvalidInputError for one that has texts */
export function featureMatrix(value: TableValue, names: readonly string[] = featureNames(value)): Matrix {
  const { table } = value;
  const nominal = names.find((name) => table.column(name).kind === "nominal");
  if (nominal === undefined) return encode(table, names);
  throw new InvalidInputError("has texts, and a matrix numbers; leave it out, or give it the role ignored", {
    ...(table.origin === undefined ? {} : { file: table.origin.file }),
    column: nominal,
  });
}

/** Returns what is known of that matrix, and says what will not be read. */
export function featureFacts(table: TableFacts, say: (message: string) => void): MatrixFacts {
  const features = featuresOf(table);
  const nominal = features?.find(({ kind }) => kind === "nominal");
  if (nominal !== undefined)
    say(`column ${quote(nominal.name)} has texts, and a matrix numbers; leave it out, or set its role`);
  return { rows: table.rows, cols: features?.length, prepared: table.prepared };
}
