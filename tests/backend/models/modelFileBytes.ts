/**
 * Model files with changes that their checksums do not tell of, taken apart and put together without the code
 * under test.
 */
import { crc32 } from "node:zlib";
import { expect } from "vitest";

export function withByte(bytes: Uint8Array, at: number, flip: number): Uint8Array {
  const changed = bytes.slice();
  changed[at] ^= flip;
  return changed;
}

/** With another text in the header, lengths and checksum corrected. */
export function replaced(bytes: Uint8Array, text: string, by: string): Uint8Array {
  const header = headerOf(bytes);
  expect(header).toContain(text);
  return withHeader(bytes, header.replace(text, by));
}

/** The header's JSON. */
export function headerOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(24, 24 + headerBytes(bytes))).toString();
}

/** With another header before the same arrays. */
export function withHeader(bytes: Uint8Array, header: string): Uint8Array {
  const made = Buffer.from(header);
  const body = bytes.subarray(padded(24 + headerBytes(bytes)));
  const padding = Buffer.alloc(padded(24 + made.length) - 24 - made.length);
  const whole = new Uint8Array(Buffer.concat([bytes.subarray(0, 24), made, padding, body]));
  const changed = new DataView(whole.buffer);
  changed.setUint32(12, made.length, true);
  changed.setBigUint64(16, BigInt(whole.length), true);
  return resealed(whole);
}

/** With the checksum of the bytes before it. */
export function resealed(bytes: Uint8Array): Uint8Array {
  const changed = bytes.slice();
  new DataView(changed.buffer).setUint32(changed.length - 4, crc32(changed.subarray(0, -4)), true);
  return changed;
}

function headerBytes(bytes: Uint8Array): number {
  return Buffer.from(bytes).readUInt32LE(12);
}

function padded(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}
