/**
 * This counts the distances of some queries to fitted rows in workers, or on the main thread where there is
 * little to do. How blocks of pairs are worked on is said in exact.ts.
 */
import type { Matrix } from "../../core/matrix.ts";
import { currentPlatform } from "../../core/platform.ts";
import { isShareable } from "../../distance/exact/allPairs.ts";
import type { FittedRows } from "../../distance/fittedRows.ts";
import { countExactly, type ExactCount, type Executed } from "./exact.ts";
import type { DistanceHistogramOptions } from "./options.ts";

/** A caller gives the bins to count by, and the arrays to count in. */
export type PairsToCount = Omit<ExactCount, "rows" | "budget" | "tuning" | "signal">;

export async function countPairs(
  rows: FittedRows,
  queries: Matrix,
  what: PairsToCount,
  options: DistanceHistogramOptions,
): Promise<{ readonly executed: Executed; readonly inWorkers: boolean }> {
  const { train, device } = rows;
  const { tuning = {}, signal, memory } = options;
  const fitted = { ...rows.fittedFor(queries), whitening: undefined };
  const { info } = device;
  const count: ExactCount = {
    ...what,
    rows: { options: pickMetric(options), fitted, train, queries },
    budget: info.kind === "cpu" ? info.budgetBytes : (memory ?? currentPlatform().memory),
    ...{ tuning, signal },
  };
  const pairs = { options, train, rows: { begin: 0, end: queries.rows }, k: 0 };
  // One worker is worth it too: it has WASM, which the main thread has not.
  const isWorth = (threads: number) => isShareable(pairs, Math.max(2, threads), tuning.fewest);
  const byWorkers = await device.withWorkers(isWorth, async (workers) =>
    isWorth(workers.threads) ? countExactly(count, workers) : undefined,
  );
  const executed = byWorkers ?? (await countExactly(count, undefined));
  return { executed, inWorkers: byWorkers !== undefined };
}

/** Returns the options that a metric is made of; other options cannot be sent to workers. */
function pickMetric({ metric, p, kernel, columnWeights, missing }: DistanceHistogramOptions) {
  return { metric, p, kernel, columnWeights: columnWeights && Float64Array.from(columnWeights), missing };
}
