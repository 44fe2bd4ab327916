/**
 * This is the stream that files share whose rows lie one after the other, each of as many bytes. A format
 * says where the rows begin, how long they are and what their bytes mean.
 */
import { reusingChunks, rowsPerChunk, singlePass } from "../core/matrixStream.ts";
import type { ChunkOptions, MatrixStream } from "../core/matrixStream.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { Matrix, NumericArray } from "../core/matrix.ts";
import { makeFetchable, makeRowsFetchable, type Fetch } from "../core/fetchable.ts";
import { ByteCursor } from "./bytes/cursor.ts";
import { decompressed } from "./bytes/gzip.ts";
import { allocated } from "./bytes/pieces.ts";
import { errorAt, WRONG_SIZE } from "./bytes/source.ts";
import type { ByteSource } from "./bytes/source.ts";

export interface RowLayout {
  /** It is the first byte of row 0. */
  readonly begin: number;
  readonly rowBytes: number;
  readonly cols: number;
  /** There are so many rows, where the file says it; undefined stands for as many as follow. */
  readonly rows: number | undefined;
  /** Errors name all of it so, such as "3 x 2 elements of 4 bytes". */
  readonly content: string;
  /** So many bytes may follow all rows, and are passed over, or none. The default is none. */
  readonly mayFollow?: number;
  /** Decodes the bytes of whole rows, which are given away, as [rows, cols]. */
  decode(bytes: Uint8Array<ArrayBuffer>, firstRow: number): NumericArray;
  /** The numbers are the bytes as they are; default false. */
  readonly verbatim?: boolean;
  /** Looks at rows before they are decoded; the last of them may be incomplete. */
  check?(bytes: Uint8Array, firstRow: number): void;
}

/** It has a source, unpacked where it is gzip, and what its first bytes say. */
export interface OpenedRows<T> {
  readonly source: ByteSource;
  readonly header: T;
  /**
   * Starts a cursor behind the header, which hears that signal. A source that can be read only once has a
   * single cursor.
   */
  start(signal: AbortSignal | undefined): Promise<ByteCursor>;
}

/**
 * Opens a source.
 * @param parse takes the header from a cursor at the start.
 * @param options its `memory` is the bytes of a source of unknown size that may be held at once. Default 1
 *   GiB.
 */
export async function opened<T>(
  packed: ByteSource,
  parse: (cursor: ByteCursor) => Promise<T>,
  { memory, signal }: { readonly memory?: number; readonly signal?: AbortSignal | undefined } = {},
): Promise<OpenedRows<T>> {
  const source = await decompressed(packed, { signal });
  const first = new ByteCursor(source, memory, signal);
  let header: T;
  let keep = false;
  try {
    header = await parse(first);
    keep = source.once === true;
  } finally {
    if (!keep) await first.close();
  }
  const begin = first.position;
  const goOn = (later: AbortSignal | undefined) => {
    first.signal = later;
    return Promise.resolve(first);
  };
  if (keep) return { source, header, start: singlePass(source.name, goOn) };
  return {
    source,
    header,
    async start(later) {
      const cursor = new ByteCursor(source, memory, later);
      try {
        await cursor.skip(begin);
        return cursor;
      } catch (error) {
        await cursor.close();
        throw error;
      }
    },
  };
}

/**
 * Makes a stream of the rows.
 * @throws InvalidInputError when the size of the source is known and is not what the layout needs.
 */
export function rowStream(file: OpenedRows<unknown>, layout: RowLayout): MatrixStream {
  checkLength(file.source, layout);
  const stream = streamOfRows(file, layout, 0, layout.rows);
  cuts.set(stream.chunks, (begin, end = layout.rows) => streamOfRows(file, layout, begin, end));
  return stream;
}

/** These functions give some of the rows of a stream of `rowStream`, by its `chunks`. */
const cuts = new WeakMap<MatrixStream["chunks"], (begin: number, end?: number) => MatrixStream>();

/**
 * Returns a stream of rows `begin` to `end` (without it; default the last) of a stream of `rowStream`. Where
 * the source has random access, no other row is read.
 * @throws InvalidInputError for a range that the file does not have, and for other streams
 */
export function someRows(stream: MatrixStream, begin = 0, end?: number): MatrixStream {
  const { name, rows = Infinity } = stream;
  const last = end ?? rows;
  const isRange = [begin, end ?? 0].every((at) => Number.isInteger(at) && at >= 0);
  if (!isRange || begin >= last || last > rows) {
    const all = rows === Infinity ? "" : `; the file has rows 0 to ${rows}`;
    throw new InvalidInputError(
      `rows from ${begin} to ${end ?? "the end"} were asked for; expected whole numbers, begin below end${all}`,
      { file: name },
    );
  }
  const cut = cuts.get(stream.chunks);
  if (cut) return cut(begin, end);
  throw new InvalidInputError(
    "has no rows of equal length one after the other; read all of it, without begin and end",
    {
      file: name,
    },
  );
}

function streamOfRows(
  { source, start }: OpenedRows<unknown>,
  layout: RowLayout,
  begin: number,
  end: number | undefined,
): MatrixStream {
  const stream: MatrixStream = {
    name: source.name,
    cols: layout.cols,
    rows: end === undefined ? undefined : end - begin,
    rowBytes: layout.rowBytes,
    once: source.once === true,
    chunks: reusingChunks((options, spare) => {
      const size = rowsPerChunk(layout.rowBytes, options.maxRows);
      return chunksOf(start, layout, { begin, end, size }, options, spare);
    }),
  };
  rememberPlace(stream, source, layout, begin);
  return stream;
}

/** @throws InvalidInputError when the size of the source is known and is not what the layout needs. */
export function checkLength(source: ByteSource, layout: RowLayout): void {
  const { begin, rowBytes, rows, content, mayFollow } = layout;
  const { byteLength } = source;
  if (byteLength === undefined) return;
  if (rows === undefined) {
    if (byteLength >= begin + rowBytes) return;
    throw errorAt(source, byteLength, "the file ends here, within row 0; it is truncated");
  }
  const end = begin + rows * rowBytes;
  if (byteLength < end) {
    const cause = (end - byteLength) % 2 ** 32 === 0 ? `, or ${WRONG_SIZE}` : "";
    throw errorAt(
      source,
      byteLength,
      `the file ends here, but ${content} need ${end} bytes; it is truncated${cause}`,
    );
  }
  if (byteLength > end && byteLength !== end + (mayFollow ?? 0)) {
    throw errorAt(source, end, `${content} end here, but ${byteLength - end} more bytes follow`);
  }
}

async function* chunksOf(
  start: OpenedRows<unknown>["start"],
  layout: RowLayout,
  { begin, end, size }: { readonly begin: number; readonly end: number | undefined; readonly size: number },
  { signal }: ChunkOptions,
  spare: ArrayBuffer[] | undefined,
): AsyncGenerator<Matrix> {
  const { rowBytes, cols, rows = Infinity } = layout;
  const last = end ?? rows;
  const cursor = await start(signal);
  const { source } = cursor;
  try {
    await cursor.skip(begin * rowBytes);
    for (let row = begin; row < last;) {
      signal?.throwIfAborted();
      const wanted = Math.min(size, last - row);
      // It gives all that is spare: what this chunk does not take, such as one that is unpacked, no later one
      // would.
      const bytes = await cursor.take(wanted * rowBytes, spare?.splice(0));
      layout.check?.(bytes, row);
      const got = Math.floor(bytes.length / rowBytes);
      const within = bytes.length % rowBytes;
      if (within > 0 || (got < wanted && last !== Infinity)) {
        const place = within > 0 ? `within row ${row + got}` : `after ${row + got} of ${last} rows`;
        throw errorAt(source, cursor.position, `the file ends here, ${place}; it is truncated`);
      }
      const first = row;
      const decode = () => layout.decode(bytes, first);
      if (got > 0) {
        const data = allocated(bytes.length, source.name, decode);
        if (spare && layout.verbatim) rememberSource(data, source, layout.begin + row * rowBytes);
        yield { data, rows: got, cols };
      }
      if (got < wanted) return;
      row += got;
    }
    if (last < rows) return;
    await checkEnd(cursor, layout);
  } finally {
    await cursor.close();
  }
}

/** Checks that nothing follows the last row but what may. */
async function checkEnd(cursor: ByteCursor, { content, mayFollow = 0 }: RowLayout): Promise<void> {
  const { source, position } = cursor;
  if ((await cursor.take(1)).length === 0) return;
  await cursor.skip(mayFollow - 1);
  if (mayFollow > 0 && cursor.position === position + mayFollow && (await cursor.take(1)).length === 0)
    return;
  throw errorAt(source, position, `${content} end here, but more bytes follow`);
}

/**
 * Remembers where rows come from, for a consumer that is done with the chunk while the file is still being
 * read: later it may have changed.
 */
function rememberSource(data: NumericArray, source: ByteSource, begin: number): void {
  const fetch = fetchFrom(source, begin);
  if (fetch) makeFetchable(data, fetch);
}

/** Remembers the place. The source was long enough when it was opened, as `checkLength` saw. */
function rememberPlace(stream: MatrixStream, source: ByteSource, layout: RowLayout, firstRow: number): void {
  const { cols, rows } = stream;
  if (!layout.verbatim || rows === undefined || layout.check || source.byteLength === undefined) return;
  const fetch = fetchFrom(source, layout.begin + firstRow * layout.rowBytes);
  const type = layout.decode(new Uint8Array(0), 0).constructor;
  if (fetch) makeRowsFetchable(stream, { rows, cols, type, fetch });
}

function fetchFrom(source: ByteSource, begin: number): Fetch | undefined {
  const { readInto } = source;
  return (
    readInto &&
    (async (target, at) => {
      const count = await readInto(target, begin + at);
      if (count < target.length)
        throw errorAt(source, begin + at + count, "the file ends here; it was truncated");
    })
  );
}
