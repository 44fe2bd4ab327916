/**
 * This module makes the one pass of `histogram`, whose workgroups divide the rows into parts, and the bins
 * into spans that fit workgroup memory. The contract is ops/histogram/contract.ts.
 */
import { GUIDED } from "./bins.ts";
import { ceilDiv, clamp, roundUp } from "../../core/math.ts";
import { elementBytes } from "../../runtime/element.ts";
import { OUTSIDE, RANGE_WORDS, type HistogramParams, type HistogramBinding } from "./contract.ts";
import type { GpuKernel } from "../../runtime/gpu/passes/kernel.ts";
import {
  DEFAULT_WORKGROUP_BYTES,
  makePass,
  type KernelLimits,
  type Pass,
} from "../../runtime/gpu/passes/pass.ts";
import { chooseHistogramThreads, histogramPolicy } from "./policy.ts";
import { float_key } from "../../runtime/gpu/collectives/keys/elements/wgsl.generated.ts";
import { wgsl } from "./wgsl.ts";

export { unpack } from "./wgsl.ts";

export interface HistogramVariant {
  /** A workgroup has this many lanes. */
  readonly threads: number;
  /** A workgroup has room for so many bins, in so many copies, and counts so many. */
  readonly size: number;
  readonly copies: number;
  readonly width: number;
  readonly spans: number;
  /** A row has this many parts, and each so many columns. */
  readonly parts: number;
  readonly partCols: number;
}

export const histogramKernel: GpuKernel<HistogramParams, HistogramBinding> = {
  passes: histogramPasses,
  bytes: ({ bins, rows, cols, perRow }) => ({
    input: elementBytes(rows * cols),
    edges: (perRow ? rows : 1) * bins * 4,
    ranges: (perRow ? rows : 1) * RANGE_WORDS * 4,
    counts: rows * bins * 4,
    outside: rows * OUTSIDE * 4,
  }),
};

/** Makes the pass. @param variant for measurements and tests; it never changes the counts */
export function histogramPasses(
  params: HistogramParams,
  limits: KernelLimits,
  variant: HistogramVariant = histogramVariant(params, limits),
): readonly Pass[] {
  const { type, bins, rows, cols, perRow } = params;
  if (rows === 0 || cols === 0) return [];
  const groups = rows * variant.parts * variant.spans;
  return [
    makePass(
      {
        label: "histogram",
        body: wgsl("histogram"),
        snippets: [float_key],
        constants: {
          THREADS: variant.threads,
          BINS: variant.size,
          COPIES: variant.copies,
          WHOLE: variant.spans === 1,
          FLOAT: type === "f32",
        },
        uniforms: [
          ["groups", "u32", groups],
          ["bins", "u32", bins],
          ["cols", "u32", cols],
          ["perRow", "u32", perRow ? 1 : 0],
          ["spans", "u32", variant.spans],
          ["width", "u32", variant.width],
          ["parts", "u32", variant.parts],
          ["partCols", "u32", variant.partCols],
          ["guided", "f32", GUIDED],
          ["fraction", "u32", fractionBits(bins)],
          ["flip", "u32", type === "i32" ? 0x80000000 : 0],
        ],
        bindings: [
          { name: "input", access: "read", type: "array<vec4u>" },
          { name: "edges", access: "read", type: "array<u32>" },
          { name: "ranges", access: "read", type: "array<Range>" },
          { name: "counts", access: "read_write", type: "array<atomic<u32>>" },
          { name: "outside", access: "read_write", type: "array<atomic<u32>>" },
        ],
        groups,
      },
      limits,
    ),
  ];
}

/** Returns how many bits after the point a float32 of at least `bins` + 1 has. */
function fractionBits(bins: number): number {
  return 23 - Math.ceil(Math.log2(bins + 1));
}

/**
 * Chooses equal spans of as many bins as fit, copies while there is room, and enough parts to keep a large
 * GPU busy.
 */
export function histogramVariant(
  { bins, rows, cols }: HistogramParams,
  limits: KernelLimits,
): HistogramVariant {
  const { sizes, copies, copiedBins, lanes, elementsPerLane, reserved } = histogramPolicy;
  // Each bin takes a word for its count and a word for its edge.
  const room = Math.floor(((limits.workgroupBytes ?? DEFAULT_WORKGROUP_BYTES) - reserved) / 8);
  const spans = ceilDiv(bins, room);
  const width = ceilDiv(bins, spans);
  const size = Math.min(sizes.find((each) => each >= width) ?? room, room);
  const threads = chooseHistogramThreads(cols, limits.workgroupThreads);
  const wanted = ceilDiv(lanes / threads, rows * spans);
  const partCols = roundUp(Math.max(ceilDiv(cols, wanted), threads * elementsPerLane, bins), 4);
  return {
    threads,
    size,
    copies: clamp(2 ** Math.floor(Math.log2(copiedBins / size)), 1, copies),
    width,
    spans,
    parts: ceilDiv(cols, partCols),
    partCols,
  };
}
