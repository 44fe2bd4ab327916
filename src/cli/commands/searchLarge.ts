/**
 * `nearfield search` in files of numbers that are not read whole: train comes by in chunks, or goes from its
 * file to a GPU, as `kneighborsStream` has it. All other searches are in search.ts.
 */
import { currentPlatform } from "../../core/platform.ts";
import { columnNames, type FormatName } from "../../io/index.ts";
import { Device, InvalidInputError, kneighborsStream, OutOfMemoryError, type KnnResult } from "../../node.ts";
import type { OpenMatrices } from "../inputs/matrices.ts";
import { checkK } from "../inputs/tables.ts";
import { measureFacts } from "../measure.ts";
import type { SearchFlags } from "../options/search.ts";
import { csvOutput, deviceOptions, searchOptions, threadsFor } from "../options/shared.ts";
import { writeOutput, type OutputTarget } from "../output.ts";
import { showWriting, type ProgressDisplay } from "../progress.ts";
import type { Stopwatch } from "../report.ts";
import { bytesText } from "../format.ts";
import { neighbourPieces } from "../results/neighbours.ts";
import type { Summary } from "../summary.ts";

export const largePhases = ["search", "write"] as const;

/** Train is read whole where it takes up to this share of memory. */
const WHOLE_SHARE = 1 / 4;
/** The neighbours of all queries, 12 bytes each, may take this share. */
const RESULT_SHARE = 1 / 4;
const NEIGHBOUR_BYTES = 12;

/**
 * Tells whether train is known to be too large to be read whole, and the search one that needs no row in
 * memory. A pipe is read whole, since many queries would need it again.
 */
export function isLarge({ train, queries }: OpenMatrices, options: SearchFlags): boolean {
  const { radius, excludeSelf, float32, report, explain, metric } = options;
  const { memory = currentPlatform().memory } = options;
  const needsAll = metric === "rapidminer:MahalanobisDistance" || metric === "precomputed";
  const isWhole = radius !== undefined || excludeSelf || float32 || report !== undefined || explain;
  if (queries === undefined || isWhole || needsAll || train.stream.once) return false;
  const { rows = 0, cols, rowBytes = 8 * cols } = train.stream;
  return rows * rowBytes > memory * WHOLE_SHARE;
}

/** Searches, writes the neighbours, and returns what to report. */
export async function searchLarge(
  { train: { stream: train }, queries: opened }: OpenMatrices,
  options: SearchFlags,
  format: FormatName,
  target: OutputTarget,
  watch: Stopwatch,
  progress: ProgressDisplay,
  signal: AbortSignal,
): Promise<Summary> {
  const queries = opened!.stream;
  const { k, memory = currentPlatform().memory } = options;
  const { rows = 0, cols, rowBytes = 8 * cols } = train;
  const settings = searchOptions(options);
  checkK(k, { rows, origin: { file: train.name } });
  checkRoom(queries.rows ?? 0, k, memory);
  const size = { rows, queries: queries.rows ?? Infinity, cols };
  const device = await Device.create({
    ...deviceOptions(options),
    threads: threadsFor(options.threads, [options.metric], size),
  });
  try {
    const parts: Omit<KnnResult, "explanation">[] = [];
    let found = 0;
    const search = { ...settings, k, memory, device, signal };
    const onProgress = ({ phase, done, total }: { phase: string; done: number; total: number }) =>
      progress.show({ phase, unit: "row", done, total });
    for await (const { queries: more, ...part } of kneighborsStream(train, queries, {
      ...search,
      onProgress,
    })) {
      found += more;
      checkRoom(found, k, memory);
      parts.push({ ...part, queries: more });
    }
    if (found === 0) throw new InvalidInputError("has no rows", { file: queries.name });
    watch.lap("search");
    showWriting(progress, target);
    const result = together(parts, found, k);
    await writeOutput(target, neighbourPieces(result, format, csvOutput(options)), signal);
    watch.lap("write");
    progress.clear();
    const features = train.columns ?? columnNames({ name: train.name, cols });
    return {
      command: "search",
      backend: device.info.kind,
      device: device.info.name,
      ...measureFacts(
        { ...settings, nNeighbors: k },
        features.map(() => "numeric" as const),
      ),
      train: { file: train.name, rows },
      queries: { file: queries.name, rows: found },
      features,
      output: options.out,
      seconds: watch.seconds,
      queriesPerSecond: found / (watch.seconds.search ?? NaN),
      remark: `the rows of ${train.name} take ${bytesText(rows * rowBytes)}, more than a quarter of memory, and were not read whole`,
    };
  } finally {
    device.dispose();
  }
}

/** @throws OutOfMemoryError where the neighbours of so many queries are too many to hold */
function checkRoom(queries: number, k: number, memory: number): void {
  const bytes = queries * k * NEIGHBOUR_BYTES;
  if (bytes <= memory * RESULT_SHARE) return;
  throw new OutOfMemoryError(
    `the ${k} neighbours of ${queries} queries take more than a quarter of ${bytesText(memory)}; search some of ` +
      "--queries at a time, or raise --memory",
    bytes,
  );
}

/** Puts the neighbours of consecutive queries into one result. */
function together(
  parts: readonly Omit<KnnResult, "explanation">[],
  queries: number,
  k: number,
): Omit<KnnResult, "explanation"> {
  const [indices, distances] = [new Uint32Array(queries * k), new Float64Array(queries * k)];
  let at = 0;
  for (const part of parts) {
    indices.set(part.indices, at);
    distances.set(part.distances, at);
    at += part.indices.length;
  }
  return { indices, distances, queries, k };
}
