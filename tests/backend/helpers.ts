/**
 * What the backend tests share: a device per backend, skipped where absent and failing in CI, and comparison
 * to the bit.
 */
import { afterAll, beforeAll, describe, expect } from "vitest";
import { Device } from "../../dist/node.js";
import type { DeviceOptions } from "../../dist/node.js";
import type { GpuBackend } from "../../dist/runtime/gpu/backend.js";
import type { DeviceTraits } from "../../dist/runtime/gpu/passes/pass.js";
import { assumeTraits } from "../../dist/runtime/gpu/traits.js";
import type { Answer } from "../oracle/knn.ts";

export type BackendName = "cpu" | "gpu";

/**
 * naga, which compiles WGSL in Deno and Firefox, has no subgroups yet:
 * https://github.com/gfx-rs/wgpu/issues/5555
 */
export const hasSubgroups = !("Deno" in globalThis);

/** Waits until this value comes back. Vitest's `expect.poll` does that, but in Node alone. */
export async function eventually<T>(of: () => T | Promise<T>, expected: T, seconds = 10): Promise<void> {
  const end = performance.now() + 1000 * seconds;
  let found = await of();
  while (found !== expected && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    found = await of();
  }
  expect(found).toBe(expected);
}

/** Work units per second of a software GPU on large tiles, more or less. */
const SOFTWARE_RATE = 1e9;

const inCI = Boolean(process.env.CI) && process.env.CI !== "false";

/** Whether tests of a backend are skipped; never in CI, where an absent one fails. */
export function isAbsent(backend: BackendName): boolean {
  return backend === "gpu" && process.env.NEARFIELD_TEST_GPU !== "1" && !inCI;
}

/**
 * The GPU of all files that a process runs: in software each shader takes it a second to compile, which files
 * that use the same ones need not repeat. `traits` are its own, which a file may have had it change.
 */
let gpu: Promise<{ readonly device: Device; readonly traits: DeviceTraits }> | undefined;

/** Nobody may dispose of it, nor destroy what it stands on. */
export async function sharedGpu(): Promise<Device> {
  gpu ??= openDevice("gpu").then(async (device) => {
    holdPipelines(gpuDeviceOf(device));
    return { device, traits: await device.backend.traits!() };
  });
  const { device, traits } = await gpu;
  assumeTraits(gpuDeviceOf(device), traits);
  return device;
}

const gpuDeviceOf = (device: Device): GPUDevice => (device.backend as GpuBackend).device;

/** What the shared GPU stands on: backends and passes of a file's own share its shaders there. */
export async function sharedGpuDevice(): Promise<GPUDevice> {
  return gpuDeviceOf(await sharedGpu());
}

/**
 * A device with the test's options; a GPU of it is the one that all files share, so that it compiles no
 * shader again. Not for tests that take the GPU away, or that look at what a device does with one of its own.
 */
export async function openBeside(backend: BackendName, options: DeviceOptions = {}): Promise<Device> {
  const gpuDevice = backend === "gpu" ? await sharedGpuDevice() : undefined;
  return openDevice(backend, { ...options, ...(gpuDevice && { gpuDevice }) });
}

/** Dawn gives a device the pipeline that it has compiled before, as long as anybody holds that. */
export function holdPipelines(device: GPUDevice): void {
  const held: Promise<GPUComputePipeline>[] = [];
  const create = device.createComputePipelineAsync.bind(device);
  device.createComputePipelineAsync = (descriptor) => {
    const pipeline = create(descriptor);
    held.push(pipeline);
    return pipeline;
  };
}

/** Describes the same behaviour once per backend; `device` may be called inside tests. */
export function onEachBackend(body: (device: () => Device, backend: BackendName) => void): void {
  for (const backend of ["cpu", "gpu"] as const) {
    describe.skipIf(isAbsent(backend))(`on the ${backend}`, () => {
      let device: Device | undefined;
      beforeAll(async () => {
        device = await (backend === "gpu" ? sharedGpu() : openDevice(backend));
      });
      afterAll(() => {
        if (backend === "cpu") device?.dispose();
      });
      body(() => device!, backend);
    });
  }
}

/**
 * For a software GPU, which compiles the shaders of a case for seconds: one in so many of the cases, others
 * with each seed; all of them in the long run.
 */
export function oneIn<T>(share: number, cases: readonly T[], seed: number): readonly T[] {
  return process.env.NEARFIELD_LONG ? cases : cases.filter((_, i) => i % share === seed % share);
}

/** A device of its own for one test, with the test's options. */
export async function openDevice(backend: BackendName, options: DeviceOptions = {}): Promise<Device> {
  return withSteadyRate(await Device.create({ threads: 2, ...options, backend }));
}

/**
 * Keeps the rate that searches assume of a GPU in software: a dispatch takes it long however small, which
 * they would take for its speed, and cut ever smaller tiles.
 */
export function withSteadyRate(device: Device): Device {
  if (device.info.software) Object.assign(device.rates, { get: () => SOFTWARE_RATE });
  return device;
}

/** Fails at the first neighbour whose row or whose distance differs in any bit; NaN equals NaN. */
export function expectSame(actual: Answer, expected: Answer, k: number): void {
  expect(firstDifference(actual, expected, k)).toBeUndefined();
}

export function firstDifference(actual: Answer, expected: Answer, k: number): string | undefined {
  const { indices, distances } = expected;
  if (actual.indices.length !== indices.length)
    return `${actual.indices.length} results instead of ${indices.length}`;
  for (let at = 0; at < indices.length; at++) {
    const sameBits = Object.is(actual.distances[at], distances[at]);
    if (actual.indices[at] === indices[at] && sameBits) continue;
    const found = `row ${actual.indices[at]} at ${actual.distances[at]}`;
    return `query ${Math.floor(at / k)}, rank ${at % k}: ${found} instead of row ${indices[at]} at ${distances[at]}`;
  }
  return undefined;
}
