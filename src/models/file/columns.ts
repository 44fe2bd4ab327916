/**
 * Saves and loads the columns of a table in a model file: values or codes as arrays, dictionaries in the
 * header.
 */
import type { Yielding } from "../../core/async/yielding.ts";
import { Bitset } from "../../table/bitset.ts";
import { MISSING_CODE, withType } from "../../table/column.ts";
import type { Column } from "../../table/column.ts";
import { Dictionary } from "../../table/dictionary.ts";
import type { ContainerWriter } from "./container.ts";
import type { SavedColumn } from "./header.ts";
import type { ContainerReader } from "./reader.ts";

/** So many cells, or texts, are read between two pauses. */
const PIECE = 4096;

export function saveColumn(column: Column, writer: ContainerWriter): SavedColumn {
  const { name } = column;
  if (column.kind === "numeric") {
    const { type, values } = column;
    return { name, type, cells: writer.place(values) };
  }
  const { type, codes, dictionary } = column;
  return { name, type, cells: writer.place(codes), dictionary: dictionary.values };
}

/** @throws InvalidInputError for cells that such a column cannot hold */
export function* loadColumn(saved: SavedColumn, reader: ContainerReader): Yielding<Column> {
  const column = yield* untypedColumn(saved, reader);
  return saved.type === undefined ? column : withType(column, saved.type);
}

function* untypedColumn(saved: SavedColumn, reader: ContainerReader): Yielding<Column> {
  const { name, cells: place } = saved;
  if (!("dictionary" in saved)) {
    const values = reader.array(place) as Float64Array;
    if (yield* holds(values, (value) => Math.abs(value) === Infinity))
      throw reader.malformed(`column ${JSON.stringify(name)} holds an infinite number`);
    return { kind: "numeric", name, values, ...(yield* gaps(values, Number.isNaN)) };
  }
  const codes = reader.array(place) as Uint32Array;
  const { dictionary: texts } = saved;
  const dictionary = new Dictionary();
  for (let begin = 0; begin < texts.length; begin += PIECE) {
    for (const text of texts.slice(begin, begin + PIECE)) dictionary.add(text);
    yield;
  }
  const isUnknown = (code: number) => code >= texts.length && code !== MISSING_CODE;
  if (dictionary.size < texts.length || (yield* holds(codes, isUnknown)))
    throw reader.malformed(`column ${JSON.stringify(name)} has codes that its dictionary does not explain`);
  const isMissing = (code: number) => code === MISSING_CODE;
  return { kind: "nominal", name, codes, dictionary, ...(yield* gaps(codes, isMissing)) };
}

/** Tells whether `isSuch` is true of some cell. */
export function* holds(
  cells: Float64Array | Uint32Array,
  isSuch: (cell: number) => boolean,
): Yielding<boolean> {
  for (let begin = 0; begin < cells.length; begin += PIECE) {
    const piece = cells.subarray(begin, begin + PIECE);
    for (const cell of piece) if (isSuch(cell)) return true;
    yield;
  }
  return false;
}

function* gaps(
  cells: Float64Array | Uint32Array,
  isMissing: (cell: number) => boolean,
): Yielding<{ valid?: Bitset }> {
  if (!(yield* holds(cells, isMissing))) return {};
  const valid = Bitset.full(cells.length);
  for (let row = 0; row < cells.length; row++) {
    if (isMissing(cells[row])) valid.clear(row);
    if (row % PIECE === 0) yield;
  }
  return { valid };
}
