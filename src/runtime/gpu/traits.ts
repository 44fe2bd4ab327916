/**
 * This module finds out what a device does that WebGPU does not promise: let workgroups wait for each other,
 * number lanes in order within subgroups, and multiply matrices. A self-test finds out, once per device, when
 * first asked; nothing is assumed of one that fails it, and nothing but the time differs in what kernels then
 * give.
 */
import { isNearfieldError } from "../../core/errors.ts";
import { SCAN_GROUP, SCAN_TILE, scanScratchBytes } from "../tileScan.ts";
import { identityBits } from "../element.ts";
import type { DeviceTraits } from "./passes/pass.ts";
import { fromInput, tileScanPasses, toOutput, unpack, type TileScan } from "./collectives/tileScan.ts";
import { valueSnippets, valueType } from "./collectives/element.ts";
import { isSoftware } from "./acquire.ts";
import { multipliesBytes } from "./matrixUnits.ts";
import { encodePasses } from "./passes/encode.ts";
import type { Health } from "./health.ts";
import { Pipelines } from "./passes/pipelines.ts";
import { scoped } from "./scopes.ts";
import { Uniforms } from "./uniforms.ts";

const known = new WeakMap<GPUDevice, Promise<DeviceTraits>>();

/** The test has elements for more tiles than any device runs at a time, so that some wait for others. */
const PROBE_COUNT = 8 * SCAN_GROUP;
const GAVE_UP_WORD = 2;

/**
 * A device of which nothing is known has these traits, and so have adapters in software: their workgroups are
 * threads of the host, and one that waits takes the processor of others.
 */
const none: DeviceTraits = { forwardProgress: false, subgroups: false };

export function traitsOf(device: GPUDevice, health: Health): Promise<DeviceTraits> {
  let traits = known.get(device);
  if (!traits) {
    traits = probe(device, health);
    known.set(device, traits);
    traits.catch(() => known.delete(device));
  }
  return traits.catch(withoutMemory);
}

/**
 * Returns no traits for a device too full for the test, which is asked again next time; throws any other
 * error.
 */
function withoutMemory(error: unknown): DeviceTraits {
  if (isNearfieldError(error, "OutOfMemory")) return none;
  throw error;
}

async function probe(device: GPUDevice, health: Health): Promise<DeviceTraits> {
  if (isSoftware(device.adapterInfo)) return none;
  const { subgroupMinSize, subgroupMaxSize } = device.adapterInfo;
  // Where a driver picks the size for each pipeline, the passes of one scan might associate float32 sums
  // differently.
  if (device.features.has("subgroups") && subgroupMinSize === subgroupMaxSize) {
    const traits = { forwardProgress: true, subgroups: true };
    if (await scansRight(device, health, traits))
      return { ...traits, byteMatrices: await multipliesBytes(device, health) };
  }
  const traits = { forwardProgress: true, subgroups: false };
  return (await scansRight(device, health, traits)) ? traits : none;
}

/** Takes a device to have these traits, which no self-test then looks for: tests choose variants so. */
export function assumeTraits(device: GPUDevice, traits: DeviceTraits): void {
  known.set(device, Promise.resolve(traits));
}

/** Says whether a chained scan ends without giving up, and with the right prefixes. */
export async function scansRight(
  device: GPUDevice,
  health: Health,
  traits: DeviceTraits,
  count: number = PROBE_COUNT,
): Promise<boolean> {
  await unpack();
  const scan: TileScan = {
    label: "self-test",
    count,
    initial: identityBits("sum"),
    tile: SCAN_TILE,
    valueType: valueType("u32", "sum"),
    combine: valueSnippets("u32", "sum"),
    load: fromInput(),
    store: toOutput(false),
  };
  const workgroupsPerDimension = device.limits.maxComputeWorkgroupsPerDimension;
  const [clear, chained] = tileScanPasses(scan, { workgroupsPerDimension, traits });
  const passes = [clear, chained];
  const tools = { device, pipelines: new Pipelines(device, health), uniforms: new Uniforms(device) };
  await tools.pipelines.prepare(passes);
  const input = probeInput(count);
  const bytes = count * 4;
  const storage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC;
  const { value, checked } = scoped(device, "self-test", 3 * bytes, () => {
    const make = (size: number, usage: number, mappedAtCreation = false) =>
      device.createBuffer({ label: "self-test", size, usage, mappedAtCreation });
    const buffers = {
      input: make(bytes, storage, true),
      output: make(bytes, storage),
      scratch: make(scanScratchBytes(count), storage),
    };
    new Uint32Array(buffers.input.getMappedRange()).set(input);
    buffers.input.unmap();
    const readable = make(bytes + 16, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
    const encoder = device.createCommandEncoder({ label: "self-test" });
    const { input: from, output, scratch } = buffers;
    encodePasses(
      encoder,
      passes,
      { input: { buffer: from }, output: { buffer: output }, scratch: { buffer: scratch } },
      tools,
    );
    encoder.copyBufferToBuffer(scratch, 0, readable, 0, 16);
    encoder.copyBufferToBuffer(output, 0, readable, 16, bytes);
    tools.uniforms.commit();
    device.queue.submit([encoder.finish()]);
    return { readable, all: [...Object.values(buffers), readable] };
  });
  try {
    await health.guard(Promise.all([checked, value.readable.mapAsync(GPUMapMode.READ)]));
    const words = new Uint32Array(value.readable.getMappedRange());
    return words[GAVE_UP_WORD] === 0 && isPrefixSum(input, words.subarray(4));
  } finally {
    for (const buffer of value.all) buffer.destroy();
    tools.uniforms.dispose();
  }
}

/** Returns numbers of which no two neighbours are equal, so that a lane out of place shows. */
function probeInput(count: number): Uint32Array<ArrayBuffer> {
  const input = new Uint32Array(count);
  for (let at = 0; at < count; at++) input[at] = Math.imul(at, 0x9e3779b1);
  return input;
}

function isPrefixSum(input: Uint32Array, output: Uint32Array): boolean {
  let sum = 0;
  for (let at = 0; at < input.length; at++) {
    sum = (sum + input[at]) >>> 0;
    if (output[at] !== sum) return false;
  }
  return true;
}
