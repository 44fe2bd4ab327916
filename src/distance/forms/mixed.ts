/**
 * These are the float32 forms that few searches need: those of rareForms.ts, and of rows with codes or gaps
 * with how such rows reach a device: the order of their columns, what stands for what is missing, the
 * parameters of `knn.mixedFilter`. It is pure. The file is loaded only where it is needed, so that pages
 * which search numbers by the usual measures do without it; their forms are forms.ts.
 */
import { resolveKernel } from "../measures/kernels.ts";
import type { Fitted, MetricName, MetricOptions } from "../metric.ts";
import { orderColumns } from "../rows/mixed.ts";
import { FALSE, GAP, MOST_QUOTIENT_COLUMNS, NOTHING_COMMON, RESCALED_COLUMNS } from "../contract/mixed.ts";
import { rescaledBound } from "../bound/rescaled.ts";
import type { RowForm } from "../rows/forms.ts";
import type { PairProblem } from "../problem.ts";
import { defaults, type Form, type Mixed, type MixedForm, type Quotient } from "./form.ts";
import { rareFormOf } from "./rareForms.ts";
import type { MixedRows } from "../rows/preparation.ts";
import { SMALLEST_NORMAL } from "../float32.ts";
import { hasNominal } from "../../core/matrix.ts";

export { MixedColumns, mixedRangeOf } from "../rows/mixed.ts";

/**
 * Returns a form, or why there is none.
 * @param form of the metric for few numbers without gaps, from forms.ts
 */
export function mixedFormOf(
  form: Form | string,
  metric: MetricName,
  options: MetricOptions,
  fitted: Fitted,
  cols: number,
): Form | string {
  const { kinds, gaps = false } = fitted;
  const counted = countForm(metric, options, fitted, cols);
  if (counted !== undefined) return counted;
  const ofNumbers = rareFormOf(metric, resolveKernel(options.kernel), fitted, cols) ?? form;
  if (typeof ofNumbers === "string" || (!gaps && !hasNominal(kinds))) return ofNumbers;
  return leavingOut(ofNumbers, metric, options, fitted, cols);
}

/** Makes a form of differences, where codes are compared and gaps left out column by column. */
function leavingOut(
  form: Form,
  metric: MetricName,
  { missing, columnWeights: weights }: MetricOptions,
  { kinds, gaps = false }: Fitted,
  cols: number,
): Form | string {
  if (!form.movable || !form.isRank)
    return `values are missing, and the float32 filter of ${metric} needs whole rows`;
  const rescale = gaps && (missing === "rescale" || metric === "nan_euclidean");
  if (rescale && (weights || cols > RESCALED_COLUMNS))
    return weights
      ? "values are missing, and each sum is scaled by the weight of its columns"
      : `values are missing, and each sum is scaled by how many of more than ${RESCALED_COLUMNS} columns are not`;
  const isCode = (column: number) => kinds !== undefined && kinds[column] !== "numeric";
  const unit = sharedWeight(isCode, cols, weights);
  if (typeof unit === "string") return unit;
  if (!rescale && kinds?.every((kind) => kind !== "numeric")) return counting(gaps, false, unit);
  if (form.core === "lp") return "values are missing, which powers other than squares do not leave out yet";
  const compared = hasNominal(kinds) ? "codes are compared for equality" : "";
  const left = gaps ? "what is missing in either row is left out" : "";
  const scaled = rescale ? ", and sums are scaled by how many columns both rows have" : "";
  const why = [compared, left].filter(Boolean).join(" and ") + ", column by column" + scaled;
  const mixed = { isCode, unit, gaps, negativeDiffers: false, counts: false, rescale };
  if (!rescale) return { ...form, why, mixed };
  return {
    ...form,
    why,
    mixed,
    base: "own",
    train: presentRows,
    queries: presentRows,
    own: {
      bound: (sum, { train, queries }) =>
        rescaledBound(sum, cols, (train.fewest ?? cols) + (queries.fewest ?? cols) - cols),
    },
  };
}

/** Rows stay as they are; their base has a bit for each column that is there. */
const presentRows: RowForm = {
  kind: "own",
  name: "present",
  shape: (row) => ({
    verdict: "normal",
    base: row.reduce((bits, value, j) => (Number.isNaN(value) ? bits : bits + 2 ** j), 0),
    size: 0,
  }),
};

/** Returns the weight that all codes share, or why a filter cannot count by it. */
function sharedWeight(
  isCode: (column: number) => boolean,
  cols: number,
  weights: ArrayLike<number> | undefined,
): number | string {
  let unit: number | undefined;
  for (let column = 0; weights && column < cols; column++) {
    if (!isCode(column)) continue;
    if (unit !== undefined && unit !== weights[column])
      return "columns that are compared have different weights";
    unit = weights[column];
  }
  if (unit !== undefined && !(unit * cols < MOST_WEIGHT))
    return "weights are so large that a distance may overflow float64";
  return unit ?? 1;
}

/** Sums of weights, and of as much again, are finite below this weight. */
const MOST_WEIGHT = 2 ** 1020;

/**
 * These measures of RapidMiner for nominal values rise with a count: how many values are unequal or, for
 * some, how many are not the same true value.
 */
const notEqual: readonly MetricName[] = [
  "rapidminer:NominalDistance",
  "rapidminer:RogersTanimotoSimilarity",
  "rapidminer:SimpleMatchingSimilarity",
];
const notTrue: readonly MetricName[] = ["rapidminer:RussellRaoSimilarity"];
/** Others rise with this quotient of how many are unequal, and how many are the same true value. */
const ofNominal: Quotient = { neitherIsNear: false, truths: false };
const quotients: ReadonlyMap<MetricName, Quotient> = new Map([
  ["rapidminer:DiceSimilarity", ofNominal],
  ["rapidminer:JaccardSimilarity", ofNominal],
  ["rapidminer:KulczynskiSimilarity", ofNominal],
  ["jaccard", { neitherIsNear: true, truths: true }],
  ["dice", { neitherIsNear: false, truths: true }],
]);

/**
 * Returns the form of a measure that counts, a reason why there is none, or undefined where the measure does
 * not count.
 */
function countForm(
  metric: MetricName,
  { columnWeights: weights }: MetricOptions,
  { kinds, gaps = false }: Fitted,
  cols: number,
): Form | string | undefined {
  const quotient = quotients.get(metric);
  if (quotient && (quotient.truths || hasNominal(kinds))) {
    // Without values that may be false all other columns are equal: the unequal ones alone decide.
    if (quotient.truths || kinds?.includes("binominal"))
      return counting(gaps && quotient.truths, false, 1, quotient);
    return counting(false, false, 1);
  }
  if (metric !== "hamming" && !notEqual.includes(metric) && !notTrue.includes(metric)) return undefined;
  const leftOut = metric === "hamming" || metric === "rapidminer:NominalDistance";
  return counting(
    gaps && leftOut,
    notTrue.includes(metric),
    sharedWeight(() => true, cols, weights),
  );
}

/** Makes a form that counts. @param unit what each column adds, or why that is not one number */
function counting(
  gaps: boolean,
  negativeDiffers: boolean,
  unit: number | string,
  quotient?: Quotient,
): Form | string {
  if (typeof unit === "string") return unit;
  if (unit === 0) return "its weights leave nothing to count";
  return {
    ...defaults,
    form: "direct",
    core: "l2",
    dot: "squared",
    base: "zero",
    weight: -2,
    train: { kind: "plain" },
    queries: { kind: "plain" },
    mixed: { isCode: () => true, unit: 1, gaps, negativeDiffers, counts: true, quotient },
    why: quotient
      ? "this measure rises with the quotient of two counts, columns that differ and columns that are true in both rows, which float32 holds exactly in one sum"
      : "this measure follows from the number of columns that differ, which float32 counts exactly",
  };
}

/** There are at most this many codes: they are whole numbers that float32 tells apart. */
const MOST_CODES = 2 ** 24;

/**
 * A mark is far below what differences are scaled to. Squares of a mark of counts add up to less than one
 * over 1023 columns.
 */
const MARK = 2 ** -40;
const COUNT_MARK = 2 ** -5;

/**
 * Returns how rows with codes or gaps are compared.
 * @param scale rows are multiplied by 2^scale
 * @returns or why there is no filter
 */
export function mixedOf(problem: PairProblem, form: Form, mixed: MixedForm, scale: number): Mixed | string {
  const { cols, train, queries, fitted } = problem;
  const { isCode, gaps, negativeDiffers, counts, quotient } = mixed;
  const codes = Math.max(train.largestCode ?? 0, queries.largestCode ?? 0);
  if (codes >= MOST_CODES) return "a nominal column has more values than float32 tells apart";
  if (quotient && cols > MOST_QUOTIENT_COLUMNS)
    return `float32 holds two counts in one sum up to ${MOST_QUOTIENT_COLUMNS} columns, and there are ${cols}`;
  if (counts && !quotient?.truths && !areCodes(problem))
    return "numbers are compared for equality that float32 may not tell apart";
  const order = orderColumns(cols, isCode);
  const numbers = order.columns.subarray(order.codes).filter((column) => column >= 0).length;
  const mayShareNothing = gaps && !mixed.rescale && (train.fewest ?? cols) + (queries.fewest ?? cols) <= cols;
  // A quotient of nothing is NaN as well, but for one that is 0.
  const mark = !mayShareNothing || quotient ? 0 : counts ? COUNT_MARK : MARK;
  if ((mayShareNothing && quotient?.neitherIsNear) || (counts && cols * mark * mark >= 1))
    return "rows have so many gaps that some share no column";
  const unit = unitOf(mixed, form.p, scale);
  const rows = (sign: number, missingCode: number): MixedRows => ({
    ...order,
    gap: gaps ? sign * GAP : undefined,
    missingCode,
    negative: quotient ? FALSE : negativeDiffers ? missingCode - 2 : undefined,
    padding: quotient ? FALSE : 0,
    truths: quotient?.truths ?? false,
    kinds: fitted.kinds,
  });
  return {
    params: {
      ...{ codes: order.codes, unit, gaps, mark, counts },
      columns: mixed.rescale ? cols : 0,
      quotient: quotient && { neither: quotient.neitherIsNear ? 0 : NOTHING_COMMON },
    },
    dims: order.codes + numbers,
    terms: mark > 0 ? 2 * cols : Number.isInteger(Math.log2(mixed.unit)) ? numbers : cols,
    astray:
      cols * ((form.core === "l2" ? mark * mark : mark) + (unit < SMALLEST_NORMAL ? SMALLEST_NORMAL : 0)),
    train: rows(-1, -1),
    queries: rows(1, -2),
  };
}

/**
 * No code is smaller: float32 numbers of this size or 0 are equal or differ by 2^-125, which no device takes
 * for 0.
 */
const LEAST_CODE = 2 ** -102;

function areCodes({ train, queries }: PairProblem): boolean {
  return [train, queries].every(
    ({ exact, largest, smallest = 0 }) =>
      largest === 0 || (exact && largest < MOST_CODES && smallest >= LEAST_CODE),
  );
}

/** Returns the float32 that an unequal code adds; making it one is one more rounding of each term. */
function unitOf({ unit }: MixedForm, p: number, scale: number): number {
  return Math.fround(unit * 2 ** (scale * (p === Infinity ? 1 : p)));
}
