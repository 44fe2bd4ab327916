/**
 * This is a primitive prepared for the buffers and the encoder of any WebGPU program: its parameters are
 * fixed, its pipelines compiled and its uniforms written, so that encoding decides nothing and waits for
 * nothing. The engine does it in another way (run.ts), with uniforms of its own.
 */
import { assert, InvalidInputError } from "../../core/errors.ts";
import { roundUp } from "../../core/math.ts";
import type { Primitive } from "../primitive.ts";
import { Health } from "./health.ts";
import { partOf } from "./passes/encode.ts";
import { kernelLimits, type Pass } from "./passes/pass.ts";
import { Pipelines } from "./passes/pipelines.ts";
import { traitsOf } from "./traits.ts";

/**
 * It is a whole buffer, or a part of it.
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

export interface PreparedOperation<Binding extends string> {
  /** Each buffer must have at least so many bytes, `scratch` included. */
  readonly bytes: Readonly<Record<Binding, number>>;
  /**
   * Records the work. Buffers need the usage STORAGE; parts of buffers begin at a multiple of the device's
   * minStorageBufferOffsetAlignment, 256 by default. No buffer may be given twice. Contents of `scratch` do
   * not survive.
   * @throws InvalidInputError
   */
  encode(encoder: GPUCommandEncoder, buffers: BufferArguments<Binding>): void;
  /** Frees the uniforms. Call it only after what was encoded has been submitted. */
  dispose(): void;
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

  /**
   * @throws InvalidInputError when a buffer would be larger than the device can bind; DeviceError,
   *   DeviceLostError.
   */
  async prepare<Params, Binding extends string>(
    primitive: Primitive<Params, Binding>,
    params: Params,
  ): Promise<PreparedOperation<Binding>> {
    assert(primitive.gpu, `no GPU runs ${primitive.name}`);
    const kernel = await primitive.gpu();
    const traits = kernel.wantsTraits?.(params) ? await traitsOf(this.#device, this.#health) : undefined;
    const limits = { ...kernelLimits(this.#device), traits };
    const bytes = kernel.bytes(params, limits);
    if (!kernel.windowed) checkBindable(primitive.name, bytes, this.#device.limits);
    const passes = kernel.passes(params, limits);
    await this.#pipelines.prepare(passes);
    return new PreparedPasses(this.#device, this.#pipelines, primitive.name, bytes, passes, !kernel.windowed);
  }
}

class PreparedPasses<Binding extends string> implements PreparedOperation<Binding> {
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
