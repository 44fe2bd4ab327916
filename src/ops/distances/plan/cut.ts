/**
 * This cuts a distance histogram to what a GPU has room and time for: how many queries go together, whether
 * the values of all their pairs are kept from the ranges to the counts or made twice, and how many references
 * one dispatch visits. This is pure arithmetic on sizes.
 */
import { clamp, roundDown, roundUp } from "../../../core/math.ts";
import { DISPATCH_SECONDS, layoutBytes, tooSmall, type ReferenceLayout } from "../../../distance/layout.ts";
import { META_BYTES } from "../../../distance/core.ts";
import { refinePolicy } from "../../../distance/gpu/policy.ts";
import { preparationBytes } from "../../../distance/prepareSteps.ts";
import { strideOf } from "../../../distance/rows/preparation.ts";
import type { Filter } from "../../../distance/forms/filter.ts";
import {
  BESIDE_BINS,
  BOUNDS_WORDS,
  EXTREMES_WORDS,
  FOUND_WORDS,
  groupBytes,
  thresholdWords,
} from "../deviceContract.ts";
import { isExact, sharesBins, type DistancesPlan, type DistancesRunLog } from "./distancesPlan.ts";
import { WHOLE_COST } from "./whole.ts";
import { compareWidths, type Ratio } from "./widths.ts";

export interface DeviceCut {
  readonly queries: number;
  readonly passes: DistancesRunLog["passes"];
  readonly why: string;
  /** The values of a query begin this many float32 before those of the next one. */
  readonly pitch: number;
  /**
   * A dispatch that makes values visits `window` references, one that counts them `countWindow`; multiples of
   * 4.
   */
  readonly window: number;
  readonly countWindow: number;
  /** The nearest and the farthest pairs of a query are looked for in this many parts. */
  readonly parts: number;
  /**
   * A query has this many blocks of extremes, and this many of its pairs may wait; 0 where none is evaluated.
   */
  readonly blocks: number;
  readonly room: number;
}

const MAX_QUERIES = 1024;
/**
 * This many queries make values at full speed. Kept values take at most this many bytes where more queries
 * than those fit, and two jobs may have theirs at a time. What settles open pairs is faster with more
 * queries: of a million references an H100 takes 122 ms for exact counts with 256 at a time, 191 ms with 128.
 */
const FULL_QUERIES = 128;
const KEPT_BYTES = 2 ** 30;
/**
 * While no rate was observed, a dispatch has this share of its work, and the first job takes this many
 * seconds.
 */
const PROBE_SHARE = 1 / 8;
const PROBE_SECONDS = 0.05;
const PROBE_QUERIES = 64;
const LEAST_WINDOW = 64;
/** Counting a value takes as long as this many multiply-adds, roughly. */
const COUNT_COST = 16;
/** A multiply-add of whole numbers takes as long as this many of float32, roughly. */
export const FIXED_COST = 12;
/** This many lanes look for the nearest and the farthest pairs, and a part has at least this many pairs. */
const LEAST_LANES = 264 * 1024;
const PART_PAIRS = 4096;
const MOST_BLOCKS = 256;
/** This share of a query's pairs may wait, between these two numbers. */
const ROOM = { share: 1 / 16, least: 64, most: 2 ** 16 };

/**
 * Cuts what is left of a plan to the device.
 * @param counts false where the job only finds ranges
 * @throws OutOfMemoryError where not even one query fits
 */
export function cutFor(plan: DistancesPlan, filter: Filter, layout: ReferenceLayout, counts: boolean) {
  const { problem, device, budget, rate, observed, ask, tuning } = plan;
  const stride = strideOf(filter.dims);
  const held =
    layoutBytes(layout, problem.trainRows, stride, extraBytes(plan)) + preparationBytes(problem, filter);
  const shared = sharesBins(ask) && counts ? thresholdWords(ask.bins, isExact(plan)) * 4 : 0;
  const free = budget - held - shared;
  const left = problem.queryRows - (counts ? plan.counted : plan.ranged);
  const work = rate * DISPATCH_SECONDS * (observed ? 1 : PROBE_SHARE);
  const most = Math.min(
    left,
    tuning.slab ?? MAX_QUERIES,
    observed ? MAX_QUERIES : firstQueries(plan, stride),
    Math.max(PROBE_QUERIES, Math.floor(work / (LEAST_WINDOW * stride))),
  );
  const fixed = queryBytes(plan, filter, counts);
  const largest = Math.max(stride * 4, queryResultBytes(plan, counts));
  const fitting = (rowBytes: number, all: number): number =>
    Math.min(
      all,
      Math.floor(free / (fixed + rowBytes)),
      Math.floor(device.bufferBytes / Math.max(rowBytes, largest)),
    );

  const whole = layout.chunks * roundUp(layout.chunkRows, 4);
  const widest = Math.min(layout.chunkRows, tuning.rows ?? layout.chunkRows);
  const inParts = fitting(Math.min(widest, LEAST_WINDOW) * 4, most);
  if (inParts < 1) throw tooSmall(device, budget, held + shared + fixed + LEAST_WINDOW * 4);
  const handy = Math.max(FULL_QUERIES, Math.floor(KEPT_BYTES / (whole * 4)));
  const wholeRows = Math.min(
    fitting(whole * 4, Math.min(most, handy)),
    Math.floor((tuning.kept ?? Infinity) / (whole * 4)),
  );
  const wantsBoth = counts && ask.range === "query";
  const faster = compareWidths(plan.rates, inParts, Math.max(1, wholeRows));
  // Making values twice takes two times as long, unless that many queries together are so much faster.
  const keeps = wantsBoth && wholeRows >= 1 && faster.times <= 2;
  const fits = keeps ? wholeRows : inParts;
  // Tiles that are not full take as long as full ones.
  const queries = fits < left && fits > FULL_QUERIES ? roundDown(fits, FULL_QUERIES) : fits;
  const perQuery = Math.min(Math.floor(free / queries) - fixed, Math.floor(device.bufferBytes / queries));
  const perPair = stride * (plan.whole ? WHOLE_COST : 1);
  const timely = Math.max(LEAST_WINDOW, Math.min(widest, Math.floor(work / (queries * perPair))));
  const window = keeps ? timely : Math.min(timely, Math.floor(perQuery / 4));
  const { open: seen } = plan;
  const open = isExact(plan) ? stride * (seen.fixed * FIXED_COST + seen.float64 * refinePolicy.cost) : 0;
  const countable = Math.floor(work / (queries * (COUNT_COST + open)));
  const parts = clamp(Math.ceil(LEAST_LANES / 256 / queries), 1, blocksOf(plan));
  const cut: DeviceCut = {
    queries,
    ...reasonOf(plan, wantsBoth, keeps, wholeRows, inParts, faster),
    window: steps(window),
    pitch: keeps ? whole : roundUp(steps(window), 4),
    countWindow: steps(Math.max(LEAST_WINDOW, countable)),
    ...(isExact(plan)
      ? { parts, blocks: blocksOf(plan), room: roomOf(plan) }
      : { parts: 0, blocks: 1, room: 0 }),
  };
  return cut;
}

/** Rounds references down to a multiple of 64, or fewer than that up to one of 4. */
function steps(references: number): number {
  return references >= 64 ? roundDown(references, 64) : roundUp(references, 4);
}

/**
 * Returns how many queries the first job has on a GPU that nobody has timed: it may be far slower than
 * assumed.
 */
function firstQueries({ rate, problem }: DistancesPlan, stride: number): number {
  return Math.max(PROBE_QUERIES, Math.floor((rate * PROBE_SECONDS) / (problem.trainRows * stride)));
}

/** Returns the bytes that a query takes beside its values. */
function queryBytes(plan: DistancesPlan, filter: Filter, counts: boolean): number {
  const exact = isExact(plan);
  const parts = exact ? Math.max(1, Math.floor(plan.problem.trainRows / PART_PAIRS)) : 0;
  const most = Math.min(parts, LEAST_LANES / 256);
  const blocks = exact ? blocksOf(plan) : 1;
  const waiting = exact && counts ? 1 + roomOf(plan) : 0;
  const thresholds = counts && !sharesBins(plan.ask) ? thresholdWords(plan.ask.bins, exact) * 4 : 0;
  const words = blocks * (EXTREMES_WORDS + 2) + BOUNDS_WORDS + most * FOUND_WORDS + waiting;
  const binned = counts ? (plan.ask.bins + BESIDE_BINS) * 4 : 0;
  const rows = strideOf(filter.dims) * 4 * (plan.whole ? 2 : 1);
  return rows + META_BYTES + words * 4 + thresholds + binned;
}

/** Returns the bytes of a reference beside its values and meta, at most. */
export function extraBytes(plan: DistancesPlan): number {
  return (isExact(plan) ? groupBytes(1) : 0) + (plan.whole ? strideOf(plan.problem.cols) * 4 : 0);
}

function blocksOf({ problem }: DistancesPlan): number {
  return clamp(Math.floor(problem.trainRows / PART_PAIRS), 1, MOST_BLOCKS);
}

function roomOf({ problem, tuning }: DistancesPlan): number {
  const { share, least, most } = ROOM;
  return tuning.room ?? clamp(Math.ceil(problem.trainRows * share), least, most);
}

function queryResultBytes({ ask, problem }: DistancesPlan, counts: boolean): number {
  return counts ? thresholdWords(ask.bins, problem.precision === "float64") * 4 : 0;
}

function reasonOf(
  { ask }: DistancesPlan,
  wantsBoth: boolean,
  keeps: boolean,
  wholeRows: number,
  inParts: number,
  faster: Ratio,
): Pick<DeviceCut, "passes" | "why"> {
  if (ask.range === "all") return { passes: "twice", why: "the range of all queries decides every bin" };
  if (!wantsBoth) return { passes: "once", why: "the edges are known before the distances" };
  const { times, isMeasured } = faster;
  const ratio = `${times.toFixed(2)} times as fast, as ${isMeasured ? "measured" : "assumed"}`;
  if (keeps) {
    const narrow = inParts > wholeRows ? `; those of ${inParts} are made ${ratio}` : "";
    return { passes: "kept", why: `the values of ${wholeRows} queries fit beside the rows${narrow}` };
  }
  const few =
    wholeRows < 1 ? "the values of not one query fit" : `the values of only ${wholeRows} queries fit`;
  const made = wholeRows < 1 ? "" : `, and those of ${inParts} are made ${ratio}`;
  return { passes: "twice", why: `${few} beside the rows${made}` };
}
