/**
 * Numbers lists of labels as classes, by table/classes.ts. For RapidMiner a row without a label counts as the
 * first class.
 */
import { InvalidInputError } from "../core/errors.ts";
import { NO_CLASS, numberRows, sortedClasses } from "../table/classes.ts";

/**
 * A label names a class, by a text or a number.
 * @example
 * const numbers: Label[] = [10, 9];
 * confusion(numbers, numbers).classes; // => [9, 10]
 * const texts: Label[] = ["10", "9"];
 * confusion(texts, texts).classes; // => ["10", "9"]
 */
export type Label = string | number;

/**
 * Each row has one label. null, undefined and NaN are missing labels, which only `compat: "rapidminer"`
 * accepts.
 * @example
 * const digits: Labels = Uint8Array.of(7, 3, 3); // or ["seven", "three", "three"]
 * const model = await new KNeighborsClassifier({ nNeighbors: 1 }).fit([[0], [5], [9]], digits);
 * model.classes; // => [3, 7]
 * await model.score([[0], [6]], digits.subarray(0, 2)); // => 1
 * model.dispose();
 */
export type Labels =
  | readonly (Label | null | undefined)[]
  | Float64Array
  | Float32Array
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array;

/**
 * Labels are encoded as class numbers.
 * @example
 * const model = await new KNeighborsClassifier().fit([[0], [5], [9]], ["near", "far", "far"]);
 * const { classes, codes } = model.trained.labels as EncodedLabels;
 * classes; // => ["far", "near"]
 * codes; // => [1, 0, 0]
 * model.dispose();
 */
export interface EncodedLabels {
  readonly classes: readonly Label[];
  /** Each row has the number of its class. */
  readonly codes: Uint32Array;
}

/** @throws InvalidInputError for labels that mix strings and numbers or are missing; it names the row */
export function encodeLabels(labels: Labels): EncodedLabels {
  const present = presentLabels(labels);
  for (let row = 0; row < labels.length; row++) {
    if (!isMissing(labels[row])) continue;
    throw new InvalidInputError(`label of row ${row} is ${labels[row]}; remove rows without a label`);
  }
  return numberRows(labels, sortedClasses(present), NO_CLASS);
}

/**
 * Numbers classes as RapidMiner does: a missing label becomes class 0.
 * @throws InvalidInputError for labels that mix strings and numbers, or when all are missing.
 */
export function encodeLabelsByAppearance(labels: Labels): EncodedLabels {
  const present = presentLabels(labels);
  if (present.size === 0) throw new InvalidInputError("every label is missing; give at least one");
  return numberRows(labels, [...present], 0);
}

/**
 * Returns labels by the number of a row, with those of rows that were added behind.
 * @throws InvalidInputError where the ones are strings and the others numbers
 */
export function joinLabels(labels: EncodedLabels, added: EncodedLabels): EncodedLabels {
  const all = [...labels.classes, ...added.classes];
  const kinds = new Set(all.map((each) => typeof each));
  if (kinds.size > 1)
    throw new InvalidInputError(
      `the labels to add are ${typeof added.classes[0]}s, but those of the model are ${typeof labels.classes[0]}s`,
    );
  const classes = sortedClasses(all);
  const codes = new Uint32Array(labels.codes.length + added.codes.length);
  codes.set(recoded(labels, classes));
  codes.set(recoded(added, classes), labels.codes.length);
  return { classes, codes };
}

/** Returns labels by the number of a row, whose classes are those of the rows that are left. */
export function labelsLeft(labels: EncodedLabels, left: Uint32Array): EncodedLabels {
  const present = new Set(left.map((row) => labels.codes[row]));
  const classes = labels.classes.filter((_, code) => present.has(code));
  return classes.length === labels.classes.length ? labels : { classes, codes: recoded(labels, classes) };
}

/** Returns the numbers that the same labels have among other classes. */
function recoded({ classes, codes }: EncodedLabels, among: readonly Label[]): Uint32Array {
  const { codes: now } = numberRows(classes, among, NO_CLASS);
  return codes.map((code) => now[code] ?? NO_CLASS);
}

/** Returns the labels that occur, in order of first appearance. */
function presentLabels(labels: Labels): Set<Label> {
  const present = new Set<Label>();
  let first: { readonly row: number; readonly kind: string } | undefined;
  for (let row = 0; row < labels.length; row++) {
    const label = labels[row];
    if (isMissing(label)) continue;
    const kind = typeof label;
    first ??= { row, kind };
    if (kind !== "string" && kind !== "number")
      throw new InvalidInputError(
        `label of row ${row} is ${String(label)} (${kind}); labels are strings or numbers, such as String(label)`,
      );
    if (kind !== first.kind) {
      throw new InvalidInputError(
        `label of row ${row} is ${JSON.stringify(label)} (${kind}), but row ${first.row} has a ${first.kind}; labels are ` +
          `all strings or all numbers`,
      );
    }
    present.add(label);
  }
  return present;
}

/** Tells whether a label is missing: null, undefined and NaN are no label. */
export function isMissing(label: unknown): label is null | undefined {
  return label === null || label === undefined || Number.isNaN(label);
}
