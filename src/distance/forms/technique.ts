/**
 * Chooses how distances are filtered in float32 and says why: the expanded form (a matrix product), the direct form
 * (difference by difference), or none, when float64 itself is needed. Pure. Not sizes or tiles: those are tile.ts.
 */
import type { BackendKind } from "../../runtime/backend.ts";
import { MAX_FILTER_DIMS, boundOf, noBound } from "../bound/bound.ts";
import type { Bound, BoundProblem } from "../bound/bound.ts";
import { clamp, exponentOf, scaleByPowerOfTwo, twoTo } from "../../core/math.ts";
import type { Matrix } from "../../core/matrix.ts";
import { resolveKernel } from "../measures/kernels.ts";
import type { Fitted, MetricName, MetricOptions } from "../metric.ts";
import type { Preparation, Range } from "../rows/prepare.ts";
import type { DistanceCore, KnnMixed, KnnPower } from "../../runtime/primitives.ts";
import { knnPreparePolicy } from "../gpu/policy.ts";
import { DIRECT_COLUMNS, formOf } from "./forms.ts";
import type { Form, Ties } from "./forms.ts";
import type { Mixed } from "./mixed.ts";
import type { KnnProblem } from "../problem.ts";

export interface Filter {
  readonly form: "expanded" | "direct";
  readonly why: string;
  readonly core: DistanceCore;
  readonly p: number;
  readonly weight: number;
  readonly slack: number;
  readonly train: Preparation;
  readonly queries: Preparation;
  /** The rank of a pair is its value times 2^rankExponent, where it is the metric's rank at all. */
  readonly rankExponent: number;
  readonly isRank: boolean;
  /** The values are exact, so that only the k nearest are candidates. */
  readonly points: boolean;
  /** Entries of a row that count. */
  readonly dims: number;
  readonly mixed: KnnMixed | undefined;
  readonly power: KnnPower | undefined;
  /** What the intervals were proved for. */
  readonly bounding: BoundProblem;
  readonly ties: Ties | undefined;
  /** Rows lie on the device as they are, and it can evaluate the metric's rank in float64. */
  readonly refinable: boolean;
}

export interface NoFilter {
  readonly form: "none";
  readonly why: string;
}

export type Technique = Filter | NoFilter;

/** Whether where one interval is above another the distance is the larger one. */
export function separates({ isRank, points, ties }: Filter): boolean {
  return points || (isRank && ties === undefined);
}

/** Sums of float32 values stay below 2^100, far from overflow, with the rest of the exponents left for small ones. */
const SUM_EXPONENT = 100;

/** Entries of rows with gaps stay below 2^this, which gaps are far above. */
const MIXED_EXPONENT = 48;

/** Queries may be this many powers of two larger than train before train is scaled anew. */
const QUERY_HEADROOM = 10;

/**
 * Whether rows should be centred: wherever the metric allows it, but not float32 rows of a direct form, which are exact as
 * they are.
 */
export function wantsCentre(options: MetricOptions, fitted: Fitted, { data, cols }: Matrix): boolean {
  const { metric } = options;
  if (metric === "rapidminer:MahalanobisDistance") return fitted.whitening !== undefined;
  const form = formOf(options, fitted, cols, Infinity);
  if (typeof form === "string" || !form.movable) return false;
  return form.form === "expanded" || form.train.kind !== "plain" || !(data instanceof Float32Array);
}

/** The module mixed.ts, which is loaded for rows that need it. */
export type MixedPlanning = Pick<typeof import("./mixed.ts"), "mixedFormOf" | "mixedOf">;

/**
 * @param kind who will search
 * @param mixing for rows with codes or gaps
 */
export function chooseTechnique(
  problem: KnnProblem,
  kind: BackendKind = "cpu",
  mixing?: MixedPlanning,
): Technique {
  const { metric, p, cols, train, queries, precision, fitted } = problem;
  const reach = cols * (train.largest + queries.largest) ** 2;
  const options = { ...problem.options, metric, p, kernel: resolveKernel(problem.options.kernel) };
  const ofNumbers = formOf(options, fitted, mixing ? Math.min(cols, DIRECT_COLUMNS) : cols, reach);
  const form = mixing ? mixing.mixedFormOf(ofNumbers, metric, options, fitted, cols) : ofNumbers;
  if (typeof form === "string") return { form: "none", why: form };
  if (precision === "float32" && (!form.isRank || form.mixed)) {
    return { form: "none", why: `float32 gives candidates for ${metric}, but not its distances` };
  }
  const grown = grownBy(problem, form);
  if (!form.own?.scale && mayOverflow(grown, form)) {
    return { form: "none", why: "values are so large that a distance may overflow float64" };
  }
  const { core, dot } = form;
  const refinable = kind === "gpu" && isRefinable(problem, form);
  const scale = form.own?.scale?.(grown) ?? (refinable ? squaresAsTheyAre(cols) : scaleOf(grown, form));
  if (typeof scale === "string") return { form: "none", why: scale };
  const mixed = form.mixed && mixing?.mixedOf(problem, form, form.mixed, scale.train);
  if (typeof mixed === "string") return { form: "none", why: mixed };
  const points = form.mixed?.counts ?? false;
  const on = kind === "gpu" ? preparersOf(problem, form, scale) : hostOnly;
  const bounding: BoundProblem = {
    core,
    dot,
    dims: mixed?.terms ?? cols,
    p: form.p,
    rounded: dot === "unit" || form.train.kind !== "plain" || !(train.exact && queries.exact),
    largest: twoTo(scale.largest),
    underflow: scale.underflow + scaleByPowerOfTwo(form.absolute, -scale.rank) + (mixed?.astray ?? 0),
    displaced: form.displaced,
    sizeFactor: form.sizeFactor,
    onDevice:
      on === hostOnly ? undefined : { sums: baseTerms(cols), exponent: Math.max(scale.train, scale.queries) },
  };
  const plain = precision === "float32" || points ? noBound : boundOf(bounding);
  const bound = plain && (form.own?.bound(plain, problem) ?? plain);
  // The bound sees only terms that are rounded, but counts of more columns would not be whole either.
  if (!bound || (mixed && cols > MAX_FILTER_DIMS))
    return { form: "none", why: `float32 keeps no useful order for ${cols} columns and p = ${form.p}` };
  if (!Number.isFinite(bound.marginConstant) || scale.underflow > twoTo(SUM_EXPONENT / 2)) {
    return { form: "none", why: "values are so small that float64 itself underflows" };
  }
  return {
    form: form.form,
    why: form.why,
    core,
    p: core === "lp" ? form.p : 0,
    weight: form.weight,
    slack: bound.slack,
    ...sides(problem, form, scale, bound, on, mixed),
    rankExponent: scale.rank,
    isRank: form.isRank,
    points,
    dims: mixed?.dims ?? cols,
    mixed: mixed?.params,
    power: scale.power,
    bounding,
    ties: form.ties,
    refinable,
  };
}

/** The problem with the values that its rows have once they are shaped. */
function grownBy(problem: KnnProblem, { growth, p }: Form): KnnProblem {
  const larger = ({ largest, exact }: Range): Range => ({ largest: largest * growth, exact });
  return { ...problem, p, train: larger(problem.train), queries: larger(problem.queries) };
}

function scaleOf(problem: KnnProblem, form: Form): Scale {
  if (form.mixed?.counts) return countScale;
  switch (form.dot) {
    case "unit":
      return unitScale;
    case "inner":
      return innerScale(problem);
    case "entropy":
      return entropyScale(problem);
    default:
      return differenceScale(problem, form);
  }
}

export interface Scale {
  readonly train: number;
  readonly queries: number;
  /** Of what belongs to rows beside their entries; default twice that of train. */
  readonly facts?: number;
  /** Rank = value * 2^rank. */
  readonly rank: number;
  /** Entries stay below 2^largest. */
  readonly largest: number;
  /** What float64's own underflow adds to a scaled rank. */
  readonly underflow: number;
  readonly power?: KnnPower;
}

const countScale: Scale = { train: 0, queries: 0, rank: 0, largest: 24, underflow: 0 };

const unitScale: Scale = { train: 0, queries: 0, rank: 0, largest: 1, underflow: 0 };

function innerScale({ train, queries, cols }: KnnProblem): Scale {
  const target = 30;
  const t = train.largest === 0 ? 0 : target - exponentOf(train.largest);
  const q = queries.largest === 0 ? 0 : target - exponentOf(queries.largest);
  return { train: t, queries: q, rank: -(t + q), largest: target, underflow: cols * power(t + q - 1074) };
}

/** Rows are scaled, logarithms of queries are not: they are below 2^11. */
function entropyScale({ train, cols }: KnnProblem): Scale {
  const target = 30;
  const t = train.largest === 0 ? 0 : target - exponentOf(train.largest);
  return { train: t, queries: 0, facts: t, rank: -t, largest: target, underflow: cols * power(t - 1074) };
}

function differenceScale(
  { train, queries, cols, p }: KnnProblem,
  { core, growth, train: rows, mixed }: Form,
): Scale {
  const degree = core === "dot" || core === "l2" ? 2 : core === "lp" ? p : 1;
  const headroom = degree <= 2 ? QUERY_HEADROOM : 0;
  const room = Math.floor((SUM_EXPONENT - Math.ceil(Math.log2(cols))) / degree) - 2;
  const largest = clamp(room, -60, mixed ? MIXED_EXPONENT : 60);
  const magnitude = Math.max(exponentOf(train.largest), exponentOf(queries.largest) - headroom);
  const most = mixed ? Math.floor((room * degree - Math.log2(mixed.unit || 1)) / degree) : Infinity;
  const exponent = Math.min(magnitude === -Infinity ? 0 : largest - headroom - magnitude, most);
  // What a power loses is weighted afterwards, and the weighting may lose as much again.
  const loses = degree !== 1 || rows.kind === "weighted";
  const underflow = loses ? cols * power(exponent * degree - 1074) * (1 + growth ** degree) : 0;
  return { train: exponent, queries: exponent, rank: -exponent * degree, largest, underflow };
}

/** 2^e, saturating instead of asking for an exponent that no float64 has. */
function power(e: number): number {
  return e > 1023 ? Infinity : e < -1074 ? 0 : 2 ** e;
}

/** Among infinite distances only float64 itself can tell which rows tie. */
function mayOverflow({ train, queries, cols, p }: KnnProblem, { dot, mixed }: Form): boolean {
  if (dot === "unit" || dot === "entropy" || mixed?.counts) return false;
  if (!Number.isFinite(train.largest) || !Number.isFinite(queries.largest)) return true;
  const t = exponentOf(train.largest);
  const q = exponentOf(queries.largest);
  const degree = p === Infinity ? 1 : Math.max(p, 1);
  const product = dot === "inner" ? t + q : degree * (Math.max(t, q) + 1);
  return product + Math.ceil(Math.log2(cols)) + 1 >= 1020;
}

/** Binary exponents of values whose squares float32 holds unscaled, with room to spare. */
const UNSCALED = { least: -20, most: 20 };

/** Whether the rank is a plain sum of squares of rows that need neither centre nor scale. */
function isRefinable({ metric, options, centre, train, queries, precision, cols }: KnnProblem, form: Form) {
  const squares = form.dot === "squared" && form.p === 2 && form.ties === undefined && isPlain(form, cols);
  const plain = mayRefine({ ...options, metric });
  const unscaled = [train, queries].every(
    ({ single = false, largest }) => single && exponentOf(largest) <= UNSCALED.most,
  );
  const large = Math.max(exponentOf(train.largest), exponentOf(queries.largest)) >= UNSCALED.least;
  return squares && plain && !centre && precision === "float64" && unscaled && large;
}

/** Whether a device may evaluate the metric in float64, where rows lie there as they are. */
export function mayRefine({ metric = "euclidean", columnWeights }: MetricOptions): boolean {
  return refinedMetrics.has(metric) && columnWeights === undefined;
}

const refinedMetrics: ReadonlySet<MetricName> = new Set([
  "euclidean",
  "sqeuclidean",
  "nan_euclidean",
  "minkowski",
]);

function squaresAsTheyAre(cols: number): Scale {
  const largest = UNSCALED.most + Math.ceil(Math.log2(cols));
  return { train: 0, queries: 0, rank: 0, largest, underflow: cols * power(-1074) };
}

type Preparers = Readonly<Record<"train" | "queries", Preparation["on"]>>;

const hostOnly: Preparers = { train: "host", queries: "host" };

/** Scales that float32 holds and that leave what flushing takes from an entry far below the others. */
const DEVICE_EXPONENTS = { least: -120, most: 60 };

/** Differences from the centre stay finite in float32. */
const MOST_ON_DEVICE = 2 ** 126;

/** Terms that one lane or the tree of lanes adds up to a base; beyond this their error is not small. */
const MAX_BASE_TERMS = 2 ** 11;

function baseTerms(cols: number): number {
  const { rowLanes } = knnPreparePolicy;
  return 4 * Math.ceil(Math.ceil(cols / 4) / rowLanes) + Math.log2(rowLanes) + 1;
}

/** A device prepares rows that are only moved and scaled. */
function isPlain(form: Form, cols: number): boolean {
  const plain = form.train.kind === "plain" && form.queries.kind === "plain" && form.core !== "lp";
  return plain && !form.mixed && baseTerms(cols) <= MAX_BASE_TERMS;
}

/** Whether rows of float32 may well be prepared on a device. */
export function mayPrepareOnDevice(options: MetricOptions, cols: number): boolean {
  const form = formOf(options, {}, cols, Infinity);
  return typeof form !== "string" && isPlain(form, cols);
}

function preparersOf({ cols, centre, train, queries }: KnnProblem, form: Form, scale: Scale): Preparers {
  const movable = !form.movable || !centre || centre.every((mean) => Math.fround(mean) === mean);
  if (!movable || !isPlain(form, cols)) return hostOnly;
  const on = ({ single = false, largest }: Range, exponent: number) =>
    single &&
    largest < MOST_ON_DEVICE &&
    exponent >= DEVICE_EXPONENTS.least &&
    exponent <= DEVICE_EXPONENTS.most
      ? "device"
      : "host";
  const chosen = { train: on(train, scale.train), queries: on(queries, scale.queries) } as const;
  return chosen.train === "host" && chosen.queries === "host" ? hostOnly : chosen;
}

function sides(
  { centre }: KnnProblem,
  { core, base, p, train, queries, movable }: Form,
  scale: Scale,
  bound: Bound,
  on: Preparers,
  mixed: Mixed | undefined,
): Pick<Filter, "train" | "queries"> {
  const factsExponent = scale.facts ?? (mixed ? 0 : 2 * scale.train);
  const common = { core, base, centre: movable ? centre : undefined, p, bound, factsExponent } as const;
  return {
    train: { ...common, rows: train, exponent: scale.train, on: on.train, mixed: mixed?.train },
    queries: { ...common, rows: queries, exponent: scale.queries, on: on.queries, mixed: mixed?.queries },
  };
}
