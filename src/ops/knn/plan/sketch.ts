/**
 * Whether sketches save work on the CPU, and with how many axes: judged by pairs of a sample, how many of them a sketch would
 * rule out. Pure. Sketches are what core/primitives/sketch.ts says; a wrong judgement costs time, never a result. Loaded with
 * the survey of that sample.
 */
import type { Bound } from "../../../distance/bound/bound.ts";
import type { BackendInfo } from "../../../runtime/backend.ts";
import type { KnnProblem } from "../../../distance/problem.ts";
import type { Survey } from "./survey.ts";
import type { Technique } from "../../../distance/forms/technique.ts";

export interface SketchAxes {
  readonly axes: number;
  /** float64 [axes][stride] */
  readonly basis: Float64Array;
  /** Of the basis from orthonormal (core/axes.ts). */
  readonly defect: number;
  /** Of the pairs, those expected to be looked at whole. */
  readonly share: number;
}

/** Axes with what they prove. */
export interface Sketch extends SketchAxes {
  readonly bound: Bound;
}

const SAMPLED_ROWS = 512;
/** Fewer columns are compared whole as fast. */
const FEWEST_COLUMNS = 24;
/** Multiply-adds below which a survey would take longer than it can save. */
const LEAST_WORK = 2e10;

/** Costs per pair, in columns of the blocked sums. */
const COST = { pair: 8, lookedAt: 150, lookedAtColumn: 2 } as const;

/** Of the cost of whole rows: a sample judges roughly. */
const WORTHWHILE = 0.8;

/** Rows to sample from train; undefined where a survey is not worth its time. */
export function surveyRows(problem: KnnProblem, technique: Technique, device: BackendInfo, forced?: number) {
  if (device.kind !== "cpu" || technique.form === "none" || problem.precision === "float32") return undefined;
  if (technique.bounding.core !== "dot" || technique.bounding.dot !== "squared") return undefined;
  const { trainRows, queryRows, cols } = problem;
  const wanted =
    forced === undefined ? cols >= FEWEST_COLUMNS && trainRows * queryRows * cols >= LEAST_WORK : forced > 0;
  if (!wanted) return undefined;
  const count = Math.min(trainRows, SAMPLED_ROWS);
  return Uint32Array.from({ length: count }, (_, i) => Math.floor((i * trainRows) / count));
}

/** The axes that cost least, or undefined when comparing whole rows costs no more. */
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
