/**
 * This is `distances.histogram` as passes: metas of the rows, then, one batch of queries after the other,
 * values, thresholds and counts. The values of a batch are kept where a binding holds them, else they are
 * made twice. Everything but the caller's buffers lies in parts of one scratch buffer.
 */
import { clamp, roundDown, roundUp, spans } from "../../../core/math.ts";
import { LARGEST_FLOAT } from "../../../distance/float32.ts";
import { plainRowsPass } from "../../../distance/gpu/rows/plainRows.ts";
import { clearPass } from "../../../runtime/gpu/collectives/clear/clear.ts";
import type { GpuKernel } from "../../../runtime/gpu/passes/kernel.ts";
import {
  DEFAULT_BINDING_BYTES,
  makePass,
  type KernelLimits,
  type Pass,
  type PassParts,
} from "../../../runtime/gpu/passes/pass.ts";
import {
  PART_ROWS,
  partsOf,
  place,
  windowOf,
  windowRows,
  type ScratchRange,
  type Places,
} from "../../../runtime/gpu/passes/windows.ts";
import { BOUNDS_WORDS, EXTREMES_WORDS, thresholdWords, type StoredPairs } from "../deviceContract.ts";
import type { DistanceHistogramBinding, DistanceHistogramParams } from "../histogramContract.ts";
import { countParts } from "./count.ts";
import { thresholdsParts } from "./thresholds.ts";
import { valuesParts } from "./values.ts";

type HistogramPart = "queryMeta" | "refMeta" | "values" | "extremes" | "thresholds";

interface HistogramLayout {
  readonly stride: number;
  /** A batch has this many queries, a window this many references. */
  readonly batch: number;
  readonly window: number;
  /** True keeps the values of all references. */
  readonly keeps: boolean;
  readonly pitch: number;
  readonly parts: Readonly<Record<HistogramPart, ScratchRange>>;
  readonly bytes: number;
}

export const histogramKernel: GpuKernel<DistanceHistogramParams, DistanceHistogramBinding> = {
  bytes(params, limits) {
    const { stride, bytes } = layoutOf(params, limits);
    const { queries, references, bins } = params;
    return {
      queries: queries * stride * 4,
      references: references * stride * 4,
      counts: queries * bins * 4,
      ranges: queries * BOUNDS_WORDS * 4,
      scratch: bytes,
    };
  },
  passes(params, limits) {
    const layout = layoutOf(params, limits);
    const metas = spans(params.references, layout.window).map(({ begin, end }) =>
      metasPass(params, layout, end - begin, limits, {
        rows: windowOf("references", begin, end, layout.stride * 4),
        metas: windowOf("scratch", begin, end, 16, layout.parts.refMeta.offset),
      }),
    );
    const batches = spans(params.queries, layout.batch).flatMap(({ begin, end }) =>
      batchPasses(params, layout, begin, end, limits),
    );
    return [...metas, ...batches];
  },
  work: ({ queries, references }) => queries * references,
  windowed: true,
};

/** Each metric makes its values in this way. Only a matrix product needs norms. */
const forms = {
  euclidean: { core: "dot", root: true },
  sqeuclidean: { core: "dot", root: false },
  manhattan: { core: "l1", root: false },
  chebyshev: { core: "linf", root: false },
} as const;

/** A batch has at most this many queries, since more make nothing faster. */
const MAX_QUERIES = 1024;
const WORK_PER_DISPATCH = 1e10;

function layoutOf(params: DistanceHistogramParams, limits: KernelLimits): HistogramLayout {
  const { queries, references, columns, bins, workPerDispatch = WORK_PER_DISPATCH } = params;
  const { bindingBytes = DEFAULT_BINDING_BYTES } = limits;
  const stride = roundUp(columns, 4);
  const whole = roundUp(references, PART_ROWS);
  const most = roundDown(bindingBytes / 4, PART_ROWS);
  const perQuery = Math.max(thresholdWords(bins, false), bins, stride);
  const room = (words: number) => roundDown(most / Math.max(words, perQuery), PART_ROWS);
  const keeps = room(whole) >= PART_ROWS;
  const batch = clamp(keeps ? room(whole) : room(perQuery), PART_ROWS, MAX_QUERIES);
  const held = Math.min(batch, queries);
  const timely = roundDown(workPerDispatch / (held * stride), PART_ROWS);
  const fitting = keeps ? whole : roundDown(most / held, PART_ROWS);
  const window = clamp(Math.min(timely, fitting, windowRows(stride * 4, limits)), PART_ROWS, whole);
  const pitch = keeps ? whole : window;
  const sizes: Record<HistogramPart, number> = {
    queryMeta: held * 16,
    refMeta: references * 16,
    values: held * pitch * 4,
    extremes: held * EXTREMES_WORDS * 4,
    thresholds: held * thresholdWords(bins, false) * 4,
  };
  return { stride, batch, window, keeps, pitch, ...partsOf(sizes) };
}

function batchPasses(
  params: DistanceHistogramParams,
  layout: HistogramLayout,
  begin: number,
  end: number,
  limits: KernelLimits,
): Pass[] {
  const { references, columns, bins, metric = "euclidean" } = params;
  const { stride, keeps, pitch, window, parts } = layout;
  const { core, root } = forms[metric];
  const queryRows = end - begin;
  const own = Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [name, { name: "scratch", part }]),
  );
  const queries = windowOf("queries", begin, end, stride * 4);
  const counts = windowOf("counts", begin, end, bins * 4);
  const ranges = windowOf("ranges", begin, end, BOUNDS_WORDS * 4);
  const common = { core, dims: columns, stride, slack: 0 };
  const pairsOf = (first: number, last: number, column: number): StoredPairs => {
    return { queryRows, refBegin: 0, refRows: last - first, pitch, column };
  };
  const passOf = (made: PassParts, places: Places) => place(makePass(inScratch(made), limits), places);
  const values = (first: number, last: number): Pass => {
    const pairs = pairsOf(first, last, keeps ? first : 0);
    const all = {
      ...common,
      ...pairs,
      p: 1,
      weight: -2,
      blocks: 1,
      cut: true,
      floor: 0,
      ceiling: LARGEST_FLOAT,
    };
    return passOf(valuesParts(all, limits), {
      ...own,
      queries,
      refs: windowOf("references", first, last, stride * 4),
      refMeta: windowOf("scratch", first, last, 16, parts.refMeta.offset),
    });
  };
  const count = (first: number, last: number): Pass => {
    const pairs = pairsOf(first, last, keeps ? first : 0);
    const all = { ...common, ...pairs, bins, countWords: bins, shared: false, root, exact: false, room: 0 };
    return passOf(countParts(all, limits), { ...own, counts });
  };
  const windows = spans(references, window);
  const thresholds = thresholdsParts({ queryRows, bins, parts: 0, rankExponent: 0, root });
  return [
    clear(queryRows * EXTREMES_WORDS, own["extremes"], limits),
    clear(queryRows * bins, counts, limits),
    metasPass(params, layout, queryRows, limits, { rows: queries, metas: own["queryMeta"] }),
    ...windows.map((each) => values(each.begin, each.end)),
    ...thresholds.map((each) => passOf(each, { ...own, found: own["extremes"], bounds: ranges })),
    ...(keeps
      ? [count(0, references)]
      : windows.flatMap((each) => [values(each.begin, each.end), count(each.begin, each.end)])),
  ];
}

/** Makes all bindings writable but those of the caller: WebGPU takes parts of one buffer only so. */
function inScratch(parts: PassParts): PassParts {
  const bindings = parts.bindings.map((binding) =>
    ["queries", "refs"].includes(binding.name) ? binding : ({ ...binding, access: "read_write" } as const),
  );
  return { ...parts, bindings };
}

function metasPass(
  { columns, metric = "euclidean" }: DistanceHistogramParams,
  { stride }: HistogramLayout,
  count: number,
  limits: KernelLimits,
  places: Places,
): Pass {
  const rows = { rows: count, dims: columns, stride };
  return place(plainRowsPass("distances.rows", rows, forms[metric].core === "dot", limits), places);
}

function clear(words: number, at: Places[string], limits: KernelLimits): Pass {
  return place(clearPass("distances.clear", words, limits), { scratch: at });
}
