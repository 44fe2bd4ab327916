/** A stream of tables with only some of its columns, in another order. */
import { unknownColumn } from "../table/names.ts";
import type { TableStream } from "../table/stream.ts";

export function selectColumns(stream: TableStream, columns: readonly string[]): TableStream {
  const names = stream.schema.map(({ name }) => name);
  const schema = columns.map((wanted) => {
    const found = stream.schema.find(({ name }) => name === wanted);
    if (found === undefined) throw unknownColumn(wanted, names, stream.name);
    return found;
  });
  return {
    ...stream,
    schema,
    async *chunks(options) {
      for await (const chunk of stream.chunks(options)) yield chunk.select(columns);
    },
  };
}
