/** Presents what `nearfield bench knn` found: as data for --json, and as text for people. */
import { explanationText } from "../../node.ts";
import type { Explanation, Stage } from "../../node.ts";
import { count, plural } from "../format.ts";
import type { Agreement } from "./knnData.ts";

export interface KnnSummary {
  readonly command: "bench knn";
  readonly device: string;
  readonly backend: "gpu" | "cpu";
  readonly queries: number;
  readonly references: number;
  readonly columns: number;
  readonly k: number;
  readonly metric: string;
  readonly precision: "float64" | "float32";
  readonly seconds: {
    /**
     * The first search took so many seconds, with the upload of the training rows and the compiling of
     * kernels.
     */
    readonly first: number;
    /** The searches after it took so many seconds each, in order. */
    readonly searches: readonly number[];
    readonly median: number;
  };
  readonly queriesPerSecond: number;
  /** So many operations run per second, two for each query, training row and column. */
  readonly operationsPerSecond: number;
  readonly peak:
    | {
        readonly operationsPerSecond: number;
        /** Says whether the peak was measured; it is false where --peak gave it. */
        readonly measured: boolean;
        readonly fraction: number;
      }
    | undefined;
  /** One more search went through these stages; undefined where nothing can be measured. */
  readonly stages: readonly Stage[] | undefined;
  readonly check: Agreement | undefined;
  readonly explanation: Explanation;
}

export function knnText(summary: KnnSummary): string {
  const { queries, references, columns, k, metric, precision, seconds, peak } = summary;
  const lines: [string, string][] = [
    [
      "searched",
      `${plural(queries, "query", "queries")} in ${count(references)} x ${columns}, k = ${count(k)}, ${metric}, ` +
        (precision === "float64" ? "certified in float64" : "in float32"),
    ],
    ["first search", `${seconds.first.toFixed(3)} s, with upload and compiling`],
    [
      "later searches",
      `${seconds.median.toFixed(3)} s (median of ${seconds.searches.length}: ` +
        `${seconds.searches.map((each) => each.toFixed(3)).join(" ")})`,
    ],
    ["queries", `${count(Math.round(summary.queriesPerSecond))} per second`],
    ["operations", `${flops(summary.operationsPerSecond)}${peak ? `, ${peakText(peak)}` : ""}`],
    ...(summary.stages ?? []).map(({ name, dispatches, seconds: took }): [string, string] => [
      name,
      `${(took * 1000).toFixed(3)} ms in ${count(dispatches)} dispatches`,
    ]),
    ["checked", checkText(summary.check)],
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  const text = lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n");
  return `${text}\n\n${explanationText(summary.explanation)}\n`;
}

function peakText({ operationsPerSecond, measured, fraction }: NonNullable<KnnSummary["peak"]>): string {
  const source = measured ? "that a loop of multiply-adds reaches" : "given by --peak";
  return `${(fraction * 100).toFixed(1)} % of the ${flops(operationsPerSecond)} ${source}`;
}

function flops(perSecond: number): string {
  const [unit, size]: [string, number] =
    perSecond >= 1e12 ? ["T", 1e12] : perSecond >= 1e9 ? ["G", 1e9] : ["M", 1e6];
  return `${(perSecond / size).toFixed(1)} ${unit}FLOP/s`;
}

function checkText(check: Agreement | undefined): string {
  if (!check) return "nothing (--sample 0)";
  const { queries, wrongQueries, largestError } = check;
  const right = wrongQueries === 0 ? "all equal" : `${wrongQueries} differ from`;
  return `${queries} queries, ${right} float64; largest relative error of a distance ${largestError.toExponential(1)}`;
}
