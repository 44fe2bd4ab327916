/**
 * This judges by pairs of a sample whether sketches save work on the CPU, and with how many axes: by the
 * share of pairs that a sketch would rule out. It asks for a survey of the sample, and keeps the surveys of
 * rows that it has seen. ops/knn/contract/sketch.ts says what sketches are; a wrong judgement costs time,
 * never a result. Only searches on the CPU load it, and with it the survey of a sample and the rows that
 * workers prepare.
 */
import { sketchBound } from "../../../distance/bound/sketch.ts";
import { layoutReferences } from "../../../distance/layout.ts";
import { strideOf } from "../../../distance/rows/preparation.ts";
import { canShareRows, SharedRows } from "../../../distance/rows/sharedRows.ts";
import type { Matrix } from "../../../core/matrix.ts";
import type { Sources } from "../../../runtime/source.ts";
import type { BackendInfo } from "../../../runtime/backend.ts";
import type { Device } from "../../../runtime/device.ts";
import type { KnnProblem } from "./problem.ts";
import { sampleOf } from "./bytes/sampler.ts";
import * as steps from "./sketchSteps.ts";
import type { SketchAxes } from "./sketchSteps.ts";
import { surveyOn } from "../cpu/survey.ts";
import type { Survey } from "./survey.ts";
import type { Technique } from "../../../distance/forms/filter.ts";
import type { KnnPlan, PrefilterStage } from "./knnPlan.ts";

const SAMPLED_ROWS = 384;
/** So many numbers are sampled at most, and fewer rows than these say little. */
const MOST_SAMPLED = 2 ** 21;
const FEWEST_SAMPLED_ROWS = 64;
/** There must be this many columns: fewer are compared whole as fast. */
const FEWEST_COLUMNS = 24;
/** With fewer multiply-adds a survey would take longer than it can save. */
const LEAST_WORK = 2e10;

/** A pair costs this much, in columns of the blocked sums. */
const COST = { pair: 8, lookedAt: 150, lookedAtColumn: 2 } as const;

/** Sketches must cost at most this share of what whole rows cost: a sample judges roughly. */
const WORTHWHILE = 0.8;

/**
 * These are the surveys by the rows that they are of, as a search prepared them: searches mostly prepare them
 * alike.
 */
const surveys = new WeakMap<object, { readonly exponent: number; readonly found: Survey }>();

type WithWorkers = Pick<Device, "withWorkers">;

/**
 * Returns the plan with the sketches that pay for it, if any do and there is room to keep them, and with rows
 * that workers prepare, if they can.
 * @param train the rows that surveys are kept for
 * @param queries the rows that workers prepare beside those of train
 * @param device its workers survey the sample
 */
export async function withStage(
  plan: KnnPlan,
  {
    train,
    queries,
    device,
  }: { readonly train: Matrix; readonly queries: Matrix; readonly device: WithWorkers },
): Promise<KnnPlan> {
  const { technique } = plan;
  const sketched = await withSketches(plan, train, device);
  if (technique.form === "none") return sketched;
  const { stage = nothingElse } = sketched;
  const shared: Record<string, SharedRows> = {};
  if (canShareRows(train, technique.train)) shared.train = new SharedRows(train, technique.train);
  if (canShareRows(queries, technique.queries)) shared.queries = new SharedRows(queries, technique.queries);
  return withSources(sketched, stage, { ...shared, ...stage.sources });
}

function withSources(plan: KnnPlan, before: PrefilterStage, sources: Sources): KnnPlan {
  const stage: PrefilterStage = { ...before, sources, after: () => stage };
  return { ...plan, stage };
}

/** This stage changes nothing. */
const nothingElse: PrefilterStage = {
  says: "",
  sources: {},
  heldBytes: 0,
  queryBytes: 0,
  job: (job) => job,
  after: () => nothingElse,
};

async function withSketches(plan: KnnPlan, train: Matrix, opened: WithWorkers): Promise<KnnPlan> {
  const { problem, technique, device, caps } = plan;
  const rows = surveyRows(problem, technique, device, caps.axes);
  if (!rows || technique.form === "none") return plan;
  const { exponent } = technique.train;
  let known = surveys.get(train);
  if (known?.exponent !== exponent) {
    const { cols } = problem;
    const sample = { rows: sampleOf(train, technique, rows), stride: strideOf(cols), cols };
    known = { exponent, found: await surveyOn(opened, sample) };
    surveys.set(train, known);
  }
  return withAxes(plan, chooseSketch(known.found, problem, caps.axes));
}

/** Returns the plan with sketches, unless there is no room to keep them. */
function withAxes(plan: KnnPlan, chosen: SketchAxes | undefined): KnnPlan {
  const { problem, technique, device, budget, caps } = plan;
  if (!chosen || technique.form === "none") return plan;
  const { axes, basis, defect } = chosen;
  const bound = sketchBound(technique.bounding, axes, basis.length / axes, defect);
  if (!bound) return plan;
  const sketch = { ...chosen, bound, steps };
  const layout = layoutReferences(
    problem.trainRows,
    basis.length / axes,
    steps.sketchRowBytes(sketch),
    device,
    budget,
    caps,
  );
  if (!layout?.resident) return plan;
  const stage: PrefilterStage = {
    ...nothingElse,
    says: `, after sketches along ${axes} axes`,
    sources: steps.axesSource(sketch),
    heldBytes: basis.byteLength,
    queryBytes: steps.sketchRowBytes(sketch),
    after: () => stage,
  };
  return { ...plan, sketch, stage, layout };
}

/** Returns the rows to sample from train, or undefined where a survey is not worth its time. */
export function surveyRows(problem: KnnProblem, technique: Technique, device: BackendInfo, forced?: number) {
  if (device.kind !== "cpu" || technique.form === "none" || problem.precision === "float32") return undefined;
  if (technique.bounding.core !== "dot" || technique.bounding.dot !== "squared") return undefined;
  const { trainRows, queryRows, cols } = problem;
  const wanted =
    forced === undefined ? cols >= FEWEST_COLUMNS && trainRows * queryRows * cols >= LEAST_WORK : forced > 0;
  if (!wanted) return undefined;
  const most = Math.floor(MOST_SAMPLED / cols);
  if (most < FEWEST_SAMPLED_ROWS) return undefined;
  const count = Math.min(trainRows, SAMPLED_ROWS, most);
  return Uint32Array.from({ length: count }, (_, i) => Math.floor((i * trainRows) / count));
}

/** Returns the axes that cost least, or undefined when comparing whole rows costs no more. */
export function chooseSketch(
  found: Survey,
  { k, trainRows, cols }: KnnProblem,
  forced?: number,
): SketchAxes | undefined {
  const { basis, defect, stride, sampled, choices, pairs } = found;
  const kth = Math.min(sampled - 2, Math.max(0, Math.ceil((k * sampled) / trainRows) - 1));
  const available = basis.length / stride;
  const costs = choices.map((axes, choice) => {
    const share = mean(pairs.map(({ sorted, bounds }) => shareBelow(bounds[choice], sorted[kth])));
    const cost = axes + 2 + COST.pair + share * (COST.lookedAt + COST.lookedAtColumn * cols);
    return { axes, share, cost };
  });
  const best =
    forced === undefined
      ? costs.reduce((least, each) => (each.cost < least.cost ? each : least), {
          axes: 0,
          share: 1,
          cost: WORTHWHILE * (cols + COST.pair),
        })
      : { axes: Math.min(forced, available), share: NaN };
  if (best.axes === 0) return undefined;
  return { axes: best.axes, basis: basis.slice(0, best.axes * stride), defect, share: best.share };
}

function shareBelow(values: Float64Array, limit: number): number {
  let below = 0;
  for (const value of values) if (value <= limit) below++;
  return below / values.length;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
