/**
 * The contract of the primitive `scan`: every element becomes the combination of those before it. Not the operator on
 * arrays (operators/scan.ts) and not how it is computed (kernels/scan.ts, cpu/scan.ts).
 */
import { ceilDiv } from "../../core/math.ts";
import type { ElementType } from "../../runtime/element.ts";

/**
 * How `scan` combines elements.
 * @example
 * const prefixes = (op: ScanOp) => scan(Int32Array.of(2, -1, 3), { op });
 * await prefixes("sum"); // => [2, 1, 4]
 * await prefixes("max"); // => [2, 2, 3]
 */
export type ScanOp = "sum" | "min" | "max";
export const scanOps: readonly ScanOp[] = ["sum", "min", "max"];

/**
 * `scan`: output[i] combines initial with input[0..i], or with `exclusive` input[0..i-1].
 *
 * Sums of whole numbers wrap modulo 2^32. A sum of float32 associates in one fixed way, given by i alone: the same bits on
 * every run of one device, whatever the timing and however the array is cut at multiples of SCAN_GROUP elements. Its error
 * is at most (128 + i / SCAN_GROUP) * 2^-23 * sum |input|, as long as that sum is finite in float32; a device may take
 * subnormal numbers for zero, and the sign of a sum that is zero is not specified.
 *
 * Minima and maxima skip NaN and put -0 before +0. A prefix without a number gives NaN; without elements it gives the
 * largest (min) or smallest (max) whole number, for f32 NaN.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const params: ScanParams = { type: "u32", op: "sum", count: 5, exclusive: true, initial: 1000 };
 * (await primitives.scan(params)).bytes.output; // => 32
 */
export interface ScanParams {
  readonly type: ElementType;
  readonly op: ScanOp;
  readonly exclusive: boolean;
  readonly count: number;
  /** What comes before the first element: bits of a sum, or the key of a minimum or maximum; scanIdentity(op) for nothing. */
  readonly initial: number;
  /** How the GPU goes about it, for tests; default what suits the device. */
  readonly path?: ScanPath | undefined;
}

/**
 * chained: one pass, in which a tile waits for those before it. When a wait takes too long, which it never should, the
 * tile gives up, and one more pass does the work again. blocks: several passes, none of which waits.
 * @example
 * const path: ScanPath = { method: "blocks", subgroups: false };
 * await unique(Uint32Array.of(4, 4, 7), { backend: "gpu", tuning: { path } }); // => [4, 7]
 */
export interface ScanPath {
  readonly method: "chained" | "blocks";
  readonly subgroups?: boolean | undefined;
  /** Looks at what another tile has not yet left before giving up. */
  readonly patience?: number | undefined;
}

/**
 * input    [count]
 * output   [count], not the buffer of input
 * scratch  u32, scanScratchBytes(count): word 0 is then the combination of initial and all elements, in the form of initial
 *
 * Input and output have elementBytes(count) bytes.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const sums: GpuOperation<ScanBinding> = await primitives.scan({ type: "f32", op: "sum", count: 0 });
 * Object.keys(sums.bytes).sort(); // => ["input", "output", "scratch"]
 */
export type ScanBinding = "input" | "output" | "scratch";

/** Elements that one workgroup scans. */
export const SCAN_TILE = 4096;
/** Tiles that make a group: all of their sums are combined at once, groups one after the other. */
export const SCAN_GROUP_TILES = 256;
/** Elements of a group. */
export const SCAN_GROUP = SCAN_TILE * SCAN_GROUP_TILES;

/** A total, a ticket, a flag and a free word; then two words per tile and per group. */
export function scanScratchBytes(count: number): number {
  return 16 + 8 * (ceilDiv(count, SCAN_TILE) + ceilDiv(count, SCAN_GROUP));
}

/** What changes nothing when it is combined: +0, the largest key, the smallest. */
export function scanIdentity(op: ScanOp): number {
  return op === "min" ? 0xffffffff : 0;
}
