/**
 * `nearfield bench knn`: times a search of random rows on the user's own device, says how much of the device it used and
 * where the time went, and checks a sample of the neighbours in float64. Not the benches against other libraries (bench/).
 */
import { Command, Option } from "commander";
import { Device, InvalidInputError, NearestNeighbors, measurePeak } from "../../node.ts";
import type { DeviceOptions, KnnOptions, KnnResult, MetricName, Stage } from "../../node.ts";
import { checkSample, randomRows } from "../bench/knnData.ts";
import { benchText, type KnnSummary } from "../bench/knnText.ts";
import { metricOption } from "../options/shared.ts";
import { writeStdout } from "../output.ts";
import { aboveZero, bytes, wholeNumber } from "../options/values.ts";

interface BenchOptions {
  readonly queries: number;
  readonly references: number;
  readonly columns: number;
  readonly k: number;
  readonly metric: MetricName;
  readonly backend: "auto" | "gpu" | "cpu";
  readonly gpu?: number;
  readonly threads?: number;
  readonly memory?: number;
  readonly deviceMemory?: number;
  readonly float32?: boolean;
  readonly repeat: number;
  readonly sample: number;
  readonly seed: number;
  readonly peak?: number;
  readonly json?: boolean;
}

const help = `
The rows are uniform random numbers in float32. The time is that of whole searches, from arrays to arrays, with the training
rows already on the device; operations are two per query, training row and column. The peak is what a loop of nothing
but multiply-adds reaches on a GPU, or the figure of --peak. Stage times need a GPU with timestamps.

Examples:
  nearfield bench knn
  nearfield bench knn --queries 10000 --references 1000000 --columns 128 --k 100 --backend gpu --json`;

export function benchCommand(signal: AbortSignal): Command {
  const knn = new Command("knn")
    .description("Times an exact k-nearest-neighbour search of random rows, and checks a sample of it.")
    .option("--queries <number>", "rows to find neighbours of", wholeNumber(1), 1000)
    .option("--references <number>", "rows to find", wholeNumber(1), 100_000)
    .option("--columns <number>", "columns of both", wholeNumber(1), 128)
    .addOption(new Option("-k, --k <number>", "neighbours per row").argParser(wholeNumber(1)).default(10))
    .addOption(metricOption("distance").default("euclidean"))
    .addOption(
      new Option("--backend <name>", "auto takes a GPU if there is one")
        .choices(["auto", "gpu", "cpu"])
        .default("auto"),
    )
    .option("--gpu <number>", "which GPU, from 0 (default: the fastest)", wholeNumber(0))
    .option("--threads <number>", "CPU workers (default: one per processor)", wholeNumber(1))
    .option("--memory <bytes>", "main memory to use at most, such as 512M, 1.5GiB or 2GB", bytes)
    .option("--device-memory <bytes>", "GPU memory to use at most", bytes)
    .option("--float32", "take distances as the device computes them, instead of certified in float64")
    .option("--repeat <number>", "searches to time, after the first", wholeNumber(1), 5)
    .option("--sample <number>", "queries to check in float64", wholeNumber(0), 10)
    .option("--seed <number>", "of the random rows", wholeNumber(0), 1)
    .option("--peak <teraflops>", "what the device can do at most (default: measured, on a GPU)", aboveZero)
    .option("--json", "print one JSON object instead of text")
    .showHelpAfterError("(nearfield bench knn --help shows every option)")
    .addHelpText("after", help)
    .action((options: BenchOptions) => bench(options, signal));
  return new Command("bench")
    .description("Measures what this machine's device does.")
    .helpCommand(false)
    .showHelpAfterError("(nearfield bench --help lists the commands)")
    .addCommand(knn);
}

async function bench(options: BenchOptions, signal: AbortSignal): Promise<void> {
  checkOptions(options);
  const { queries, references, columns, k, metric, json } = options;
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
  await writeStdout(json ? `${JSON.stringify(summary)}\n` : benchText(summary));
  if (check && check.wrongQueries > 0 && !options.float32) process.exitCode = 70;
}

interface Timed {
  readonly device: string;
  readonly result: KnnResult;
  readonly seconds: Pick<KnnSummary["seconds"], "first" | "searches">;
  readonly peak: { readonly operationsPerSecond: number; readonly measured: boolean } | undefined;
  readonly stages: readonly Stage[] | undefined;
}

type Rows = Parameters<NearestNeighbors["kneighbors"]>[0];

async function timeSearches(
  options: BenchOptions,
  train: Rows,
  queries: Rows,
  signal: AbortSignal,
): Promise<Timed> {
  const { k, repeat, backend, gpu, threads, memory, deviceMemory } = options;
  const deviceOptions: DeviceOptions = { backend, gpu, threads, memory, deviceMemory };
  const device = await Device.create(deviceOptions);
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
      stages:
        device.info.kind === "gpu"
          ? await stagesOf(options, deviceOptions, train, queries, signal)
          : undefined,
    };
  } finally {
    model.dispose();
    device.dispose();
  }
}

/** On a device of its own, since measuring every kernel takes time that the timed searches must not include. */
async function stagesOf(
  options: BenchOptions,
  deviceOptions: DeviceOptions,
  train: Rows,
  queries: Rows,
  signal: AbortSignal,
): Promise<readonly Stage[] | undefined> {
  const device = await Device.create({ ...deviceOptions, profile: true });
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

function knnOptions(options: BenchOptions): KnnOptions {
  return { metric: options.metric, precision: precisionOf(options) };
}

function precisionOf({ float32 }: BenchOptions): "float64" | "float32" {
  return float32 ? "float32" : "float64";
}

function checkOptions({ k, references, gpu, backend }: BenchOptions): void {
  if (k > references) {
    throw new InvalidInputError(
      `--k is ${k}, but there are only ${references} references; choose --k of at most that`,
    );
  }
  if (gpu !== undefined && backend === "cpu") {
    throw new InvalidInputError(
      "--gpu chooses a GPU, but the backend is the CPU; leave out one of --gpu and --backend",
    );
  }
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
