/**
 * This makes the requests of a plan to a GPU: the buffers that stay, the segment that fills them, and the
 * segment that counts the distances of some queries. This is pure, and without decisions, which cut.ts makes.
 */
import { exponentOf, spans, type Span } from "../../../core/math.ts";
import { checkSteps, type Side } from "../../../distance/assumed.ts";
import { META_BYTES } from "../../../distance/core.ts";
import { refinePolicy } from "../../../distance/gpu/policy.ts";
import type { Filter } from "../../../distance/forms/filter.ts";
import type { ReferenceLayout } from "../../../distance/layout.ts";
import { beginPreparation, preparationBuffers, uploadRows } from "../../../distance/prepareSteps.ts";
import { strideOf } from "../../../distance/rows/preparation.ts";
import type { Segment, Step } from "../../../runtime/backend.ts";
import { run } from "../../../runtime/primitive.ts";
import type { BufferSpec } from "../../../runtime/source.ts";
import {
  BESIDE_BINS,
  BOUNDS_WORDS,
  EXTREMES_WORDS,
  FOUND_WORDS,
  groupBytes,
  thresholdWords,
  type StoredPairs,
} from "../deviceContract.ts";
import {
  countPrimitive,
  groupsPrimitive,
  leastPrimitive,
  thresholdsPrimitive,
  valuesPrimitive,
  wholePrimitive,
} from "../primitives.ts";
import { FIXED_COST, type DeviceCut } from "./cut.ts";
import { isExact, sharesBins, type DistancesJob, type DistancesPlan } from "./distancesPlan.ts";
import { WHOLE_COST, wholeParams, wholeValues } from "./whole.ts";

export function residentBuffers(plan: DistancesPlan): BufferSpec[] {
  const { layout, problem, technique } = plan;
  if (!layout?.resident || technique.form === "none") return [];
  return spans(problem.trainRows, layout.chunkRows).flatMap(({ begin, end }, c) =>
    rowBuffers(plan, technique, c, end - begin),
  );
}

/**
 * Returns the segment that brings the references and, where the plan has whole numbers, makes these of them.
 */
export function setupSegment(plan: DistancesPlan, number: number): Segment | undefined {
  const { layout, problem, technique, whole } = plan;
  if (!layout?.resident || technique.form === "none") return undefined;
  if (number > 0) {
    if (!whole || number > 1) return undefined;
    const steps = spans(problem.trainRows, layout.chunkRows).flatMap((rows, c) => [
      wholeRows(plan, rows, `refs.${c}`, `refMeta.${c}`),
      ...grouped(plan, rows, c),
    ]);
    return { label: "whole numbers", buffers: [], steps };
  }
  return {
    label: "train",
    buffers: preparationBuffers(problem, technique, ["train"]),
    steps: [
      ...beginPreparation(technique, ["train"]),
      ...spans(problem.trainRows, layout.chunkRows).flatMap((rows, c) =>
        uploadReferences(plan, technique, rows, c),
      ),
      ...checkSteps(problem, technique, ["train"]),
    ],
  };
}

function rowBuffers(plan: DistancesPlan, { dims }: Filter, c: number, rows: number): BufferSpec[] {
  return [
    { name: `refs.${c}`, bytes: rows * strideOf(dims) * 4 },
    { name: `refMeta.${c}`, bytes: rows * META_BYTES },
    ...(isExact(plan) ? [{ name: `refGroups.${c}`, bytes: groupBytes(rows) }] : []),
    ...(plan.whole ? [{ name: `refs.${c}.whole`, bytes: rows * strideOf(dims) * 4 }] : []),
  ];
}

function uploadReferences(plan: DistancesPlan, filter: Filter, rows: Span, c: number): Step[] {
  return [
    ...uploadRows(plan.problem, filter, "train", rows, `refs.${c}`, `refMeta.${c}`),
    ...(plan.whole ? [] : grouped(plan, rows, c)),
  ];
}

function grouped(plan: DistancesPlan, { begin, end }: Span, c: number): Step[] {
  if (!isExact(plan)) return [];
  const bindings = { metas: `refMeta.${c}`, refGroups: `refGroups.${c}` };
  return [run(groupsPrimitive, { params: { rows: end - begin }, bindings, cost: 0 })];
}

/** Makes whole numbers of rows, and replaces the metas of the rows by those of the whole numbers. */
function wholeRows(plan: DistancesPlan, { begin, end }: Span, rows: string, metas: string): Step {
  const params = wholeParams(plan, end - begin);
  const bindings = { rows, whole: `${rows}.whole`, metas };
  return run(wholePrimitive, { params, bindings, cost: params.rows * params.stride });
}

/** A slab has some queries, and this is how it goes through the device. */
export interface Slab {
  readonly plan: DistancesPlan;
  readonly filter: Filter;
  readonly layout: ReferenceLayout;
  readonly cut: DeviceCut;
  readonly queries: Span;
  /** Says whether counts are wanted, not only ranges. */
  readonly counts: boolean;
}

export function slabSegment(slab: Slab): Segment {
  const { plan, filter, layout, queries, counts, cut } = slab;
  const { problem, ask } = plan;
  const sides: readonly Side[] = layout.resident ? ["queries"] : ["train", "queries"];
  const rows = queries.end - queries.begin;
  const width = ask.bins + BESIDE_BINS;
  return {
    label: `queries ${queries.begin}-${queries.end - 1}`,
    buffers: [...slabBuffers(slab), ...preparationBuffers(problem, filter, sides)],
    steps: [
      ...beginPreparation(filter, sides),
      ...uploadRows(problem, filter, "queries", queries, "queries", "queryMeta"),
      ...(plan.whole ? [wholeRows(plan, queries, "queries", "queryMeta")] : []),
      { kind: "clear", buffer: "extremes" },
      ...(cut.parts > 0 ? [{ kind: "clear", buffer: "found" } as const] : []),
      ...(counts ? [{ kind: "clear", buffer: "counts" } as const] : []),
      ...workSteps(slab),
      { kind: "download", from: "bounds", bytes: rows * BOUNDS_WORDS * 4 },
      ...(counts ? [{ kind: "download", from: "counts", bytes: rows * width * 4 } as const] : []),
      ...checkSteps(problem, filter, sides),
    ],
  };
}

/** Returns the multiply-adds that a job takes; those of float64 by how much was open last. */
export function jobCost(
  plan: DistancesPlan,
  { queries, counts, passes }: Pick<DistancesJob, "queries" | "counts" | "passes">,
): number {
  const { technique, problem, ask } = plan;
  if (technique.form === "none") return 0;
  const pairs = (queries.end - queries.begin) * problem.trainRows;
  const times = counts && ask.range === "query" && passes === "twice" ? 2 : 1;
  const open = counts ? strideOf(technique.dims) * openCost(plan) : 0;
  return pairs * (valueCost(plan, technique) * times + open);
}

function valueCost({ whole }: DistancesPlan, { dims }: Filter): number {
  return strideOf(dims) * (whole ? WHOLE_COST : 1);
}

function openCost(plan: DistancesPlan): number {
  const { fixed, float64 } = plan.open;
  return isExact(plan) && plan.observed ? fixed * FIXED_COST + float64 * refinePolicy.cost : 0;
}

function slabBuffers({ plan, filter, layout, queries, counts, cut }: Slab): BufferSpec[] {
  const { ask } = plan;
  const rows = queries.end - queries.begin;
  const stride = strideOf(filter.dims);
  const own = sharesBins(ask) ? 1 : rows;
  const slots = layout.resident ? 0 : Math.min(2, layout.chunks);
  return [
    { name: "queries", bytes: rows * stride * 4 },
    ...(plan.whole ? [{ name: "queries.whole", bytes: rows * stride * 4 }] : []),
    { name: "queryMeta", bytes: rows * META_BYTES },
    { name: "values", bytes: rows * cut.pitch * 4 },
    { name: "extremes", bytes: rows * cut.blocks * EXTREMES_WORDS * 4 },
    { name: "bounds", bytes: rows * BOUNDS_WORDS * 4 },
    ...(cut.parts > 0
      ? [
          { name: "found", bytes: rows * cut.parts * FOUND_WORDS * 4 },
          { name: "widest", bytes: cut.blocks * 8 },
        ]
      : []),
    ...(counts
      ? [
          { name: "thresholds", bytes: own * thresholdWords(ask.bins, isExact(plan)) * 4 },
          { name: "counts", bytes: rows * (ask.bins + BESIDE_BINS) * 4 },
          ...(cut.room > 0 ? [{ name: "waiting", bytes: rows * (1 + cut.room) * 4 }] : []),
        ]
      : []),
    ...Array.from({ length: slots }, (_, slot) => rowBuffers(plan, filter, slot, layout.chunkRows)).flat(),
  ];
}

function workSteps(slab: Slab): Step[] {
  const { plan, counts, cut } = slab;
  const { ask } = plan;
  // Where edges come from the host, a second look at all queries finds no range anew.
  const ranges = (pairs: StoredPairs, c: number) => [...values(slab, pairs, c), ...least(slab, pairs, c)];
  if (!counts) return [...eachWindow(slab, true, ranges), bounds(slab, 0)];
  if (ask.range === "own") {
    return [
      { kind: "upload", to: "bounds", source: "bounds", part: "words", rows: slab.queries },
      bounds(slab, ask.bins, true),
      ...eachWindow(slab, true, (pairs, c) => [...values(slab, pairs, c), ...count(slab, pairs, c)]),
    ];
  }
  if (sharesBins(ask)) {
    return [
      { kind: "upload", to: "thresholds", source: "thresholds", part: "words", rows: { begin: 0, end: 1 } },
      ...eachWindow(slab, true, (pairs, c) => [...ranges(pairs, c), ...count(slab, pairs, c)]),
      bounds(slab, 0),
    ];
  }
  const again = (pairs: StoredPairs, c: number) => [
    ...(cut.passes === "kept" ? [] : values(slab, pairs, c)),
    ...count(slab, pairs, c),
  ];
  return [
    ...eachWindow(slab, true, ranges),
    bounds(slab, ask.bins),
    ...eachWindow(slab, cut.passes !== "kept" || isExact(plan), again),
  ];
}

/** Makes steps for every window of the references, chunk by chunk. @param rows whether the steps need rows */
function eachWindow(
  { plan, filter, layout, queries, cut }: Slab,
  rows: boolean,
  stepsOf: (pairs: StoredPairs, slot: number) => Step[],
): Step[] {
  const { problem, ask } = plan;
  return spans(problem.trainRows, layout.chunkRows).flatMap((chunk, c) => {
    const slot = layout.resident ? c : c % 2;
    const uploads = layout.resident || !rows ? [] : uploadReferences(plan, filter, chunk, slot);
    const first = cut.passes === "kept" ? c * Math.ceil(layout.chunkRows / 4) * 4 : 0;
    const windows = spans(chunk.end - chunk.begin, cut.window).flatMap(({ begin, end }) =>
      stepsOf(
        {
          queryRows: queries.end - queries.begin,
          refBegin: begin,
          refRows: end - begin,
          pitch: cut.pitch,
          column: cut.passes === "kept" ? first + begin : 0,
          self: ask.self === undefined ? undefined : ask.self + queries.begin - chunk.begin,
        },
        slot,
      ),
    );
    return [...uploads, ...windows];
  });
}

function values({ plan, filter, cut }: Slab, pairs: StoredPairs, slot: number): Step[] {
  const { core, p, weight, dims } = filter;
  const { slack, factor } = intervals(plan, filter);
  const isSigned = plan.ceiling <= 0;
  const exact = isExact(plan);
  const step = run(valuesPrimitive, {
    params: {
      ...{ core, p, weight, slack, dims, stride: strideOf(dims) },
      ...pairs,
      ...{ whole: factor, blocks: cut.blocks, cut: !exact },
      floor: isSigned ? -plan.ceiling : 0,
      ceiling: plan.ceiling,
    },
    bindings: {
      ...rowsOf(slot),
      ...(plan.whole && { queries: "queries.whole", refs: `refs.${slot}.whole` }),
      ...{ values: "values", extremes: "extremes" },
    },
    cost: pairs.queryRows * pairs.refRows * valueCost(plan, filter),
  });
  // Exact extremes are those of one window, since only its pairs are then evaluated.
  return exact ? [{ kind: "clear", buffer: "extremes" }, step] : [step];
}

/** Returns the slack of intervals, and the unit of values of whole numbers. */
function intervals(plan: DistancesPlan, { slack }: Filter): { slack: number; factor?: number } {
  return plan.whole ? wholeValues(plan) : { slack };
}

function least({ plan, filter, cut }: Slab, pairs: StoredPairs, slot: number): Step[] {
  if (!isExact(plan)) return [];
  const { core, dims } = filter;
  const { slack, factor: whole } = intervals(plan, filter);
  const { parts, blocks } = cut;
  return [
    run(leastPrimitive, {
      params: { ...pairs, core, slack, dims, stride: strideOf(dims), whole, parts, blocks },
      bindings: {
        ...rowsOf(slot),
        refGroups: `refGroups.${slot}`,
        ...{ values: "values", extremes: "extremes", widest: "widest", found: "found" },
      },
      cost: 0,
    }),
  ];
}

/**
 * Makes the ranges of queries, and the thresholds of their own bins where there are any.
 * @param known the ranges are there already
 */
function bounds({ plan, filter, queries, cut }: Slab, bins: number, known = false): Step {
  const { root } = plan;
  const { rankExponent } = filter;
  return run(thresholdsPrimitive, {
    params: { queryRows: queries.end - queries.begin, bins, parts: cut.parts, rankExponent, root, known },
    bindings: {
      ...(!known && { found: cut.parts > 0 ? "found" : "extremes" }),
      bounds: "bounds",
      ...(bins > 0 && { thresholds: "thresholds" }),
    },
    cost: 0,
  });
}

function count({ plan, filter, cut }: Slab, pairs: StoredPairs, slot: number): Step[] {
  const { ask, root } = plan;
  const { core, dims } = filter;
  const { slack } = intervals(plan, filter);
  const stride = strideOf(dims);
  const exact = isExact(plan);
  return spans(pairs.refRows, cut.countWindow).flatMap(({ begin, end }): Step[] => [
    ...(exact ? [{ kind: "clear", buffer: "waiting" } as const] : []),
    run(countPrimitive, {
      params: {
        ...pairs,
        ...{ refBegin: pairs.refBegin + begin, refRows: end - begin, column: pairs.column + begin },
        ...{
          bins: ask.bins,
          countWords: ask.bins + BESIDE_BINS,
          shared: sharesBins(ask),
          ...{ root, exact, core, slack, dims, stride },
          ...{ fixed: exact ? fixedOf(plan, core) : undefined, room: cut.room },
        },
      },
      bindings: {
        values: "values",
        thresholds: "thresholds",
        counts: "counts",
        ...(exact && {
          ...{ queries: "queries", queryMeta: "queryMeta", refs: `refs.${slot}` },
          ...{ refGroups: `refGroups.${slot}`, waiting: "waiting" },
        }),
      },
      cost: pairs.queryRows * (end - begin) * stride * openCost(plan),
    }),
  ]);
}

/** Up to this many columns a sum of squares of 25 bits each stays below 2^63. */
const FIXED_COLUMNS = 4096;

/** Returns the exponent by which entries become whole numbers below 2^24. */
function fixedOf({ problem, largestSeen }: DistancesPlan, core: Filter["core"]): number | undefined {
  // Few intervals of Chebyshev distances are open: each is one difference.
  if (core === "linf") return undefined;
  const { train, queries, cols } = problem;
  const largest = Math.max(largestSeen ?? train.largest, queries.largest);
  return largest > 0 && cols <= FIXED_COLUMNS ? 24 - exponentOf(largest) : undefined;
}

function rowsOf(slot: number) {
  return {
    queries: "queries",
    queryMeta: "queryMeta",
    refs: `refs.${slot}`,
    refMeta: `refMeta.${slot}`,
  } as const;
}
