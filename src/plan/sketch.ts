/**
 * Whether sketches save work on the CPU, and with how many axes: judged by pairs of a sample, how many of them a sketch would
 * rule out. Pure. Sketches are what core/primitives/sketch.ts says; a wrong judgement costs time, never a result.
 */
import { defectOf, coordinates, principalAxes } from "../core/axes.ts";
import { sketchBound, type Bound } from "../core/bound.ts";
import type { BackendInfo } from "../core/backend.ts";
import type { KnnProblem } from "./problem.ts";
import type { Filter, Technique } from "./technique.ts";

export interface Sketch {
  readonly axes: number;
  /** float64 [axes][stride] */
  readonly basis: Float64Array;
  readonly bound: Bound;
  /** Of the pairs, those expected to be looked at whole. */
  readonly share: number;
}

/** A sample of the prepared rows of train, and what was found in it. Depends on train alone. */
export interface Survey {
  /** float64 [axes][stride], those that hold most first. */
  readonly basis: Float64Array;
  readonly stride: number;
  readonly sampled: number;
  /** Pairs of the sample: distances, and by axis the coordinates' differences. */
  readonly pairs: readonly PairsOfRow[];
}

/** From one row of the sample to all others. */
interface PairsOfRow {
  /** Squared distances, ascending. */
  readonly sorted: Float64Array;
  /** Squared distances of the sketches with these many axes, [choice][other row]. */
  readonly bounds: readonly Float64Array[];
}

const CHOICES = [4, 8, 12, 16, 24, 32, 40, 48, 64] as const;
const SAMPLED_ROWS = 512;
const PIVOTS = 48;
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

/** @param rows the sample's prepared rows, float32 [rows][stride] */
export function survey(rows: Float32Array, stride: number, cols: number): Survey {
  const sampled = rows.length / stride;
  const most = Math.min(CHOICES[CHOICES.length - 1], cols, sampled);
  const basis = withoutEmpty(principalAxes(rows, stride, most), stride);
  const along = coordinates(rows, basis, stride);
  const squares = Float64Array.from({ length: sampled }, (_, i) => {
    let sum = 0;
    for (let j = i * stride; j < (i + 1) * stride; j++) sum += rows[j] ** 2;
    return sum;
  });
  const pivots = Math.min(PIVOTS, sampled);
  const pairs = Array.from({ length: pivots }, (_, p) =>
    pairsOf(Math.floor((p * sampled) / pivots), rows, stride, along, squares),
  );
  return { basis, stride, sampled, pairs };
}

function withoutEmpty(basis: Float64Array, stride: number): Float64Array {
  let axes = basis.length / stride;
  while (axes > 0 && basis.subarray((axes - 1) * stride, axes * stride).every((x) => x === 0)) axes--;
  return basis.subarray(0, axes * stride);
}

function pairsOf(
  pivot: number,
  rows: Float32Array,
  stride: number,
  along: Float64Array,
  squares: Float64Array,
): PairsOfRow {
  const count = squares.length;
  const width = along.length / count;
  const choices = CHOICES.filter((axes) => axes <= width);
  const distances = new Float64Array(count - 1);
  const bounds = choices.map(() => new Float64Array(count - 1));
  for (let other = 0, at = 0; other < count; other++) {
    if (other === pivot) continue;
    let whole = 0;
    for (let j = 0; j < stride; j++) whole += (rows[pivot * stride + j] - rows[other * stride + j]) ** 2;
    distances[at] = whole;
    let led = 0;
    let [restPivot, restOther] = [squares[pivot], squares[other]];
    for (let axis = 0, choice = 0; choice < choices.length; axis++) {
      if (axis === choices[choice]) {
        const tails = Math.sqrt(Math.max(restPivot, 0)) - Math.sqrt(Math.max(restOther, 0));
        bounds[choice++][at] = led + tails ** 2;
        if (choice === choices.length) break;
      }
      const [y, z] = [along[pivot * width + axis], along[other * width + axis]];
      led += (y - z) ** 2;
      restPivot -= y ** 2;
      restOther -= z ** 2;
    }
    at++;
  }
  return { sorted: distances.sort(), bounds };
}

/** The axes that cost least, or undefined when comparing whole rows costs no more. */
export function chooseSketch(
  found: Survey,
  { k, trainRows, cols }: KnnProblem,
  { bounding }: Filter,
  forced?: number,
): Sketch | undefined {
  const { basis, stride, sampled, pairs } = found;
  const kth = Math.min(sampled - 2, Math.max(0, Math.ceil((k * sampled) / trainRows) - 1));
  const available = basis.length / stride;
  const costs = CHOICES.filter((axes) => axes <= available).map((axes, choice) => {
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
  const chosen = basis.slice(0, best.axes * stride);
  const bound = sketchBound(bounding, best.axes, stride, defectOf(chosen, stride));
  return bound && { axes: best.axes, basis: chosen, bound, share: best.share };
}

function shareBelow(values: Float64Array, limit: number): number {
  let below = 0;
  for (const value of values) if (value <= limit) below++;
  return below / values.length;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
