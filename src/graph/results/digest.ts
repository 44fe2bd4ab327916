/**
 * This module takes the fingerprint of bytes that come in pieces: SHA-256 over the SHA-256 of each 4 MiB of
 * them. A plain hash of it all would need either everything in memory at once or the slow plain code, since
 * crypto.subtle takes no streams.
 */
import { hex, sha256 } from "./sha256.ts";

const PIECE_BYTES = 1 << 22;

export class Digest {
  readonly #hashes: Uint8Array[] = [];
  #piece = new Uint8Array(1 << 12);
  #filled = 0;

  /** Adds bytes, which may be changed afterwards. */
  async add(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      const count = Math.min(bytes.length - at, PIECE_BYTES - this.#filled);
      this.#grow(this.#filled + count);
      this.#piece.set(bytes.subarray(at, at + count), this.#filled);
      this.#filled += count;
      at += count;
      if (this.#filled === PIECE_BYTES) await this.#endPiece();
    }
  }

  /** Returns 64 hexadecimal digits. */
  async end(): Promise<string> {
    await this.#endPiece();
    const all = new Uint8Array(this.#hashes.length * 32);
    this.#hashes.forEach((hash, at) => all.set(hash, at * 32));
    return hex(sha256(all));
  }

  #grow(length: number): void {
    if (length <= this.#piece.length) return;
    const larger = new Uint8Array(Math.min(PIECE_BYTES, Math.max(length, 2 * this.#piece.length)));
    larger.set(this.#piece.subarray(0, this.#filled));
    this.#piece = larger;
  }

  async #endPiece(): Promise<void> {
    const bytes = this.#piece.subarray(0, this.#filled);
    this.#filled = 0;
    // Pages without HTTPS have none, whatever the types say.
    const subtle = (globalThis.crypto as Partial<Crypto> | undefined)?.subtle;
    this.#hashes.push(subtle ? new Uint8Array(await subtle.digest("SHA-256", bytes)) : sha256(bytes));
  }
}

/** Returns the fingerprint of a text, at once. */
export function keyOf(text: string): string {
  return hex(sha256(new TextEncoder().encode(text)));
}
