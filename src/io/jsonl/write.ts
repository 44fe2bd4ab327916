/**
 * This module turns tables into JSON lines. An object stands for a row and has every column, with null for a
 * missing cell and for NaN. Numbers are in their shortest form that reads back to the same bits, texts escape
 * what JSON must.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { isMissing, type Column } from "../../table/column.ts";
import type { Table } from "../../table/table.ts";
import { formatNumber } from "../number.ts";
import { printedCells } from "../time.ts";
import { wellFormed } from "../bytes/utf8.ts";

const PIECE_CHARS = 1 << 16;

/**
 * Writes whole lines, as pieces of some 64 thousand characters.
 * @throws InvalidInputError for an infinity and for half of a surrogate pair.
 */
export function writeJsonl(
  tables: Iterable<Table> | AsyncIterable<Table>,
): AsyncGenerator<string, void, undefined> {
  return writeObjects(tables, { open: "", between: "", end: "\n", close: "" });
}

/** Writes the same objects as a list, one on each line. */
export function writeJson(
  tables: Iterable<Table> | AsyncIterable<Table>,
): AsyncGenerator<string, void, undefined> {
  return writeObjects(tables, { open: "[\n", between: ",\n", end: "", close: "\n]\n" });
}

interface Brackets {
  readonly open: string;
  readonly between: string;
  readonly end: string;
  readonly close: string;
}

async function* writeObjects(
  tables: Iterable<Table> | AsyncIterable<Table>,
  { open, between, end, close }: Brackets,
): AsyncGenerator<string, void, undefined> {
  let piece = open;
  let first = true;
  for await (const table of tables) {
    const cells = table.columns.map(cellWriter);
    const keys = table.columns.map(({ name }) => `${JSON.stringify(wellFormed(name))}:`);
    for (let row = 0; row < table.rows; row++) {
      piece += `${first ? "" : between}{${keys.map((key, at) => key + cells[at](row)).join(",")}}${end}`;
      first = false;
      if (piece.length < PIECE_CHARS) continue;
      yield piece;
      piece = "";
    }
  }
  piece += close;
  if (piece !== "") yield piece;
}

function cellWriter(column: Column): (row: number) => string {
  if (column.kind === "numeric" && (column.type === "date" || column.type === "time")) {
    const printed = printedCells(column);
    return (row) => {
      const cell = printed(row);
      return typeof cell === "number" ? numeral(cell, column.name) : JSON.stringify(cell);
    };
  }
  if (column.kind === "numeric") {
    return (row) => (isMissing(column, row) ? "null" : numeral(column.values[row], column.name));
  }
  const texts = column.dictionary.values;
  return (row) => (isMissing(column, row) ? "null" : JSON.stringify(wellFormed(texts[column.codes[row]])));
}

function numeral(value: number, column: string): string {
  if (Number.isFinite(value)) return formatNumber(value);
  if (Number.isNaN(value)) return "null";
  throw new InvalidInputError(`JSON has no number for ${value}; write csv or parquet`, { column });
}
