/**
 * This module reads a byte source forwards in lengths the reader chooses. Memory follows the bytes that
 * exist: a length that a file merely claims is never allocated beyond the size of the source, or, where that
 * is unknown, beyond what has arrived.
 */
import { unlessAborted } from "../../core/async/aborted.ts";
import { assert } from "../../core/errors.ts";
import { allowedBytes } from "./budget.ts";
import { allocate, allocateOrReuse, joinPieces } from "./pieces.ts";
import { Resumable } from "./resumable.ts";
import { errorAt, tooLong, WRONG_SIZE } from "./source.ts";
import type { ByteSource } from "./source.ts";

const EMPTY = new Uint8Array(0);

/**
 * A take of this size or more is read in one go where the source can, and what follows it is read in pieces
 * of this size.
 */
const DIRECT_BYTES = 1 << 20;
const PIECE_BYTES = 1 << 16;
/** The most bytes of one read: between two of them an abort is heard. */
const MOST_READ_BYTES = 2 ** 26;

export class ByteCursor {
  readonly source: ByteSource;
  /** This many bytes were taken so far. */
  position = 0;
  /** It is the reader's signal, whose abort is heard also while the source is waited for. */
  signal: AbortSignal | undefined;
  readonly #most: number;
  #pieces: Resumable<Uint8Array> | undefined;
  #rest: Uint8Array = EMPTY;
  /** Bytes come from the source's `readInto` now, not from its stream. */
  #direct = false;

  /** @param memory bytes of a source of unknown size that may be held at once. Default 1 GiB. */
  constructor(source: ByteSource, memory?: number, signal?: AbortSignal) {
    this.source = source;
    this.signal = signal;
    this.#most = allowedBytes(source, memory);
  }

  /**
   * Takes the next bytes, fewer only at the end of the source, in memory that is the caller's and begins at
   * its buffer's start.
   * @param spare buffers that may be taken for it
   */
  async take(length: number, spare?: ArrayBuffer[]): Promise<Uint8Array<ArrayBuffer>> {
    const { byteLength = Infinity, name } = this.source;
    const most = Math.min(length, Math.max(0, byteLength - this.position));
    if (this.source.readInto && byteLength < Infinity && most >= DIRECT_BYTES) {
      return this.#read(most, spare);
    }
    if (byteLength === Infinity) return this.#gather(most, name);
    const bytes = await this.#fill(most, name);
    if (most < length && bytes.length === most) await this.#checkEnd(byteLength);
    return bytes;
  }

  /** Gives what `take` would, without going on. */
  async peek(length: number): Promise<Uint8Array> {
    const bytes = await this.take(length);
    const both = new Uint8Array(bytes.length + this.#rest.length);
    both.set(bytes);
    both.set(this.#rest, bytes.length);
    this.#rest = both;
    this.position -= bytes.length;
    return bytes;
  }

  /** Does what `take` does, without keeping anything; nothing is read where the source has random access. */
  async skip(length: number): Promise<void> {
    const { readInto, byteLength = Infinity } = this.source;
    if (readInto && byteLength < Infinity && length >= DIRECT_BYTES) {
      await this.close();
      this.#direct = true;
      this.#rest = EMPTY;
      this.position = Math.min(this.position + length, byteLength);
      return;
    }
    for (let left = length; left > 0;) {
      const piece = await this.#next(left);
      if (piece === undefined) return;
      left -= piece.length;
    }
  }

  /** Gives all that follows, in pieces of any size; then the cursor is closed. */
  async *rest(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const piece = await this.#next(Infinity);
        if (piece === undefined) return;
        yield piece;
      }
    } finally {
      await this.close();
    }
  }

  async close(): Promise<void> {
    await this.#pieces?.close(this.signal);
    this.#pieces = undefined;
  }

  async #read(length: number, spare: ArrayBuffer[] | undefined): Promise<Uint8Array<ArrayBuffer>> {
    await this.close();
    this.#direct = true;
    this.#rest = EMPTY;
    const bytes = allocateOrReuse(length, this.source.name, spare);
    for (let filled = 0; filled < length;) {
      const piece = bytes.subarray(filled, filled + MOST_READ_BYTES);
      const count = await this.#readInto(piece);
      this.position += count;
      filled += count;
      if (count < piece.length) return bytes.subarray(0, filled);
    }
    return bytes;
  }

  async #fill(length: number, name: string): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = allocate(length, name);
    let filled = 0;
    while (filled < length) {
      const piece = await this.#next(length - filled);
      if (piece === undefined) break;
      bytes.set(piece, filled);
      filled += piece.length;
    }
    return bytes.subarray(0, filled);
  }

  async #gather(length: number, name: string): Promise<Uint8Array<ArrayBuffer>> {
    const pieces: Uint8Array[] = [];
    let total = 0;
    while (total < length) {
      const piece = await this.#next(length - total);
      if (piece === undefined) break;
      pieces.push(piece);
      total += piece.length;
      if (total > this.#most) throw tooLong(this.source, this.position, this.#most);
    }
    return joinPieces(pieces, name);
  }

  /**
   * Checks that the source ends where its size says.
   * @throws InvalidInputError where bytes follow the last one by the source's size, which would be left out
   */
  async #checkEnd(byteLength: number): Promise<void> {
    if ((await this.#next(1)) === undefined) return;
    throw errorAt(
      this.source,
      byteLength,
      `the source ends here by its size, but more bytes follow; ${WRONG_SIZE}`,
    );
  }

  /** Reads the bytes from the position on. @returns how many */
  #readInto(target: Uint8Array): Promise<number> {
    assert(this.source.readInto, "the source is read from its start");
    this.signal?.throwIfAborted();
    return unlessAborted(this.source.readInto(target, this.position), this.signal);
  }

  /** Gives at most this many bytes that are still the source's; undefined at its end. */
  async #next(most: number): Promise<Uint8Array | undefined> {
    while (this.#rest.length === 0) {
      if (this.#direct) {
        const piece = new Uint8Array(PIECE_BYTES);
        this.#rest = piece.subarray(0, await this.#readInto(piece));
        if (this.#rest.length === 0) return undefined;
        break;
      }
      this.#pieces ??= new Resumable((signal) => this.source.stream(signal));
      const { done, value } = await this.#pieces.next(this.signal);
      if (done === true) return undefined;
      this.#rest = value;
    }
    const piece = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(piece.length);
    this.position += piece.length;
    return piece;
  }
}
