/**
 * A primitive prepared for the buffers and the encoder of any WebGPU program: its parameters are fixed, its pipelines compiled
 * and its uniforms written, so that encoding decides nothing and waits for nothing. Not the engine's way (run.ts), which has
 * uniforms of its own.
 */
import { InvalidInputError } from "../core/errors.ts";
import { roundUp } from "../core/math.ts";
import type { BindingOf, ParamsOf, PrimitiveName } from "../core/primitives.ts";
import { kernelOf } from "../kernels/index.ts";
import { kernelLimits, type Pass } from "../kernels/pass.ts";
import { Health } from "./health.ts";
import type { KernelLoader } from "./kernels.ts";
import { Pipelines } from "./pipelines.ts";
import { traitsOf } from "./traits.ts";

/** A whole buffer, or a part of it. */
export type BufferArgument = GPUBuffer | GPUBufferBinding;

export type BufferArguments<Name extends PrimitiveName> = Readonly<Record<BindingOf<Name>, BufferArgument>>;

export interface Prepared<Name extends PrimitiveName> {
  /** Bytes that each buffer must have at least, `scratch` included. */
  readonly bytes: Readonly<Record<BindingOf<Name>, number>>;
  /**
   * Records the work. Buffers need the usage STORAGE; parts of buffers begin at a multiple of the device's
   * minStorageBufferOffsetAlignment, 256 by default. No buffer may be given twice. Contents of `scratch` do not survive.
   * @throws InvalidInputError
   */
  encode(encoder: GPUCommandEncoder, buffers: BufferArguments<Name>): void;
  /** Frees the uniforms; only after what was encoded has been submitted. */
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

  /** @throws InvalidInputError when a buffer would be larger than the device can bind; DeviceError, DeviceLostError. */
  async prepare<Name extends PrimitiveName>(
    name: Name,
    load: KernelLoader,
    params: ParamsOf<Name>,
  ): Promise<Prepared<Name>> {
    await load();
    const kernel = kernelOf(name);
    const bytes = kernel.bytes(params);
    checkBindable(name, bytes, this.#device.limits);
    const traits = kernel.wantsTraits ? await traitsOf(this.#device, this.#health) : undefined;
    const passes = kernel.passes(params, { ...kernelLimits(this.#device.limits), traits });
    await this.#pipelines.prepare(passes);
    return new PreparedPasses(this.#device, this.#pipelines, name, bytes, passes);
  }
}

class PreparedPasses<Name extends PrimitiveName> implements Prepared<Name> {
  readonly bytes: Readonly<Record<BindingOf<Name>, number>>;
  readonly #device: GPUDevice;
  readonly #pipelines: Pipelines;
  readonly #name: Name;
  readonly #passes: readonly Pass[];
  readonly #uniforms: GPUBuffer;
  readonly #offsets: readonly number[];

  constructor(
    device: GPUDevice,
    pipelines: Pipelines,
    name: Name,
    bytes: Readonly<Record<BindingOf<Name>, number>>,
    passes: readonly Pass[],
  ) {
    this.bytes = bytes;
    this.#device = device;
    this.#pipelines = pipelines;
    this.#name = name;
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

  encode(encoder: GPUCommandEncoder, buffers: BufferArguments<Name>): void {
    const bindings = checkBuffers(this.#name, this.bytes, buffers, this.#device.limits);
    if (this.#passes.length === 0) return;
    const computePass = encoder.beginComputePass({ label: this.#name });
    this.#passes.forEach((pass, at) => {
      const { pipeline, layout } = this.#pipelines.get(pass);
      const resources = [
        { buffer: this.#uniforms, offset: this.#offsets[at], size: uniformBytes(pass.uniform) },
        ...pass.bindings.map(({ name }) => bindings[name]),
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
    bindings[name] = { buffer, offset, size: Math.min(roundUp(Math.max(needed, 4), 4), held) };
    if (bindings[name].size! > maxStorageBufferBindingSize) wrong("larger than the device can bind");
  }
  return bindings;
}
