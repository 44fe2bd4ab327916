/**
 * This module makes the passes of `convolve` by its technique: one of sums of products, or those of fft.ts.
 * The contract is ops/convolve/contract.ts.
 */
import { ceilDiv } from "../../../core/math.ts";
import { elementBytes } from "../../../runtime/element.ts";
import type { GpuKernel } from "../../../runtime/gpu/passes/kernel.ts";
import { makePass, type KernelLimits, type Pass } from "../../../runtime/gpu/passes/pass.ts";
import { unroll } from "../../../runtime/gpu/passes/unroll.ts";
import { convolveScratchBytes, type CheckedBinding, type ConvolveParams } from "../contract.ts";
import { fftPasses, type FftVariant } from "./fft.ts";
import { bindingsOf, SHIFT, snippetsOf } from "./shared.ts";
import { uniformsOf } from "./uniforms.ts";
import { windowPass, windowVariant, type WindowVariant } from "./window.ts";
import { wgsl } from "./wgsl.ts";

export { unpack } from "./wgsl.ts";

const THREADS = 256;
/** A tile has this many outputs. */
const TILE = 12 * THREADS;
/** Taps up to which samples are read straight from memory, and up to which windows move over them. */
const [DIRECT_TAPS, WINDOW_TAPS] = [16, 96];
/** So many taps lie in workgroup memory at one time beside a tile. */
const CHUNK = 480;

/** Taps up to which each lane has them in registers, of DIRECT_TAPS at most. */
const REGISTER_TAPS = 11;

/** This variant reads samples straight from memory; results are the same. */
export interface DirectVariant {
  /** A lane makes so many vectors of outputs. */
  readonly turns: number;
  readonly threads: number;
}

/** This is the best of `--variants direct` on an H200 (bench/results/convolve-gpu.md). */
const directVariant: DirectVariant = { turns: 6, threads: 256 };

/** Measurements choose other variants by these. */
export interface ConvolveVariant {
  readonly direct?: DirectVariant;
  /** Null takes tiles whose loops are not written out. */
  readonly window?: WindowVariant | null;
  readonly fft?: FftVariant;
}

export const convolveKernel: GpuKernel<ConvolveParams, CheckedBinding> = {
  passes: (params, limits) => convolvePasses(params, limits),
  bytes: (params) => {
    const { rows, count, masks, taps, length, limit } = params;
    return {
      signal: elementBytes(rows * count),
      mask: elementBytes(masks * taps),
      output: elementBytes(rows * masks * length),
      status: limit === undefined ? 0 : 4,
      scratch: convolveScratchBytes(params),
    };
  },
};

export function convolvePasses(
  params: ConvolveParams,
  limits: KernelLimits,
  variant: ConvolveVariant = {},
): readonly Pass[] {
  const { rows, masks, length, technique } = params;
  if (rows * masks * length === 0) return [];
  if (technique === "fft") return fftPasses(params, limits, variant.fft);
  if (technique !== "tiled") return [plainPass(params, limits)];
  const { window, direct } = variant;
  if (direct || (params.taps <= DIRECT_TAPS && !window)) return [directPass(params, limits, direct)];
  return window === null || (!window && params.taps > WINDOW_TAPS)
    ? [tiledPass(params, limits)]
    : [windowPass(params, limits, window)];
}

/** Returns the samples that "tiled" makes an output read, of which a tile and its halo are read once. */
export function tiledLoads(taps: number): number {
  const { vectors, threads } = windowVariant;
  const tile = taps <= DIRECT_TAPS ? 4 : taps <= WINDOW_TAPS ? 4 * vectors * threads : TILE;
  const times = taps <= WINDOW_TAPS ? 1 : ceilDiv(taps, CHUNK);
  return times + (taps - times) / tile;
}

function plainPass(params: ConvolveParams, limits: KernelLimits): Pass {
  const { rows, masks, length, technique, uniformMask: values = [] } = params;
  const uniform = technique === "uniform";
  const padded = Array.from({ length: ceilDiv(values.length, 16) * 16 }, (_, at) => values[at] ?? 0);
  const outputs = rows * masks * length;
  return makePass(
    {
      label: `convolve.${technique}`,
      body: wgsl("convolve_plain"),
      snippets: snippetsOf(params, uniform ? wgsl("taps_uniform") : wgsl("taps_storage")),
      constants: { THREADS },
      aliases: { Scalar: params.type },
      uniforms: [
        ...uniformsOf(params),
        ["outputs", "u32", outputs],
        ...(uniform ? [["mask", params.type === "f32" ? "vec4f" : "vec4i", padded] as const] : []),
      ],
      bindings: bindingsOf(params, params.type, !uniform),
      groups: ceilDiv(outputs, THREADS),
    },
    limits,
  );
}

function directPass(
  params: ConvolveParams,
  limits: KernelLimits,
  { turns: TURNS, threads: THREADS }: DirectVariant = directVariant,
): Pass {
  const { rows, masks, length, type, taps } = params;
  const tiles = ceilDiv(length + SHIFT, 4 * THREADS * TURNS);
  const GROUPS = Math.floor(taps / 4);
  const ends = { PARTS: GROUPS + 1, LANES: 4 };
  const weights = taps <= REGISTER_TAPS ? wgsl("weights_registers") : wgsl("weights_workgroup");
  return makePass(
    {
      label: "convolve.direct",
      body: unroll(wgsl("convolve_direct"), ends),
      snippets: [...snippetsOf(params, wgsl("taps_storage")), unroll(weights, ends)],
      constants: { THREADS, TURNS, GROUPS, ...ends, KNOWN_SHIFT: shiftOf(params) },
      aliases: { Scalar: type, Vec: `vec4<${type}>` },
      uniforms: [...uniformsOf(params), ["tiles", "u32", tiles], ["items", "u32", rows * masks * tiles]],
      bindings: bindingsOf(params, "Vec", true, "Vec"),
      groups: rows * masks * tiles,
    },
    limits,
  );
}

/** Returns by how much all tiles shift samples; 4 where rows or masks differ in it. */
function shiftOf({ rows, masks, count, length, before }: ConvolveParams): number {
  const isAlike = (rows === 1 || count % 4 === 0) && (rows * masks === 1 || length % 4 === 0);
  return isAlike ? (4 - (before % 4)) % 4 : 4;
}

function tiledPass(params: ConvolveParams, limits: KernelLimits): Pass {
  const { rows, masks, length, type } = params;
  const tiles = ceilDiv(length + SHIFT, TILE);
  return makePass(
    {
      label: "convolve.tiled",
      body: wgsl("convolve_tiled"),
      snippets: snippetsOf(params, wgsl("taps_storage")),
      constants: { THREADS, CHUNK },
      aliases: { Scalar: type, Vec: `vec4<${type}>` },
      uniforms: [...uniformsOf(params), ["tiles", "u32", tiles], ["items", "u32", rows * masks * tiles]],
      bindings: bindingsOf(params, "Vec", true),
      groups: rows * masks * tiles,
    },
    limits,
  );
}
