/**
 * This decides whether a GPU compares bytes before float32. A search that may gain by it loads it (run.ts).
 * What follows is stage.ts, how fast bytes are is gpu/bytes/rate.ts, the proof distance/bound/bytes.ts.
 */
import { isNearfieldError } from "../../../../core/errors.ts";
import type { Matrix } from "../../../../core/matrix.ts";
import type { Backend } from "../../../../runtime/backend.ts";
import { boundOf } from "../../../../distance/bound/bound.ts";
import { byteBoundOf, MOST_BYTE_DIMS, type ByteBound } from "../../../../distance/bound/bytes.ts";
import type { Filter, Technique } from "../../../../distance/forms/filter.ts";
import { strideOf } from "../../../../distance/rows/preparation.ts";
import type { Device } from "../../../../runtime/device.ts";
import { knnQuantizedBytes } from "../../contract/bytes.ts";
import { knnFirstRows } from "../../contract/filter.ts";
import {
  byteRate,
  compilesPackedProducts,
  isReadyToMeasure,
  knownByteRate,
  type ByteRate,
} from "../../gpu/bytes/rate.ts";
import { FAST_RATE } from "../../rates.ts";
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
/**
 * Searches on a device must take this many seconds together before the rate is measured, which takes up to
 * half as long: a single search would not earn it. Its shaders are compiled beside the searches that follow.
 */
const WORTH_SECONDS = 1;

const spent = new WeakMap<Backend, number>();

/** Samples found this, by the rows that they are of, as a search prepared them. */
const samples = new WeakMap<object, SampleJudgement & { readonly exponent: number }>();

/** Bytes come first in this way, for this reason. */
interface Choice extends Omit<ByteWay, "turned" | "looseness"> {
  readonly why: string;
}

/**
 * Returns the plan with bytes first where they can rule out pairs, a sample says that they do, and they are
 * faster on the device. The rate is measured now if searches have earned it. `technique.why` says what was
 * found.
 * @param train the rows that samples are kept for
 */
export async function withStage(
  plan: KnnPlan,
  { train, device: { backend } }: { readonly train: Matrix; readonly device: Pick<Device, "backend"> },
): Promise<KnnPlan> {
  const { technique, problem, layout, device, budget, caps } = plan;
  if (!isSquared(technique) || problem.keepAll || plan.tree || !layout) return plan;
  if (!boundOf(technique.bounding)) return plan;
  const saying = (words: string) => ({
    ...plan,
    technique: { ...technique, why: `${technique.why}; ${words}` },
  });
  if (problem.trainRows <= knnFirstRows(problem.k)) return saying("no bytes first for so few rows");
  const asked = caps.bytes === true;
  const rate = asked ? undefined : await rateFor(plan, technique.dims, backend);
  if (asked ? !(await compilesPackedProducts(backend)) : !rate) return plan;
  if (rate?.times === 0) return saying("no bytes first, which this device does not have or gets wrong");
  const known = quantizingOf(plan, train);
  if (!known) return saying("no bytes first, which could rule nothing out");
  const choice = rate ? chosenBy(rate, known.looseness, problem) : askedFor(known.looseness);
  if (typeof choice === "string") return saying(choice);
  const held = knnQuantizedBytes({ queryRows: 0, refRows: layout.chunkRows, dims: technique.dims });
  if (held > budget * MOST_HELD || held > device.bufferBytes / 2)
    return saying("no bytes first, for which there is no room");
  const { bytes, turned, looseness, centre } = known;
  const why = turned ? `${choice.why}; rows are turned, which evens them out` : choice.why;
  return { ...saying(why), stage: stageOf(bytes, { ...choice, turned, looseness }, centre, plan, held) };
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

/** Returns the rate of the device, where the search may gain by it and it is known or worth a measurement. */
export async function rateFor(plan: KnnPlan, dims: number, backend: Backend): Promise<ByteRate | undefined> {
  const { problem, device, rate, observed, caps } = plan;
  const work = problem.queryRows * problem.trainRows * strideOf(dims);
  const isLong = observed ? work >= rate * LONG_SECONDS : work >= LONG;
  const mayPay = caps.bytes === "measured" || (problem.queryRows >= LEAST_QUERIES && isLong);
  const known = mayPay ? knownByteRate(backend, dims) : undefined;
  if (!mayPay || known) return known;
  if (device.software) return undefined;
  const seconds = (spent.get(backend) ?? 0) + work / (observed ? rate : FAST_RATE);
  spent.set(backend, seconds);
  if (seconds < WORTH_SECONDS || (caps.bytes !== "measured" && !isReadyToMeasure(backend, dims)))
    return undefined;
  try {
    return await byteRate(backend, dims);
  } catch (error) {
    // Without room for it, or a device, the search itself finds out what is left to do.
    if (!isNearfieldError(error, "OutOfMemory", "DeviceLost")) throw error;
    return undefined;
  }
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
