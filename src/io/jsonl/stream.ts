/**
 * This module reads JSON lines as a stream of chunks: one flat object per line, its keys the columns, in
 * order of first appearance; and JSON files, whose objects are in a list. An absent key and null are missing
 * cells; true and false are the texts "true" and "false". A file is looked at before it is read, as CSV is.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { unknownColumn } from "../../table/names.ts";
import { chunkRows, type TableChunkOptions, type TableStream } from "../../table/stream.ts";
import type { Table } from "../../table/table.ts";
import type { CsvOptions } from "../csv/options.ts";
import { JsonlChunk } from "./chunk.ts";
import { LineSplitter, type TextSplitter } from "./lines.ts";
import { EXAMPLE, ObjectSplitter } from "./objects.ts";
import { JsonlScan } from "./scan.ts";
import { LookAhead } from "../lookAhead.ts";
import { DictionaryBudget, type WantedColumns } from "../sharedDictionary.ts";
import type { ByteSource } from "../bytes/source.ts";

/** The columns' options are those of CSV; delimiters, decimals and missing tokens are JSON's own business. */
export type JsonlOptions = Pick<
  CsvOptions,
  "encoding" | "nominal" | "numeric" | "dates" | "memory" | "ignoreUnknown" | "signal" | "onProgress"
>;

/**
 * Reads what is needed to know the columns: a file from end to end, of a pipe the first 8 million characters.
 * @param lookChars for tests: how much is seen of a pipe.
 * @throws InvalidInputError with line and character or column of what is wrong, then or while the chunks are
 *   read.
 */
export function openJsonl(
  source: ByteSource,
  options: JsonlOptions & WantedColumns = {},
  lookChars?: number,
): Promise<TableStream> {
  return openRows(source, options, LINES, lookChars);
}

/**
 * Does what openJsonl does, for a list of flat objects, or such objects one after the other, however they are
 * laid out.
 */
export function openJson(
  source: ByteSource,
  options: JsonlOptions & WantedColumns = {},
  lookChars?: number,
): Promise<TableStream> {
  return openRows(source, options, OBJECTS, lookChars);
}

type OnRow = (text: string, line: number, column: number) => boolean;

interface LineForm {
  readonly expected: string;
  /** It says what a pipe lacks whose start holds no row. */
  readonly noEnd: string;
  splitter(file: string, onRow: OnRow): TextSplitter;
}

const LINES: LineForm = {
  expected: `one object per line, ${EXAMPLE}`,
  noEnd: "holds no line end",
  splitter: (file, onRow) => new LineSplitter(file, (text, line) => onRow(text, line, 0)),
};

const OBJECTS: LineForm = {
  expected: `a list of flat objects, ${EXAMPLE}`,
  noEnd: "holds no object that ends",
  splitter: (file, onRow) => new ObjectSplitter(file, onRow),
};

async function openRows(
  source: ByteSource,
  options: JsonlOptions & WantedColumns,
  layout: LineForm,
  lookChars: number | undefined,
): Promise<TableStream> {
  const { name } = source;
  const input = new LookAhead(source, options.encoding, lookChars);
  const scan = new JsonlScan(name, options);
  const lines = layout.splitter(name, (text, line, column) => {
    scan.add(text, line, column);
    return false;
  });
  for await (const text of input.look(options)) lines.push(text).next();
  if (input.whole) lines.end();
  if (scan.rows === 0) {
    const what = input.whole ? "holds no objects" : layout.noEnd;
    throw new InvalidInputError(`${what}; expected ${layout.expected}`, { file: name });
  }
  const schema = scan.schema();
  if (schema.length === 0) {
    const what = "the objects from row 1 on have no keys, and a table needs at least one column";
    throw new InvalidInputError(`${what}; expected ${layout.expected}`, { file: name });
  }
  if (!options.ignoreUnknown)
    checkNames(
      schema.map((column) => column.name),
      options,
      name,
    );

  const dictionaries = new DictionaryBudget(name, options.memory).dictionaries(schema, options.columns);
  const kinds = scan.kinds();
  const seen = input.whole ? undefined : scan.rows;
  return {
    name,
    schema,
    guesses: [],
    rows: input.whole ? scan.rows : undefined,
    once: input.once,
    chunks: (chunkOptions = {}) => {
      const chunk = new JsonlChunk(
        { file: name, schema, wanted: options.columns, dictionaries, kinds, seen },
        chunkRows(chunkOptions, schema.length),
      );
      return chunksOf(input, chunk, layout, chunkOptions);
    },
  };
}

async function* chunksOf(
  input: LookAhead,
  chunk: JsonlChunk,
  layout: LineForm,
  options: TableChunkOptions,
): AsyncGenerator<Table> {
  const lines = layout.splitter(chunk.file, (text, line, column) => {
    chunk.add(text, line, column);
    return chunk.full;
  });
  // It yields chunk by chunk, also within a piece: a line of a few characters may stand for thousands of
  // missing cells.
  for await (const text of input.read(options)) for (const _ of lines.push(text)) yield chunk.take();
  lines.end();
  if (chunk.rows > 0) yield chunk.take();
}

function checkNames(
  names: readonly string[],
  { nominal = [], numeric = [], dates = [] }: JsonlOptions,
  file: string,
): void {
  const unknown = [...nominal, ...numeric, ...dates].find((name) => !names.includes(name));
  if (unknown !== undefined) throw unknownColumn(unknown, names, file);
}
