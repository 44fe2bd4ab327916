/**
 * This module limits a stream that is to become one table in memory: what its rows take is held against a
 * limit, before they are read where their number is known, else as they come. A row of JSON lines or of
 * Parquet may take megabytes and be a few bytes of the file.
 */
import { InvalidInputError } from "../core/errors.ts";
import { plural } from "../core/plural.ts";
import { chunkRows, type TableChunkOptions, type TableStream } from "../table/stream.ts";
import type { Table } from "../table/table.ts";

/**
 * A column of a chunk takes so many bytes besides its cells, for its objects and those of its typed arrays:
 * 400 to 600 were measured with Node 20.
 */
const COLUMN_BYTES = 512;

/**
 * Limits what a stream may take.
 * @throws InvalidInputError here or while reading, naming the row where more than `most` bytes would be
 *   taken.
 */
export function withinMemory(stream: TableStream, most: number): TableStream {
  const { name: file, schema, rows } = stream;
  const rowBytes = schema.reduce((sum, { kind }) => sum + (kind === "numeric" ? 8 : 4), 0);
  const bytesOf = (count: number, chunks: number) => count * rowBytes + chunks * schema.length * COLUMN_BYTES;
  const fail = (bytes: number, count: number, place: object) =>
    new InvalidInputError(
      `${plural(count, "row")} of ${plural(schema.length, "column")} take ${bytes} bytes in memory; at most ${most} may; name the columns to read ` +
        `(option columns), read the file in chunks (openTable), or allow more memory (option memory)`,
      { file, ...place },
    );
  return {
    ...stream,
    async *chunks(options: TableChunkOptions = {}): AsyncGenerator<Table> {
      if (rows !== undefined) {
        const bytes = bytesOf(rows, Math.ceil(rows / chunkRows(options, schema.length)));
        if (bytes > most) throw fail(bytes, rows, {});
      }
      let [read, chunks] = [0, 0];
      for await (const chunk of stream.chunks(options)) {
        const first = read;
        read += chunk.rows;
        const bytes = bytesOf(read, ++chunks);
        if (bytes > most) throw fail(bytes, read, chunk.origin?.placeOf(0) ?? { row: first });
        yield chunk;
      }
    },
  };
}
