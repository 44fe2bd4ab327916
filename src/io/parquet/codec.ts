/**
 * This module unpacks compressed Parquet pages to their bytes, never more of them than the page header says:
 * what a damaged page claims is checked before anything is allocated for it. hyparquet-compressors unpacks;
 * without the checks 12 bytes of ZSTD or LZ4 that claim it take 1 GiB. It accepts a wrong checksum of gzip,
 * so the platform unpacks that, although it takes 2.6 times the time.
 */
import type { CompressionCodec } from "hyparquet";
import { oneOf } from "../../core/errors.ts";
import { PageError } from "./errors.ts";

type Decompress = (input: Uint8Array, outputLength: number) => Uint8Array | Promise<Uint8Array>;

/** One compressed byte can stand for so many bytes, by the format; beyond it a size is made up. */
const MAX_RATIO = { SNAPPY: 64, GZIP: 1040, LZ4_RAW: 256 } as const;

const ZSTD_MAGIC = 0xfd2fb528;
const ZSTD_BLOCK_BYTES = 1 << 17;
/** `zstd --long` makes this window. */
const ZSTD_MAX_WINDOW = 1 << 27;

/** Loads the decompressors on demand. @throws PageError for a codec that is not supported. */
export async function decompressorOf(codec: CompressionCodec | undefined): Promise<Decompress> {
  if (codec === "UNCOMPRESSED") return (input) => input;
  if (codec === "GZIP") return gunzip;
  const { compressors } = await import("hyparquet-compressors");
  const decompress = codec === undefined ? undefined : compressors[codec];
  if (decompress === undefined || (codec !== "ZSTD" && codec !== "SNAPPY" && codec !== "LZ4_RAW"))
    throw new PageError(
      `is compressed with ${String(codec)}; expected ${oneOf(["UNCOMPRESSED", "SNAPPY", "GZIP", "ZSTD", "LZ4_RAW"])}`,
    );
  return (input, outputLength) => {
    if (codec === "ZSTD") checkZstd(input, outputLength);
    else checkRatio(codec, input, outputLength);
    return decompress(input, outputLength);
  };
}

/** Unpacks gzip by the platform's own means, which also check the checksum. */
async function gunzip(input: Uint8Array, outputLength: number): Promise<Uint8Array> {
  checkRatio("GZIP", input, outputLength);
  const output = new Uint8Array(outputLength);
  let length = 0;
  const piece = new Blob([input.slice()]).stream();
  const reader = piece.pipeThrough(new DecompressionStream("gzip")).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (length + value.length > outputLength)
        throw new PageError(`unpacks to more than its ${outputLength} bytes`);
      output.set(value, length);
      length += value.length;
    }
  } finally {
    await reader.cancel().catch(() => undefined); // the error that ended the reading is the one that counts
  }
  return output.subarray(0, length);
}

function checkRatio(codec: keyof typeof MAX_RATIO, input: Uint8Array, outputLength: number): void {
  if (outputLength > MAX_RATIO[codec] * input.length)
    throw new PageError(`${input.length} bytes of ${codec} cannot hold ${outputLength} bytes`);
  if (codec !== "SNAPPY") return;
  let length = 0;
  for (let at = 0, scale = 1; at < 5; at++, scale *= 128) {
    length += (input[at] & 0x7f) * scale;
    if (input[at] < 0x80) break;
  }
  if (length !== outputLength) throw new PageError(`unpacks to ${length} bytes instead of ${outputLength}`);
}

/** Walks the frame's blocks: their number bounds what they can hold, and one frame must be all there is. */
function checkZstd(input: Uint8Array, outputLength: number): void {
  const view = new DataView(input.buffer, input.byteOffset, input.length);
  if (input.length < 9 || view.getUint32(0, true) !== ZSTD_MAGIC)
    throw new PageError("does not start as ZSTD does");
  const flags = input[4];
  const single = (flags & 0x20) !== 0;
  const sizeBytes = flags >> 6 === 0 ? (single ? 1 : 0) : 1 << (flags >> 6);
  const windowAt = 5;
  if (!single) {
    const power = 10 + (input[windowAt] >> 3);
    if (power > 40 || 2 ** power * (1 + (input[windowAt] & 7) / 8) > ZSTD_MAX_WINDOW)
      throw new PageError("its ZSTD window is larger than 128 MiB");
  }
  const dictionaryBytes = [0, 1, 2, 4][flags & 3];
  const sizeAt = windowAt + (single ? 0 : 1) + dictionaryBytes;
  if (sizeAt + sizeBytes > input.length) throw new PageError("ends within its ZSTD header");
  if (sizeBytes > 0) {
    let size = sizeBytes === 2 ? 256 : 0;
    for (let byte = 0; byte < sizeBytes; byte++) size += input[sizeAt + byte] * 2 ** (8 * byte);
    if (size !== outputLength) throw new PageError(`unpacks to ${size} bytes instead of ${outputLength}`);
  }
  let blocks = 0;
  let at = sizeAt + sizeBytes;
  for (let last = false; !last; blocks++) {
    if (at + 3 > input.length) throw new PageError("ends within its ZSTD blocks");
    const head = input[at] + input[at + 1] * 2 ** 8 + input[at + 2] * 2 ** 16;
    last = (head & 1) === 1;
    const repeated = ((head >> 1) & 3) === 1;
    at += 3 + (repeated ? 1 : head >> 3);
  }
  const end = at + ((flags & 4) === 0 ? 0 : 4);
  if (end !== input.length) throw new PageError(`its ZSTD frame takes ${end} of ${input.length} bytes`);
  if (outputLength > blocks * ZSTD_BLOCK_BYTES)
    throw new PageError(`${blocks} blocks of ZSTD cannot hold ${outputLength} bytes`);
}
