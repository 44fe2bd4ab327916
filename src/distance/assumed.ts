/**
 * These are speculative checks: a sample says how large the values of train are, the device looks at all of
 * them while it prepares them, and where one violates what was assumed the search is done again: once by what
 * the device saw, then after the host has looked. They are pure; fittedRows.ts does what is to be done again.
 */
import type { SegmentOutput, Step } from "../runtime/backend.ts";
import type { Matrix } from "../core/matrix.ts";
import { LARGEST_FLOAT } from "./float32.ts";
import type { Filter, Technique } from "./forms/filter.ts";
import type { Form } from "./forms/form.ts";
import { isPlain, MOST_ON_DEVICE } from "./forms/preparers.ts";
import { missingPolicyOf, type MetricOptions } from "./metric.ts";
import type { PairProblem } from "./problem.ts";
import { sampleOf } from "./rows/centre.ts";
import { isSingle, largestOf, type Range, type RowShape } from "./rows/range.ts";

export type Side = (typeof sides)[number];

const sides = ["train", "queries"] as const;

/** The host takes as long to look at so many values as a small search does: some ten milliseconds. */
const ASSUME_FROM = 2 ** 23;

/** Tells whether a device can check what is assumed of such rows, and looking at them now would take long. */
export function mayAssume(
  { rows, cols, kinds, gaps }: RowShape,
  form: Form | string,
  options: MetricOptions,
  from: number = ASSUME_FROM,
): boolean {
  if (rows * cols < from) return false;
  const missing = missingPolicyOf(options);
  const mayMiss = gaps === true || (missing !== undefined && missing !== "error");
  const isPrepared = typeof form !== "string" && isPlain(form, cols);
  return !kinds && !mayMiss && options.metric !== "precomputed" && isPrepared;
}

/** The largest value of all rows may well exceed that of a sample by this factor. */
const ASSUMED_FACTOR = 16;

/**
 * Estimates the range of rows that nobody looked at from a sample; undefined where the sample allows no
 * estimate.
 */
export function assumedRange(matrix: Matrix, centre: Float64Array | undefined): Range | undefined {
  const { data, cols } = matrix;
  const largest = ASSUMED_FACTOR * largestOf(sampleOf(matrix), cols, centre);
  if (!isSingle(data) || !(largest > 0 && largest < MOST_ON_DEVICE)) return undefined;
  const exact = data instanceof Float32Array && !centre;
  return { largest: Math.fround(largest), exact, single: true, assumed: true };
}

/** Returns the limit whose excess violates what was assumed; where all values were looked at, none can. */
export function limitOf({ assumed = false, largest }: Range): number {
  return assumed ? largest : LARGEST_FLOAT;
}

/** Says whether the device checks what is assumed of both sides, if anything is. */
export function isChecked(problem: PairProblem, technique: Technique): boolean {
  return sides.every(
    (side) => !problem[side].assumed || (technique.form !== "none" && technique[side].on === "device"),
  );
}

/** Brings back the largest value that the device saw of each side of which something is assumed. */
export function checkSteps(problem: PairProblem, filter: Filter, sides: readonly Side[]): Step[] {
  return sides
    .filter((side) => filter[side].on === "device" && problem[side].assumed)
    .map((side) => ({ kind: "download", from: seenBuffer(side), bytes: 4 }) as const);
}

/**
 * Returns the name of the buffer of the largest value that the device saw, as `distance.prepare` leaves it.
 */
export function seenBuffer(side: Side): string {
  return `${side}.seen`;
}

/** A device saw these largest values; 0 where nothing was assumed of a side. */
export type LargestSeen = readonly [train: number, queries: number];

/**
 * Returns the plan with what a segment's output shows to violate its assumptions; undefined where nothing
 * does.
 */
export function violatedBy<Plan extends { readonly problem: PairProblem }>(
  plan: Plan,
  { downloads }: Pick<SegmentOutput, "downloads">,
): (Plan & { readonly violated: LargestSeen }) | undefined {
  const seen = sides.map((side) => new Float32Array(downloads.get(seenBuffer(side)) ?? [0])[0]);
  const violated = seen as [number, number];
  const holds = sides.every((side, at) => seen[at] <= plan.problem[side].largest);
  return holds ? undefined : { ...plan, violated };
}

/**
 * Returns the range to assume after the device saw such a value, mostly the largest of all. No device
 * prepares rows of MOST_ON_DEVICE, so that at what is as large, or not finite, the host looks.
 */
export function widenedRange(range: Range, seen: number): Range {
  if (!range.assumed || seen <= range.largest) return range;
  return { ...range, largest: Math.min(MOST_ON_DEVICE, seen), seen: true };
}
