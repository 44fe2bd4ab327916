/**
 * Reads the label column for the commands that predict: classes as texts for people and files, and the true
 * labels where a test file has them.
 */
import type { Label } from "../../node.ts";
import { cellOf, checkLabelKind, isMissing } from "../../table/index.ts";
import type { Table } from "../../table/index.ts";
import { cellsOfRows } from "./tables.ts";

/** Each numeric class has this text: where the training file writes 1 and 1.0, the one that comes first. */
export type ClassTexts = ReadonlyMap<Label, string>;

/** Returns the texts of numeric labels; nominal labels need none. */
export function classTexts(train: Table, label: string): ClassTexts {
  const column = train.column(label);
  const cells = cellsOfRows(train.select([label]));
  const texts = new Map<Label, string>();
  for (let row = 0; column.kind === "numeric" && row < train.rows; row++) {
    const value = cellOf(column, row);
    if (value !== null && !texts.has(value)) texts.set(value, String(cells(row)[0]).trim());
  }
  return texts;
}

export function classText(value: Label, texts: ClassTexts): string {
  return texts.get(value) ?? String(value);
}

/** Returns the texts of numeric classes as a model keeps them, so that `predict` writes classes alike. */
export function notesOf(texts: ClassTexts): object {
  return texts.size === 0 ? {} : { classTexts: [...texts] };
}

/** Reads back the texts that `notesOf` kept; models that another program saved have none. */
export function textsOf(notes: Readonly<Record<string, unknown>>): ClassTexts {
  const kept: unknown = notes.classTexts;
  const isPair = (pair: unknown): pair is [number, string] =>
    Array.isArray(pair) && typeof pair[0] === "number" && typeof pair[1] === "string";
  return new Map(Array.isArray(kept) ? kept.filter(isPair) : []);
}

/**
 * Returns the class of every test row, null where it is missing; undefined when the file has no such column.
 * @throws InvalidInputError when it holds text and the training file's holds numbers.
 */
export function trueClasses(
  test: Table,
  label: string,
  classes: readonly Label[],
): (Label | null)[] | undefined {
  if (!test.has(label)) return undefined;
  const column = test.column(label);
  const rows = Array.from({ length: test.rows }, (_, row) => row);
  if (column.kind === "numeric" && typeof classes[0] === "string") {
    const cells = cellsOfRows(test.select([label]));
    return rows.map((row) => (isMissing(column, row) ? null : String(cells(row)[0])));
  }
  checkLabelKind(column, classes, test.origin);
  return rows.map((row) => cellOf(column, row));
}

/**
 * Returns the number of every test row, NaN where it is missing; undefined when the file has no such column.
 * @throws InvalidInputError when it holds text.
 */
export function trueNumbers(test: Table, label: string): Float64Array | undefined {
  if (!test.has(label)) return undefined;
  const column = test.column(label);
  checkLabelKind(column, [0], test.origin);
  return Float64Array.from({ length: test.rows }, (_, row) => Number(cellOf(column, row) ?? NaN));
}
