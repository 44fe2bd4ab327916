/**
 * This is a CSV file as a stream of chunks, in memory that does not grow with its rows. A file is looked at
 * from end to end before the first chunk, so that its types are those readCsv finds; of a pipe only the start
 * can be seen, and a later cell that contradicts it is an error, never a changed value.
 */
import { chunkRows } from "../../table/stream.ts";
import type { ColumnSchema, Guess, TableChunkOptions, TableStream } from "../../table/stream.ts";
import type { Table } from "../../table/table.ts";
import { CsvFeed } from "./feed.ts";
import type { Cells } from "./lines.ts";
import { csvSettings, type CsvOptions, type CsvSettings } from "./options.ts";
import { CsvChunk } from "./chunk.ts";
import { loadParser, RecordReader, type CsvFormat } from "./records.ts";
import { looksLikeRow } from "./rows.ts";
import { CsvScan } from "./scan.ts";
import { LookAhead } from "../lookAhead.ts";
import { DictionaryBudget, type WantedColumns } from "../sharedDictionary.ts";
import type { ByteSource } from "../bytes/source.ts";

/**
 * Reads what is needed to know the columns: a file from end to end, of a pipe the first 8 million characters.
 * @param lookChars for tests: how much is seen of a pipe.
 * @throws InvalidInputError with the place of what is wrong, then or while the chunks are read.
 */
export async function openCsv(
  source: ByteSource,
  options: CsvOptions & WantedColumns = {},
  lookChars?: number,
): Promise<TableStream> {
  const settings = csvSettings(options);
  const Parser = await loadParser();
  const input = new LookAhead(source, lookChars);
  const scan = new CsvScan(source.name, settings);
  let format: CsvFormat = { delimiter: ",", newline: "\n" };
  const feed = new CsvFeed(source.name, settings, Parser, {
    onFormat: (found) => {
      format = found;
      scan.delimiter = found.delimiter;
    },
    onRecord: (cells, line) => scan.add(cells, line),
  });
  for await (const text of input.look(options)) feed.push(text);
  if (input.whole) feed.end();
  else feed.settle();
  const { schema, rules } = scan.finish(input.whole);

  const dictionaries = new DictionaryBudget(source.name, options.memory).dictionaries(
    schema,
    options.columns,
  );
  const settled = { file: source.name, delimiter: format.delimiter, schema, rules, dictionaries };
  return {
    name: source.name,
    schema,
    guesses: guessesOf(format, settings, schema),
    rows: input.whole ? scan.rows : undefined,
    once: input.once,
    chunks: (chunkOptions = {}) => {
      const chunk = new CsvChunk(settings, settled, chunkRows(chunkOptions, settled.rules.length));
      return chunksOf(
        input,
        chunk,
        (onRecord) => new RecordReader(source.name, format, Parser, onRecord),
        chunkOptions,
      );
    },
  };
}

async function* chunksOf(
  input: LookAhead,
  chunk: CsvChunk,
  readerOf: (onRecord: (cells: Cells, line: number) => void) => RecordReader,
  options: TableChunkOptions,
): AsyncGenerator<Table> {
  const ready: Table[] = [];
  const reader = readerOf((cells, line) => {
    chunk.add(cells, line);
    if (chunk.full) ready.push(chunk.take());
  });
  for await (const text of input.read(options)) {
    reader.push(text);
    yield* ready.splice(0);
  }
  reader.end();
  if (chunk.rows > 0) ready.push(chunk.take());
  yield* ready;
}

function guessesOf(
  format: CsvFormat,
  settings: CsvSettings,
  schema: readonly Pick<ColumnSchema, "name" | "kind">[],
): Guess[] {
  const { delimiter, decimal, header, na } = settings;
  const found = delimiter === undefined ? "found in the first lines" : "given";
  const doubt = looksLikeRow(schema, settings) ? ", which looks like a row of values" : "";
  const names: Guess = { what: "column names", value: `from line 1${doubt}`, option: "--no-header" };
  return [
    ...(header ? [names] : []),
    { what: "delimiter", value: `${JSON.stringify(format.delimiter)}, ${found}`, option: "--delimiter" },
    { what: "decimal separator", value: JSON.stringify(decimal), option: "--decimal" },
    {
      what: "missing values",
      value: na.map((token) => (token === "" ? "empty cells" : token)).join(", ") || "none",
      option: "--na",
    },
  ];
}
