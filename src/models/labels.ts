/** Class labels <-> class numbers: classes are numbered in sorted order, numbers ascending, strings by code point. */
import { InvalidInputError } from "../core/errors.ts";
import { compareCodePoints } from "../table/labels.ts";

/** The name of a class. */
export type Label = string | number;

/** One label per row. */
export type Labels =
  readonly Label[] | Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array;

export interface EncodedLabels {
  readonly classes: readonly Label[];
  /** Class number of each row. */
  readonly codes: Uint32Array;
}

/** @throws InvalidInputError for labels that mix strings and numbers or are NaN; the row is named. */
export function encodeLabels(labels: Labels): EncodedLabels {
  const seen = new Set<Label>();
  const kind = typeof labels[0];
  for (let row = 0; row < labels.length; row++) {
    const label = labels[row];
    if (typeof label !== kind || (kind !== "string" && kind !== "number")) {
      throw new InvalidInputError(
        `label of row ${row} is ${JSON.stringify(label)} (${typeof label}), but row 0 has a ${kind}; labels are all ` +
          `strings or all numbers`,
      );
    }
    if (Number.isNaN(label))
      throw new InvalidInputError(`label of row ${row} is NaN; remove rows without a label`);
    seen.add(label);
  }
  const classes = [...seen].sort(compareLabels);
  const codeOf = new Map(classes.map((label, code) => [label, code]));
  return {
    classes,
    codes: Uint32Array.from(labels as ArrayLike<Label>, (label) => codeOf.get(label)!),
  };
}

export function compareLabels(a: Label, b: Label): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return compareCodePoints(String(a), String(b));
}
