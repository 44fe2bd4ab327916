/** Makes the table of --cv-out: what the folds of a cross-validation predict for each training row. */
import { tableFormatOf, writeTable } from "../../io/index.ts";
import { NO_FOLD } from "../../models/validation/index.ts";
import type { ClassificationValidation, RegressionValidation } from "../../node.ts";
import { Table } from "../../table/index.ts";
import { classText } from "../inputs/labelColumn.ts";
import type { ClassTexts } from "../inputs/labelColumn.ts";
import type { Confidences } from "../options/confidence.ts";
import type { ModelOptions } from "../options/model.ts";
import { csvOutput } from "../options/shared.ts";
import { confidenceNames, resultHeader, topsOf } from "./predictions.ts";

/**
 * @param confidences the names of their columns
 * @throws InvalidInputError where --label or --id names a column that the file of --cv-out adds
 */
export function checkTested(train: Table, { id, label }: ModelOptions, confidences: readonly string[]): void {
  const [own, row] = id === undefined ? [[label], ["row"]] : [[id, label], []];
  resultHeader(train.select(own), [...row, "fold", `prediction(${label})`, ...confidences], "--cv-out");
}

/**
 * Returns the pieces of the file: a row for each training row, with its id (or its number, from 0), the fold
 * that it was tested in, from 0, its label, prediction and confidences. Rows without a label have no fold.
 * @param wanted the confidences to write, which the validation has
 */
export function testedPieces(
  found: ClassificationValidation | RegressionValidation,
  train: Table,
  options: ModelOptions & { readonly cvOut: string },
  { wanted, texts }: { readonly wanted: Confidences; readonly texts: ClassTexts },
) {
  const { id, label, cvOut: out } = options;
  const { foldOf, predictions } = found;
  const rows = Table.fromColumns({
    row: Array.from(foldOf.keys()),
    fold: Array.from(foldOf, (fold) => (fold === NO_FOLD ? null : fold)),
  });
  const added = { [`prediction(${label})`]: predictions, ...confidencesOf(found, wanted, texts) };
  const table = new Table([
    id === undefined ? rows.column("row") : train.column(id),
    rows.column("fold"),
    train.column(label),
    ...Table.fromColumns(added).columns,
  ]);
  const format = tableFormatOf(out, "--cv-out");
  return writeTable(format.name, table, csvOutput({ ...options, out }));
}

function confidencesOf(
  found: ClassificationValidation | RegressionValidation,
  wanted: Confidences,
  texts: ClassTexts,
): Record<string, Float64Array> {
  if (found.kind === "regression" || wanted === "none") return {};
  const { classes, probabilities = new Float64Array() } = found;
  if (classes === undefined) return { confidence: probabilities };
  if (wanted === "top") return { confidence: topsOf(probabilities, classes.length) };
  const shares = (code: number) =>
    Float64Array.from(found.predictions, (_, row) => probabilities[row * classes.length + code]);
  const names = confidenceNames(
    wanted,
    classes.map((value) => classText(value, texts)),
  );
  return Object.fromEntries(names.map((name, code) => [name, shares(code)]));
}
