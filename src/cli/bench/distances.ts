/**
 * `nearfield bench distances` counts the distances of random queries to random rows, once for each number of
 * bins. It shows the time of every step by its name, and the arrays with their sizes. Some histograms are
 * checked against plain loops in float64.
 */
import { InvalidArgumentError, type Command } from "commander";
import { Device, distanceHistogram } from "../../node.ts";
import type { BackendInfo, DistanceBuffer, DistanceHistogramResult } from "../../node.ts";
import { bytesText, count, plural } from "../format.ts";
import { deviceOptions } from "../options/shared.ts";
import { wholeNumber } from "../options/values.ts";
import { benchResult } from "./bench.ts";
import type { Bench, BenchOptions } from "./bench.ts";
import { randomRows, type FloatRows } from "./knnData.ts";
import { checkFits, hostMemory } from "./memory.ts";

interface DistancesBenchOptions extends BenchOptions {
  readonly queries: number;
  readonly references: number;
  readonly columns: number;
  readonly bins: readonly number[];
  readonly repeat: number;
  readonly sample: number;
  readonly seed: number;
}

/** One number of bins took these times, in milliseconds. */
export interface BinTimes {
  readonly bins: number;
  /** It is the median of the runs, from call to result. */
  readonly total: number;
  /** It has the steps of that run: of all threads together on a CPU, of the kernels on a GPU. */
  readonly stages: Readonly<Record<string, number>>;
  readonly buffers: readonly DistanceBuffer[];
  /** Float64 settled this share of the pairs. */
  readonly float64: number;
  /** So many of the checked histograms differ from plain loops. */
  readonly wrong: number;
}

export interface DistancesSummary {
  readonly command: "bench distances";
  readonly device: string;
  readonly backend: BackendInfo["kind"];
  readonly technique: string;
  readonly queries: number;
  readonly references: number;
  readonly columns: number;
  readonly runs: number;
  readonly checked: number;
  readonly sweep: readonly BinTimes[];
}

const help = `
Rows are uniform, distances Euclidean, bins lie between each query's least and largest distance. Total is the median of the
runs, of a call that takes arrays and gives one. Steps are those of that run; a CPU's threads are added up, so that two of them
have two milliseconds of steps in one of time. Some histograms are compared with plain loops in float64.

Examples:
  nearfield bench distances
  nearfield bench distances --queries 10000 --references 1000000 --columns 128 --bins 5,5000 --json`;

export const distancesBench: Bench<DistancesBenchOptions> = {
  name: "distances",
  says: "Times distance histograms for several numbers of bins, by their steps.",
  help,
  options: (command: Command) =>
    command
      .option("--queries <number>", "queries, a histogram each", wholeNumber(1), 1000)
      .option("--references <number>", "rows to measure distances to", wholeNumber(1), 100_000)
      .option("--columns <number>", "columns of a row", wholeNumber(1), 32)
      .option("--bins <list>", "numbers of bins, such as 5,5000", numbersOfBins, [5, 50, 500, 5000])
      .option("--repeat <number>", "runs to take the median of", wholeNumber(1), 3)
      .option("--sample <number>", "histograms to check in float64", wholeNumber(0), 10)
      .option("--seed <number>", "of the random rows", wholeNumber(0), 1),
  sizes: ({ queries, references, columns, bins }) =>
    `--queries ${queries} and --references ${references} of --columns ${columns}, --bins ${bins.join(",")}`,
  async run(options, signal) {
    const { queries, references, columns, bins, repeat, sample, seed, memory } = options;
    const most = Math.max(...bins);
    const needs = [
      { what: `--references ${references} x --columns ${columns}`, bytes: references * columns * 4 },
      { what: `--queries ${queries} x --columns ${columns}`, bytes: queries * columns * 4 },
      { what: `--queries ${queries} x --bins ${most}`, bytes: queries * most * 4 },
    ];
    checkFits(needs, hostMemory(memory));
    const device = await Device.create({ ...deviceOptions(options), profile: true });
    try {
      const train = { data: randomRows(references, columns, seed), rows: references, cols: columns };
      const asked = { data: randomRows(queries, columns, seed + 1), rows: queries, cols: columns };
      const sweep: BinTimes[] = [];
      let technique = "";
      for (const each of bins) {
        const { total, result } = await timed(device, train, asked, each, repeat, signal);
        const { stages, buffers, settled, ...told } = result.explanation;
        technique = told.technique;
        sweep.push({
          ...{ bins: each, total, buffers },
          stages: Object.fromEntries((stages ?? []).map(({ name, seconds }) => [name, seconds * 1000])),
          float64: settled.float64 / Math.max(1, settled.float32 + settled.fixed + settled.float64),
          wrong: wrongHistograms(train, asked, result, sample),
        });
      }
      const { name, kind } = device.info;
      const summary: DistancesSummary = {
        command: "bench distances",
        ...{ device: name, backend: kind, technique, queries, references, columns, runs: repeat },
        ...{ checked: Math.min(sample, queries), sweep },
      };
      return benchResult(
        summary,
        distancesText,
        sweep.some(({ wrong }) => wrong > 0),
      );
    } finally {
      device.dispose();
    }
  },
};

/** Counts once to warm up, then `repeat` times. */
async function timed(
  device: Device,
  train: FloatRows,
  queries: FloatRows,
  bins: number,
  repeat: number,
  signal: AbortSignal,
): Promise<{ readonly total: number; readonly result: DistanceHistogramResult }> {
  const runs: { readonly total: number; readonly result: DistanceHistogramResult }[] = [];
  for (let run = 0; run <= repeat; run++) {
    const began = performance.now();
    const result = await distanceHistogram(train, queries, { bins, device, signal });
    if (run > 0) runs.push({ total: performance.now() - began, result });
  }
  return runs.sort((a, b) => a.total - b.total)[repeat >> 1];
}

/** Returns how many of some histograms differ from plain loops. */
function wrongHistograms(
  train: FloatRows,
  queries: FloatRows,
  result: DistanceHistogramResult,
  sample: number,
): number {
  const checked = Math.min(sample, queries.rows);
  const places = Array.from({ length: checked }, (_, at) => Math.floor((at * queries.rows) / checked));
  return places.filter((query) => {
    const distances = distancesOf(train, queries, query).sort();
    const edges = result.edges(query);
    const counts = new Uint32Array(result.bins);
    let bin = 0;
    for (const distance of distances) {
      while (bin < result.bins - 1 && edges[bin + 1] <= distance) bin++;
      counts[bin]++;
    }
    const isRanged = distances[0] === result.min[query] && distances.at(-1) === result.max[query];
    return !isRanged || counts.some((each, at) => each !== result.counts[query * result.bins + at]);
  }).length;
}

function distancesOf(train: FloatRows, queries: FloatRows, query: number): Float64Array {
  const { cols, data } = train;
  const asked = queries.data.subarray(query * cols, (query + 1) * cols);
  return Float64Array.from({ length: train.rows }, (_, row) => {
    let sum = 0;
    for (let j = 0; j < cols; j++) sum += (data[row * cols + j] - asked[j]) ** 2;
    return Math.sqrt(sum);
  });
}

export function distancesText(summary: DistancesSummary): string {
  const { device, backend, technique, queries, references, columns, runs, checked, sweep } = summary;
  const names = [...new Set(sweep.flatMap(({ stages }) => Object.keys(stages)))];
  const titles = ["bins", "total ms", "pairs/s", ...names];
  const rows = sweep.map(({ bins, total, stages }) => [
    count(bins),
    total.toFixed(1),
    `${((queries * references) / total / 1e6).toPrecision(3)} G`,
    ...names.map((name) => (stages[name] ?? 0).toFixed(1)),
  ]);
  const wrong = sweep.reduce((sum, each) => sum + each.wrong, 0);
  const total = checked * sweep.length;
  const arrays = sweep.reduce((a, b) => (sizeOf(b) > sizeOf(a) ? b : a));
  return [
    `counted   ${plural(queries, "query", "queries")} against ${count(references)}, ${plural(columns, "column")}`,
    `device    ${device} (${backend}), median of ${plural(runs, "run")}`,
    `technique ${technique}`,
    "",
    ...tableOf([titles, ...rows]),
    "",
    `arrays at ${count(arrays.bins)} bins`,
    ...tableOf(arrays.buffers.map(({ name, bytes }) => [name, bytesText(bytes)])),
    "",
    checked === 0
      ? "checked   none"
      : `checked   ${wrong === 0 ? `${count(total)} histograms, all right` : `${count(wrong)} of ${count(total)} histograms are wrong`}`,
    "",
  ].join("\n");
}

function sizeOf({ buffers }: BinTimes): number {
  return buffers.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Puts cells in columns, the first of which begins at the left. */
function tableOf(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column].length))) ?? [];
  return rows.map((row) => {
    const cells = row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at])));
    return `  ${cells.join("  ")}`;
  });
}

function numbersOfBins(text: string): number[] {
  const numbers = text.split(",").map(Number);
  if (numbers.every((each) => Number.isInteger(each) && each >= 1)) return numbers;
  throw new InvalidArgumentError("Expected whole numbers from 1 on, such as 5,50,500,5000.");
}
