/**
 * This module unpacks gzip, which it recognises by its first two bytes and not by a file's name. Every member
 * of a file is read and its checksum verified; nothing after the last one is skipped, zero padding aside,
 * which the gzip tool allows too.
 *
 * It does not use the platform's DecompressionStream: the standard makes it refuse files of several members,
 * which bgzip, pigz and `cat a.gz b.gz` write, and it tells no byte offset. pako is zlib itself in
 * JavaScript, at 0.8 of the native speed; the build embeds it, and it loads when the first gzip file does.
 */
import { untilAborted } from "../../core/async/aborted.ts";
import { checkOptions, signalOnly } from "../../core/options.ts";
import { ByteCursor } from "./cursor.ts";
import { errorAt } from "./source.ts";
import type { ByteSource } from "./source.ts";

const MAGIC = [0x1f, 0x8b];
const OUTPUT_BYTES = 1 << 18;
/** It is zlib's windowBits for the largest window (15), with gzip framing and nothing else (16). */
const GZIP_ONLY = 15 + 16;

/**
 * Returns the source itself or, if it is gzip, a source of its decompressed bytes. Their number is not known
 * before reading, and they can be read only from the start.
 * @throws InvalidInputError, while reading, naming the byte of the compressed file where it is damaged or
 *   ends.
 * @example
 * import { blobSource, decompressed, readCsv } from "nearfield";
 *
 * const packed = new Blob(["a,b\n1,2\n"]).stream().pipeThrough(new CompressionStream("gzip"));
 * const file = await new Response(packed).blob();
 * const table = await readCsv(await decompressed(blobSource(file, "table.csv.gz")));
 * table.names; // => ["a", "b"]
 */
export async function decompressed(
  source: ByteSource,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<ByteSource> {
  checkOptions(options, "decompressed", signalOnly);
  const { signal } = options;
  const { name, once = false } = source;
  const cursor = new ByteCursor(source, undefined, signal);
  let head: Uint8Array | undefined;
  try {
    head = await cursor.peek(MAGIC.length);
  } finally {
    if (!once || !head) await cursor.close();
  }
  const whole = once ? resumed(cursor) : source;
  if (!MAGIC.every((byte, at) => head[at] === byte)) return whole;
  const packedLength = source.byteLength ?? source.packedLength;
  const size = packedLength === undefined ? {} : { packedLength };
  return { name, once, unpacked: true, ...size, stream: (later) => inflated(whole, later) };
}

/** Makes a source that is read once, begun by a cursor that has taken nothing yet. */
function resumed(cursor: ByteCursor): ByteSource {
  const { name, byteLength, packedLength, unpacked = false } = cursor.source;
  const size = {
    ...(byteLength === undefined ? {} : { byteLength }),
    ...(packedLength === undefined ? {} : { packedLength }),
  };
  return { name, once: true, unpacked, ...size, stream: (signal) => restOf(cursor, signal) };
}

function restOf(cursor: ByteCursor, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  cursor.signal = signal;
  return cursor.rest();
}

async function* inflated(source: ByteSource, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const { pako } = await import("./pako.generated.ts");
  const { Z_BUF_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_END } = pako;
  const state = new pako.ZStream();
  pako.zlibInflateInit2(state, GZIP_ONLY);
  let read = 0;
  let within: "member" | "gap" | "padding" = "member";
  for await (const piece of untilAborted(source.stream(signal), signal)) {
    state.input = piece;
    state.next_in = 0;
    state.avail_in = piece.length;
    while (state.avail_in > 0 || state.avail_out === 0) {
      if (within !== "member") {
        if (state.avail_in === 0) break;
        if (piece[state.next_in] === 0) {
          within = "padding";
          state.next_in++;
          state.avail_in--;
          continue;
        }
        if (within === "padding" || piece[state.next_in] !== MAGIC[0]) {
          throw errorAt(source, read + state.next_in, "the gzip data end here, but something else follows");
        }
        pako.zlibInflateReset(state);
        within = "member";
      }
      if (state.avail_out === 0) {
        state.output = new Uint8Array(OUTPUT_BYTES);
        state.next_out = 0;
        state.avail_out = OUTPUT_BYTES;
      }
      const begin = state.next_out;
      const status = pako.zlibInflate(state, Z_NO_FLUSH);
      if (status !== Z_OK && status !== Z_STREAM_END && status !== Z_BUF_ERROR) {
        const problem = `the gzip data are damaged: ${state.msg}`;
        throw errorAt(source, read + state.next_in, `${problem}; get the file again or unpack it elsewhere`);
      }
      if (state.next_out > begin) yield state.output.subarray(begin, state.next_out);
      if (status === Z_STREAM_END) within = "gap";
    }
    read += piece.length;
  }
  if (within === "member") {
    throw errorAt(source, read, "the file ends here, within its gzip data; it is truncated");
  }
}
