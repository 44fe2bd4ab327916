/**
 * This module reads the messages of an Arrow file or stream, one after the other, in memory of one message at
 * a time. A file is a stream between two magics with an index behind it, which nobody needs who reads from
 * the start.
 */
import type { ByteCursor } from "../bytes/cursor.ts";
import { errorAt } from "../bytes/source.ts";

export interface Message {
  readonly kind: "schema" | "dictionary" | "rows";
  /** It is the whole message, as flechette takes it. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The message begins at this byte. */
  readonly byte: number;
}

const MAGIC = [0x41, 0x52, 0x52, 0x4f, 0x57, 0x31];
const FILE_HEAD_BYTES = 8;
const KINDS: ReadonlyMap<number, Message["kind"]> = new Map([
  [1, "schema"],
  [2, "dictionary"],
  [3, "rows"],
]);
/** Metadata has at most so many bytes, of which each column takes some dozen. */
const MOST_METADATA_BYTES = 2 ** 28;

/**
 * Skips the magic of a file; a stream has none.
 * @returns whether there was one
 */
export async function skipMagic(cursor: ByteCursor): Promise<boolean> {
  const head = await cursor.peek(FILE_HEAD_BYTES);
  const isFile = MAGIC.every((byte, at) => head[at] === byte);
  if (isFile) await cursor.skip(FILE_HEAD_BYTES);
  return isFile;
}

/**
 * Reads the next message; returns undefined at the end of the stream.
 * @param isFile a file says where its messages end; a stream may just end there
 * @throws InvalidInputError naming the byte where the file ends too early or is no Arrow file.
 */
export async function nextMessage(cursor: ByteCursor, isFile: boolean): Promise<Message | undefined> {
  const byte = cursor.position;
  const fail = (message: string) => errorAt(cursor.source, byte, message);
  const first = await cursor.take(4);
  if (first.length === 0) {
    if (isFile) throw fail("the file ends here without the mark of its end; it is truncated");
    return undefined;
  }
  let length = int32(first, 0);
  if (length === -1) length = int32(await cursor.take(4), 0);
  if (length === 0) return undefined;
  if (!(length > 8 && length <= MOST_METADATA_BYTES)) {
    throw fail(
      "expected a message of Arrow (IPC), whose files start with ARROW1; Feather of version 1 is not read",
    );
  }
  const metadata = await cursor.take(length);
  if (metadata.length < length)
    throw fail("the file ends within the message that begins here; it is truncated");
  const facts = factsOf(metadata);
  if (facts === undefined) throw fail("the message that begins here is damaged, or no Arrow message");
  const body = await cursor.take(facts.bodyLength);
  if (body.length < facts.bodyLength)
    throw fail("the file ends within the message that begins here; it is truncated");
  // Buffers begin at multiples of eight bytes, which typed arrays need.
  const padded = Math.ceil(length / 8) * 8;
  const bytes = new Uint8Array(8 + padded + body.length);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, -1, true);
  view.setInt32(4, padded, true);
  bytes.set(metadata, 8);
  bytes.set(body, 8 + padded);
  return { kind: facts.kind, bytes, byte };
}

/**
 * Finds the kind and the length of the body in the table of FlatBuffers that a message is; returns undefined
 * if it is none.
 */
function factsOf(metadata: Uint8Array): { kind: Message["kind"]; bodyLength: number } | undefined {
  const view = new DataView(metadata.buffer, metadata.byteOffset, metadata.byteLength);
  try {
    const table = view.getUint32(0, true);
    const vtable = table - view.getInt32(table, true);
    const fieldAt = (entry: number) => {
      const offset = entry < view.getUint16(vtable, true) ? view.getUint16(vtable + entry, true) : 0;
      return offset === 0 ? undefined : table + offset;
    };
    const kindAt = fieldAt(6);
    const lengthAt = fieldAt(10);
    const kind = KINDS.get(kindAt === undefined ? 0 : view.getUint8(kindAt));
    const bodyLength = lengthAt === undefined ? 0 : Number(view.getBigInt64(lengthAt, true));
    return kind === undefined || !(bodyLength >= 0) ? undefined : { kind, bodyLength };
  } catch {
    return undefined;
  }
}

function int32(bytes: Uint8Array, at: number): number {
  if (bytes.length < at + 4) return NaN;
  return new DataView(bytes.buffer, bytes.byteOffset).getInt32(at, true);
}
