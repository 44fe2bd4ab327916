/**
 * This is a CSV file as a stream of chunks, in memory that does not grow with its rows. A file is looked at
 * from end to end before the first chunk, so that its types are those readCsv finds; of a pipe only the start
 * can be seen, and a later cell that contradicts it is an error, never a changed value.
 */
import { chunkRows } from "../../table/stream.ts";
import type { Guess, TableChunkOptions, TableStream } from "../../table/stream.ts";
import type { Table } from "../../table/table.ts";
import { CsvFeed } from "./feed.ts";
import type { RecordCells } from "./lines.ts";
import { csvSettings, type CsvOptions, type CsvSettings } from "./options.ts";
import { CsvChunk } from "./chunk.ts";
import { loadParser, RecordReader } from "./records.ts";
import { looksLikeRow, rowNamesOf } from "./rows.ts";
import { CsvScan, type ScannedColumns } from "./scan.ts";
import type { SniffedFormat } from "./sniff.ts";
import { LookAhead } from "../lookAhead.ts";
import { DictionaryBudget, type WantedColumns } from "../sharedDictionary.ts";
import type { ByteSource } from "../bytes/source.ts";
import { NAMED } from "./hints.ts";

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
  const input = new LookAhead(source, options.encoding, lookChars);
  const scan = new CsvScan(source.name, settings);
  let format: SniffedFormat = { delimiter: ",", newline: "\n", found: false };
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
  const scanned = scan.finish(input.whole);
  const { schema } = scanned;

  const dictionaries = new DictionaryBudget(source.name, options.memory).dictionaries(
    schema,
    options.columns,
  );
  const settled = { file: source.name, delimiter: format.delimiter, ...scanned, dictionaries };
  return {
    name: source.name,
    schema,
    guesses: guessesOf(format, settings, scanned),
    rows: input.whole ? scan.rows : undefined,
    once: input.once,
    chunks: (chunkOptions = {}) => {
      const chunk = new CsvChunk(settings, settled, chunkRows(chunkOptions, schema.length));
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
  readerOf: (onRecord: (cells: RecordCells, line: number) => void) => RecordReader,
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

function guessesOf(format: SniffedFormat, settings: CsvSettings, { schema, rules }: ScannedColumns): Guess[] {
  const { decimal, header, skip: given } = settings;
  const doubt = looksLikeRow(schema, settings) ? ", which looks like a row of values" : "";
  const { skip = 0 } = format;
  const names: Guess = {
    what: "column names",
    value: `from line ${skip + 1}${doubt}`,
    option: "--no-header",
    remedy: "header: false",
  };
  const { rowNames } = rowNamesOf(
    rules,
    schema.map(({ name }) => name),
  );
  return [
    ...(skip === given
      ? []
      : [
          {
            what: "lines above the header",
            value: `${skip} left out`,
            option: "--comment, --skip",
            remedy: "comment, skip",
          },
        ]),
    ...(header ? [names] : []),
    ...(rowNames === undefined
      ? []
      : [
          {
            what: "row names",
            value: `${JSON.stringify(rowNames)}, which the header has no name for`,
            option: "--features",
            remedy: NAMED,
          },
        ]),
    { what: "delimiter", value: delimiterText(format, settings), option: "--delimiter", remedy: "delimiter" },
    { what: "decimal separator", value: JSON.stringify(decimal), option: "--decimal", remedy: "decimal" },
    {
      what: "missing values",
      value: missingText(settings),
      option: "--na",
      remedy: "na",
    },
  ];
}

function missingText({ na, dashes }: CsvSettings): string {
  const tokens = na.map((token) => (token === "" ? "empty cells" : token));
  return [...tokens, ...(dashes ? ["- among numbers"] : [])].join(", ") || "none";
}

function delimiterText({ delimiter, blanks, found }: SniffedFormat, settings: CsvSettings): string {
  if (!found) return "none found, so that a line is a cell";
  const shown = blanks === true ? "runs of blanks" : JSON.stringify(delimiter);
  return `${shown}, ${settings.delimiter === undefined ? "found in the first lines" : "given"}`;
}
