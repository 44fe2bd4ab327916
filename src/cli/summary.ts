/** What a run was and how it went: as data for --json, and the same data as text for people. */
import type { Explanation } from "../node.ts";
import { DASH } from "./files.ts";
import { nameOf } from "./inputs.ts";
import type { Inputs } from "./inputs.ts";
import type { Score } from "./labels.ts";
import type { CommonOptions } from "./options.ts";

export const phases = ["read", "fit", "search", "write"] as const;

export type Seconds = Readonly<Record<(typeof phases)[number] | "total", number>>;

export interface Summary {
  readonly command: "classify" | "search";
  readonly backend: "gpu" | "cpu";
  readonly device: string;
  readonly k: number;
  readonly metric: string;
  /** Only for minkowski. */
  readonly p?: number;
  readonly precision: "float64" | "float32";
  readonly train: { readonly file: string; readonly rows: number };
  readonly queries: { readonly file: string; readonly rows: number };
  readonly features: readonly string[];
  /** "-" is standard output. */
  readonly output: string;
  readonly seconds: Seconds;
  readonly queriesPerSecond: number;
  readonly explanation: Explanation;
  readonly classification?: Classification;
}

export interface Classification {
  readonly label: string;
  readonly weights: string;
  /** In class order, as texts. */
  readonly classes: readonly string[];
  /** Test rows that have a label. */
  readonly labelledRows: number;
  readonly accuracy: number | null;
  readonly confusion: {
    readonly classes: readonly string[];
    readonly counts: readonly (readonly number[])[];
  } | null;
}

/** More classes than this make a matrix that no terminal holds. */
const MATRIX_CLASSES = 40;

export function summaryOf(
  command: Summary["command"],
  options: CommonOptions,
  { train, queries, features }: Inputs,
  explanation: Explanation,
  seconds: Seconds,
  classification?: Classification,
): Summary {
  const { k, metric, p = 2, out, float32 } = options;
  return {
    command,
    backend: explanation.backend,
    device: explanation.device,
    k,
    metric,
    ...(metric === "minkowski" ? { p } : {}),
    precision: float32 ? "float32" : "float64",
    train: { file: nameOf(train), rows: train.rows },
    queries: { file: nameOf(queries), rows: queries.rows },
    features,
    output: out,
    seconds,
    queriesPerSecond: queries.rows / seconds.search,
    explanation,
    ...(classification ? { classification } : {}),
  };
}

export function classificationOf(
  label: string,
  weights: string,
  classes: readonly string[],
  score: Score | undefined,
): Classification {
  return {
    label,
    weights,
    classes,
    labelledRows: score?.labelledRows ?? 0,
    accuracy: score?.accuracy ?? null,
    confusion: score ? { classes: score.classes, counts: score.counts } : null,
  };
}

/** Some lines, each fact on its own. */
export function summaryText(summary: Summary): string {
  const { queries, train, features, k, metric, p, output, classification } = summary;
  const verb = summary.command === "classify" ? "classified" : "searched";
  const metricText = p === undefined ? metric : `${metric} with p = ${p}`;
  const facts = [
    `${verb} ${count(queries.rows)} rows against ${count(train.rows)}`,
    plural(features.length, "feature"),
    ...(classification ? [plural(classification.classes.length, "class", "classes")] : []),
    `k = ${k}`,
    metricText,
  ];
  const lines = [
    facts.join(", "),
    `device    ${summary.device} (${summary.backend})`,
    `time      ${timesText(summary.seconds)}; ${rateText(summary.queriesPerSecond)}`,
    ...(classification ? scoreLines(classification, queries.rows) : []),
    ...(output === DASH ? [] : [`written   ${output}`]),
  ];
  return lines.join("\n");
}

/** Rows are the true classes, columns the predicted ones. */
export function confusionText(classes: readonly string[], counts: readonly (readonly number[])[]): string {
  const cells = [["", ...classes], ...counts.map((row, at) => [classes[at], ...row.map(count)])];
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  return cells.map((row) => `  ${row.map((cell, at) => cell.padStart(widths[at])).join("  ")}`).join("\n");
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}

export function rateText(queriesPerSecond: number): string {
  return `${count(Math.round(queriesPerSecond))} queries/s`;
}

function scoreLines({ label, labelledRows, accuracy, confusion }: Classification, rows: number): string[] {
  if (accuracy === null || !confusion) return [];
  const right = Math.round(accuracy * labelledRows);
  const unlabelled = labelledRows === rows ? "" : `; ${count(rows - labelledRows)} rows have no ${label}`;
  const { classes, counts } = confusion;
  const matrix =
    classes.length <= MATRIX_CLASSES
      ? ["confusion matrix (rows: true, columns: predicted)", confusionText(classes, counts)]
      : [`confusion matrix of ${classes.length} classes: see --json`];
  return [
    `accuracy  ${percent(accuracy)} (${count(right)} of ${count(labelledRows)}${unlabelled})`,
    ...matrix,
  ];
}

function timesText(seconds: Seconds): string {
  const parts = phases.map((phase) => `${phase} ${seconds[phase].toFixed(2)}`);
  return `${seconds.total.toFixed(2)} s (${parts.join(", ")})`;
}

function plural(amount: number, one: string, many = `${one}s`): string {
  return `${count(amount)} ${amount === 1 ? one : many}`;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
