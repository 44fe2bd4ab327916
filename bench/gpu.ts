/**
 * What the benchmarks of array primitives share: a WebGPU device of their own, medians of wall-clock times
 * around a drained queue, a copy kernel to compare with, and kernels that fill and check buffers on the
 * device.
 */
import { create, globals } from "webgpu";

Object.assign(globalThis, globals);

const features: readonly GPUFeatureName[] = ["subgroups", "timestamp-query"];

/** Recorded into one submit, so that its own cost is shared. */
const REPEATS = 8;
const WARM_UPS = 3;
const RUNS = 10;

export async function openBenchDevice(): Promise<GPUDevice> {
  const gpu = create(["disable-dawn-features=timestamp_quantization"]);
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) throw new Error("no WebGPU adapter");
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  const { maxComputeWorkgroupStorageSize, maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX } =
    adapter.limits;
  const device = await adapter.requestDevice({
    requiredLimits: {
      maxBufferSize,
      maxStorageBufferBindingSize,
      maxComputeWorkgroupStorageSize,
      maxComputeInvocationsPerWorkgroup,
      maxComputeWorkgroupSizeX,
    },
    requiredFeatures: features.filter((feature) => adapter.features.has(feature)),
  });
  device.addEventListener("uncapturederror", ({ error }) => console.log(`ERROR ${error.message}`));
  (device as unknown as { keep: GPU }).keep = gpu;
  console.log(adapter.info.description);
  return device;
}

export function storage(device: GPUDevice, size: number): GPUBuffer {
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  return device.createBuffer({ size, usage });
}

interface Repeats {
  /** Runs before, and the milliseconds that these must take: a card that was idle has a slower clock. */
  readonly warmUps?: number;
  readonly warmMs?: number;
  readonly runs?: number;
  readonly repeats?: number;
}

/** Median milliseconds of one `encode`. */
export async function time(
  device: GPUDevice,
  encode: (encoder: GPUCommandEncoder) => void,
  { warmUps = WARM_UPS, warmMs = 0, runs = RUNS, repeats = REPEATS }: Repeats = {},
): Promise<number> {
  const times: number[] = [];
  const start = performance.now();
  let isWarm = false;
  for (let run = 0; times.length < runs; run++) {
    isWarm ||= run >= warmUps && performance.now() - start >= warmMs;
    const encoder = device.createCommandEncoder();
    for (let i = 0; i < repeats; i++) encode(encoder);
    const commands = encoder.finish();
    await device.queue.onSubmittedWorkDone();
    const began = performance.now();
    device.queue.submit([commands]);
    await device.queue.onSubmittedWorkDone();
    if (isWarm) times.push((performance.now() - began) / repeats);
  }
  return times.sort((a, b) => a - b)[Math.floor(runs / 2)];
}

/** Kernels over `words`: what each does with element i of a and b. */
const bodies = {
  copy: "b[i] = a[i];",
  count: "a[i] = i4;",
  floats: "a[i] = bitcast<vec4u>(vec4f((i4 * 2654435761u) >> vec4u(8u)) * 0x1p-24 - 0.5);",
  same: "if (any(a[i] != b[i])) { atomicAdd(&wrong, 1u); }",
  // Prefix sums of 0, 1, 2, ...
  triangle:
    "let t = select(i4 * ((i4 + 1u) / 2u), (i4 / 2u) * (i4 + 1u), (i4 & vec4u(1u)) == vec4u(0u)); if (any(a[i] != t)) { atomicAdd(&wrong, 1u); }",
} as const;

export class Kernels {
  readonly #device: GPUDevice;
  readonly #wrong: GPUBuffer;
  readonly #pipelines = new Map<string, GPUComputePipeline>();

  constructor(device: GPUDevice) {
    this.#device = device;
    this.#wrong = storage(device, 4);
  }

  encode(encoder: GPUCommandEncoder, name: keyof typeof bodies, a: GPUBuffer, b: GPUBuffer): void {
    const pipeline = this.#pipeline(name);
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    const buffers = [a, ...(usesB(name) ? [b] : []), ...(checks(name) ? [this.#wrong] : [])];
    const places = [0, ...(usesB(name) ? [1] : []), ...(checks(name) ? [2] : [])];
    const entries = buffers.map((buffer, at) => ({ binding: places[at], resource: { buffer } }));
    pass.setBindGroup(0, this.#device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
    const groups = Math.ceil(a.size / 16 / 256);
    const x = Math.min(groups, 32_768);
    pass.dispatchWorkgroups(x, Math.ceil(groups / x));
    pass.end();
  }

  run(name: keyof typeof bodies, a: GPUBuffer, b = a): void {
    const encoder = this.#device.createCommandEncoder();
    this.encode(encoder, name, a, b);
    this.#device.queue.submit([encoder.finish()]);
  }

  /** Vectors found wrong since the last call. */
  async takeWrong(): Promise<number> {
    const [wrong] = await readWords(this.#device, this.#wrong, 1);
    this.#device.queue.writeBuffer(this.#wrong, 0, new Uint32Array(1));
    return wrong;
  }

  #pipeline(name: keyof typeof bodies): GPUComputePipeline {
    let pipeline = this.#pipelines.get(name);
    if (!pipeline) {
      const code = `
        @group(0) @binding(0) var<storage, ${name === "copy" || name === "same" || name === "triangle" ? "read" : "read_write"}> a: array<vec4u>;
        ${usesB(name) ? `@group(0) @binding(1) var<storage, ${name === "copy" ? "read_write" : "read"}> b: array<vec4u>;` : ""}
        ${checks(name) ? "@group(0) @binding(2) var<storage, read_write> wrong: atomic<u32>;" : ""}
        @compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) n: vec3u) {
          let i = id.x + id.y * n.x * 256u;
          if (i < arrayLength(&a)) { let i4 = vec4u(i * 4u) + vec4u(0u, 1u, 2u, 3u); ${bodies[name]} }
        }`;
      const module = this.#device.createShaderModule({ code });
      pipeline = this.#device.createComputePipeline({ layout: "auto", compute: { module } });
      this.#pipelines.set(name, pipeline);
    }
    return pipeline;
  }
}

function usesB(name: keyof typeof bodies): boolean {
  return name === "copy" || name === "same";
}

function checks(name: keyof typeof bodies): boolean {
  return name === "same" || name === "triangle";
}

export async function readWords(device: GPUDevice, from: GPUBuffer, count: number): Promise<Uint32Array> {
  const size = count * 4;
  const copy = device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(from, 0, copy, 0, size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  const words = new Uint32Array(copy.getMappedRange().slice(0));
  copy.destroy();
  return words;
}
