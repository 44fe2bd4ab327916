/**
 * This is the contract of the primitive `histogram`, which counts how many elements of every row fall into
 * every bin. The operator on arrays is in ops/histogram/histogram.ts, edges become keys in
 * ops/histogram/bins.ts; ops/histogram/gpu.ts and ops/histogram/cpu.ts compute it.
 */
import type { ElementType } from "../../runtime/element.ts";

/**
 * `histogram` adds to counts[r][b] the number of elements of row r in bin b, and to outside[r] the numbers of
 * those below the first bin, of those above the last one, and of NaN. Counts wrap modulo 2^32, which rows of
 * fewer than 2^32 elements cannot reach.
 *
 * Elements and edges are compared as whole-number keys, which `binKeys` makes of the edges: an element
 * belongs to the last bin whose edge is not above it, however a device computes in float32.
 *
 * Calls over disjoint parts of a row, with the same edges, equal one call over all of it.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const params: HistogramParams = { type: "f32", bins: 10, rows: 3, cols: 100, perRow: true };
 * (await primitives.histogram(params)).bytes.edges; // => 120
 */
export interface HistogramParams {
  readonly type: ElementType;
  /** There are this many bins, 1 to 65,536. */
  readonly bins: number;
  readonly rows: number;
  readonly cols: number;
  /** It is true where every row has edges of its own; otherwise all rows share one set. */
  readonly perRow: boolean;
}

/**
 * input    [rows][cols], elementBytes(rows * cols) bytes
 * edges    u32 [rows or 1][bins]: keys of the lower edges, ascending, as binKeys makes them
 * ranges   u32 [rows or 1][RANGE_WORDS], as binKeys makes them
 * counts   u32 [rows][bins]
 * outside  u32 [rows][OUTSIDE]: below, above, NaN
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const params = { type: "f32", bins: 3, cols: 0 } as const;
 * const { bytes }: GpuOperation<HistogramBinding> = await primitives.histogram(params);
 * Object.keys(bytes).sort(); // => ["counts", "edges", "input", "outside", "ranges"]
 */
export type HistogramBinding = "input" | "edges" | "ranges" | "counts" | "outside";

export const MAX_BINS = 65_536;

/** One row of `ranges` has this many words. */
export const RANGE_WORDS = 8;

/** One row of `outside` has this many words. */
export const OUTSIDE = 3;
