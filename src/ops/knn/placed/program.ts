/** This runs the plan of a search of rows that lie where they can be fetched from. */
import { rowCount, type Sources } from "../../../runtime/source.ts";
import type { Metric } from "../../../distance/metric.ts";
import type { Device } from "../../../runtime/device.ts";
import { Executor } from "../../../runtime/execute.ts";
import type { Program } from "../../../runtime/program.ts";
import { knnProgram } from "../plan/knn.ts";
import type { KnnJob, KnnPlan } from "../plan/knnPlan.ts";
import { collectRanked, listsOf, type Neighbors } from "../refine.ts";
import type { PlacedSearch } from "./fit.ts";

/**
 * Makes the program. It ends with work left rather than read all rows for a part of the queries, or leave
 * candidates to the host, or make float32 of bytes; lists that overflow are searched again together, for
 * which all rows are read once more. Its units are rows, of which every query has a share.
 */
function programOf(phase: string, ofBytes: boolean): Program<KnnPlan, KnnJob> {
  return {
    ...knnProgram,
    phase,
    unitsLeft: (plan) => inRows(plan, knnProgram.unitsLeft(plan)),
    nextJob(plan) {
      if (ofBytes && !plan.stage) return undefined;
      const job = knnProgram.nextJob(plan);
      if (!job || job.probe) return job;
      const evaluated = ofBytes || (job.finish.kind === "refine" && job.finish.lists?.keys !== undefined);
      const together = plan.layout?.resident === true || job.units === rowCount(plan.todo[0].rows);
      return evaluated && together ? { ...job, units: inRows(plan, job.units) } : undefined;
    },
  };
}

function inRows({ problem }: KnnPlan, queries: number): number {
  return Math.ceil((queries / problem.queryRows) * problem.trainRows);
}

/** Runs a plan. @returns the plan as it was at the end */
export async function execute(
  device: Device,
  plan: KnnPlan,
  metric: Metric,
  sources: Sources,
  into: Neighbors,
  { phase, signal, onProgress }: PlacedSearch,
): Promise<KnnPlan> {
  const executor = new Executor(device);
  try {
    return await executor.execute(
      programOf(phase, plan.stage !== undefined),
      plan,
      sources,
      async ({ finish }, downloads) => {
        if (finish.kind === "ordered")
          await finish.collect(finish.rows, downloads, into.k, into, metric, signal);
        const lists = listsOf(finish, downloads); // a probe has none
        if (lists) collectRanked(metric, finish.rows, lists, into);
      },
      { signal, onProgress },
    );
  } finally {
    executor.dispose();
  }
}
