/**
 * This module reads Arrow IPC files and streams (.arrow, .feather of version 2) as a stream of chunks, record
 * batch by record batch. flechette takes a message apart, after the lengths that it claims were checked; what
 * the values mean is table.ts's business, as for tables of apache-arrow. Values are in the terms of a table:
 * see there.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { Bitset } from "../../table/bitset.ts";
import { MISSING_CODE, type Column } from "../../table/column.ts";
import { Dictionary } from "../../table/dictionary.ts";
import { repeatedName, unknownColumn } from "../../table/names.ts";
import {
  chunkRows,
  type ColumnSchema,
  type TableChunkOptions,
  type TableStream,
} from "../../table/stream.ts";
import { Table } from "../../table/table.ts";
import { allowedBytes } from "../bytes/budget.ts";
import { ByteCursor } from "../bytes/cursor.ts";
import { errorAt, type ByteSource } from "../bytes/source.ts";
import { formatNumber } from "../number.ts";
import { quote } from "../quote.ts";
import { chosenNames } from "../selectColumns.ts";
import type { TypedTableOptions } from "../typedTable.ts";
import { DictionaryBudget, type SharedDictionary } from "../sharedDictionary.ts";
import { printedTime } from "../time.ts";
import { ArrowDecoder, type ArrowBatch, type BatchField } from "./decoder.ts";
import { ArrowDictionaries } from "./dictionaries.ts";
import { nextMessage, skipMagic, type Message } from "./messages.ts";
import { columnOf, type ArrowVector } from "./table.ts";

interface ArrowReadColumn {
  readonly at: number;
  readonly field: BatchField;
  readonly schema: ColumnSchema;
  readonly shared: SharedDictionary | undefined;
}

/**
 * Reads the schema; the rows are read with the stream's chunks.
 * @throws InvalidInputError for a damaged file, naming the byte of the message, and for columns that no table
 *   can hold; then or while the chunks are read.
 */
export async function openArrow(source: ByteSource, options: TypedTableOptions = {}): Promise<TableStream> {
  const cursor = new ByteCursor(source, options.memory, options.signal);
  const once = source.once ?? false;
  let keep = false;
  let head: Head;
  try {
    head = await headOf(cursor, options);
    keep = once;
  } finally {
    if (!keep) await cursor.close();
  }
  const { columns } = head;
  let spent = false;
  return {
    name: source.name,
    schema: columns.map(({ schema }) => schema),
    guesses: [],
    rows: undefined,
    once,
    chunks: (chunkOptions = {}) => {
      const maxRows = chunkRows(chunkOptions, columns.length);
      if (!once) return chunkTables(new ByteCursor(source, options.memory), head, maxRows, chunkOptions);
      if (spent)
        throw new InvalidInputError("can be read only once; put it into a file", { file: source.name });
      spent = true;
      return chunkTables(cursor, head, maxRows, chunkOptions);
    },
  };
}

/** It is the start of a file or stream, before its first batch. */
interface Head {
  readonly isFile: boolean;
  readonly schema: Message;
  readonly decoder: ArrowDecoder;
  readonly columns: readonly ArrowReadColumn[];
  /** Dictionaries may take at most so many bytes. */
  readonly most: number;
}

async function headOf(cursor: ByteCursor, options: TypedTableOptions): Promise<Head> {
  const { source } = cursor;
  const most = allowedBytes(source, options.memory);
  const decoder = await ArrowDecoder.load(most);
  const isFile = await skipMagic(cursor);
  const schema = await nextMessage(cursor, isFile);
  if (schema?.kind !== "schema")
    throw errorAt(
      source,
      schema?.byte ?? 0,
      "expected a schema, with which files of Arrow (IPC) begin; apache-arrow for JavaScript leaves it out of files, so write " +
        'a stream with it (tableToIPC(table, "stream")), which is read',
    );
  const fields = asking(source, schema, () => decoder.fields(schema.bytes));
  checkNames(source, schema, fields);
  return { isFile, schema, decoder, columns: chosenColumns(fields, options, source.name), most };
}

async function* chunkTables(
  cursor: ByteCursor,
  { isFile, schema, decoder, columns, most }: Head,
  maxRows: number,
  { signal, onProgress }: TableChunkOptions,
): AsyncGenerator<Table> {
  const { source } = cursor;
  const header = columns.map(({ schema: { name } }) => name);
  const dictionaries = new ArrowDictionaries();
  let row = 0;
  cursor.signal = signal;
  try {
    if (cursor.position === 0) {
      await skipMagic(cursor);
      await nextMessage(cursor, isFile);
    }
    for (;;) {
      signal?.throwIfAborted();
      const message = await nextMessage(cursor, isFile);
      onProgress?.(cursor.position, source.byteLength);
      if (message === undefined) return;
      const { kind, bytes } = message;
      if (kind === "dictionary") {
        asking(source, message, () => decoder.keep(schema.bytes, bytes, dictionaries));
        if (dictionaries.bytes > most) throw tooManyValues(source, message, dictionaries.bytes, most);
      }
      if (kind !== "rows") continue;
      const batch = asking(source, message, () => decoder.batch(schema.bytes, bytes, dictionaries));
      for (let begin = 0; begin < batch.rows; begin += maxRows) {
        const end = Math.min(batch.rows, begin + maxRows);
        const taken = columns.map((column) => partOf(column, batch, begin, end, { source, message, row }));
        const before = row + begin;
        yield new Table(taken, {
          file: source.name,
          header,
          placeOf: (at) => ({ row: before + at }),
          firstText: () => undefined,
        });
      }
      row += batch.rows;
    }
  } finally {
    await cursor.close();
  }
}

function tooManyValues(source: ByteSource, { byte }: Message, bytes: number, most: number) {
  const reason = `the dictionaries up to here take ${bytes} bytes in memory; at most ${most} may`;
  return errorAt(source, byte, `${reason}; put the input into an uncompressed file, or raise \`memory\``);
}

/** Turns errors of flechette, and those of typed arrays that reach beyond their bytes, into ours. */
function asking<T>(source: ByteSource, { byte }: Message, ask: () => T): T {
  try {
    return ask();
  } catch (cause) {
    if (cause instanceof InvalidInputError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw errorAt(source, byte, `the message that begins here is damaged (${reason})`, cause);
  }
}

interface PartPlace {
  readonly source: ByteSource;
  readonly message: Message;
  /** The batch begins with this row of the file. */
  readonly row: number;
}

function partOf(
  { at, field, schema, shared }: ArrowReadColumn,
  { columns }: ArrowBatch,
  begin: number,
  end: number,
  { source, message, row }: PartPlace,
): Column {
  const { name } = schema;
  const where = { file: source.name, row: row + begin };
  return asking(source, message, () => {
    if (field.isNull && shared === undefined) return emptyColumn(name, end - begin);
    const column = columns[at].part(begin, end);
    if (shared === undefined) return columnOf(field, column, where);
    const texts = field.isText ? columnOf(field, column, where) : textsOf(name, column, field, where);
    if (texts.kind === "numeric") return texts;
    const codes = texts.dictionary.values.map((text) => shared.codeOf(text));
    return {
      ...texts,
      dictionary: shared.dictionary,
      codes: texts.codes.map((code) => (code === MISSING_CODE ? code : codes[code])),
    };
  });
}

function emptyColumn(name: string, rows: number): Column {
  return { kind: "numeric", name, values: new Float64Array(rows).fill(NaN), valid: new Bitset(rows) };
}

function nominalColumn(name: string, texts: readonly (string | null)[]): Column {
  const dictionary = new Dictionary();
  const valid = new Bitset(texts.length);
  const codes = Uint32Array.from(texts, (text, at) => {
    if (text === null) return MISSING_CODE;
    valid.set(at);
    return dictionary.add(text);
  });
  return { kind: "nominal", name, codes, dictionary, ...(valid.count() < texts.length ? { valid } : {}) };
}

/** Makes texts of numbers, dates and times; whole numbers keep all their digits. */
function textsOf(
  name: string,
  vector: ArrowVector,
  field: BatchField,
  where: { readonly file: string; readonly row: number },
): Column {
  const stored = field.isInteger ? vector.toArray() : undefined;
  const numbers =
    field.isNull || field.isInteger ? undefined : columnOf({ name, type: field.type }, vector, where);
  const texts = Array.from({ length: vector.length }, (_, at) => {
    if (field.isNull || vector.get(at) === null) return null;
    if (stored !== undefined) return String(stored[at]);
    const value = numbers?.kind === "numeric" ? numbers.values[at] : NaN;
    if (Number.isNaN(value)) return null;
    return field.time === undefined ? formatNumber(value) : printedTime(value, field.time);
  });
  return nominalColumn(name, texts);
}

function checkNames(source: ByteSource, { byte }: Message, fields: readonly BatchField[]): void {
  if (fields.length === 0)
    throw errorAt(source, byte, "the schema has no columns; a table needs at least one");
  const repeated = repeatedName(fields.map(({ name }) => name));
  if (repeated === undefined) return;
  throw errorAt(source, byte, `two columns are called ${quote(repeated)}; rename one of them`);
}

function chosenColumns(
  fields: readonly BatchField[],
  options: TypedTableOptions,
  file: string,
): ArrowReadColumn[] {
  const { nominal = [], numeric = [], dates = [], ignoreUnknown = false, memory } = options;
  const names = fields.map(({ name }) => name);
  const unknown = [...nominal, ...numeric, ...dates].find((name) => !names.includes(name));
  if (unknown !== undefined && !ignoreUnknown) throw unknownColumn(unknown, names, file);
  const [texts, numbers] = [new Set(nominal), new Set([...numeric, ...dates])];
  const budget = new DictionaryBudget(file, memory);
  const chosen = chosenNames(names, options.columns, ignoreUnknown, file);
  return chosen.map((name) => {
    const at = names.indexOf(name);
    const field = fields[at];
    const { stored } = field;
    if (!field.isText && !field.isNumber && !field.isNull) {
      const reason = `holds ${stored} values, which are neither numbers nor texts`;
      throw new InvalidInputError(`${reason}; name the columns to read (option columns)`, {
        file,
        column: name,
      });
    }
    if (numbers.has(name) && field.isText)
      throw new InvalidInputError(`holds ${stored} values, not numbers`, { file, column: name });
    if (field.isText || texts.has(name))
      return { at, field, schema: { name, kind: "nominal", stored }, shared: budget.dictionary(name) };
    return { at, field, schema: { name, kind: "numeric", stored, ...unitOf(field) }, shared: undefined };
  });
}

function unitOf({ time, zoned }: BatchField): Pick<ColumnSchema, "unit" | "zone"> {
  if (time === undefined) return {};
  return { unit: time === "date" ? "ms since 1970" : "ms since midnight", ...(zoned ? { zone: "UTC" } : {}) };
}
