/**
 * A primitive prepared for the buffers and the encoder of any WebGPU program: its parameters are fixed, its pipelines compiled
 * and its uniforms written, so that encoding decides nothing and waits for nothing. Not the engine's way (run.ts), which has
 * uniforms of its own.
 */
import { InvalidInputError, oneOf } from "../../core/errors.ts";
import { roundUp } from "../../core/math.ts";
import type { BindingOf, ParamsOf, PrimitiveName } from "../primitives.ts";
import type { KnnSearchBinding, KnnSearchParams } from "../../ops/knn/contract/search.ts";
import { kernelOf } from "./passes/kernel.ts";
import type { KnnSearchVariant } from "../../ops/knn/gpu/search/search.ts";
import { kernelLimits, type KernelLimits, type Pass } from "./passes/pass.ts";
import { fitsWorkgroup, knnTileBytes, knnTiles, knnTileThreads, type KnnTile } from "../../distance/gpu/policy.ts";
import { knnGroups } from "../../ops/knn/gpu/policy.ts";
import { partOf } from "./passes/encode.ts";
import { Health } from "./health.ts";
import type { KernelLoader } from "./kernels.ts";
import { Pipelines } from "./passes/pipelines.ts";
import { traitsOf } from "./traits.ts";

/**
 * A whole buffer, or a part of it.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const device = await adapter!.requestDevice();
 * const sum = await (await GpuPrimitives.create(device)).reduce({ type: "u32", op: "sum", cols: 4 });
 * const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
 * const batches = device.createBuffer({ size: 512, usage: STORAGE | COPY_DST });
 * device.queue.writeBuffer(batches, 0, Uint32Array.of(1, 2, 3, 4));
 * device.queue.writeBuffer(batches, 256, Uint32Array.of(5, 6, 7, 8));
 * const second: BufferArgument = { buffer: batches, offset: 256 }; // a part begins at a multiple of 256
 * const output: BufferArgument = device.createBuffer({ size: 4, usage: STORAGE | COPY_SRC });
 *
 * const readable = device.createBuffer({ size: 4, usage: MAP_READ | COPY_DST });
 * const encoder = device.createCommandEncoder();
 * sum.encode(encoder, { input: second, output });
 * encoder.copyBufferToBuffer(output, 0, readable, 0, 4);
 * device.queue.submit([encoder.finish()]);
 * await readable.mapAsync(GPUMapMode.READ);
 * new Uint32Array(readable.getMappedRange()); // => Uint32Array [26]
 */
export type BufferArgument = GPUBuffer | GPUBufferBinding;

export type BufferArguments<Binding extends string> = Readonly<Record<Binding, BufferArgument>>;

export interface Prepared<Binding extends string> {
  /** Bytes that each buffer must have at least, `scratch` included. */
  readonly bytes: Readonly<Record<Binding, number>>;
  /**
   * Records the work. Buffers need the usage STORAGE; parts of buffers begin at a multiple of the device's
   * minStorageBufferOffsetAlignment, 256 by default. No buffer may be given twice. Contents of `scratch` do not survive.
   * @throws InvalidInputError
   */
  encode(encoder: GPUCommandEncoder, buffers: BufferArguments<Binding>): void;
  /** Frees the uniforms; only after what was encoded has been submitted. */
  dispose(): void;
}

/**
 * How `knn.search` goes about it; what is left out is chosen by size. Anything given makes few queries go the way of many.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const device = await adapter!.requestDevice();
 * const primitives = await GpuPrimitives.create(device);
 * const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
 * const bufferOf = (size: number) => device.createBuffer({ size, usage: STORAGE | COPY_SRC | COPY_DST });
 *
 * async function millisecondsOf(variant: KnnVariant): Promise<number> {
 *   const search = await primitives.knn({ queries: 64, references: 1000, columns: 8, k: 3, variant });
 *   const { bytes } = search;
 *   const [queries, references] = [bufferOf(bytes.queries), bufferOf(bytes.references)];
 *   const [distances, indices] = [bufferOf(bytes.distances), bufferOf(bytes.indices)];
 *   const encoder = device.createCommandEncoder();
 *   search.encode(encoder, { queries, references, distances, indices });
 *   const begin = performance.now();
 *   device.queue.submit([encoder.finish()]);
 *   await device.queue.onSubmittedWorkDone();
 *   search.dispose();
 *   return performance.now() - begin;
 * }
 * // The same neighbours by other ways: which is fastest is the device's matter.
 * const [chosen, stored] = [await millisecondsOf({}), await millisecondsOf({ tile: "standard", group: 0 })];
 * console.log(`${chosen} ms as chosen, ${stored} ms with all values stored`);
 */
export interface KnnVariant {
  /** A tile of kernels/policy.ts by its name. */
  readonly tile?: string | undefined;
  /** References per group: 8, 16, 32 or 64; 0 stores all values. */
  readonly group?: number | undefined;
}

function tuningOf({ tile, group }: KnnVariant, limits: KernelLimits): KnnSearchVariant {
  const tiles: Readonly<Record<string, KnnTile | undefined>> = knnTiles;
  if (tile !== undefined && !tiles[tile]) {
    throw new InvalidInputError(
      `unknown tile ${JSON.stringify(tile)}; expected ${oneOf(Object.keys(tiles))}`,
    );
  }
  if (group !== undefined && group !== 0 && !knnGroups.some((each) => each === group)) {
    throw new InvalidInputError(`group is ${group}; expected 0, 8, 16, 32 or 64`);
  }
  const shape = tile === undefined ? undefined : tiles[tile];
  if (shape && !fitsWorkgroup(shape, limits)) {
    throw new InvalidInputError(
      `the tile ${String(tile)} needs ${knnTileThreads(shape)} lanes and ${knnTileBytes(shape)} bytes of a workgroup, more than this device has; choose a smaller one`,
    );
  }
  return {
    ...(shape && { tile: shape }),
    ...(group !== undefined && { group }),
  };
}

/** Prepares primitives on a device that the caller owns. */
export class Preparer {
  readonly #device: GPUDevice;
  readonly #health: Health;
  readonly #pipelines: Pipelines;

  constructor(device: GPUDevice) {
    this.#device = device;
    this.#health = new Health(device);
    this.#pipelines = new Pipelines(device, this.#health);
  }

  /** @throws InvalidInputError when a buffer would be larger than the device can bind; DeviceError, DeviceLostError. */
  async prepare<Name extends PrimitiveName>(
    name: Name,
    load: KernelLoader,
    params: ParamsOf<Name>,
  ): Promise<Prepared<BindingOf<Name>>> {
    await load();
    const kernel = kernelOf(name);
    const bytes = kernel.bytes(params);
    checkBindable(name, bytes, this.#device.limits);
    const traits = kernel.wantsTraits ? await traitsOf(this.#device, this.#health) : undefined;
    const passes = kernel.passes(params, { ...kernelLimits(this.#device.limits), traits });
    return this.#prepared(name, bytes, passes, true);
  }

  /**
   * `knn.search` looks at large buffers through windows, so that they may be larger than the device can bind.
   * @throws InvalidInputError for a variant that does not exist or does not fit the device; DeviceError, DeviceLostError.
   */
  async prepareKnnSearch(params: KnnSearchParams, variant: KnnVariant): Promise<Prepared<KnnSearchBinding>> {
    const { knnSearchBytes, knnSearchPasses, knnSearchWantsTraits } =
      await import("../../ops/knn/gpu/search/search.ts");
    const traits = knnSearchWantsTraits(params) ? await traitsOf(this.#device, this.#health) : undefined;
    const subgroupSize = this.#device.adapterInfo.subgroupMinSize;
    const limits = { ...kernelLimits(this.#device.limits), traits, subgroupSize };
    const tuning = tuningOf(variant, limits);
    const bytes = knnSearchBytes(params, limits, tuning);
    return this.#prepared("knn.search", bytes, knnSearchPasses(params, limits, tuning), false);
  }

  async #prepared<Binding extends string>(
    name: string,
    bytes: Readonly<Record<Binding, number>>,
    passes: readonly Pass[],
    whole: boolean,
  ): Promise<Prepared<Binding>> {
    await this.#pipelines.prepare(passes);
    return new PreparedPasses(this.#device, this.#pipelines, name, bytes, passes, whole);
  }
}

class PreparedPasses<Binding extends string> implements Prepared<Binding> {
  readonly bytes: Readonly<Record<Binding, number>>;
  readonly #device: GPUDevice;
  readonly #pipelines: Pipelines;
  readonly #name: string;
  readonly #whole: boolean;
  readonly #passes: readonly Pass[];
  readonly #uniforms: GPUBuffer;
  readonly #offsets: readonly number[];

  constructor(
    device: GPUDevice,
    pipelines: Pipelines,
    name: string,
    bytes: Readonly<Record<Binding, number>>,
    passes: readonly Pass[],
    whole: boolean,
  ) {
    this.bytes = bytes;
    this.#device = device;
    this.#pipelines = pipelines;
    this.#name = name;
    this.#whole = whole;
    this.#passes = passes;
    const alignment = device.limits.minUniformBufferOffsetAlignment;
    let size = 0;
    this.#offsets = passes.map(({ uniform }) => {
      const offset = size;
      size = roundUp(size + uniformBytes(uniform), alignment);
      return offset;
    });
    this.#uniforms = device.createBuffer({
      label: `${name}: uniforms`,
      size: Math.max(size, 16),
      usage: GPUBufferUsage.UNIFORM,
      mappedAtCreation: true,
    });
    const words = new Uint32Array(this.#uniforms.getMappedRange());
    passes.forEach(({ uniform }, at) => words.set(uniform, this.#offsets[at] / 4));
    this.#uniforms.unmap();
  }

  encode(encoder: GPUCommandEncoder, buffers: BufferArguments<Binding>): void {
    const bindings = checkBuffers(this.#name, this.bytes, buffers, this.#device.limits, this.#whole);
    if (this.#passes.length === 0) return;
    const computePass = encoder.beginComputePass({ label: this.#name });
    this.#passes.forEach((pass, at) => {
      const { pipeline, layout } = this.#pipelines.get(pass);
      const resources = [
        { buffer: this.#uniforms, offset: this.#offsets[at], size: uniformBytes(pass.uniform) },
        ...pass.bindings.map((binding) => partOf(binding, bindings[binding.name])),
      ];
      computePass.setPipeline(pipeline);
      const entries = resources.map((resource, binding) => ({ binding, resource }));
      computePass.setBindGroup(0, this.#device.createBindGroup({ label: pass.label, layout, entries }));
      computePass.dispatchWorkgroups(...pass.workgroups);
    });
    computePass.end();
  }

  dispose(): void {
    this.#uniforms.destroy();
  }
}

function uniformBytes(words: readonly number[]): number {
  return roundUp(Math.max(words.length, 1) * 4, 16);
}

function checkBindable(
  primitive: string,
  bytes: Readonly<Record<string, number>>,
  { maxStorageBufferBindingSize, maxBufferSize }: GPUSupportedLimits,
): void {
  const most = Math.min(maxStorageBufferBindingSize, maxBufferSize);
  for (const [name, needed] of Object.entries(bytes)) {
    if (needed <= most) continue;
    throw new InvalidInputError(
      `${primitive} needs ${needed} bytes of ${name}, but this device binds at most ${most} at a time: ` +
        `${Math.floor(most / 16) * 4} elements per call. Work in parts, or request the device with a larger ` +
        `maxStorageBufferBindingSize and maxBufferSize`,
    );
  }
}

function checkBuffers(
  primitive: string,
  bytes: Readonly<Record<string, number>>,
  buffers: Readonly<Record<string, BufferArgument | undefined>>,
  { minStorageBufferOffsetAlignment, maxStorageBufferBindingSize }: GPUSupportedLimits,
  whole: boolean,
): Record<string, GPUBufferBinding> {
  const seen = new Map<GPUBuffer, string>();
  const bindings: Record<string, GPUBufferBinding> = {};
  for (const [name, needed] of Object.entries(bytes)) {
    const argument = buffers[name];
    const wrong = (what: string): never => {
      throw new InvalidInputError(`${primitive}, buffer ${name}: ${what}`);
    };
    if (!argument && needed === 0) continue;
    if (!argument) return wrong(`missing; expected a GPUBuffer of at least ${needed} bytes`);
    const { buffer, offset = 0, size } = "buffer" in argument ? argument : { buffer: argument };
    const held = Math.min(size ?? Infinity, buffer.size - offset);
    if ((buffer.usage & GPUBufferUsage.STORAGE) === 0) wrong("expected the usage STORAGE");
    if (offset % minStorageBufferOffsetAlignment !== 0) {
      wrong(`offset ${offset} is no multiple of ${minStorageBufferOffsetAlignment}`);
    }
    if (held < needed) wrong(`${held} bytes from offset ${offset} on; expected at least ${needed}`);
    const other = seen.get(buffer);
    if (other) wrong(`the same GPUBuffer as ${other}; expected one of its own`);
    seen.set(buffer, name);
    const bound = Math.min(roundUp(Math.max(needed, 4), 4), held);
    if (whole && bound > maxStorageBufferBindingSize) wrong("larger than the device can bind");
    bindings[name] = { buffer, offset, size: bound };
  }
  return bindings;
}
