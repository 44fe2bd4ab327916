/**
 * This rewrites the jobs of a plan of few queries for a GPU. `knn.fewFilter` reads the references once, and
 * the host, which prepares so few rows sooner than a GPU, evaluates their few candidates too. This is pure. A
 * search of few queries loads it (run.ts).
 */
import { isRunOf, run } from "../../../runtime/primitive.ts";
import type { Step } from "../../../runtime/backend.ts";
import { FEW_GROUP, knnFewScratchBytes } from "../contract/few.ts";
import { knnFewFilter } from "../fewPrimitive.ts";
import { knnFilter } from "../primitives.ts";
import type { KnnJob, KnnPlan, PrefilterStage } from "./knnPlan.ts";
import type { Tile } from "./tile.ts";

/** There must be this many rows for each neighbour: of fewer, most would be looked at twice. */
const ROWS_FOR_K = 256;

/**
 * Returns the plan with jobs for few queries, where it pays and there are kernels for its form. For k = 10
 * among 1,000,000 x 128 an H200 took 0.64 ms for one query, 0.92 for eight and 1.31 for 32, where it took
 * 0.89, 0.98 and 1.33 by the other kernels. For k = 100 it took 0.85, 1.31 and 2.61 ms, and 0.97, 0.98 and
 * 1.25 by the others: run.ts says for how many queries a search takes them. Software compares pairs as slowly
 * as it reads them, and took longer for eight.
 */
export function withStage(plan: KnnPlan): KnnPlan {
  const { technique, problem, layout, stage, tree, caps, device } = plan;
  const { precision, keepAll = false, trainRows, queryRows, k } = problem;
  if (technique.form === "none" || !layout?.resident || stage || tree) return plan;
  const { mixed, power, points, queries } = technique;
  if (mixed || power || points || keepAll || precision === "float32") return plan;
  const pays = trainRows >= ROWS_FOR_K * k && (queryRows === 1 || !device.software);
  if (caps.group !== undefined || !(caps.few ?? pays)) return plan;
  return {
    ...plan,
    technique: {
      ...technique,
      refinable: false,
      queries: { ...queries, on: "host" },
      why: `${technique.why}; references are read once for a few queries`,
    },
    stage: stageOf(Math.min(layout.chunkRows, trainRows), k, device.bufferBytes),
  };
}

function stageOf(refRows: number, k: number, bufferBytes: number): PrefilterStage {
  const queryBytes = knnFewScratchBytes({ queryRows: 1, refRows, k });
  const stage: PrefilterStage = {
    says: "",
    rated: "few",
    sources: {},
    heldBytes: 0,
    queryBytes,
    queries: Math.max(1, Math.floor(bufferBytes / queryBytes)),
    trimmed: withoutOneLeft,
    job: withFewSteps,
    after: () => stage,
  };
  return stage;
}

/** Takes one query less where it would leave a single one, whose kernel may not be compiled. */
function withoutOneLeft(tile: Tile, queries: number): Tile {
  return queries > 3 && tile.queries === queries - 1 ? { ...tile, queries: queries - 2 } : tile;
}

function withFewSteps(job: KnnJob): KnnJob {
  const { segment, tile } = job;
  if (!segment || !tile) return job;
  let scratch = 0;
  const steps = segment.steps.map((step): Step => {
    if (!isRunOf(step, knnFilter)) return step;
    const { bindings, cost } = step;
    scratch = Math.max(scratch, knnFewScratchBytes(step.params));
    return run(knnFewFilter, { params: step.params, bindings, cost });
  });
  const buffers = segment.buffers.map((each) =>
    each.name === "scratch" ? { ...each, bytes: scratch } : each,
  );
  return { ...job, tile: { ...tile, group: FEW_GROUP }, segment: { ...segment, buffers, steps } };
}
