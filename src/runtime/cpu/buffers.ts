/**
 * These are the buffers of sessions and segments on the CPU: who holds how many bytes, and how workers get at
 * them. Where the runtime has SharedArrayBuffer, workers read and write the buffers in place; elsewhere they
 * get copies of the rows they need and what they changed is copied back. The workers' own memory is not here:
 * it is memory.ts.
 */
import type { BufferSpec } from "../source.ts";
import { assert, OutOfMemoryError } from "../../core/errors.ts";

/** A worker may use these bytes, in place or as a copy of its own. */
export interface Slice {
  readonly buffer: ArrayBufferLike;
  readonly offset: number;
  readonly bytes: number;
}

/** Says whether SharedArrayBuffer may be used: in browsers only on cross-origin isolated pages. */
export function canShare(): boolean {
  return typeof SharedArrayBuffer === "function" && globalThis.crossOriginIsolated !== false;
}

/** Accounts for the bytes that all buffers of a backend take together. */
export class BufferSpace {
  readonly #limit: number;
  readonly #shared: boolean;
  readonly #onPeak: (bytes: number) => void;
  #used = 0;

  constructor(limit: number, shared: boolean, onPeak: (bytes: number) => void) {
    this.#limit = limit;
    this.#shared = shared;
    this.#onPeak = onPeak;
  }

  /**
   * Allocates all of the buffers or none.
   * @throws OutOfMemoryError when they do not fit beside those that exist.
   */
  allocate(specs: readonly BufferSpec[]): Map<string, HostBuffer> {
    const bytes = specs.reduce((total, spec) => total + spec.bytes, 0);
    if (this.#used + bytes > this.#limit) {
      throw new OutOfMemoryError(
        `the CPU backend was asked for ${bytes} bytes more, but ${this.#used} of its ${this.#limit} bytes are in use`,
        bytes,
      );
    }
    const buffers = new Map(specs.map((spec) => [spec.name, this.#create(spec)]));
    this.#take(bytes);
    return buffers;
  }

  #take(bytes: number): void {
    this.#used += bytes;
    this.#onPeak(this.#used);
  }

  /** So many bytes could be had now. */
  get free(): number {
    return this.#limit - this.#used;
  }

  /** Counts bytes as taken, no more than are free, while something is done that needs them beside buffers. */
  async holding<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    assert(bytes <= this.free, `${bytes} bytes where ${this.free} are free`);
    this.#take(bytes);
    try {
      return await work();
    } finally {
      this.#used -= bytes;
    }
  }

  release(buffers: ReadonlyMap<string, HostBuffer>): void {
    for (const buffer of buffers.values()) this.#used -= buffer.bytes;
  }

  #create({ name, bytes }: BufferSpec): HostBuffer {
    try {
      return new HostBuffer(name, this.#shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
    } catch (error) {
      throw new OutOfMemoryError(
        `the buffer "${name}" of ${bytes} bytes could not be allocated`,
        bytes,
        error,
      );
    }
  }
}

/** An address is a position in memory, from which views of any part can be made. */
export interface Address {
  readonly buffer: ArrayBufferLike;
  readonly byteOffset: number;
}

/** Views words [begin, begin + length) from a place on. */
export function wordsOf({ buffer, byteOffset }: Address, begin: number, length: number): Uint32Array {
  return new Uint32Array(buffer, byteOffset + begin * 4, length);
}

/** Returns the place so many words further on. */
export function addressAt({ buffer, byteOffset }: Address, words: number): Address {
  return { buffer, byteOffset: byteOffset + words * 4 };
}

export class HostBuffer {
  readonly name: string;
  readonly bytes: number;
  readonly #memory: ArrayBufferLike;
  readonly #begin: number;

  /**
   * Makes a buffer of the bytes of `memory` from `begin` on, such as those of an array of the caller; default
   * all.
   */
  constructor(name: string, memory: ArrayBufferLike, begin = 0, bytes: number = memory.byteLength - begin) {
    this.name = name;
    this.bytes = bytes;
    this.#memory = memory;
    this.#begin = begin;
  }

  /** It begins at this place; one view over all of it might be longer than a typed array can be. */
  get address(): Address {
    return { buffer: this.#memory, byteOffset: this.#begin };
  }

  view(offset: number, bytes: number): Uint8Array {
    this.#check(offset, bytes);
    return new Uint8Array(this.#memory, this.#begin + offset, bytes);
  }

  /** Returns a part of it, as a buffer. */
  part(offset: number, bytes: number): HostBuffer {
    this.#check(offset, bytes);
    return new HostBuffer(this.name, this.#memory, this.#begin + offset, bytes);
  }

  /** Lends the buffer itself where it is shared, else a copy. */
  lend(offset: number, bytes: number): Slice {
    const view = this.view(offset, bytes);
    if (!(this.#memory instanceof ArrayBuffer)) {
      return { buffer: this.#memory, offset: this.#begin + offset, bytes };
    }
    return { buffer: view.slice().buffer, offset: 0, bytes };
  }

  #check(offset: number, bytes: number): void {
    const end = offset + bytes;
    assert(end <= this.bytes, `bytes up to ${end} of "${this.name}" with ${this.bytes} bytes`);
  }

  /** Takes back what `lend` gave for writing. */
  takeBack(offset: number, slice: Slice): void {
    if (slice.buffer === this.#memory || !(slice.buffer instanceof ArrayBuffer)) return;
    this.view(offset, slice.bytes).set(new Uint8Array(slice.buffer, slice.offset, slice.bytes));
  }
}

/** Views the bytes of a slice, in place. */
export function bytesIn({ buffer, offset, bytes }: Slice): Uint8Array {
  return new Uint8Array(buffer, offset, bytes);
}

/** Views the float32 of a slice, in place. */
export function floatsOf({ buffer, offset, bytes }: Slice): Float32Array {
  return new Float32Array(buffer, offset, bytes / 4);
}

/** Views the 32-bit words of a slice, in place. */
export function wordsIn({ buffer, offset, bytes }: Slice): Uint32Array {
  return new Uint32Array(buffer, offset, bytes / 4);
}

/** Returns the buffers that must be transferred with slices rather than shared. */
export function copiesIn(slices: readonly Slice[]): ArrayBuffer[] {
  return slices.map((slice) => slice.buffer).filter((buffer) => buffer instanceof ArrayBuffer);
}
