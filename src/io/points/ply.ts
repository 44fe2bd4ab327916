/**
 * This module reads the vertices of .ply, ASCII or binary of either byte order: the columns x, y and z, in
 * float32 where all of them are, else in float64. Other properties are skipped, and so are other elements,
 * such as faces: those behind the vertices are not even looked at. There is no package behind it: those on
 * npm, such as three's PLYLoader, take whole files into memory and believe what their headers claim.
 */
import { InvalidInputError } from "../../core/errors.ts";
import type { Matrix } from "../../core/matrix.ts";
import { streamOf, type MatrixStream } from "../../core/matrixStream.ts";
import type { ByteCursor } from "../bytes/cursor.ts";
import { errorAt, type ByteSource } from "../bytes/source.ts";
import { elementType } from "../elements.ts";
import { opened } from "../rowStream.ts";
import { linesOf, pointsOf } from "./lines.ts";
import { parsePlyHeader, type PlyHeader } from "./plyHeader.ts";

/** So many bytes of vertices are read at a time. */
const PIECE_BYTES = 2 ** 20;

/** @throws InvalidInputError naming the line or the byte that is wrong, here or while reading */
export async function openPly(
  given: ByteSource,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<MatrixStream> {
  const { header, source, start } = await opened(given, parsePlyHeader, { signal });
  const { rows, columns, form } = header;
  async function* chunks(later: AbortSignal | undefined) {
    const cursor = await start(later);
    try {
      yield* form === "ascii" ? asciiChunks(cursor, header) : binaryChunks(cursor, header);
    } finally {
      await cursor.close();
    }
  }
  if (form !== "ascii") checkLength(source, header);
  return {
    ...streamOf({ name: source.name, cols: columns.length, rows, chunks }),
    columns: columns.map(({ axis }) => axis),
    once: source.once === true,
  };
}

function isSingle({ columns }: PlyHeader): boolean {
  return columns.every(({ kind }) => kind === "f4");
}

function checkLength(source: ByteSource, { begin, rows, rowBytes, more }: PlyHeader): void {
  const { byteLength } = source;
  if (byteLength === undefined) return;
  const end = begin + rows * rowBytes;
  if (byteLength < end)
    throw errorAt(source, byteLength, `the file ends here, but ${rows} vertices end at ${end}`);
  if (byteLength > end && !more)
    throw errorAt(source, end, `${rows} vertices end here, but more bytes follow`);
}

async function* binaryChunks(cursor: ByteCursor, header: PlyHeader): AsyncGenerator<Matrix> {
  const { begin, rows, rowBytes, columns, form, more } = header;
  const { source } = cursor;
  const cols = columns.length;
  const types = columns.map(({ kind }) => elementType(kind, form === "big" ? "big" : "little"));
  await cursor.skip(begin - cursor.position);
  const step = Math.max(1, Math.floor(PIECE_BYTES / rowBytes));
  for (let row = 0; row < rows;) {
    const bytes = await cursor.take(Math.min(step, rows - row) * rowBytes);
    const got = Math.floor(bytes.length / rowBytes);
    if (got < Math.min(step, rows - row)) {
      throw errorAt(source, cursor.position, `the file ends here, within vertex ${row + got} of ${rows}`);
    }
    const data = new (isSingle(header) ? Float32Array : Float64Array)(got * cols);
    columns.forEach(({ offset }, j) => {
      const size = types[j].bytes;
      const packed = new Uint8Array(got * size);
      for (let i = 0; i < got; i++) {
        const from = i * rowBytes + offset;
        for (let byte = 0; byte < size; byte++) packed[i * size + byte] = bytes[from + byte];
      }
      const values = types[j].decode(packed, (_, problem) => new Error(problem));
      for (let i = 0; i < got; i++) data[i * cols + j] = values[i];
    });
    yield { data, rows: got, cols };
    row += got;
  }
  const end = cursor.position;
  if (!more && (await cursor.take(1)).length > 0) {
    throw errorAt(source, end, `${rows} vertices end here, but more bytes follow`);
  }
}

async function* asciiChunks(cursor: ByteCursor, header: PlyHeader): AsyncGenerator<Matrix> {
  const { begin, rows, numbers, columns, linesBefore, more } = header;
  const { name: file } = cursor.source;
  const wanted = { places: columns.map(({ place }) => place), count: numbers, single: isSingle(header) };
  await cursor.skip(begin - cursor.position);
  let [skipped, read, last] = [0, 0, header.lines];
  for await (const { lines, line } of linesOf(cursor.rest(), file, header.lines + 1)) {
    const points: string[][] = [];
    const places: number[] = [];
    for (let at = 0; at < lines.length; at++) {
      const text = lines[at].trim();
      if (text === "") continue;
      last = line + at;
      if (skipped < linesBefore) skipped++;
      else if (read + points.length < rows) {
        points.push(text.split(/[ \t]+/));
        places.push(last);
      } else if (!more)
        throw new InvalidInputError(`follows the last of ${rows} vertices`, { file, line: last });
    }
    read += points.length;
    if (points.length > 0) yield pointsOf(points, wanted, { file, lines: places });
    if (read === rows && more) return;
  }
  if (read === rows) return;
  throw new InvalidInputError(`the file ends here, after ${read} of ${rows} vertices`, { file, line: last });
}
