/**
 * This module makes the passes of `convolve` by overlap-save: for a table of twiddle factors, for the spectra
 * of the masks, and for the blocks. How a mask is cut into parts is blocks.ts.
 */
import { ceilDiv, clamp } from "../../../core/math.ts";
import { makePass, type KernelLimits, type Pass } from "../../../runtime/gpu/passes/pass.ts";
import { cutMask, POINTS } from "../blocks.ts";
import type { ConvolveParams } from "../contract.ts";
import { wgsl } from "./wgsl.ts";
import { uniformsOf } from "./uniforms.ts";

/** This is a variant of the kernel; results are the same. */
export interface FftVariant {
  /** Blocks that a workgroup makes one after the other, with masks of two parts; default by their number. */
  readonly chain?: number;
}

const THREADS = 256;
/** Blocks that a workgroup makes one after the other at most, where there are enough for all processors. */
const [LONGEST_CHAIN, ENOUGH] = [16, 2048];
/** Products of two lists of so many twiddle factors fill the table. */
const LIST = 64;

export function fftPasses(
  params: ConvolveParams,
  limits: KernelLimits,
  { chain: wanted }: FftVariant = {},
): readonly Pass[] {
  const { rows, masks, length, taps } = params;
  const { parts, partTaps, hop, chained: CHAINED } = cutMask(taps);
  const most = clamp(Math.floor((rows * masks * length) / hop / ENOUGH), 1, LONGEST_CHAIN);
  const chain = CHAINED ? (wanted ?? most) : 1;
  const pairs = ceilDiv(length, 2 * hop * chain);
  const items = rows * masks * pairs;
  const aliases = { Scalar: "f32" };
  const uniforms = [...uniformsOf(params), ["parts", "u32", parts], ["partTaps", "u32", partTaps]] as const;
  const scratch = { name: "scratch", access: "read_write", type: "array<vec2f>" } as const;
  const twiddles = makePass(
    {
      label: "convolve.twiddles",
      body: wgsl("convolve_twiddles"),
      constants: { THREADS },
      uniforms: [["twiddles", "vec4f", twiddleList()]],
      bindings: [scratch],
      groups: POINTS / THREADS,
    },
    limits,
  );
  const spectra = makePass(
    {
      label: "convolve.spectra",
      body: wgsl("convolve_spectra"),
      snippets: [wgsl("fft_points"), wgsl("convolve_samples"), wgsl("taps_storage")],
      constants: { THREADS },
      aliases,
      uniforms,
      bindings: [{ name: "mask", access: "read", type: "array<f32>" }, scratch],
      groups: masks * parts,
    },
    limits,
  );
  const blocks = makePass(
    {
      label: "convolve.fft",
      body: wgsl("convolve_fft"),
      snippets: [wgsl("fft_points"), wgsl("convolve_samples"), wgsl("taps_storage")],
      constants: { THREADS, SEVERAL: parts > 1, CHAINED },
      aliases,
      uniforms: [
        ...uniforms,
        ["items", "u32", items],
        ["pairs", "u32", pairs],
        ["hop", "u32", hop],
        ["chain", "u32", chain],
      ],
      bindings: [
        { name: "signal", access: "read", type: "array<f32>" },
        { name: "mask", access: "read", type: "array<f32>" },
        { name: "output", access: "read_write", type: "array<f32>" },
        { ...scratch, access: "read" },
      ],
      groups: items,
    },
    limits,
  );
  return [twiddles, spectra, blocks];
}

/** Returns e^(-2 pi i n / 4096), real and imaginary, for n = 0, 64, 128, ... and for n = 0, 1, 2, ... */
function twiddleList(): number[] {
  const numbers = Array.from({ length: 2 * LIST }, (_, at) => (at < LIST ? at * LIST : at - LIST));
  return numbers.flatMap((n) => {
    const angle = (-2 * Math.PI * n) / POINTS;
    return [Math.cos(angle), Math.sin(angle)];
  });
}
