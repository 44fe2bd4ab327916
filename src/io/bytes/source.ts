/**
 * A byte source is where bytes come from: something with a name that can be read from start to end, and in
 * some cases from anywhere. Files on disk and standard input are the command line's; nothing here knows what
 * the bytes mean.
 */
import { untilAborted } from "../../core/async/aborted.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { allowedBytes } from "./budget.ts";
import { joinPieces } from "./pieces.ts";

/**
 * A source has a name and bytes that can be read from start to end.
 * @example
 * const source: ByteSource = {
 *   name: "made up",
 *   async *stream() {
 *     yield new TextEncoder().encode("x\n1\n");
 *     yield new TextEncoder().encode("2\n");
 *   },
 * };
 * (await readCsv(source)).rows; // => 2
 */
export interface ByteSource {
  /** Errors name the source by it: a path, a file's name, "standard input". */
  readonly name: string;
  /** There are this many bytes, if that is known before reading. */
  readonly byteLength?: number;
  /** `stream` may be called only once, since a pipe cannot be rewound. The default is false. */
  readonly once?: boolean;
  /** The bytes come from a compressed file, and offsets count decompressed bytes. The default is false. */
  readonly unpacked?: boolean;
  /** The compressed file has this many bytes, if that is known before reading. */
  readonly packedLength?: number;
  /**
   * Gives the bytes from the start, in pieces of any size, which the reader must not change.
   * @param signal the reader's; once it is aborted the reader waits for no more pieces, so pending work may
   *   stop
   */
  stream(signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /**
   * Gives bytes `begin` to `end` (exclusive), fewer past the source's end, if the source has random access.
   * They may be a view of the source's own memory: do not write to it.
   */
  slice?(begin: number, end: number): Promise<Uint8Array>;
  /**
   * Does what `slice` does, but fills the caller's memory with the bytes from `begin` on: large pieces are
   * then read without being copied. Several reads may run at the same time, even of the same bytes. Do not
   * write to `target` or transfer it once the promise has settled, either way: it may be a GPU's, and gone by
   * then.
   * @returns the number of bytes read, fewer than asked for only at the source's end
   */
  readonly readInto?: ((target: Uint8Array, begin: number) => Promise<number>) | undefined;
}

/**
 * Makes a source of bytes in memory. They are read in place, never copied or changed.
 * @example
 * const source = bytesSource(Uint8Array.of(0x78, 0x0a, 0x31, 0x0a), "bytes");
 * (await readCsv(source)).names; // => ["x"]
 */
export function bytesSource(bytes: Uint8Array, name: string): ByteSource {
  return {
    name,
    byteLength: bytes.length,
    async *stream() {
      for (let begin = 0; begin < bytes.length; begin += PIECE_BYTES) {
        yield bytes.subarray(begin, begin + PIECE_BYTES);
      }
    },
    slice: (begin, end) => Promise.resolve(bytes.subarray(begin, end)),
  };
}

/**
 * Makes a source of a Blob, or of a browser's File, which brings its own name. It is not for files of more
 * than 2 GiB in Node, whose `openAsBlob` reports wrong sizes for them: use `await fileSource(path)` of
 * `nearfield/node` instead.
 * @example
 * const source = blobSource(new Blob(["x\n1\n"]), "x.csv");
 * (await readCsv(source)).rows; // => 1
 */
export function blobSource(blob: Blob, name = nameOf(blob)): ByteSource {
  const slice = async (begin: number, end: number) =>
    new Uint8Array(await blob.slice(begin, end).arrayBuffer());
  return { name, byteLength: blob.size, stream: () => chunksOf(blob.stream()), slice };
}

/**
 * Makes a source of a text, as UTF-8.
 * @example
 * const source = textSource("x\n1\n", "x.csv");
 * source.byteLength; // => 4
 */
export function textSource(text: string, name: string): ByteSource {
  return bytesSource(new TextEncoder().encode(text), name);
}

/**
 * Reads everything at once. The bytes may be a view on the source's own memory: do not write to it.
 * @param memory bytes that a source may have whose size is not known before it is read. Default 1 GiB.
 * @throws InvalidInputError for one that has more, as a pipe without end has.
 */
export async function readBytes(source: ByteSource, memory?: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const most = source.byteLength === undefined ? allowedBytes(source, memory) : Infinity;
  let length = 0;
  for await (const piece of source.stream()) {
    length += piece.length;
    if (length > most) throw tooLong(source, length, most);
    pieces.push(piece);
  }
  return pieces.length === 1 ? pieces[0] : joinPieces(pieces, source.name);
}

/** Says what is wrong at a byte of the source, counted from 0. */
export function errorAt(
  { name, unpacked }: ByteSource,
  byte: number,
  message: string,
  cause?: unknown,
): InvalidInputError {
  const where = unpacked === true ? `byte ${byte} of the unpacked data` : `byte ${byte}`;
  return new InvalidInputError(`${where}: ${message}`, { file: name }, cause);
}

/**
 * Makes the error for a source of unknown size of which too much is to be held at once.
 * @param byte as far as it was read
 */
export function tooLong(source: ByteSource, byte: number, most: number): InvalidInputError {
  return errorAt(
    source,
    byte,
    `more than ${most} bytes up to here are to be held in memory at once, of a source whose size is unknown; put it into an ` +
      "uncompressed file, or read it in chunks (openTable, openMatrix)",
  );
}

/** Gives the same bytes, reporting progress and stopping when the signal says so. */
export function watched(
  source: ByteSource,
  options: {
    readonly signal?: AbortSignal;
    readonly onProgress?: (bytes: number, byteLength: number | undefined) => void;
  },
): ByteSource {
  const { signal, onProgress } = options;
  return {
    ...source,
    readInto: undefined,
    async *stream() {
      let bytes = 0;
      for await (const piece of untilAborted(source.stream(signal), signal)) {
        bytes += piece.length;
        onProgress?.(bytes, source.byteLength);
        yield piece;
      }
    },
  };
}

/** Error messages about sources whose size is not that of their bytes end so. */
export const WRONG_SIZE =
  "Node's openAsBlob tells sizes of 4 GiB and more wrongly (https://github.com/nodejs/node/issues/52585): give await " +
  "fileSource(path) of nearfield/node instead";

const PIECE_BYTES = 1 << 18;

function nameOf(blob: Blob): string {
  return "name" in blob && typeof blob.name === "string" ? blob.name : "the file";
}

/** Gives the chunks of a stream: Safari's ReadableStream is not async iterable. */
export async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
