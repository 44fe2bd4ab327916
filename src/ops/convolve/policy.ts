/** By these numbers `convolve` chooses a device and a technique. They may change speed, never contracts. */
import type { ConvolveParams, ConvolveTechnique } from "./contract.ts";
import { blocksOf } from "./spectra/spectra.ts";

/**
 * From so many taps on a GPU multiplies spectra, since both take as long on an H200
 * (bench/results/convolve-gpu.md).
 */
export const FFT_TAPS = 88;
/** This is the same of a CPU (bench/results/convolve-cpu.md). */
export const CPU_FFT_TAPS = 40;
/**
 * A row of fewer products takes longer by spectra, which compute a block at least, on either kind of device.
 */
const ROW_PRODUCTS = 2 ** 18;
/** Taps that uniform memory is given: all WebGPU devices have 16 KiB of it. */
export const UNIFORM_TAPS = 2048;

/**
 * Seconds of a product on one thread of a CPU, and of a point that is transformed there and back; of a
 * sample's way to a GPU and of an output's way back (bench/results/arrays-gpu.md); of opening a GPU.
 */
const [CPU_PRODUCT, CPU_POINT] = [1e-10, 5e-9];
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
  const { points, parts, hop } = blocksOf(taps);
  const spectra = (CPU_POINT * points * (parts + 1)) / (2 * hop);
  const each = type === "i32" ? taps * CPU_PRODUCT : Math.min(taps * CPU_PRODUCT, spectra);
  return outputs * each < OPENING + rows * count * UPLOAD + outputs * DOWNLOAD;
}

/** Chooses how a device goes about it, and says why. */
export function chooseTechnique(
  { type, taps, length }: Pick<ConvolveParams, "type" | "taps" | "length">,
  wanted: "auto" | ConvolveTechnique,
  kind: "gpu" | "cpu" = "gpu",
): { readonly technique: ConvolveTechnique; readonly why: string } {
  if (wanted !== "auto") return { technique: wanted, why: "technique asks for it" };
  if (type !== "f32") return { technique: "tiled", why: `only float32 goes through spectra, not ${type}` };
  const crossover = kind === "gpu" ? FFT_TAPS : CPU_FFT_TAPS;
  if (taps < crossover) return { technique: "tiled", why: `${taps} taps are fewer than ${crossover}` };
  return length * taps < ROW_PRODUCTS
    ? { technique: "tiled", why: `rows of ${length} outputs are too short for blocks of spectra` }
    : { technique: "fft", why: `${taps} taps are at least ${crossover}` };
}

/** Pieces have a multiple of so many outputs of a row, if that fits the device. */
export const PIECE_SPAN = 2 ** 16;
/** Pieces have this many outputs of a row before masks are taken apart: a tile. */
export const LEAST_SPAN = 2 ** 12;
/** A piece has at most this many products: a tenth of a second on a slow GPU. */
export const PIECE_PRODUCTS = 2 ** 36;
