/** Sums up a run: what was done and how it went, as data for --json, and the same data as text for people. */
import type { BackendInfo, Explanation, KernelOptions } from "../node.ts";
import { DASH } from "./files.ts";
import { count, plural } from "./format.ts";
import type { FileHint } from "./inputs/tables.ts";
import type { MeasureFacts } from "./measure.ts";
import {
  classificationLines,
  crossValidationLines,
  importanceLines,
  regressionLines,
} from "./performanceText.ts";
import type { ClassPerformance, CrossValidation, Importance, NumberPerformance } from "./performance.ts";

/** Each phase that the run had took so many seconds. */
export type Seconds = Readonly<Partial<Record<string, number>> & { total: number }>;

/** A command speaks of its work in these words. */
export interface Wording {
  /** This verb stands before the rows, such as "searched". */
  readonly verb: string;
  /** These are the phases in the order in which people read them. */
  readonly phases: readonly string[];
  /** Says whether the model of the summary was read, not written. */
  readonly readsModel?: boolean;
}

/** A run noticed these things, which its result does not need. */
export interface Noticed {
  /** These CSV files had line 1 taken for names, though it looks like a row. */
  readonly namesInDoubt?: readonly string[];
  /**
   * The readers noticed these things and did not decide them; each has the option that decides it otherwise.
   */
  readonly hints?: readonly FileHint[];
  /** Says what may surprise in the result. */
  readonly remark?: string;
}

export interface Summary extends MeasureFacts, Noticed {
  readonly command: string;
  readonly backend: BackendInfo["kind"];
  readonly device: string;
  readonly train: { readonly file: string; readonly rows: number };
  /** It is absent when the run searched for no rows. */
  readonly queries?: { readonly file: string; readonly rows: number };
  readonly features: readonly string[];
  /** Distances have this unit, where they have one. */
  readonly unit?: string;
  /** The path of the result; "-" is standard output. */
  readonly output: string;
  /** The model that was written, or read, has this path. */
  readonly model?: string;
  readonly seconds: Seconds;
  readonly queriesPerSecond?: number;
  readonly explanation?: Explanation;
  readonly classification?: ClassPerformance;
  readonly regression?: NumberPerformance;
  readonly crossValidation?: CrossValidation;
  /** This says how much each column matters, where --importance asks for it. */
  readonly importance?: Importance;
  /** Nothing could fill the gaps of these columns. */
  readonly unfilled?: readonly string[];
  readonly label?: string;
}

/** Writes some lines, each fact on its own. */
export function summaryText(summary: Summary, { verb, phases, readsModel = false }: Wording): string {
  const { queries, train, features, k, metric, p, kernel, output, model, compat } = summary;
  const { unfilled = [], unit } = summary;
  const { classification, regression, crossValidation, label = "label", queriesPerSecond } = summary;
  const facts = [
    queries
      ? `${verb} ${plural(queries.rows, "row")} against ${count(train.rows)}`
      : `trained on ${plural(train.rows, "row")}`,
    plural(features.length, "feature"),
    ...(classification ? [plural(classification.classes.length, "class", "classes")] : []),
    `k = ${k}`,
    `${metric}${p === undefined ? "" : ` with p = ${p}`}${unit === undefined ? "" : ` in ${unit}`}`,
    ...(kernel === undefined ? [] : [`kernel ${kernelText(kernel)}`]),
    ...(compat === undefined ? [] : [`as ${compat} does it`]),
  ];
  const rate = queriesPerSecond === undefined ? "" : `; ${rateText(queriesPerSecond)}`;
  const written = [
    ...(output === DASH || !queries ? [] : [output]),
    ...(crossValidation?.output === undefined ? [] : [crossValidation.output]),
    ...(model === undefined || readsModel ? [] : [model]),
  ];
  const lines = [
    facts.join(", "),
    `device    ${summary.device} (${summary.backend})`,
    `time      ${timesText(summary.seconds, phases)}${rate}`,
    ...(unfilled.length === 0 ? [] : [`gaps      ${unfilled.join(", ")}: nothing to fill them with`]),
    ...(crossValidation ? crossValidationLines(crossValidation, label) : []),
    ...(classification ? classificationLines(classification, queries?.rows ?? 0) : []),
    ...(regression ? regressionLines(regression, queries?.rows ?? 0) : []),
    ...(summary.importance ? importanceLines(summary.importance) : []),
    ...(written.length === 0 ? [] : [`written   ${written.join(", ")}`]),
  ];
  return lines.join("\n");
}

/** Writes a line for each thing that was noticed. */
export function noticedLines({ namesInDoubt = [], hints = [], remark }: Noticed): string[] {
  return [
    ...namesInDoubt.map(
      (file) =>
        `names     ${file}: line 1 was read as names, but looks like a row (--no-header reads it as one)`,
    ),
    ...hints.map(
      ({ file, value, option, mends = false }) =>
        `hint      ${file}: ${value} (${mends ? `try ${option}` : `override with ${option}`})`,
    ),
    ...(remark === undefined ? [] : [`remark    ${remark}`]),
  ];
}

/** Writes a kernel in the form in which the command line takes it. */
function kernelText({ type = "radial", ...parameters }: KernelOptions): string {
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? type : `${type}:${pairs.join(",")}`;
}

/**
 * Writes the lines that all commands on arrays end with: the device, the times of the phases, and the file.
 * @param besides lines to stand before that of the file
 */
export function runLines(
  { device, backend, seconds, output }: Pick<Summary, "device" | "seconds" | "output"> & { backend: string },
  phases: readonly string[],
  besides: readonly string[] = [],
): string[] {
  return [
    `device    ${device} (${backend})`,
    `time      ${timesText(seconds, phases)}`,
    ...besides,
    ...(output === DASH ? [] : [`written   ${output}`]),
  ];
}

export function rateText(queriesPerSecond: number): string {
  return `${plural(Math.round(queriesPerSecond), "query", "queries")}/s`;
}

function timesText(seconds: Seconds, phases: readonly string[]): string {
  const parts = phases.flatMap((phase) => {
    const lap = seconds[phase];
    return lap === undefined ? [] : [`${phase} ${lap.toFixed(2)}`];
  });
  return `${seconds.total.toFixed(2)} s (${parts.join(", ")})`;
}
