/**
 * This module computes the CRC-32 of ZIP and PNG (polynomial 0xEDB88320, reflected). It finds every burst of
 * up to 32 wrong bits. It is no signature.
 */

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** @param before the CRC of the bytes that these follow */
export function crc32(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  for (let at = 0; at < bytes.length; at++) crc = (crc >>> 8) ^ table[(crc ^ bytes[at]) & 0xff];
  return ~crc >>> 0;
}
