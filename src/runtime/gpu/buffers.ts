/**
 * This is the pool of storage buffers that sessions and segments own. An owner takes a set of named buffers
 * and gives the whole set back; the pool keeps released buffers for reuse within the budget and destroys the
 * rest. It counts every byte alive, in use or kept. Staging and uniforms are not here: those belong to their
 * rings.
 */
import type { BufferSpec } from "../source.ts";
import { later } from "../../core/async/later.ts";
import { OutOfMemoryError } from "../../core/errors.ts";
import { roundUp } from "../../core/math.ts";
import { budgetAfterRefusal } from "./budget.ts";
import type { Health } from "./health.ts";
import { scoped } from "./scopes.ts";

/** Buffers kept for reuse are destroyed after this many milliseconds in which nobody uses any. */
const IDLE_MS = 1000;

/** A kept buffer serves a request up to this much smaller, as long as half of the budget is unused. */
const reuseSlack = 1.25;

/** A set has the buffers of one owner by name, each bound at the size that was requested. */
export interface BufferSet {
  readonly bindings: ReadonlyMap<string, BoundBuffer>;
  /** Gives the buffers back; submitted work that uses them still completes. A second call does nothing. */
  release(): void;
}

export interface BoundBuffer {
  readonly buffer: GPUBuffer;
  /** It is the size as requested; the buffer itself may be larger. */
  readonly size: number;
}

export interface PoolLimits {
  readonly budgetBytes: number;
  readonly bufferBytes: number;
}

export class BufferPool {
  readonly #device: GPUDevice;
  readonly #health: Health;
  readonly #bufferBytes: number;
  #budgetBytes: number;
  #aliveBytes = 0;
  #peakBytes = 0;
  /** Buffers have these sizes; to ask a buffer for its own takes longer in Node. */
  readonly #inUse = new Map<GPUBuffer, number>();
  /** It keeps buffers for reuse, oldest first. */
  readonly #kept = new Map<GPUBuffer, number>();
  #callOff = () => {};

  constructor(device: GPUDevice, health: Health, { budgetBytes, bufferBytes }: PoolLimits) {
    this.#device = device;
    this.#health = health;
    this.#budgetBytes = budgetBytes;
    this.#bufferBytes = bufferBytes;
  }

  /** Buffers may take so many bytes, which shrink when the driver refuses memory. */
  get budgetBytes(): number {
    return this.#budgetBytes;
  }

  get aliveBytes(): number {
    return this.#aliveBytes;
  }

  get peakBytes(): number {
    return this.#peakBytes;
  }

  /**
   * Takes all of `specs` or none. Contents are undefined.
   * @param owner for messages and traces, such as the label of a segment
   * @param exactly takes no kept buffer that is larger than asked for; default false
   * @throws OutOfMemoryError beyond the budget, or when the driver refuses.
   */
  async take(
    owner: string,
    specs: readonly BufferSpec[],
    { exactly = false }: { readonly exactly?: boolean } = {},
  ): Promise<BufferSet> {
    this.#health.check();
    this.#callOff();
    const bindings = new Map<string, BoundBuffer>();
    const refusals: Promise<void>[] = [];
    const release = (): void => {
      for (const { buffer } of bindings.values()) this.#giveBack(buffer);
      bindings.clear();
    };
    try {
      for (const { name, bytes } of specs) {
        const size = roundUp(Math.max(bytes, 4), 4);
        const buffer = this.#reuse(size, exactly) ?? this.#create(`${owner}: ${name}`, size, refusals);
        bindings.set(name, { buffer, size });
      }
      await this.#health.guard(Promise.all(refusals));
    } catch (error) {
      for (const refusal of refusals) refusal.catch(() => undefined);
      release();
      throw error;
    }
    return { bindings, release };
  }

  /**
   * Destroys what is kept for reuse after a while in which nothing was taken: searches that follow each other
   * take the same sizes, and a driver takes 20 ms to make a gigabyte.
   */
  trimWhenIdle(): void {
    this.#callOff();
    this.#callOff = later(IDLE_MS, () => this.trim());
  }

  /** Destroys what is kept for reuse. */
  trim(): void {
    for (const buffer of this.#kept.keys()) this.#destroy(buffer);
  }

  dispose(): void {
    this.#callOff();
    this.trim();
    for (const buffer of this.#inUse.keys()) this.#destroy(buffer);
  }

  #reuse(size: number, exactly: boolean): GPUBuffer | undefined {
    const mayBeLarger = !exactly && this.#aliveBytes <= this.#budgetBytes / 2;
    const largest = mayBeLarger ? size * reuseSlack : size;
    let best: GPUBuffer | undefined;
    let least = Infinity;
    for (const [buffer, bytes] of this.#kept) {
      if (bytes >= size && bytes <= largest && bytes < least) [best, least] = [buffer, bytes];
    }
    if (!best) return undefined;
    this.#kept.delete(best);
    this.#inUse.set(best, least);
    return best;
  }

  #create(label: string, size: number, refusals: Promise<void>[]): GPUBuffer {
    this.#makeRoom(label, size);
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const { value: buffer, checked } = scoped(this.#device, label, size, () =>
      this.#device.createBuffer({ label, size, usage }),
    );
    this.#aliveBytes += size;
    this.#peakBytes = Math.max(this.#peakBytes, this.#aliveBytes);
    this.#inUse.set(buffer, size);
    refusals.push(checked.catch((error: unknown) => this.#refused(buffer, size, error)));
    return buffer;
  }

  #makeRoom(label: string, size: number): void {
    if (size > this.#bufferBytes) {
      throw new OutOfMemoryError(
        `${label} needs ${size} bytes; a buffer here has at most ${this.#bufferBytes}`,
        size,
      );
    }
    for (const buffer of this.#kept.keys()) {
      if (this.#aliveBytes + size <= this.#budgetBytes) return;
      this.#destroy(buffer);
    }
    if (this.#aliveBytes + size > this.#budgetBytes) {
      throw new OutOfMemoryError(
        `${label} needs ${size} bytes, but ${this.#aliveBytes} of the budget of ${this.#budgetBytes} are in use`,
        size,
      );
    }
  }

  /** Gives up a refused buffer, which takes no memory; the budget learns from the refusal. */
  #refused(buffer: GPUBuffer, size: number, error: unknown): never {
    this.#destroy(buffer);
    if (error instanceof OutOfMemoryError) {
      this.trim();
      this.#budgetBytes = budgetAfterRefusal(this.#budgetBytes, this.#aliveBytes, size);
    }
    throw error;
  }

  #giveBack(buffer: GPUBuffer): void {
    const size = this.#inUse.get(buffer);
    if (size === undefined) return;
    this.#inUse.delete(buffer);
    this.#kept.set(buffer, size);
    if (this.#aliveBytes > this.#budgetBytes) this.trim();
  }

  #destroy(buffer: GPUBuffer): void {
    const size = this.#kept.get(buffer) ?? this.#inUse.get(buffer);
    if (size === undefined) return;
    this.#kept.delete(buffer);
    this.#inUse.delete(buffer);
    this.#aliveBytes -= size;
    buffer.destroy();
  }
}
