/**
 * Times the kernels of `convolve` on a GPU for ../measure.ts. It makes the buffers and the passes, and counts
 * the loads of each.
 */
import { InvalidInputError } from "../../../core/errors.ts";
import { roundUp } from "../../../core/math.ts";
import { Preparer } from "../../../runtime/gpu/operation.ts";
import { scoped } from "../../../runtime/gpu/scopes.ts";
import { primitive } from "../../../runtime/primitive.ts";
import { cutMask, POINTS } from "../blocks.ts";
import { convolveTechniques } from "../contract.ts";
import type { CheckedBinding, ConvolveParams, ConvolveTechnique } from "../contract.ts";
import type { ConvolveTime, MeasuredProblem } from "../measured.ts";
import { UNIFORM_TAPS } from "../policy.ts";
import { convolveKernel, convolvePasses, tiledLoads, unpack } from "./gpu.ts";

/** Taps up to which the shader of a tile that is asked for may be written for their number. */
const TILE_TAPS = 480;

export function constantBytes({ limits }: GPUDevice): number {
  return limits.maxUniformBufferBindingSize;
}

export async function timesOnGpu(
  gpu: GPUDevice,
  measured: MeasuredProblem,
  wanted: readonly ConvolveTechnique[] | undefined,
): Promise<ConvolveTime[]> {
  await unpack();
  const { params, signal, mask, tile } = measured;
  const { taps } = params;
  const techniques =
    wanted ?? convolveTechniques.filter((each) => each !== "uniform" || taps <= UNIFORM_TAPS);
  for (const [technique, most, instead] of [
    ["uniform", UNIFORM_TAPS, "or other techniques"],
    ["tiled", tile === undefined ? Infinity : TILE_TAPS, "or no tile"],
  ] as const) {
    if (!techniques.includes(technique) || taps <= most) continue;
    throw new InvalidInputError(`taps is ${taps}; expected at most ${most} for "${technique}", ${instead}`);
  }
  const buffers: GPUBuffer[] = [];
  const make = async (size: number, usage = 0): Promise<GPUBuffer> => {
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const all = usage || STORAGE | COPY_SRC | COPY_DST;
    const { value, checked } = scoped(gpu, "convolve", size, () =>
      gpu.createBuffer({ size: roundUp(Math.max(size, 4), 16), usage: all }),
    );
    buffers.push(value);
    return checked.then(() => value);
  };
  try {
    const given = { signal: await make(signal.byteLength), mask: await make(mask.byteLength) };
    const output = await make(signal.byteLength);
    gpu.queue.writeBuffer(given.signal, 0, signal);
    gpu.queue.writeBuffer(given.mask, 0, mask);
    const back = await make(1024, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
    const outputs = async (first: number, count: number): Promise<Float32Array> => {
      const encoder = gpu.createCommandEncoder();
      encoder.copyBufferToBuffer(output, first * 4, back, 0, count * 4);
      gpu.queue.submit([encoder.finish()]);
      await back.mapAsync(GPUMapMode.READ);
      const found = new Float32Array(back.getMappedRange().slice(0, count * 4));
      back.unmap();
      return found;
    };
    const times: ConvolveTime[] = [];
    for (const technique of techniques) {
      const operation = await prepared(gpu, measured, technique);
      const scratch = await make(operation.bytes.scratch);
      const status = await make(4);
      const run = async (count: number): Promise<number> => {
        const encoder = gpu.createCommandEncoder();
        for (let i = 0; i < count; i++) operation.encode(encoder, { ...given, output, scratch, status });
        const commands = encoder.finish();
        await gpu.queue.onSubmittedWorkDone();
        const began = performance.now();
        gpu.queue.submit([commands]);
        await gpu.queue.onSubmittedWorkDone();
        return (performance.now() - began) / 1000;
      };
      const time = await measured.timed(technique, run, outputs);
      times.push({ ...time, loads: loadsOf(technique, taps, tile) });
      operation.dispose();
    }
    return times;
  } finally {
    for (const buffer of buffers) buffer.destroy();
  }
}

function prepared(gpu: GPUDevice, { params, mask, tile }: MeasuredProblem, technique: ConvolveTechnique) {
  const window = tile === undefined ? undefined : { vectors: 1, threads: tile / 4 };
  const varied = primitive<ConvolveParams, CheckedBinding>({
    name: "convolve",
    gpu: () =>
      Promise.resolve({
        ...convolveKernel,
        passes: (p, limits) => convolvePasses(p, limits, window && { window }),
      }),
  });
  const uniformMask = technique === "uniform" ? [...mask] : undefined;
  return new Preparer(gpu).prepare(varied, { ...params, technique, uniformMask });
}

/**
 * Returns what an output makes a lane read from memory: numbers, those that tiles and blocks share divided.
 */
function loadsOf(technique: ConvolveTechnique, taps: number, tile: number | undefined): number {
  const { hop, parts, chained } = cutMask(taps);
  return {
    plain: 2 * taps,
    uniform: taps,
    tiled: tile === undefined ? tiledLoads(taps) : 1 + (taps - 1) / tile,
    fft: ((chained ? 1 : parts) * POINTS) / hop,
  }[technique];
}
