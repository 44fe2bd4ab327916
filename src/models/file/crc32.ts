/** CRC-32 as ZIP and PNG have it (polynomial 0xEDB88320, reflected): finds every burst of up to 32 wrong bits. No signature. */

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let at = 0; at < bytes.length; at++) crc = (crc >>> 8) ^ table[(crc ^ bytes[at]) & 0xff];
  return ~crc >>> 0;
}
