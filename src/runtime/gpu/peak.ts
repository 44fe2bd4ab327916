/**
 * This module measures the most multiply-adds a device makes in a second, seen by running nothing else, in
 * dispatches that grow until one takes long enough to measure. It is for judging kernels, never for choosing
 * them.
 */
import { defaultKernelLimits } from "./passes/pass.ts";
import { peakBytes, peakOperations, peakPass } from "./peakPass.ts";
import { encodePasses } from "./passes/encode.ts";
import { Health } from "./health.ts";
import { Pipelines } from "./passes/pipelines.ts";
import { Uniforms } from "./uniforms.ts";

const LONG_ENOUGH_MS = 40;
const GROWTH = 4;
const RUNS = 5;

/**
 * Measures the peak.
 * @param runs so many are measured once one takes long enough
 * @returns operations per second, a multiply-add counted as two: the best of a few runs
 */
export async function measurePeak(device: GPUDevice, runs = RUNS): Promise<number> {
  const pipelines = new Pipelines(device, new Health(device));
  const uniforms = new Uniforms(device);
  const buffer = device.createBuffer({ label: "peak", size: peakBytes, usage: GPUBufferUsage.STORAGE });
  const run = async (turns: number): Promise<number> => {
    const pass = peakPass(turns, defaultKernelLimits);
    await pipelines.prepare([pass]);
    const encoder = device.createCommandEncoder({ label: "peak" });
    encodePasses(encoder, [pass], { output: { buffer } }, { device, pipelines, uniforms });
    uniforms.commit();
    const commands = encoder.finish();
    const began = performance.now();
    device.queue.submit([commands]);
    await device.queue.onSubmittedWorkDone();
    return performance.now() - began;
  };
  try {
    let turns = 1;
    // Twice each, since the first run of a pipeline may take longer.
    while (Math.min(await run(turns), await run(turns)) < LONG_ENOUGH_MS) turns *= GROWTH;
    let best = Infinity;
    for (let i = 0; i < runs; i++) best = Math.min(best, await run(turns));
    return peakOperations(turns) / (best / 1000);
  } finally {
    buffer.destroy();
    uniforms.dispose();
  }
}
