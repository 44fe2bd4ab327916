/**
 * The label column of the command `classify`: classes as texts for people and files, and predictions against the
 * truth where the test file has it.
 */
import { confusion } from "../node.ts";
import type { Label } from "../node.ts";
import { cellOf, classCodes, isMissing, labelsOf } from "../table/index.ts";
import type { Table } from "../table/index.ts";
import { textOf } from "./inputs.ts";

export interface LabelClasses {
  /** In class order; numbers where the column is numeric. */
  readonly classes: readonly Label[];
  /** Class number of each training row. */
  readonly codes: Uint32Array;
  /** The classes as the training file writes them: of 1 and 1.0 the one that comes first. */
  readonly texts: readonly string[];
}

/** How predictions compare with the labels of the test file, as far as it has them. */
export interface Score {
  readonly labelledRows: number;
  readonly accuracy: number;
  /** Classes of either side, as texts. */
  readonly classes: readonly string[];
  /** [true class][predicted class] */
  readonly counts: readonly (readonly number[])[];
}

/** @throws InvalidInputError when a label is missing. */
export function labelClasses(train: Table, label: string): LabelClasses {
  const { classes, codes } = labelsOf(train.column(label), train.origin);
  const at = train.origin?.header.indexOf(label) ?? -1;
  const texts = new Array<string | undefined>(classes.length);
  codes.forEach((code, row) => (texts[code] ??= textOf(train, row)[at].trim()));
  return {
    classes,
    codes,
    texts: texts.map((text, code) => (typeof classes[code] === "string" ? classes[code] : text!)),
  };
}

/**
 * The label of every test row, null where it is missing; undefined when the file has no such column.
 * @throws InvalidInputError when it holds text and the training file's holds numbers.
 */
export function trueLabels(
  test: Table,
  label: string,
  classes: readonly Label[],
): (Label | null)[] | undefined {
  if (!test.has(label)) return undefined;
  const column = test.column(label);
  const rows = Array.from({ length: test.rows }, (_, row) => row);
  if (column.kind === "numeric" && typeof classes[0] === "string") {
    const at = test.origin?.header.indexOf(label) ?? -1;
    return rows.map((row) => (isMissing(column, row) ? null : textOf(test, row)[at]));
  }
  // For its check of the two columns' kinds.
  classCodes(column, classes as readonly string[] | readonly number[], test.origin);
  return rows.map((row) => cellOf(column, row));
}

/** Undefined when no row has a label. */
export function scoreOf(
  truth: readonly (Label | null)[],
  predicted: Uint32Array | readonly number[],
  { classes, texts }: LabelClasses,
): Score | undefined {
  const labelled = truth.flatMap((label, row) => (label === null ? [] : [row]));
  if (labelled.length === 0) return undefined;
  const result = confusion(
    labelled.map((row) => truth[row]!),
    labelled.map((row) => classes[predicted[row]]),
  );
  const textOfClass = new Map(classes.map((value, code) => [value, texts[code]]));
  const size = result.classes.length;
  return {
    labelledRows: labelled.length,
    accuracy: result.accuracy,
    classes: result.classes.map((value) => textOfClass.get(value) ?? String(value)),
    counts: result.classes.map((_, row) => Array.from(result.counts.subarray(row * size, (row + 1) * size))),
  };
}
