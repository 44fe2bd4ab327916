/**
 * This module reports a run: by lines for people as nodes end, with results on stdout, or all of it as one
 * line of JSON.
 */
import type { NodeOutput, NodeResult, PerformanceValue, TableValue } from "../../graph/index.ts";
import { isReadable, readValue } from "../../graph/readAs.ts";
import { writeTable } from "../../io/index.ts";
import { neighbourTable } from "../../models/neighbourTable.ts";
import type { BackendInfo } from "../../node.ts";
import { inFlags } from "../failure.ts";
import { plural } from "../format.ts";
import { writeOutput, writeStdout } from "../output.ts";
import { classificationOf, crossValidationOf, regressionOf } from "../performance.ts";
import { classificationLines, crossValidationLines, regressionLines } from "../performanceText.ts";
import { visible, visibleData } from "../visible.ts";

/** People compare so many digits of a fingerprint; --json has all of them. */
const DIGITS = 16;

/** Returns the line for a node that has ended. */
export function nodeLine(
  { node, title, state, reason, seconds, outputs }: NodeResult,
  explain: boolean,
): string {
  const made = Object.entries(outputs).map(([name, output]) => {
    const size = sizeOf(output);
    return `${name} ${output.fingerprint.slice(0, DIGITS)}${size === undefined ? "" : ` (${size})`}`;
  });
  const why = explain || state === "skipped" ? `: ${reason}` : "";
  const parts = [`${state}${why}`, ...made, ...(state === "done" ? [`${seconds.toFixed(2)} s`] : [])];
  return visible(`${node} (${title}): ${parts.join(", ")}`);
}

function sizeOf({ type, value }: NodeOutput): string | undefined {
  if (type === "Table") return plural(value.table.rows, "row");
  if (type === "Matrix") return `${value.matrix.rows} x ${value.matrix.cols}`;
  if (type === "PointCloud") return plural(value.points.rows, "point");
  if (type === "Signal") return `${value.rows} x ${value.samples.length / value.rows}`;
  return type === "Histogram" ? `${value.histogram.rows} x ${value.histogram.bins}` : undefined;
}

/**
 * Prints the results of nodes on stdout: measures, and where `tables` says so as CSV all that can be read as
 * a table.
 */
export async function printResults(
  nodes: readonly NodeResult[],
  tables: boolean,
  signal: AbortSignal,
): Promise<void> {
  const shown = nodes.flatMap(({ node, outputs }) =>
    Object.entries(outputs)
      .filter(
        ([, { type }]) =>
          type === "Performance" || (tables && (type === "Table" || isReadable(type, "Table"))),
      )
      .map(([name, output]) => [`${node}.${name}`, output] as const),
  );
  for (const [name, output] of shown) {
    if (shown.length > 1) await writeStdout(`${visible(name)}\n`);
    await printResult(output, signal);
  }
}

async function printResult({ type, value }: NodeOutput, signal: AbortSignal): Promise<void> {
  if (type === "Performance") return writeStdout(`${performanceText(value)}\n`);
  const rows =
    type === "Neighbours"
      ? neighbourTable(value.result)
      : ((await readValue(value, type, ["Table"], signal)) as TableValue).table;
  await writeOutput({ kind: "stdout" }, writeTable("csv", rows, { signal }), signal);
}

const noTexts = new Map<never, string>();

function performanceText({ label, ...value }: PerformanceValue): string {
  const lines = (): string[] => {
    if (value.kind === "validation")
      return crossValidationLines(visibleData(crossValidationOf(value.measures, value, noTexts)), label);
    const { rows, leftOut } = value.measures;
    return value.kind === "classification"
      ? classificationLines(
          visibleData({ label, ...classificationOf(value.measures, noTexts) }),
          rows + leftOut,
        )
      : regressionLines(visibleData({ label, ...regressionOf(value.measures) }), rows + leftOut);
  };
  return lines().join("\n") || `no row has both a ${visible(label)} and a prediction`;
}

/** Returns a node as --json shows it. */
export function nodeData(
  { node, title, state, reason, seconds, key, outputs, error }: NodeResult,
  file?: string,
): object {
  const made = Object.entries(outputs).map(([name, output]) => [name, outputData(output)]);
  return {
    node,
    title,
    state,
    reason,
    seconds,
    key,
    outputs: Object.fromEntries(made) as object,
    ...(file === undefined || state !== "done" ? {} : { file }),
    ...(error === undefined ? {} : { error: inFlags(error.message) }),
  };
}

function outputData(output: NodeOutput): object {
  const { type, fingerprint } = output;
  if (output.type === "Table") {
    const { table } = output.value;
    return { type, fingerprint, rows: table.rows, columns: table.names };
  }
  if (output.type === "Neighbours") {
    const { queries, k } = output.value.result;
    return { type, fingerprint, queries, k };
  }
  if (output.type === "Matrix" || output.type === "PointCloud") {
    const { rows, cols } = output.type === "Matrix" ? output.value.matrix : output.value.points;
    return { type, fingerprint, rows, columns: cols };
  }
  return output.type === "Performance"
    ? { type, fingerprint, ...performanceData(output.value) }
    : { type, fingerprint };
}

function performanceData(value: PerformanceValue): object {
  const { label } = value;
  if (value.kind === "validation") return { label, ...crossValidationOf(value.measures, value, noTexts) };
  return value.kind === "classification"
    ? { label, ...classificationOf(value.measures, noTexts) }
    : { label, ...regressionOf(value.measures) };
}

/** Returns the facts of a run as --json shows them. */
export function runData(
  process: string,
  { kind, name }: BackendInfo,
  seconds: number,
  nodes: readonly object[],
): object {
  return { command: "run", process, backend: kind, device: name, seconds, nodes };
}
