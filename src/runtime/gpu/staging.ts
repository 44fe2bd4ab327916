/**
 * These are mapped staging buffers: a ring of slots to upload through and one to download through. A slot is
 * taken mapped (upload) or free (download), used by one submit, and comes back by itself once the GPU is done
 * with it. Uploads write straight into mapped memory because that is faster than queue.writeBuffer, and
 * because writeBuffer crashes webgpu 0.6.2 on views of a SharedArrayBuffer.
 */
import { OutOfMemoryError } from "../../core/errors.ts";
import { place } from "../downloads.ts";
import { mappedAtCreation, unmap } from "./quirks.ts";

export interface UploadSlot {
  readonly buffer: GPUBuffer;
  /** It is mapped memory, which `send` detaches. */
  bytes: Uint8Array;
  /** So many bytes of it are already written. */
  used: number;
}

export class UploadRing {
  readonly #device: GPUDevice;
  readonly #slotBytes: number;
  readonly #ring: Ring<UploadSlot>;
  readonly #filling = new Set<Promise<void>>();

  constructor(device: GPUDevice, slotBytes: number, slots: number) {
    this.#device = device;
    this.#slotBytes = slotBytes;
    this.#ring = new Ring(slots, () => this.#create(slotBytes));
  }

  /**
   * Takes a mapped, empty slot of at least `bytes`, or undefined while all are on their way. A request for
   * more than the usual size is served by a buffer of its own, which is destroyed after use.
   */
  take(bytes: number): UploadSlot | undefined {
    return bytes > this.#slotBytes ? this.#create(bytes) : this.#ring.take();
  }

  /** Takes such a slot that need not be made. */
  kept(bytes: number): UploadSlot | undefined {
    return bytes > this.#slotBytes ? undefined : this.#ring.kept();
  }

  /** Settles when a slot may have come free. */
  freed(): Promise<void> {
    return this.#ring.freed();
  }

  /** Awaits another thread that fills a slot, whose memory goes away no sooner. */
  async filledBy(filling: Promise<void>): Promise<void> {
    this.#filling.add(filling);
    try {
      await filling;
    } finally {
      this.#filling.delete(filling);
    }
  }

  /** Settles when no other thread fills a slot any more; undefined while none does. */
  filling(): Promise<unknown> | undefined {
    return this.#filling.size > 0 ? Promise.allSettled(this.#filling) : undefined;
  }

  /** Hands the memory to the GPU: call it before the submit that copies from the slot. */
  send(slot: UploadSlot): void {
    unmap(slot.buffer);
  }

  /**
   * Takes the slot back; call it after that submit. Resolves when the slot is mapped again and back in the
   * ring.
   */
  async recycle(slot: UploadSlot): Promise<void> {
    if (slot.buffer.size > this.#slotBytes) return slot.buffer.destroy();
    await this.#ring.orDrop(slot, slot.buffer.mapAsync(GPUMapMode.WRITE));
    slot.bytes = new Uint8Array(slot.buffer.getMappedRange());
    this.putBack(slot);
  }

  /** Returns a slot that was taken but never sent. */
  putBack(slot: UploadSlot): void {
    slot.used = 0;
    if (slot.buffer.size > this.#slotBytes) slot.buffer.destroy();
    else this.#ring.putBack(slot);
  }

  /**
   * Makes place for another slot: this one was taken, and others go on filling it until `filling` settles.
   */
  replace(slot: UploadSlot, filling: Promise<void>): void {
    this.#ring.drop(slot);
    const destroy = () => slot.buffer.destroy();
    filling.then(destroy, destroy);
  }

  dispose(): void {
    this.#ring.dispose();
  }

  #create(size: number): UploadSlot {
    const usage = GPUBufferUsage.MAP_WRITE | GPUBufferUsage.COPY_SRC;
    const buffer = allocate(this.#device, { label: "upload", size, usage, mappedAtCreation: true });
    return { buffer, bytes: mappedAtCreation(buffer), used: 0 };
  }
}

export interface DownloadSlot {
  readonly buffer: GPUBuffer;
  /** Its bytes go to these arrays, from the first on, one after the other. */
  readonly targets: { readonly memory: Uint8Array; readonly bytes: number }[];
}

export class DownloadRing {
  readonly slotBytes: number;
  readonly #ring: Ring<DownloadSlot>;

  constructor(device: GPUDevice, slotBytes: number, slots: number) {
    this.slotBytes = slotBytes;
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    this.#ring = new Ring(slots, () => ({
      buffer: allocate(device, { label: "download", size: slotBytes, usage }),
      targets: [],
    }));
  }

  /** Takes a free slot, or undefined while all are on their way. */
  take(): DownloadSlot | undefined {
    return this.#ring.take();
  }

  /** Takes a free slot that need not be made. */
  kept(): DownloadSlot | undefined {
    return this.#ring.kept();
  }

  /** Settles when a slot may have come free. */
  freed(): Promise<void> {
    return this.#ring.freed();
  }

  /**
   * Copies the slot's bytes to their targets, unless it `isOver` by then, and frees the slot; call it after
   * the submit that filled the slot.
   * @returns how many came
   */
  async read(slot: DownloadSlot, isOver: () => boolean): Promise<number> {
    const used = usedBytes(slot);
    await this.#ring.orDrop(slot, slot.buffer.mapAsync(GPUMapMode.READ, 0, used));
    const bytes = new Uint8Array(slot.buffer.getMappedRange(0, used));
    let at = 0;
    try {
      for (const { memory, bytes: size } of isOver() ? [] : slot.targets) {
        place(bytes.subarray(at, at + size), memory);
        at += size;
      }
    } finally {
      unmap(slot.buffer);
      this.putBack(slot);
    }
    return used;
  }

  /** Returns a slot that is empty again. */
  putBack(slot: DownloadSlot): void {
    slot.targets.length = 0;
    this.#ring.putBack(slot);
  }

  dispose(): void {
    this.#ring.dispose();
  }
}

export function usedBytes({ targets }: DownloadSlot): number {
  return targets.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** It has slots made on demand, up to a number, and those waiting to be used again. */
class Ring<Slot extends { readonly buffer: GPUBuffer }> {
  readonly #slots: number;
  readonly #create: () => Slot;
  readonly #all = new Set<Slot>();
  readonly #free: Slot[] = [];
  #waiting: (() => void)[] = [];

  constructor(slots: number, create: () => Slot) {
    this.#slots = slots;
    this.#create = create;
  }

  kept(): Slot | undefined {
    return this.#free.pop();
  }

  take(): Slot | undefined {
    const free = this.kept();
    if (free || this.#all.size >= this.#slots) return free;
    const slot = this.#create();
    this.#all.add(slot);
    return slot;
  }

  putBack(slot: Slot): void {
    this.#free.push(slot);
    this.#wake();
  }

  /** Waits for a mapping; a slot that cannot be mapped any more makes place for a new one. */
  async orDrop(slot: Slot, mapping: Promise<unknown>): Promise<void> {
    try {
      await mapping;
    } catch (error) {
      this.drop(slot);
      slot.buffer.destroy();
      throw error;
    }
  }

  drop(slot: Slot): void {
    this.#all.delete(slot);
    this.#wake();
  }

  freed(): Promise<void> {
    return this.#free.length > 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }

  dispose(): void {
    for (const { buffer } of this.#all) buffer.destroy();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

/**
 * Makes a buffer. createBuffer whose mapping at creation fails throws a RangeError, not an error of the
 * device.
 */
function allocate(device: GPUDevice, descriptor: GPUBufferDescriptor): GPUBuffer {
  try {
    return device.createBuffer(descriptor);
  } catch (error) {
    const { label, size } = descriptor;
    throw new OutOfMemoryError(`no memory for a staging buffer (${label}) of ${size} bytes`, size, error);
  }
}
