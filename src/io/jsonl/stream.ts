/**
 * These are JSON lines as a stream of chunks: one flat object per line, its keys the columns, in order of
 * first appearance. An absent key and null are missing cells; true and false are the texts "true" and
 * "false". A file is looked at before it is read, as CSV is.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { unknownColumn } from "../../table/names.ts";
import { chunkRows, type TableChunkOptions, type TableStream } from "../../table/stream.ts";
import type { Table } from "../../table/table.ts";
import type { CsvOptions } from "../csv/options.ts";
import { JsonlChunk } from "./chunk.ts";
import { JsonlScan } from "./scan.ts";
import { LookAhead } from "../lookAhead.ts";
import { DictionaryBudget, type WantedColumns } from "../sharedDictionary.ts";
import type { ByteSource } from "../bytes/source.ts";

/** The columns' options are those of CSV; delimiters, decimals and missing tokens are JSON's own business. */
export type JsonlOptions = Pick<
  CsvOptions,
  "encoding" | "nominal" | "numeric" | "dates" | "memory" | "ignoreUnknown" | "signal" | "onProgress"
>;

/** The most characters of a line; no honest line is longer. */
const MAX_LINE_CHARS = 1 << 27;

/**
 * Reads what is needed to know the columns: a file from end to end, of a pipe the first 8 million characters.
 * @param lookChars for tests: how much is seen of a pipe.
 * @throws InvalidInputError with line and character or column of what is wrong, then or while the chunks are
 *   read.
 */
export async function openJsonl(
  source: ByteSource,
  options: JsonlOptions & WantedColumns = {},
  lookChars?: number,
): Promise<TableStream> {
  const { name } = source;
  const input = new LookAhead(source, options.encoding, lookChars);
  const scan = new JsonlScan(name, options);
  const lines = new LineSplitter(name, (text, line) => {
    scan.add(text, line);
    return false;
  });
  for await (const text of input.look(options)) lines.push(text).next();
  if (input.whole) lines.end();
  if (scan.rows === 0) {
    const what = input.whole ? "holds no objects" : "holds no line end";
    throw new InvalidInputError(`${what}; expected one object per line, such as {"a": 1, "b": "x"}`, {
      file: name,
    });
  }
  const schema = scan.schema();
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
        { file: name, schema, dictionaries, kinds, seen },
        chunkRows(chunkOptions, schema.length),
      );
      return chunksOf(input, chunk, chunkOptions);
    },
  };
}

async function* chunksOf(
  input: LookAhead,
  chunk: JsonlChunk,
  options: TableChunkOptions,
): AsyncGenerator<Table> {
  const lines = new LineSplitter(chunk.file, (text, line) => {
    chunk.add(text, line);
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

/** Splits text in pieces into lines that are not blank, with their numbers from 1. */
class LineSplitter {
  readonly #file: string;
  readonly #onLine: (text: string, line: number) => boolean;
  #pieces: string[] = [];
  #chars = 0;
  #line = 1;

  /** @param onLine whether who reads has something to do before the next line */
  constructor(file: string, onLine: (text: string, line: number) => boolean) {
    this.#file = file;
    this.#onLine = onLine;
  }

  /** Takes a piece of text, and yields wherever `onLine` asks for it. */
  *push(text: string): Generator<undefined, void> {
    let begin = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", begin)) {
      this.#pieces.push(text.slice(begin, end));
      if (this.#flush()) yield;
      begin = end + 1;
    }
    this.#pieces.push(text.slice(begin));
    this.#chars += text.length - begin;
    if (this.#chars <= MAX_LINE_CHARS) return;
    throw new InvalidInputError(`is longer than ${MAX_LINE_CHARS} characters; expected one object per line`, {
      file: this.#file,
      line: this.#line,
    });
  }

  end(): void {
    this.#flush();
  }

  #flush(): boolean {
    const text = this.#pieces.length === 1 ? this.#pieces[0] : this.#pieces.join("");
    this.#pieces = [];
    this.#chars = 0;
    const line = this.#line++;
    return text.trim() !== "" && this.#onLine(text, line);
  }
}
