/**
 * This is a primitive that was prepared for buffers of another WebGPU program. Which primitives there are,
 * and their parameters, is the matter of gpuPrimitives.ts.
 */
import { InvalidInputError } from "./core/errors.ts";
import type { BufferArgument, PreparedOperation } from "./runtime/gpu/operation.ts";

/**
 * It is a primitive with fixed parameters, which can be recorded any number of times.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const sums: GpuOperation<ScanBinding> = await primitives.scan({ type: "f32", op: "sum", count: 5 });
 * sums.bytes.input; // => 32
 * sums.scratchBytes; // => sums.bytes.scratch
 * sums.dispose();
 */
export interface GpuOperation<Binding extends string> {
  /**
   * Each buffer must have at least this many bytes. Elements come in fours: what lies past the count is
   * neither used nor changed.
   */
  readonly bytes: Readonly<Record<Binding, number>>;
  /** `scratch` needs this many bytes, as in `bytes`. */
  readonly scratchBytes: number;
  /**
   * Records the work; the caller submits. A buffer needs the usage STORAGE and may be used once per call; a
   * part of a buffer begins at a multiple of the device's minStorageBufferOffsetAlignment. Without `scratch`
   * the operation uses one of its own, which its calls share.
   * @throws InvalidInputError saying which buffer lacks what
   */
  encode(encoder: GPUCommandEncoder, buffers: GpuBuffers<Binding>): void;
  /** Frees what it owns. Call it only after what was recorded has been submitted. */
  dispose(): void;
  /** Calls `dispose` where `using` ends. */
  [Symbol.dispose](): void;
}

/**
 * The buffers of one call, by the names of its bindings.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const device = await adapter!.requestDevice();
 * const primitives = await GpuPrimitives.create(device);
 * const sums = await primitives.reduce({ type: "u32", op: "sum", rows: 3, cols: 4 });
 * const largest = await primitives.reduce({ type: "u32", op: "max", cols: 3 });
 *
 * const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
 * const bufferOf = (size: number, usage = STORAGE | COPY_SRC | COPY_DST) => device.createBuffer({ size, usage });
 * const [input, sumOfRow, output] = [bufferOf(sums.bytes.input), bufferOf(largest.bytes.input), bufferOf(4)];
 * device.queue.writeBuffer(input, 0, Uint32Array.of(3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8));
 * // What one operation writes the next one reads, and both may have the same scratch.
 * const scratch = bufferOf(Math.max(sums.scratchBytes, largest.scratchBytes));
 * const first: GpuBuffers<ReduceBinding> = { input, output: sumOfRow, scratch };
 * const second: GpuBuffers<ReduceBinding> = { input: sumOfRow, output, scratch };
 *
 * const readable = bufferOf(4, MAP_READ | COPY_DST);
 * const encoder = device.createCommandEncoder();
 * sums.encode(encoder, first);
 * largest.encode(encoder, second);
 * encoder.copyBufferToBuffer(output, 0, readable, 0, 4);
 * device.queue.submit([encoder.finish()]);
 * await readable.mapAsync(GPUMapMode.READ);
 * new Uint32Array(readable.getMappedRange()); // => Uint32Array [22]
 */
export type GpuBuffers<Binding extends string> = Readonly<
  Record<Exclude<Binding, `scratch${string}`>, BufferArgument> &
    Partial<Record<Extract<Binding, `scratch${string}`> | "scratch", BufferArgument | undefined>>
>;

/** An operation with scratch of its own, which it makes when a call brings none. */
export class Operation<Binding extends string> implements GpuOperation<Binding> {
  readonly bytes: Readonly<Record<Binding, number>>;
  readonly scratchBytes: number;
  readonly #device: GPUDevice;
  readonly #name: string;
  readonly #prepared: PreparedOperation<Binding>;
  readonly #scratch = new Map<string, GPUBuffer>();

  constructor(device: GPUDevice, name: string, prepared: PreparedOperation<Binding>) {
    this.#device = device;
    this.#name = name;
    this.#prepared = prepared;
    this.bytes = prepared.bytes;
    this.scratchBytes = (prepared.bytes as Partial<Record<string, number>>)["scratch"] ?? 0;
  }

  encode(encoder: GPUCommandEncoder, buffers: GpuBuffers<Binding>): void {
    const all: Record<string, BufferArgument | undefined> = { scratch: undefined, ...buffers };
    for (const [binding, bytes] of Object.entries<number>({ scratch: 0, ...this.bytes })) {
      if (binding.startsWith("scratch")) all[binding] ??= this.#ownScratch(binding, bytes);
    }
    this.#prepared.encode(encoder, all as Parameters<PreparedOperation<Binding>["encode"]>[1]);
  }

  dispose(): void {
    for (const buffer of this.#scratch.values()) buffer.destroy();
    this.#scratch.clear();
    this.#prepared.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #ownScratch(binding: string, bytes: number): GPUBuffer {
    const own =
      this.#scratch.get(binding) ??
      this.#device.createBuffer({
        label: `${this.#name}: ${binding}`,
        size: Math.max(bytes, 4),
        usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC,
      });
    this.#scratch.set(binding, own);
    return own;
  }
}

/** Returns the capacity that was asked for, or as much room as there are elements. */
export function capacityOf({ count, capacity = count }: { count: number; capacity?: number }): number {
  checkCount(count, "count", 0);
  checkCount(capacity, "capacity", count > 0 ? 1 : 0);
  return capacity;
}

/** @throws InvalidInputError for what is no whole number within the bounds */
export function checkCount(value: number, what: string, least: number, most = Infinity): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new InvalidInputError(`${what} is ${value}; expected a whole number ${range}`);
}
