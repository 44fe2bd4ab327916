/**
 * This decides whether a GPU compares bytes before float32. It is pure: ahead/bytesFirst.ts asks the device.
 * What follows is stage.ts, how fast bytes are is gpu/bytes/rate.ts, the proof distance/bound/bytes.ts.
 */
import type { Matrix } from "../../../../core/matrix.ts";
import { boundOf } from "../../../../distance/bound/bound.ts";
import { byteBoundOf, MOST_BYTE_DIMS, type ByteBound } from "../../../../distance/bound/bytes.ts";
import type { Filter, Technique } from "../../../../distance/forms/filter.ts";
import type { ReferenceLayout } from "../../../../distance/layout.ts";
import { strideOf } from "../../../../distance/rows/preparation.ts";
import { knnQuantizedBytes } from "../../contract/bytes.ts";
import { knnFirstRows } from "../../contract/filter.ts";
import type { ByteRate } from "../../gpu/bytes/rate.ts";
import type { KnnPlan } from "../knnPlan.ts";
import type { KnnProblem } from "../problem.ts";
import { judged, sampledRows, type SampleJudgement } from "./sample.ts";
import { sampleOf } from "./sampler.ts";
import { stageOf, type ByteWay } from "./stage.ts";

/** A pair that is compared whole takes as long as this many pairs of float32 in a tile, on an H100. */
const WHOLE = 20;
/** Bytes must cost at most this share of what float32 costs: a sample judges roughly. */
const WORTHWHILE = 0.8;
/** Bytes may let pass this many pairs for each one that float32 does, where they were asked for. */
const MOST_LOOSENESS = 6;
const MOST_PASSING = 1 / 64;
/** The bytes of references may take this share of the budget. */
const MOST_HELD = 1 / 4;
/** There must be at least this many queries, of which a tile has 128. */
const LEAST_QUERIES = 128;
/**
 * From this many multiply-adds on bytes may pay, or from this many seconds where a search was timed before.
 */
const LONG = 2 ** 36;
const LONG_SECONDS = 0.01;

/** Samples found this, by the rows that they are of, as a search prepared them: each is judged once. */
const samples = new WeakMap<object, SampleJudgement & { readonly exponent: number }>();

/** Bytes come first in this way, for this reason. */
interface Choice extends Omit<ByteWay, "turned" | "looseness"> {
  readonly why: string;
}

/** A plan whose rows may become bytes. */
type BytePlan = KnnPlan & { readonly technique: Filter; readonly layout: ReferenceLayout };

/** Tells whether rows of a plan may become bytes, whatever the device. */
export function mayTakeBytes(plan: KnnPlan): plan is BytePlan {
  const { technique, problem, tree, layout } = plan;
  const fits = isSquared(technique) && boundOf(technique.bounding) !== undefined;
  return fits && !problem.keepAll && !tree && layout !== undefined;
}

/** Tells whether a search has so few rows that all are compared in float32. */
export function hasFewRows({ problem: { trainRows, k } }: KnnPlan): boolean {
  return trainRows <= knnFirstRows(k);
}

/**
 * Returns the plan with bytes first where they can rule out pairs, a sample says that they do, and they are
 * faster on the device. `technique.why` says what was found.
 * @param train the rows that samples are kept for
 * @param rate is that of the device; undefined where bytes were asked for whatever it is
 */
export function withBytes(plan: BytePlan, train: Matrix, rate: ByteRate | undefined): KnnPlan {
  const { technique, problem, layout, device, budget } = plan;
  if (rate?.times === 0) return saying(plan, "no bytes first, which this device does not have or gets wrong");
  const known = quantizingOf(plan, train);
  if (!known) return saying(plan, "no bytes first, which could rule nothing out");
  const choice = rate ? chosenBy(rate, known.looseness, problem) : askedFor(known.looseness);
  if (typeof choice === "string") return saying(plan, choice);
  const held = knnQuantizedBytes({ queryRows: 0, refRows: layout.chunkRows, dims: technique.dims });
  if (held > budget * MOST_HELD || held > device.bufferBytes / 2)
    return saying(plan, "no bytes first, for which there is no room");
  const { bytes, turned, looseness, centre } = known;
  const why = turned ? `${choice.why}; rows are turned, which evens them out` : choice.why;
  const way = { ...choice, turned, looseness };
  return { ...saying(plan, why), stage: stageOf(bytes, way, centre, plan, held) };
}

/** Returns the plan that gives these words as a reason, too. */
export function saying(plan: BytePlan, words: string): KnnPlan {
  const { technique } = plan;
  return { ...plan, technique: { ...technique, why: `${technique.why}; ${words}` } };
}

/** Judges a sample of rows of train, once for each way in which a search prepares them. */
function sampleFor(
  train: Matrix,
  technique: Filter,
  { trainRows }: Pick<KnnProblem, "trainRows">,
): SampleJudgement {
  const { exponent } = technique.train;
  let known = samples.get(train);
  if (known?.exponent !== exponent) {
    const sample = sampleOf(train, technique, sampledRows(trainRows));
    known = { exponent, ...judged(sample, strideOf(technique.dims)) };
    samples.set(train, known);
  }
  return known;
}

/** Rows become bytes in this way, of which a sample shows this. */
export interface Quantizing extends SampleJudgement {
  readonly bytes: ByteBound;
}

/** Returns how rows of a plan become bytes; undefined where those would rule nothing out. */
export function quantizingOf(
  { technique, problem }: Pick<KnnPlan, "technique" | "problem">,
  train: Matrix,
): Quantizing | undefined {
  const bound = isSquared(technique) && boundOf(technique.bounding);
  if (!bound || technique.dims > MOST_BYTE_DIMS) return undefined;
  const known = sampleFor(train, technique, problem);
  const bytes = byteBoundOf(known.largest, technique.dims, bound);
  return bytes && { ...known, bytes };
}

/** Tells whether a search is long enough to gain by bytes; where they are "measured", each counts as long. */
export function mayGain({ problem, rate, observed, caps }: KnnPlan, dims: number): boolean {
  const work = workOf(problem, dims);
  const isLong = observed ? work >= rate * LONG_SECONDS : work >= LONG;
  return caps.bytes === "measured" || (problem.queryRows >= LEAST_QUERIES && isLong);
}

/** Returns the multiply-adds of a search in float32. */
export function workOf({ queryRows, trainRows }: KnnPlan["problem"], dims: number): number {
  return queryRows * trainRows * strideOf(dims);
}

/** Chooses by the time that bytes and the pairs that they let pass take, as a share of that of float32. */
function chosenBy({ times, by }: ByteRate, looseness: number, problem: KnnPlan["problem"]): Choice | string {
  const faster = `${by} are ${times.toFixed(1)} times as fast here as float32`;
  const most = (1 - 1 / times) / WHOLE;
  const passing = looseness * passingShare(problem);
  const cost = 1 / times + WHOLE * passing;
  if (1 / times > WORTHWHILE) return `no bytes first: ${faster}`;
  if (!(cost <= WORTHWHILE)) return `no bytes first, which would rule out too few pairs, although ${faster}`;
  return { packed: by === "packed products", most, by, why: `bytes first, since ${faster}` };
}

function askedFor(looseness: number): Choice | string {
  if (looseness > MOST_LOOSENESS) return "no bytes first, which would rule out too few pairs";
  return { packed: false, most: MOST_PASSING, by: "bytes", why: "bytes first, as was asked" };
}

/**
 * Returns the share of pairs that pass in float32, after those that are all compared. Rows in no order are
 * among the k nearest so far with a chance of k to their number.
 */
function passingShare({ k, trainRows }: KnnPlan["problem"]): number {
  return (k * (1 + Math.log(trainRows / knnFirstRows(k)))) / trainRows;
}

/** Tells whether a form computes the square of a distance from rows and their lengths. */
export function isSquared(technique: Technique): technique is Filter {
  if (technique.form !== "expanded") return false;
  const { bounding, weight, mixed, power, points, train, queries } = technique;
  const lengths = train.base === "squaredNorm" && queries.base === "squaredNorm";
  return bounding.dot === "squared" && weight === -2 && lengths && !mixed && !power && !points;
}
