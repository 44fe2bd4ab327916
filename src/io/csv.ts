/**
 * CSV to Table. The first record is the header; every record must have as many cells. Quoted cells, the delimiter and
 * the type of each column are found out; whatever does not fit is an error with file, line and column.
 */
import type { Table } from "../table/table.ts";
import { csvSettings, type CsvOptions } from "./csvOptions.ts";
import { loadParser, RecordReader } from "./csvRecords.ts";
import { SAMPLE_CHARS, sniffFormat } from "./csvSniff.ts";
import { TableBuilder } from "./csvTable.ts";
import type { ByteSource } from "./source.ts";
import { decodeUtf8 } from "./utf8.ts";

/**
 * Reads to the end once, in pieces; memory is what the table needs and, until the end, the text of numbers that are not in
 * their shortest form.
 * @throws InvalidInputError with the place of what is wrong.
 * @example
 * const table = await readCsv(textSource("width,kind\n1.5,a\n2,b\n", "leaves.csv"));
 * table.column("width").kind; // => "numeric"
 * table.column("kind").kind; // => "nominal"
 * table.rows; // => 2
 */
export async function readCsv(source: ByteSource, options: CsvOptions = {}): Promise<Table> {
  const settings = csvSettings(options);
  const Parser = await loadParser();
  const builder = new TableBuilder(source.name, settings);
  let sample = "";
  let reader: RecordReader | undefined;

  const start = (whole: boolean) => {
    const format = sniffFormat(sample.slice(0, SAMPLE_CHARS), whole, settings, Parser);
    builder.delimiter = format.delimiter;
    reader = new RecordReader(source.name, format, Parser, (cells, line) => builder.add(cells, line));
    reader.push(sample);
    return reader;
  };
  for await (const text of decodeUtf8(watched(source, options))) {
    if (reader !== undefined) {
      reader.push(text);
      continue;
    }
    sample += text;
    if (sample.length > SAMPLE_CHARS) start(false);
  }
  (reader ?? start(true)).end();
  return builder.finish();
}

/** The same bytes, reporting progress and stopping when the signal says so. */
function watched(source: ByteSource, { signal, onProgress }: CsvOptions): ByteSource {
  return {
    name: source.name,
    async *stream() {
      let bytes = 0;
      for await (const piece of source.stream()) {
        signal?.throwIfAborted();
        bytes += piece.length;
        onProgress?.(bytes, source.byteLength);
        yield piece;
      }
    },
  };
}
