/**
 * The numbers by which `convolve` chooses a device and a technique. They may change speed, never contracts.
 */
import type { ConvolveParams, ConvolveTechnique } from "./contract.ts";

/** Taps from which on a GPU multiplies spectra: the crossover on an H200 (bench/results/convolve-gpu.md). */
export const FFT_TAPS = 80;
/** Taps that uniform memory is given: all WebGPU devices have 16 KiB of it. */
export const UNIFORM_TAPS = 2048;

/**
 * Seconds of a product on one thread of a CPU; of a sample's way to a GPU and of an output's way back
 * (bench/results/arrays-gpu.md); of opening a GPU.
 */
const CPU_PRODUCT = 1e-10;
const [UPLOAD, DOWNLOAD, OPENING] = [0.7e-9, 2.7e-9, 0.3];

/** Says whether a CPU is done with arrays of the host before a GPU would have opened, and answered. */
export function paysOnCpu({
  type,
  rows,
  masks,
  count,
  length,
  taps,
}: Omit<ConvolveParams, "technique">): boolean {
  if (type === "f64") return true;
  const outputs = rows * masks * length;
  return outputs * taps * CPU_PRODUCT < OPENING + rows * count * UPLOAD + outputs * DOWNLOAD;
}

/** Chooses how a GPU goes about it, and says why. */
export function chooseTechnique(
  { type, taps }: Pick<ConvolveParams, "type" | "taps">,
  wanted: "auto" | ConvolveTechnique,
): { readonly technique: ConvolveTechnique; readonly why: string } {
  if (wanted !== "auto") return { technique: wanted, why: "technique asks for it" };
  if (type !== "f32") return { technique: "tiled", why: "whole numbers are exact only as sums of products" };
  return taps < FFT_TAPS
    ? { technique: "tiled", why: `${taps} taps are fewer than ${FFT_TAPS}` }
    : { technique: "fft", why: `${taps} taps are at least ${FFT_TAPS}` };
}

/** Outputs of a row that pieces have a multiple of. */
export const PIECE_SPAN = 2 ** 16;
/** Products of a piece at most: a tenth of a second on a slow GPU. */
export const PIECE_PRODUCTS = 2 ** 36;
