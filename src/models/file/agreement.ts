/**
 * Checks that the members of a model file's header agree with each other: names exist, lengths are the same,
 * arrays lie in the file and share no bytes. header.ts checks each member on its own.
 */
import { plural } from "../../core/plural.ts";
import { Misfit } from "./check.ts";
import { ALIGNMENT, kinds } from "./container.ts";
import type { ArrayPlace } from "./container.ts";
import type { ModelHeader, PreparationHeader, SavedColumn, SavedMatrix } from "./header.ts";

/**
 * @param bodyBytes the number of bytes that there are for the arrays
 * @throws Misfit for a member that contradicts another
 */
export function checkAgreement(header: ModelHeader | PreparationHeader, bodyBytes: number): void {
  if (header.model === "preparation") return checkSteps(header.preparation, new Map());
  if ("columns" in header.train) checkTable(header, header.train.columns);
  else checkMatrix(header, header.train);
  checkKind(header);
  checkPlaces(header, bodyBytes);
}

function checkTable(
  { labels, options, preparation: steps }: ModelHeader,
  columns: readonly SavedColumn[],
): void {
  if (columns.length === 0) throw new Misfit("is empty; expected a column at least", "train", "columns");
  const kindOf = new Map<string, "nominal" | "numeric">();
  columns.forEach((each, at) => {
    const path = ["train", "columns", at];
    if (kindOf.has(each.name)) throw new Misfit("names another column, too; rename one", ...path, "name");
    kindOf.set(each.name, "dictionary" in each ? "nominal" : "numeric");
    if (each.cells.length !== columns[0].cells.length)
      throw new Misfit(
        `is ${each.cells.length}; expected ${columns[0].cells.length}, as of the first column`,
        ...[...path, "cells", "length"],
      );
  });
  if (typeof labels === "string") {
    if (!kindOf.has(labels)) throw new Misfit("names no column of train", "labels");
  } else checkRows(labels, columns[0].cells.length);
  if (options.features === undefined)
    throw new Misfit("is missing; expected the names of columns of train", "options", "features");
  const odd = options.features.findIndex((name) => !kindOf.has(name) || name === labels);
  if (odd >= 0) throw new Misfit("names no column of train, or the label", "options", "features", odd);
  checkSteps(steps, kindOf);
}

function checkSteps(
  steps: ModelHeader["preparation"],
  kindOf: ReadonlyMap<string, "nominal" | "numeric">,
): void {
  steps.forEach(({ columns }, step) => {
    const names = new Set<string>();
    columns.forEach(([name, learnt]: readonly [string, unknown], at) => {
      const path = ["preparation", step, "columns", at];
      if (names.has(name)) throw new Misfit("names a column that the step has already", ...path, 0);
      names.add(name);
      const kind = typeof learnt === "string" ? "nominal" : "numeric";
      const known = kindOf.get(name) ?? kind;
      if (known !== kind)
        throw new Misfit(`is for a ${kind} column, but train has a ${known} one`, ...path, 1);
    });
  });
}

function checkMatrix(
  { labels, preparation: steps }: ModelHeader,
  { rows, cols, data, kinds: given }: SavedMatrix,
): void {
  if (data.length !== rows * cols)
    throw new Misfit(
      `is ${data.length}; expected ${plural(rows, "row")} x ${plural(cols, "column")}`,
      "train",
      "data",
      "length",
    );
  if (given !== undefined && given.length !== cols)
    throw new Misfit(
      `has ${plural(given.length, "member")}; expected one for each of ${plural(cols, "column")}`,
      "train",
      "kinds",
    );
  if (steps.length > 0)
    throw new Misfit("has steps, which need the names of columns, but train is a matrix", "preparation");
  if (typeof labels === "string") throw new Misfit("names a column, but train is a matrix", "labels");
  checkRows(labels, rows);
}

type RowLabels = Exclude<ModelHeader["labels"], string>;

function checkRows(labels: RowLabels, rows: number): void {
  const [{ length }, path] = "codes" in labels ? [labels.codes, ["codes"]] : [labels, []];
  if (length !== rows)
    throw new Misfit(
      `is ${length}; expected one for each of ${plural(rows, "row")}`,
      "labels",
      ...path,
      "length",
    );
}

/**
 * Checks that a classifier has classes and a regressor numbers. Where the labels are a column, the estimator
 * checks it itself.
 */
function checkKind({ model, labels }: ModelHeader): void {
  if (typeof labels === "string") return;
  const isClassifier = model === "classifier";
  if (isClassifier && !("classes" in labels))
    throw new Misfit("are numbers of rows; expected classes and codes for a classifier", "labels");
  if (!isClassifier && "classes" in labels)
    throw new Misfit("have classes; expected an array of float64 for a regressor", "labels");
  if (!("classes" in labels)) return;
  const { classes } = labels;
  const other = classes.findIndex((each) => typeof each !== typeof classes[0]);
  if (other >= 0)
    throw new Misfit(
      "is of another type than the first class; expected all texts or all numbers",
      "labels",
      "classes",
      other,
    );
  if (new Set(classes).size < classes.length) throw new Misfit("has a class twice", "labels", "classes");
}

interface NamedPlace {
  readonly path: readonly (string | number)[];
  readonly place: ArrayPlace;
}

/**
 * Checks that no two arrays share bytes, since a small file could otherwise claim as much memory as it names
 * arrays.
 */
function checkPlaces(header: ModelHeader, bodyBytes: number): void {
  const places = placesOf(header);
  for (const { path, place } of places) {
    if (place.begin % ALIGNMENT !== 0)
      throw new Misfit(`is ${place.begin}; expected a multiple of ${ALIGNMENT}`, ...path, "begin");
    if (endOf(place) > bodyBytes)
      throw new Misfit(`ends beyond the file, at byte ${endOf(place)} of ${bodyBytes}`, ...path);
  }
  const filled = places.filter(({ place }) => place.length > 0);
  filled.sort((a, b) => a.place.begin - b.place.begin);
  for (let at = 1; at < filled.length; at++)
    if (filled[at].place.begin < endOf(filled[at - 1].place))
      throw new Misfit("takes bytes that are another array's, too", ...filled[at].path);
}

function placesOf({ train, labels }: ModelHeader): NamedPlace[] {
  const places: NamedPlace[] =
    "columns" in train
      ? train.columns.map(({ cells }, at) => ({ path: ["train", "columns", at, "cells"], place: cells }))
      : [{ path: ["train", "data"], place: train.data }];
  if (typeof labels === "string") return places;
  if ("codes" in labels) places.push({ path: ["labels", "codes"], place: labels.codes });
  else places.push({ path: ["labels"], place: labels });
  return places;
}

function endOf({ kind, begin, length }: ArrayPlace): number {
  return begin + length * kinds[kind].BYTES_PER_ELEMENT;
}
