/**
 * This module brings the rows of a fuzzed case into the form that its source names: arrays, a table, or what
 * a reader makes of a file. Text files are written here, value by value, so that no writer of src/ can hide
 * what its reader does wrong.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  Table,
  bytesSource,
  openMatrix,
  readTable,
  textSource,
  writeMatrix,
  writeTable,
} from "../../../dist/node.js";
import type { ByteSource, FormatName, Matrix, MatrixLike, MatrixStream } from "../../../dist/node.js";
import { fileSource } from "../../../dist/node/index.js";
import type { Cell } from "../../oracle/measures.ts";
import type { Random } from "../../oracle/random.ts";
import { isTable } from "./cases.ts";
import type { FuzzCase } from "./cases.ts";
import { arrayOf } from "./values.ts";

export type Rows = MatrixLike | MatrixStream | Table;

type Side = "train" | "queries";

/**
 * Brings the rows of one side.
 * @param names the names of a table's columns in the order they get
 */
export async function bring(
  random: Random,
  each: FuzzCase,
  side: Side,
  names: readonly string[],
  folder: string,
): Promise<Rows> {
  if (isTable(each)) return tableOf(each, columnsOf(random, each, side, names));
  const { source, kinds, type, gaps } = each;
  const rows = each[side];
  const nested = rows.map((row) => row.map((cell) => cell ?? NaN));
  if (source === "nested") return nested;
  if (source === "rows") return nested.map((row) => arrayOf(type, row) as Float64Array);
  const isNumeric = kinds.every((kind) => kind === "numeric");
  const matrix: Extract<MatrixLike, { data: unknown }> = {
    data: arrayOf(type, rows.flat()),
    rows: rows.length,
    cols: kinds.length,
    ...(isNumeric && random.uniform() < 0.5 ? {} : { kinds }),
    ...(gaps ? { gaps } : {}),
  };
  if (source === "matrix") return matrix;
  if (source === "shared") return { ...matrix, data: shared(matrix.data as Float64Array) };
  // No file tells the columns of no rows.
  if (rows.length === 0) return matrix;
  return fileOf(random, source, { ...(matrix as Matrix), kinds: undefined }, join(folder, side));
}

function shared(data: Float64Array): Float64Array {
  const Kind = data.constructor as Float64ArrayConstructor;
  const copy = new Kind(new SharedArrayBuffer(data.byteLength + 8), 8);
  copy.set(data);
  return copy;
}

async function fileOf(random: Random, source: string, matrix: Matrix, path: string): Promise<MatrixStream> {
  const vecs = new Map<unknown, FormatName>([
    [Float32Array, "fvecs"],
    [Uint8Array, "bvecs"],
    [Int32Array, "ivecs"],
    [Int8Array, "i8bin"],
  ]);
  const format = source === "vecs" ? vecs.get(matrix.data.constructor)! : "npy";
  const bytes = await bytesOf(writeMatrix(format, matrix));
  const name = `${path}.${format}`;
  if (source !== "disk" || random.uniform() < 0.3) return openMatrix(bytesSource(bytes, name));
  await writeFile(name, bytes);
  return openMatrix(await fileSource(name));
}

async function bytesOf(pieces: AsyncIterable<string | Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(typeof piece === "string" ? Buffer.from(piece) : piece.slice());
  return new Uint8Array(Buffer.concat(all));
}

type Column = readonly [name: string, cells: readonly (number | string | null)[]];

/** Returns the features among an id, and the label where a column can say it. */
function columnsOf(
  random: Random,
  { kinds, labels, ...each }: FuzzCase,
  side: Side,
  names: readonly string[],
): Column[] {
  const rows = each[side];
  const cellOf = (row: readonly Cell[], j: number) =>
    kinds[j] === "numeric" || row[j] === null ? row[j] : `v${row[j]}`;
  const features = names.map((name): Column => {
    const j = Number(name.split(" ")[1]);
    return [name, rows.map((row) => cellOf(row, j))];
  });
  const id: Column = ["id", rows.map((_, row) => row)];
  // Digits would be read as numbers.
  const canSay = labels?.every((label) => typeof label === "number" || !/^\d/.test(label)) ?? false;
  const label: Column[] =
    side === "train" && labels && canSay && random.uniform() < 0.5 ? [["label", labels]] : [];
  return [...label, id, ...features];
}

async function tableOf({ source }: FuzzCase, columns: readonly Column[]): Promise<Table> {
  const table = () => Table.fromColumns(Object.fromEntries(columns));
  // No file tells the kind of columns of no rows.
  if (source === "table" || columns[0][1].length === 0) return table();
  if (source === "parquet")
    return readTable(bytesSource(await bytesOf(writeTable("parquet", table())), "x.parquet"));
  return readTable(source === "csv" ? csvOf(columns) : jsonLinesOf(columns));
}

/** Returns the shortest text that is this number again, and no integer too large for one. */
function textOf(cell: number | string | null): string {
  if (cell === null) return "";
  if (typeof cell === "string") return cell;
  return Object.is(cell, -0) ? "-0" : Math.abs(cell) >= 2 ** 53 ? cell.toExponential() : String(cell);
}

function csvOf(columns: readonly Column[]): ByteSource {
  const rows = columns[0][1].map((_, row) => columns.map(([, cells]) => textOf(cells[row])).join(","));
  return textSource([columns.map(([name]) => name).join(","), ...rows, ""].join("\n"), "x.csv");
}

function jsonLinesOf(columns: readonly Column[]): ByteSource {
  const valueOf = (cell: number | string | null) =>
    typeof cell === "number" ? textOf(cell) : JSON.stringify(cell);
  const rows = columns[0][1].map((_, row) => {
    const pairs = columns.map(([name, cells]) => `${JSON.stringify(name)}:${valueOf(cells[row])}`);
    return `{${pairs.join(",")}}`;
  });
  return textSource(`${rows.join("\n")}\n`, "x.jsonl");
}
