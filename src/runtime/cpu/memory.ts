/**
 * This is one worker's private WASM memory: arrays one behind the other, given out afresh for every task. It
 * grows as tasks need it, up to a limit, and is never shared: what a task reads is copied in, a tile at a
 * time. The session's buffers are not here: they are buffers.ts.
 */
import { OutOfMemoryError } from "../../core/errors.ts";
import { ceilDiv, roundUp } from "../../core/math.ts";

const PAGE = 65536;
/** A v128 has this many bytes; aligned to them, no load crosses a cache line. */
const ALIGNMENT = 16;

export class WorkerMemory {
  readonly memory: WebAssembly.Memory;
  readonly #limit: number;
  #begin = 0;
  #end = 0;
  #kept = { id: 0, end: 0 };

  /**
   * @param limit bytes that the memory may grow to
   * @param shared whether its buffer is a SharedArrayBuffer
   */
  constructor(limit: number, shared = false) {
    this.memory = new WebAssembly.Memory(
      shared ? { initial: 1, maximum: ceilDiv(limit, PAGE), shared } : { initial: 1 },
    );
    this.#limit = limit;
  }

  /** Leaves the bytes below `begin` to the module's own data. */
  reserve(begin: number): void {
    this.#begin = begin;
    this.#end = begin;
  }

  /** Takes everything back that was given out. */
  reset(): void {
    this.#end = this.#begin;
    this.#kept = { id: 0, end: 0 };
  }

  /** Keeps what was given out since `reset` until the next one, by a number other than 0. */
  keep(id: number): void {
    this.#kept = { id, end: this.#end };
  }

  /** Takes everything back but what is kept by that number. @returns false where nothing is */
  resume(id: number): boolean {
    if (id === 0 || id !== this.#kept.id) return false;
    this.#end = this.#kept.end;
    return true;
  }

  /** @returns the address of `bytes` bytes of undefined contents. Views made before are then out of date. */
  take(bytes: number): number {
    const address = roundUp(this.#end, ALIGNMENT);
    const end = address + bytes;
    if (end > this.memory.buffer.byteLength) this.#growTo(end);
    this.#end = end;
    return address;
  }

  u8(address: number, length: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, address, length);
  }

  f32(address: number, length: number): Float32Array {
    return new Float32Array(this.memory.buffer, address, length);
  }

  u32(address: number, length: number): Uint32Array {
    return new Uint32Array(this.memory.buffer, address, length);
  }

  #growTo(bytes: number): void {
    const now = this.memory.buffer.byteLength;
    if (bytes > this.#limit) {
      throw new OutOfMemoryError(`a CPU worker needs ${bytes} bytes and may use ${this.#limit}`, bytes);
    }
    try {
      this.memory.grow(ceilDiv(bytes - now, PAGE));
    } catch (error) {
      throw new OutOfMemoryError(
        `a CPU worker's memory could not grow from ${now} to ${bytes} bytes`,
        bytes,
        error,
      );
    }
  }
}
