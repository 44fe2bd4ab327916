/** Columns of a table as a model file keeps them: values or codes as arrays, dictionaries in the header. */
import { Bitset } from "../../table/bitset.ts";
import { MISSING_CODE, withType } from "../../table/column.ts";
import type { Column, NominalType, NumericType } from "../../table/column.ts";
import { Dictionary } from "../../table/dictionary.ts";
import type { ArrayPlace, ContainerReader, ContainerWriter } from "./container.ts";

export interface SavedColumn {
  readonly name: string;
  /** As the column has it; absent for "real" and "polynominal" that were not declared. */
  readonly type?: NumericType | NominalType;
  /** float64 values, NaN where missing, or uint32 codes, 0xffffffff where missing. */
  readonly cells: ArrayPlace;
  /** By code; of a nominal column. */
  readonly dictionary?: readonly string[];
}

export function saveColumn(column: Column, writer: ContainerWriter): SavedColumn {
  const { name, type } = column;
  const typed = type === undefined ? { name } : { name, type };
  if (column.kind === "numeric") return { ...typed, cells: writer.place(column.values) };
  return { ...typed, cells: writer.place(column.codes), dictionary: column.dictionary.values };
}

/** @param saved as the header has it, not yet checked */
export function loadColumn(saved: unknown, reader: ContainerReader): Column {
  const { type } = (saved ?? {}) as Partial<SavedColumn>;
  const column = untypedColumn(saved, reader);
  return type === undefined ? column : withType(column, type);
}

function untypedColumn(saved: unknown, reader: ContainerReader): Column {
  const { name, cells, dictionary: values } = (saved ?? {}) as Partial<SavedColumn>;
  if (typeof name !== "string") throw reader.malformed("a column has no name");
  const array = reader.array(cells);
  if (values === undefined && array instanceof Float64Array) {
    if (array.some((value) => Math.abs(value) === Infinity))
      throw reader.malformed(`column ${JSON.stringify(name)} holds an infinite number`);
    return { kind: "numeric", name, values: array, ...gaps(array, Number.isNaN) };
  }
  if (!(array instanceof Uint32Array) || !isTexts(values))
    throw reader.malformed(`column ${JSON.stringify(name)} is neither numbers nor codes with a dictionary`);
  const dictionary = Dictionary.from(values);
  if (dictionary.size < values.length || array.some((code) => code >= values.length && code !== MISSING_CODE))
    throw reader.malformed(`column ${JSON.stringify(name)} has codes that its dictionary does not explain`);
  return { kind: "nominal", name, codes: array, dictionary, ...gaps(array, (code) => code === MISSING_CODE) };
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

function gaps(cells: Float64Array | Uint32Array, isMissing: (cell: number) => boolean): { valid?: Bitset } {
  if (!cells.some((cell) => isMissing(cell))) return {};
  const valid = Bitset.full(cells.length);
  cells.forEach((cell, row) => {
    if (isMissing(cell)) valid.clear(row);
  });
  return { valid };
}
