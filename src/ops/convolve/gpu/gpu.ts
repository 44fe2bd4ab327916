/**
 * `convolve` as passes, by the technique: one pass of sums of products, or those of fft.ts. The contract is
 * ops/convolve/contract.ts.
 */
import { ceilDiv } from "../../../core/math.ts";
import { elementBytes } from "../../../runtime/element.ts";
import type { GpuKernel } from "../../../runtime/gpu/passes/kernel.ts";
import type { Binding } from "../../../runtime/gpu/passes/compose.ts";
import { makePass, type KernelLimits, type Pass } from "../../../runtime/gpu/passes/pass.ts";
import { convolveScratchBytes, type CheckedBinding, type ConvolveParams } from "../contract.ts";
import { fftPasses, type FftVariant } from "./fft.ts";
import { uniformsOf } from "./uniforms.ts";
import * as wgsl from "./wgsl.generated.ts";

const THREADS = 256;
/** Outputs of a tile, and up to how many of them lie before the row. */
const [TILE, SHIFT] = [12 * THREADS, 3];
/** Taps up to which samples are read from memory; and up to which that alone takes the time. */
const [DIRECT_TAPS, SHORT_TAPS] = [96, 16];
/** Taps that lie in workgroup memory at one time beside a tile. */
const CHUNK = 480;

/** Vectors of outputs next to each other that a lane makes, and how often. */
type Direct = readonly [vectors: number, turns: number];
const [shortMasks, longMasks]: Direct[] = [
  [1, 4],
  [4, 2],
];

/** Other ways than those chosen, for measurements. */
export interface ConvolveVariant {
  /** Null takes tiles. */
  readonly direct?: Direct | null;
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
  return [
    params.taps <= DIRECT_TAPS && variant.direct !== null
      ? directPass(params, limits, variant.direct)
      : tiledPass(params, limits),
  ];
}

function plainPass(params: ConvolveParams, limits: KernelLimits): Pass {
  const { rows, masks, length, technique, uniformMask: values = [] } = params;
  const uniform = technique === "uniform";
  const padded = Array.from({ length: ceilDiv(values.length, 16) * 16 }, (_, at) => values[at] ?? 0);
  const outputs = rows * masks * length;
  return makePass(
    {
      label: `convolve.${technique}`,
      body: wgsl.convolve_plain,
      snippets: snippetsOf(params, uniform ? wgsl.taps_uniform : wgsl.taps_storage),
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
  direct = params.taps <= SHORT_TAPS ? shortMasks : longMasks,
): Pass {
  const { rows, masks, length, type, taps } = params;
  const [VECTORS, TURNS] = direct;
  const tiles = ceilDiv(length + SHIFT, 4 * THREADS * VECTORS * TURNS);
  const GROUPS = taps <= SHORT_TAPS ? Math.floor(taps / 4) : DIRECT_TAPS;
  return makePass(
    {
      label: "convolve.direct",
      body: wgsl.convolve_direct,
      snippets: snippetsOf(params, wgsl.taps_storage),
      constants: { THREADS, VECTORS, TURNS, GROUPS, CHUNK: DIRECT_TAPS },
      aliases: { Scalar: type, Vec: `vec4<${type}>` },
      uniforms: [...uniformsOf(params), ["tiles", "u32", tiles], ["items", "u32", rows * masks * tiles]],
      bindings: bindingsOf(params, "Vec", true, "Vec"),
      groups: rows * masks * tiles,
    },
    limits,
  );
}

function tiledPass(params: ConvolveParams, limits: KernelLimits): Pass {
  const { rows, masks, length, type } = params;
  const tiles = ceilDiv(length + SHIFT, TILE);
  return makePass(
    {
      label: "convolve.tiled",
      body: wgsl.convolve_tiled,
      snippets: snippetsOf(params, wgsl.taps_storage),
      constants: { THREADS, CHUNK },
      aliases: { Scalar: type, Vec: `vec4<${type}>` },
      uniforms: [...uniformsOf(params), ["tiles", "u32", tiles], ["items", "u32", rows * masks * tiles]],
      bindings: bindingsOf(params, "Vec", true),
      groups: rows * masks * tiles,
    },
    limits,
  );
}

function snippetsOf({ limit }: ConvolveParams, taps: string): string[] {
  return [wgsl.convolve_samples, taps, limit === undefined ? wgsl.sums_unchecked : wgsl.sums_checked];
}

/** @param samples the type of what the signal is an array of, and `outputs` that of the output */
function bindingsOf(
  { type, limit }: ConvolveParams,
  samples: string,
  mask: boolean,
  outputs: string = type,
): Binding[] {
  return [
    { name: "signal", access: "read", type: `array<${samples}>` },
    ...(mask ? [{ name: "mask", access: "read", type: `array<${type}>` } as const] : []),
    { name: "output", access: "read_write", type: `array<${outputs}>` },
    ...(limit === undefined ? [] : [{ name: "status", access: "read_write", type: "atomic<u32>" } as const]),
  ];
}
