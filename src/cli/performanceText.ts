/** Writes measures of performance as lines for people. */
import type { ClassAverage } from "../node.ts";
import { count, percent, plural } from "./format.ts";
import type {
  ClassMeasures,
  ClassPerformance,
  CrossValidation,
  Fold,
  Importance,
  NumberMeasures,
  NumberPerformance,
  ReportMeasures,
} from "./performance.ts";

/** Returns no lines when no row has a label. @param rows the number of rows in the test file */
export function classificationLines(
  { label, sampleWeight, ...measures }: ClassMeasures & Pick<ClassPerformance, "label" | "sampleWeight">,
  rows: number,
): string[] {
  if (measures.accuracy === null) return [];
  return [
    accuracyLine(measures, unlabelledText(label, rows - measures.labelledRows), sampleWeight),
    ...classLines(measures, sampleWeight),
  ];
}

/** Returns no lines when no row has a label. @param rows the number of rows in the test file */
export function regressionLines(
  { label, sampleWeight, ...measures }: NumberMeasures & Pick<NumberPerformance, "label" | "sampleWeight">,
  rows: number,
): string[] {
  if (measures.labelledRows === 0) return [];
  const missing = unlabelledText(label, rows - measures.labelledRows);
  const weighted = sampleWeight === undefined ? "" : `, weighted by ${sampleWeight}`;
  return numberLines(measures, ` (of ${plural(measures.labelledRows, "row")}${weighted}${missing})`);
}

export function crossValidationLines(
  { folds, seed, group, sampleWeight, unlabelledRows, macro, micro }: CrossValidation,
  label: string,
) {
  const missing = unlabelledText(label, unlabelledRows);
  const drawn = group === undefined ? `seed ${seed}` : `grouped by ${group}`;
  const weighted = sampleWeight === undefined ? "" : `, weighted by ${sampleWeight}`;
  return [
    `cross-validation in ${folds} folds of ${plural(micro.labelledRows, "row")}, ${drawn}${weighted}${missing}`,
    ...Object.entries(macro).map(([name, fold]) => `${titles[name].padEnd(TITLE)}${spreadText(name, fold)}`),
    `over all rows`,
    ...("accuracy" in micro
      ? [accuracyLine(micro, "", sampleWeight), ...classLines(micro, sampleWeight)]
      : numberLines(micro, "")),
  ];
}

/** Writes the columns that matter most first. */
export function importanceLines({
  measure,
  baseline,
  columns,
  repeats,
  seed,
  sampleWeight,
}: Importance): string[] {
  const text = measure === "accuracy" ? percent : numberText;
  const sorted = [...columns].sort((a, b) => b.mean - a.mean);
  const cells = sorted.map(({ column, mean, deviation }) => [column, `${text(mean)} +- ${text(deviation)}`]);
  return [
    `importance: ${titles[measure] ?? measure} ${text(baseline)} falls by this much when a column is shuffled (${repeats} times, seed ${seed}${sampleWeight === undefined ? "" : `, weighted by ${sampleWeight}`})`,
    tableText([["", "falls by"], ...cells]),
  ];
}

const TITLE = 10;

const titles: Readonly<Record<string, string>> = {
  accuracy: "accuracy",
  kappa: "kappa",
  rmse: "RMSE",
  mae: "MAE",
  correlation: "r",
  r2: "R2",
};

function accuracyLine(
  { accuracy, labelledRows }: ClassMeasures,
  unlabelled: string,
  sampleWeight?: string,
): string {
  const right = Math.round((accuracy ?? 0) * labelledRows);
  const of =
    sampleWeight === undefined ? `${count(right)} of ${count(labelledRows)}` : `weighted by ${sampleWeight}`;
  return `accuracy  ${percent(accuracy ?? NaN)} (${of}${unlabelled})`;
}

/** A terminal shows a matrix of at most so many classes. */
const MATRIX_CLASSES = 40;

function classLines({ kappa, confusion, report }: ClassMeasures, sampleWeight?: string): string[] {
  if (!confusion) return [];
  const { classes, counts, precision, recall } = confusion;
  const lines = [
    `kappa     ${measureText("kappa", kappa)}`,
    ...(report === undefined ? [] : averageLines(report)),
  ];
  if (counts === null || classes.length > MATRIX_CLASSES)
    return [...lines, `confusion matrix, precision and recall of ${classes.length} classes: see --json`];
  const share = (value: number | null) => (value === null ? "-" : percent(value));
  return [
    ...lines,
    "confusion matrix (rows: true, columns: predicted)",
    confusionText(classes, counts),
    report === undefined
      ? tableText([
          ["", "precision", "recall"],
          ...classes.map((name, c) => [name, share(precision[c]), share(recall[c])]),
        ])
      : reportText(report, sampleWeight === undefined ? "rows" : "weight"),
  ];
}

function averageLines({ balancedAccuracy, auc, logLoss }: ReportMeasures): string[] {
  return [
    `balanced  ${percent(balancedAccuracy ?? NaN)}`,
    ...(auc === null ? [] : [`AUC       ${numberText(auc)}`]),
    ...(logLoss === null ? [] : [`log loss  ${numberText(logLoss)}`]),
  ];
}

/** @param counted what the last column counts */
function reportText({ classes, macro, weighted }: ReportMeasures, counted: string): string {
  const cells = ({ precision, recall, f1 }: ClassAverage) => [precision, recall, f1].map(percent);
  return tableText([
    ["", "precision", "recall", "F1", counted],
    ...classes.map((each) => [each.class, ...cells(each), count(each.support)]),
    ["macro average", ...cells(macro), ""],
    ["weighted average", ...cells(weighted), ""],
  ]);
}

function numberLines({ rmse, mae, correlation, r2 }: NumberMeasures, note: string): string[] {
  const values = { rmse, mae, correlation, r2 };
  return Object.entries(values).map(
    ([name, value], at) => `${titles[name].padEnd(TITLE)}${measureText(name, value)}${at === 0 ? note : ""}`,
  );
}

function spreadText(name: string, { mean, deviation }: Fold): string {
  if (mean === null) return `${measureText(name, mean)} in a fold`;
  const text = (value: number | null) =>
    name === "accuracy" && value !== null ? percent(value) : numberText(value);
  return `${text(mean)} +- ${text(deviation)}`;
}

/** Measures would divide by 0 of such labels and predictions. */
const without: Readonly<Record<string, string>> = {
  kappa: "only one class",
  correlation: "labels or predictions are all one number",
  r2: "labels are all one number",
};

function measureText(name: string, value: number | null): string {
  return value === null ? `undefined: ${without[name] ?? "no label"}` : numberText(value);
}

/** Writes the matrix of confusion: rows are the true classes, columns the predicted ones. */
export function confusionText(classes: readonly string[], counts: readonly (readonly number[])[]): string {
  return tableText([["", ...classes], ...counts.map((row, at) => [classes[at], ...row.map(count)])]);
}

export function tableText(cells: readonly (readonly string[])[]): string {
  const widths = cells[0].map((_, column) =>
    cells.reduce((most, row) => Math.max(most, row[column].length), 0),
  );
  return cells
    .map((row) => `  ${row.map((cell, at) => cell.padStart(widths[at])).join("  ")}`.trimEnd())
    .join("\n");
}

function unlabelledText(label: string, rows: number): string {
  return rows === 0 ? "" : `; ${plural(rows, "row")} ${rows === 1 ? "has" : "have"} no ${label}`;
}

export function numberText(value: number | null): string {
  return value === null ? "-" : String(Number(value.toPrecision(5)));
}
