/**
 * Records primitives on a device of their own, over buffers full of garbage: passes through encodePasses, the
 * layer under the backend, or whatever else records. Words past the end of every buffer are checked
 * afterwards: a kernel that writes there fails.
 */
import { expect } from "vitest";
import { encodePasses } from "../../../dist/runtime/gpu/passes/encode.js";
import { Health } from "../../../dist/runtime/gpu/health.js";
import { Pipelines } from "../../../dist/runtime/gpu/passes/pipelines.js";
import { Uniforms } from "../../../dist/runtime/gpu/uniforms.js";
import type { Pass } from "../../../dist/runtime/gpu/passes/pass.js";

type Words = Uint32Array<ArrayBuffer>;

/** Contents, or the number of words of a buffer of garbage. */
export type Contents = Readonly<Record<string, Words | number>>;

export const POISON = 0xdeadbeef;
/** Words before and after what is bound; bindings begin at a multiple of 256 bytes. */
const MARGIN = 64;

export class PassRunner {
  readonly device: GPUDevice;
  readonly #health: Health;
  readonly #pipelines: Pipelines;
  readonly #uniforms: Uniforms;

  constructor(device: GPUDevice) {
    this.device = device;
    this.#health = new Health(device);
    this.#pipelines = new Pipelines(device, this.#health);
    this.#uniforms = new Uniforms(device);
  }

  /** Runs passes through encodePasses; see `record`. */
  async run(passes: readonly Pass[], buffers: Contents): Promise<Record<string, Words>> {
    const tools = { device: this.device, pipelines: this.#pipelines, uniforms: this.#uniforms };
    await this.#pipelines.prepare(passes);
    return this.record((encoder, bindings) => encodePasses(encoder, passes, bindings, tools), buffers);
  }

  /** @returns the contents of the buffers after what `encode` recorded */
  async record(
    encode: (encoder: GPUCommandEncoder, bindings: Readonly<Record<string, GPUBufferBinding>>) => void,
    buffers: Contents,
  ): Promise<Record<string, Words>> {
    const { device } = this;
    const bound = Object.entries(buffers).map(([name, content]) => ({ name, ...this.#create(content) }));
    device.pushErrorScope("validation");
    const encoder = device.createCommandEncoder();
    encode(encoder, Object.fromEntries(bound.map(({ name, binding }) => [name, binding])));
    for (const { binding, read } of bound) encoder.copyBufferToBuffer(binding.buffer, read);
    this.#uniforms.commit();
    device.queue.submit([encoder.finish()]);
    expect((await device.popErrorScope())?.message).toBeUndefined();
    const contents = await Promise.all(bound.map(async (each) => [each.name, await readBack(each)] as const));
    return Object.fromEntries(contents);
  }

  #create(content: Words | number) {
    const length = typeof content === "number" ? content : content.length;
    const words = new Uint32Array(length + 2 * MARGIN).fill(POISON);
    if (typeof content !== "number") words.set(content, MARGIN);
    const { STORAGE, COPY_DST, COPY_SRC, MAP_READ } = GPUBufferUsage;
    const usage = STORAGE | COPY_DST | COPY_SRC;
    const size = words.byteLength;
    const buffer = this.device.createBuffer({ size, usage });
    const read = this.device.createBuffer({ size, usage: MAP_READ | COPY_DST });
    this.device.queue.writeBuffer(buffer, 0, words);
    return { binding: { buffer, offset: MARGIN * 4, size: length * 4 }, read, length };
  }
}

interface Bound {
  readonly name: string;
  readonly binding: { readonly buffer: GPUBuffer };
  readonly read: GPUBuffer;
  readonly length: number;
}

async function readBack({ name, binding, read, length }: Bound): Promise<Words> {
  await read.mapAsync(GPUMapMode.READ);
  const words = new Uint32Array(read.getMappedRange().slice(0));
  binding.buffer.destroy();
  read.destroy();
  for (const margin of [words.subarray(0, MARGIN), words.subarray(MARGIN + length)]) {
    expect(
      margin.every((word) => word === POISON),
      `${name} was written outside its ends`,
    ).toBe(true);
  }
  return words.slice(MARGIN, MARGIN + length);
}
