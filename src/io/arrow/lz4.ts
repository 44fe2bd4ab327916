/**
 * This module unpacks frames of LZ4 as Arrow compresses buffers: never more than the file says that there
 * are, and no byte from elsewhere. It skips checksums. flechette has no codec of its own and asks for one.
 * https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md
 */

const MAGIC = 0x184d2204;
/** One byte of input may stand for at most so many bytes; LZ4 reaches 255. */
const MOST_RATIO = 256;

/**
 * Unpacks a frame to `length` bytes.
 * @throws Error for what is no frame, or does not unpack to so many bytes.
 */
export function unpackLz4(input: Uint8Array, length: number): Uint8Array {
  if (length > MOST_RATIO * input.length)
    throw new Error(`${input.length} bytes of LZ4 cannot hold ${length} bytes`);
  const view = new DataView(input.buffer, input.byteOffset, input.length);
  if (input.length < 7 || view.getUint32(0, true) !== MAGIC)
    throw new Error("a buffer does not start as LZ4 does");
  const flags = input[4];
  const output = new Uint8Array(length);
  let at = 7 + ((flags & 0x08) === 0 ? 0 : 8) + ((flags & 0x01) === 0 ? 0 : 4);
  let written = 0;
  for (;;) {
    if (at + 4 > input.length) throw new Error("a buffer ends within its LZ4 blocks");
    const head = view.getUint32(at, true);
    at += 4;
    if (head === 0) break;
    const size = head & 0x7fffffff;
    if (at + size > input.length) throw new Error("a buffer ends within its LZ4 blocks");
    const block = input.subarray(at, at + size);
    if (head >>> 31 === 0) written = unpackBlock(block, output, written);
    else {
      if (written + size > length) throw tooLong(length);
      output.set(block, written);
      written += size;
    }
    at += size + ((flags & 0x10) === 0 ? 0 : 4);
  }
  if (written !== length) throw new Error(`LZ4 unpacks to ${written} bytes instead of ${length}`);
  return output;
}

/**
 * Unpacks a block, which may repeat what stands before it in the output, also of other blocks.
 * @returns where the output ends now
 */
function unpackBlock(input: Uint8Array, output: Uint8Array, begin: number): number {
  let [at, to] = [0, begin];
  const lengthFrom = (nibble: number) => {
    let length = nibble;
    for (let more = nibble === 15; more; at++) {
      if (at >= input.length) throw new Error("a block of LZ4 ends within a length");
      length += input[at];
      more = input[at] === 255;
    }
    return length;
  };
  while (at < input.length) {
    const token = input[at++];
    const literals = lengthFrom(token >> 4);
    if (at + literals > input.length) throw new Error("a block of LZ4 ends within its literals");
    if (to + literals > output.length) throw tooLong(output.length);
    output.set(input.subarray(at, at + literals), to);
    at += literals;
    to += literals;
    if (at === input.length) return to;
    if (at + 2 > input.length) throw new Error("a block of LZ4 ends within an offset");
    const offset = input[at] | (input[at + 1] << 8);
    at += 2;
    const length = lengthFrom(token & 15) + 4;
    if (offset === 0 || offset > to) throw new Error("a block of LZ4 repeats what is not there");
    if (to + length > output.length) throw tooLong(output.length);
    for (let end = to + length; to < end; to++) output[to] = output[to - offset];
  }
  return to;
}

function tooLong(length: number): Error {
  return new Error(`LZ4 unpacks to more than its ${length} bytes`);
}
