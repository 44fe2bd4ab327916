/**
 * `nearfield bench knn` times a search of random rows on the user's own device, says how much of the device
 * it used and where the time went, and checks a sample of the neighbours in float64. The benches against
 * other libraries are in bench/ of the repository.
 */
import type { Command } from "commander";
import { measureParameters } from "../../graph/parameters/measure.ts";
import { Device, NearestNeighbors, measurePeak } from "../../node.ts";
import type { KnnOptions, KnnResult, MetricName, Stage } from "../../node.ts";
import { checkK } from "../inputs/tables.ts";
import { optionSaying } from "../options/parameter.ts";
import { deviceOptions, metricOption } from "../options/shared.ts";
import { aboveZero, wholeNumber } from "../options/values.ts";
import { benchResult } from "./bench.ts";
import type { Bench, BenchOptions } from "./bench.ts";
import { checkSample, randomRows } from "./knnData.ts";
import { knnText, type KnnSummary } from "./knnText.ts";
import { checkFits, hostMemory } from "./memory.ts";

interface KnnBenchOptions extends BenchOptions {
  readonly queries: number;
  readonly references: number;
  readonly columns: number;
  readonly k: number;
  readonly metric: MetricName;
  readonly float32?: boolean;
  readonly repeat: number;
  readonly sample: number;
  readonly seed: number;
  readonly peak?: number;
}

const help = `
The rows are uniform random numbers in float32. The time is that of whole searches, from arrays to arrays, with the training
rows already on the device; operations are two per query, training row and column. The peak is what a loop of nothing
but multiply-adds reaches on a GPU, or the figure of --peak. Stage times need a GPU with timestamps.

Examples:
  nearfield bench knn
  nearfield bench knn --queries 10000 --references 1000000 --columns 128 --k 100 --backend gpu --json`;

export const knnBench: Bench<KnnBenchOptions> = {
  name: "knn",
  says: "Times an exact k-nearest-neighbour search of random rows, and checks a sample of it.",
  help,
  options: (command: Command) =>
    command
      .option("--queries <number>", "rows to find neighbours of", wholeNumber(1), 1000)
      .option("--references <number>", "rows among which they are found", wholeNumber(1), 100_000)
      .option("--columns <number>", "columns of both", wholeNumber(1), 128)
      .addOption(optionSaying(measureParameters.k.says, "-k, --k <number>", measureParameters.k).default(10))
      .addOption(metricOption(measureParameters.metric.says).default("euclidean"))
      .option("--float32", "use the float32 distances of the device, without certifying them in float64")
      .option("--repeat <number>", "searches to time, after the first", wholeNumber(1), 5)
      .option("--sample <number>", "queries to check in float64", wholeNumber(0), 10)
      .option("--seed <number>", "of the random rows", wholeNumber(0), 1)
      .option(
        "--peak <teraflops>",
        "what the device can do at most (default: measured, on a GPU)",
        aboveZero,
      ),
  sizes: ({ queries, references, columns, k }) =>
    `--queries ${queries} and --references ${references} of --columns ${columns}, --k ${k},`,
  run: benchKnn,
};

async function benchKnn(options: KnnBenchOptions, signal: AbortSignal) {
  checkSizes(options);
  const { queries, references, columns, k, metric } = options;
  const train = { data: randomRows(references, columns, options.seed), rows: references, cols: columns };
  const asked = { data: randomRows(queries, columns, options.seed + 1), rows: queries, cols: columns };
  const timed = await timeSearches(options, train, asked, signal);
  const { result, seconds, peak, device } = timed;
  const check = checkSample(train, asked, result, { metric, sample: options.sample });
  const operations = 2 * queries * references * columns;
  const median = medianOf(seconds.searches);
  const summary: KnnSummary = {
    command: "bench knn",
    device,
    backend: result.explanation.backend,
    queries,
    references,
    columns,
    k,
    metric,
    precision: precisionOf(options),
    seconds: { ...seconds, median },
    queriesPerSecond: queries / median,
    operationsPerSecond: operations / median,
    peak: peak && { ...peak, fraction: operations / median / peak.operationsPerSecond },
    stages: timed.stages,
    check,
    explanation: result.explanation,
  };
  const wrong = check !== undefined && check.wrongQueries > 0 && !options.float32;
  return benchResult(summary, knnText, wrong);
}

function checkSizes({ queries, references, columns, k, memory }: KnnBenchOptions): void {
  checkK(k, { rows: references, origin: { file: "--references" } });
  checkFits(
    [
      {
        what: `--references ${references} x --columns ${columns}`,
        bytes: 4 * references * columns,
      },
      { what: `--queries ${queries} x --columns ${columns}`, bytes: 4 * queries * columns },
      { what: `--queries ${queries} x --k ${k}`, bytes: 12 * queries * k },
    ],
    hostMemory(memory),
  );
}

interface Timed {
  readonly device: string;
  readonly result: KnnResult;
  readonly seconds: Pick<KnnSummary["seconds"], "first" | "searches">;
  readonly peak: { readonly operationsPerSecond: number; readonly measured: boolean } | undefined;
  readonly stages: readonly Stage[] | undefined;
}

type BenchRows = Parameters<NearestNeighbors["kneighbors"]>[0];

async function timeSearches(
  options: KnnBenchOptions,
  train: BenchRows,
  queries: BenchRows,
  signal: AbortSignal,
): Promise<Timed> {
  const { k, repeat } = options;
  const device = await Device.create(deviceOptions(options));
  const model = new NearestNeighbors({ ...knnOptions(options), device });
  try {
    await model.fit(train);
    const searches: number[] = [];
    let result: KnnResult | undefined;
    for (let run = 0; run <= repeat; run++) {
      const began = performance.now();
      result = await model.kneighbors(queries, { nNeighbors: k, signal });
      searches.push((performance.now() - began) / 1000);
    }
    if (!result) throw new RangeError("no search ran");
    const measured = options.peak === undefined ? await measurePeak(device) : undefined;
    const operationsPerSecond = measured ?? (options.peak && options.peak * 1e12);
    return {
      device: device.info.name,
      result,
      seconds: { first: searches[0], searches: searches.slice(1) },
      peak: operationsPerSecond ? { operationsPerSecond, measured: measured !== undefined } : undefined,
      stages: device.info.kind === "gpu" ? await stagesOf(options, train, queries, signal) : undefined,
    };
  } finally {
    model.dispose();
    device.dispose();
  }
}

/**
 * Runs on a device of its own, since measuring every kernel takes time that the timed searches must not
 * include.
 */
async function stagesOf(
  options: KnnBenchOptions,
  train: BenchRows,
  queries: BenchRows,
  signal: AbortSignal,
): Promise<readonly Stage[] | undefined> {
  const device = await Device.create({ ...deviceOptions(options), profile: true });
  const model = new NearestNeighbors({ ...knnOptions(options), device });
  try {
    await model.fit(train);
    await model.kneighbors(queries, { nNeighbors: options.k, signal });
    const { explanation } = await model.kneighbors(queries, { nNeighbors: options.k, signal });
    return explanation.stages;
  } finally {
    model.dispose();
    device.dispose();
  }
}

function knnOptions(options: KnnBenchOptions): KnnOptions {
  return { metric: options.metric, precision: precisionOf(options) };
}

function precisionOf({ float32 }: KnnBenchOptions): "float64" | "float32" {
  return float32 ? "float32" : "float64";
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
