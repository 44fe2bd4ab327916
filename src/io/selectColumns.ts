/** This module takes only some of a file's columns, in the order asked for. */
import { unknownColumn } from "../table/names.ts";
import type { TableStream } from "../table/stream.ts";

/**
 * Returns the columns of a file to read: all of them unless some are wanted.
 * @throws InvalidInputError for a wanted column that the file lacks, unless that is to be ignored.
 */
export function chosenNames(
  names: readonly string[],
  wanted: readonly string[] | undefined,
  ignoreUnknown: boolean,
  file: string,
): readonly string[] {
  if (wanted === undefined) return names;
  const known = new Set(names);
  const unknown = wanted.find((name) => !known.has(name));
  if (unknown === undefined) return wanted;
  if (!ignoreUnknown) throw unknownColumn(unknown, names, file);
  return wanted.filter((name) => known.has(name));
}

/** Returns a stream with these of its columns alone. */
export function selectColumns(stream: TableStream, columns: readonly string[]): TableStream {
  const byName = new Map(stream.schema.map((column) => [column.name, column]));
  return {
    ...stream,
    schema: columns.flatMap((name) => byName.get(name) ?? []),
    async *chunks(options) {
      for await (const chunk of stream.chunks(options)) yield chunk.select(columns);
    },
  };
}
