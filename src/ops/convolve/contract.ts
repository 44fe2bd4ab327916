/**
 * This is the contract of the primitive `convolve`, which sums products of a mask with each stretch of a
 * signal. The operators on arrays are in convolve.ts beside this file; gpu/gpu.ts and cpu.ts compute
 * it, and BOUND.md proves how exact floats are.
 */
import { spectraBytes } from "./blocks.ts";
import type { Boundary } from "./samples.ts";

/**
 * `convolve` and `correlate` give these outputs, by the names of numpy and SciPy.
 * @example
 * const lengthOf = async (mode: ConvolveMode) => (await convolve(new Float32Array(7), [1, 2, 1], { mode })).length;
 * await lengthOf("full"); // => 9
 * await lengthOf("same"); // => 7
 * await lengthOf("valid"); // => 5
 */
export type ConvolveMode = "full" | "same" | "valid";
export const convolveModes: readonly ConvolveMode[] = ["full", "same", "valid"];

/**
 * The way a GPU adds the products: "plain" reads the signal and the mask from memory for each of them,
 * "uniform" has the mask in uniform memory, "tiled" reads a sample once for several outputs, into registers
 * or workgroup memory, and "fft" multiplies spectra of blocks. On a CPU the first three are the same.
 * @example
 * const params = { type: "i32", count: 100, taps: 5 } as const;
 * const technique: ConvolveTechnique = "plain";
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * (await primitives.convolve({ ...params, technique })).bytes.output; // => 416
 */
export type ConvolveTechnique = "plain" | "uniform" | "tiled" | "fft";
export const convolveTechniques: readonly ConvolveTechnique[] = ["plain", "uniform", "tiled", "fft"];

/**
 * `convolve` writes to output[r][m][o] the sum over t of mask[m][t] * signal[r][o - before + t], with `flip`
 * of mask[m][taps - 1 - t], where samples outside a row are what `boundary` says.
 *
 * Sums of i32 are exact modulo 2^32. With a `limit`, `status` tells of a sum that is no i32. Errors of floats
 * are at most what BOUND.md proves, as long as no partial sum overflows. NaN and infinities reach the outputs
 * that their samples are part of, and no other.
 */
export interface ConvolveParams {
  /** All elements have this type; a GPU has no f64. */
  readonly type: "f32" | "i32" | "f64";
  readonly rows: number;
  /** A row has this many samples. */
  readonly count: number;
  readonly masks: number;
  readonly taps: number;
  readonly before: number;
  /** A row and a mask give this many outputs. */
  readonly length: number;
  readonly flip: boolean;
  readonly boundary: Boundary;
  /** Samples outside a row have this value with the boundary "constant". */
  readonly fill: number;
  /**
   * No sum overflows while magnitudes of i32 samples are at most this; with larger ones sums are checked.
   * Without a limit sums wrap.
   */
  readonly limit?: number | undefined;
  /** On the CPU all but "fft" are the same. */
  readonly technique: ConvolveTechnique;
  /** The technique "uniform" reads the masks from here. */
  readonly uniformMask?: readonly number[] | undefined;
}

/**
 * signal   [rows][count]
 * mask     [masks][taps]
 * output   [rows][masks][length], not the buffer of signal or mask
 * scratch  convolveScratchBytes
 *
 * All but scratch have elementBytes(count) bytes on a GPU.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const operation: GpuOperation<ConvolveBinding> = await primitives.convolve({ type: "f32", count: 5, taps: 2 });
 * operation.bytes.output; // => 32
 */
export type ConvolveBinding = "signal" | "mask" | "output" | "scratch";

/**
 * status   u32: 0 before; afterwards 0, or 2^32 - 1 - o for the first output o, counted over all, whose sum
 *          is no i32. It is left out without a limit
 */
export type CheckedBinding = ConvolveBinding | "status";

/** Returns where the first output lies, and how many there are: SciPy's modes, for masks of any length. */
export function placeOutputs(
  mode: ConvolveMode,
  count: number,
  taps: number,
): Pick<ConvolveParams, "before" | "length"> {
  if (count === 0 || taps === 0) return { before: 0, length: 0 };
  if (mode === "full") return { before: taps - 1, length: count + taps - 1 };
  if (mode === "same") return { before: Math.floor(taps / 2), length: count };
  return { before: Math.max(taps - count, 0), length: Math.abs(count - taps) + 1 };
}

/** Returns the bytes that the technique needs beside the arrays: with "fft" the spectra of the masks. */
export function convolveScratchBytes({ technique, masks, taps }: ConvolveParams): number {
  return technique === "fft" ? spectraBytes(masks, taps) : 0;
}
