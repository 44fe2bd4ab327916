/**
 * `nearfield bench cloud` times clouds in the order of grids from one cell to many, beside the order that a
 * cloud has by default, on the CPU and on a GPU. The answers must be the same for all; a sample of them is
 * compared with all pairs in float64.
 */
import { InvalidArgumentError, type Command } from "commander";
import { measureParameters } from "../../graph/parameters/measure.ts";
import { Device, PointCloud, type KnnResult } from "../../node.ts";
import { checkK } from "../inputs/tables.ts";
import { deviceOptions } from "../options/shared.ts";
import { optionSaying } from "../options/parameter.ts";
import { wholeNumber } from "../options/values.ts";
import { benchResult } from "./bench.ts";
import type { Bench, BenchOptions } from "./bench.ts";
import { cloudText, type CloudRow, type CloudSummary } from "./cloudText.ts";
import { randomRows } from "./knnData.ts";
import { checkFits, hostMemory } from "./memory.ts";

type GridCells = number | "auto";

interface CloudBenchOptions extends BenchOptions {
  readonly points: number;
  readonly queries?: number;
  readonly k: number;
  readonly cells: readonly GridCells[];
  readonly pairs: number;
  readonly repeat: number;
  readonly sample: number;
  readonly seed: number;
}

const COLS = 3;
const MOST_CELLS = 256;
/** A search visits at least about so many cells: the query's own and those around it. */
const AROUND = 27;

const help = `
Points and queries are uniform random numbers in float32. --cells lists cells along each side of a grid, and auto, which is
the order that a cloud has by default. Large cells hold many points: their queries are as many as --pairs allows. "build"
is the time from the points to the end of a first search, of one query; "search" that of all queries, from arrays to
arrays; bytes are the most that the device held. With --backend auto both the CPU and a GPU, if there is one, are timed.

Examples:
  nearfield bench cloud
  nearfield bench cloud --points 2097152 --cells auto,64,128 --backend gpu --json`;

export const cloudBench: Bench<CloudBenchOptions> = {
  name: "cloud",
  says: "Times the nearest points of a cloud, for grids of several sizes.",
  help,
  options: (command: Command) =>
    command
      .option("--points <number>", "points of the cloud", wholeNumber(1), 2 ** 20)
      .option("--queries <number>", "points to find neighbours of (default: as many)", wholeNumber(1))
      .addOption(optionSaying(measureParameters.k.says, "-k, --k <number>", measureParameters.k).default(1))
      .option(
        "--cells <list>",
        "cells along each side, or auto",
        cellsOf,
        cellsOf("auto,1,2,4,8,16,32,64,128,256"),
      )
      .option("--pairs <number>", "pairs that a row of the table may compare", wholeNumber(1), 2 ** 31)
      .option("--repeat <number>", "searches to take the median of", wholeNumber(1), 3)
      .option("--sample <number>", "queries to check in float64", wholeNumber(0), 20)
      .option("--seed <number>", "of the random points", wholeNumber(0), 1),
  sizes: ({ points, queries = points, k }) => `--points ${points}, ${queries} queries and --k ${k}`,
  async run(options, signal) {
    const { points, queries = points, k, seed, memory, repeat } = options;
    checkK(k, { rows: points, origin: { file: "--points" } });
    const bytes = 4 * COLS * (points + queries) + 12 * k * queries;
    checkFits(
      [{ what: `--points ${points}, ${queries} queries, --k ${k}`, bytes: 3 * bytes }],
      hostMemory(memory),
    );
    const train = { data: randomRows(points, COLS, seed), rows: points, cols: COLS };
    const asked = { data: randomRows(queries, COLS, seed + 1), rows: queries, cols: COLS };
    const check = new Answers(train, asked, options);
    const rows: CloudRow[] = [];
    for (const backend of backendsOf(options)) {
      for (const cells of options.cells) {
        signal.throwIfAborted();
        const device = await openDevice(options, backend);
        if (device === undefined) break;
        try {
          rows.push(await timed(device, cells, train, asked, check, options, signal));
        } finally {
          device.dispose();
        }
      }
    }
    const summary: CloudSummary = { command: "bench cloud", points, queries, k, runs: repeat, rows };
    return benchResult(
      summary,
      cloudText,
      rows.some(({ wrong }) => wrong > 0),
    );
  },
};

function backendsOf({ backend }: BenchOptions): readonly ("cpu" | "gpu")[] {
  return backend === "auto" ? ["cpu", "gpu"] : [backend];
}

/** Opens a device; returns undefined where there is no GPU and none was asked for. */
async function openDevice(options: BenchOptions, backend: "cpu" | "gpu"): Promise<Device | undefined> {
  const { gpu, ...others } = deviceOptions(options);
  const wanted = { ...others, ...(backend === "gpu" ? { gpu } : {}) };
  if (options.backend !== "auto" || backend === "cpu") return Device.create({ ...wanted, backend });
  const device = await Device.create({ ...wanted, backend: "auto" });
  if (device.info.kind === "gpu") return device;
  device.dispose();
  return undefined;
}

interface CloudRows {
  readonly data: Float32Array;
  readonly rows: number;
  readonly cols: number;
}

async function timed(
  device: Device,
  cells: GridCells,
  train: CloudRows,
  asked: CloudRows,
  check: Answers,
  { pairs, repeat, k }: CloudBenchOptions,
  signal: AbortSignal,
): Promise<CloudRow> {
  const perQuery = cells === "auto" ? 1 : train.rows * Math.min(1, AROUND / cells ** COLS);
  const rows = Math.max(1, Math.min(asked.rows, Math.floor(pairs / perQuery)));
  const queries = { ...asked, data: asked.data.subarray(0, rows * COLS), rows };
  const one = { ...asked, data: asked.data.subarray(0, COLS), rows: 1 };
  const began = performance.now();
  const order = cells === "auto" ? {} : ({ technique: "grid", cells } as const);
  const cloud = await PointCloud.create(train, { device, signal, ...order });
  try {
    await cloud.nearest(one, { k, signal });
    const build = (performance.now() - began) / 1000;
    const times: number[] = [];
    let result: KnnResult | undefined;
    for (let run = 0; run < repeat; run++) {
      const start = performance.now();
      result = await cloud.nearest(queries, { k, signal });
      times.push((performance.now() - start) / 1000);
    }
    const { explanation } = result!;
    return {
      backend: device.info.kind,
      device: device.info.name,
      cells,
      pointsPerCell: cells === "auto" ? undefined : train.rows / cells ** COLS,
      queries: rows,
      seconds: { build, search: times.sort((a, b) => a - b)[repeat >> 1] },
      pairsPerQuery: explanation.pairs / rows,
      bytes: explanation.peakDeviceBytes,
      wrong: check.wrongIn(result!),
    };
  } finally {
    cloud.dispose();
  }
}

/** Knows what is right: for the first queries by all pairs in float64, for others by the first result. */
class Answers {
  readonly #sample: readonly (readonly number[])[];
  #first: KnnResult | undefined;

  constructor(train: CloudRows, asked: CloudRows, { sample, k }: CloudBenchOptions) {
    const rows = Math.min(sample, asked.rows);
    this.#sample = Array.from({ length: rows }, (_, query) => nearestOf(train, asked, query, k));
  }

  /** Counts the queries of a result that have another neighbour, or another distance. */
  wrongIn(result: KnnResult): number {
    const { indices, distances, queries, k } = result;
    if (this.#first === undefined || this.#first.queries < queries) this.#first = result;
    const first = this.#first;
    let wrong = 0;
    for (let query = 0; query < queries; query++) {
      const begin = query * k;
      const own = indices.subarray(begin, begin + k);
      const isSame = own.every(
        (row, rank) =>
          row === first.indices[begin + rank] && distances[begin + rank] === first.distances[begin + rank],
      );
      const right = this.#sample[query] ?? own;
      if (!isSame || own.some((row, rank) => row !== right[rank])) wrong++;
    }
    return wrong;
  }
}

/** Returns the k nearest of a query by distance and row, by all pairs. */
function nearestOf(train: CloudRows, asked: CloudRows, query: number, k: number): number[] {
  const best: { readonly row: number; readonly distance: number }[] = [];
  for (let row = 0; row < train.rows; row++) {
    let square = 0;
    for (let j = 0; j < COLS; j++) {
      const gap = asked.data[query * COLS + j] - train.data[row * COLS + j];
      square += gap * gap;
    }
    const distance = Math.sqrt(square);
    if (best.length === k && distance >= best[k - 1].distance) continue;
    let at = best.length;
    while (at > 0 && best[at - 1].distance > distance) at--;
    best.splice(at, 0, { row, distance });
    best.length = Math.min(best.length, k);
  }
  return best.map(({ row }) => row);
}

function cellsOf(text: string): GridCells[] {
  const cells = text.split(",").map((part) => (part.trim() === "auto" ? "auto" : Number(part.trim() || NaN)));
  const fits = (each: GridCells) =>
    each === "auto" || (Number.isInteger(each) && each >= 1 && each <= MOST_CELLS);
  if (cells.every(fits)) return cells;
  throw new InvalidArgumentError(
    `Expected auto and whole numbers from 1 to ${MOST_CELLS}, such as auto,32,64.`,
  );
}
