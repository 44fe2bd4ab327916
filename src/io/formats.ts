/**
 * This module has all file formats in one place: how a file is recognised, and who reads and writes it. The
 * packages behind them are loaded when they are needed. gzip is taken off first, by its magic bytes, whatever
 * the file is called.
 */
import { InvalidInputError, oneOf } from "../core/errors.ts";
import { peek } from "./bytes/peek.ts";
import type { ByteSource } from "./bytes/source.ts";
import { decompressed } from "./bytes/gzip.ts";

/**
 * `--format` knows these names: "jsonl" are JSON lines, "json" a list of objects, "csv" also stands for tabs
 * and other delimiters.
 * @example
 * const format: FormatName = "jsonl"; // the name alone would mean CSV
 * const table = await readTable(textSource('{"width": 1.5}\n', "log.txt"), { format });
 * table.names; // => ["width"]
 */
export type FormatName =
  | "csv"
  | "jsonl"
  | "json"
  | "parquet"
  | "arrow"
  | "npy"
  | "fvecs"
  | "ivecs"
  | "bvecs"
  | "fbin"
  | "ibin"
  | "u8bin"
  | "i8bin"
  | "idx"
  | "ply"
  | "xyz";

export interface Format {
  readonly name: FormatName;
  /** Files hold tables, with named columns, texts and gaps, or matrices, which have only numbers. */
  readonly holds: "table" | "matrix";
  /** Names of files end so, in lower case, without the dot. */
  readonly extensions: readonly string[];
  /** Results can be written as it. */
  readonly writes: boolean;
  /** It starts with these bytes, where they tell it from everything else. */
  readonly magic?: readonly number[];
}

export const formats: readonly Format[] = [
  { name: "csv", holds: "table", extensions: ["csv", "tsv", "tab", "txt"], writes: true },
  { name: "jsonl", holds: "table", extensions: ["jsonl", "ndjson"], writes: true },
  { name: "json", holds: "table", extensions: ["json"], writes: true },
  {
    name: "parquet",
    holds: "table",
    extensions: ["parquet", "pq"],
    writes: true,
    magic: [0x50, 0x41, 0x52, 0x31],
  },
  {
    name: "arrow",
    holds: "table",
    extensions: ["arrow", "feather", "ipc", "arrows"],
    writes: false,
    magic: [0x41, 0x52, 0x52, 0x4f, 0x57, 0x31],
  },
  {
    name: "npy",
    holds: "matrix",
    extensions: ["npy"],
    writes: true,
    magic: [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59],
  },
  { name: "fvecs", holds: "matrix", extensions: ["fvecs"], writes: false },
  { name: "ivecs", holds: "matrix", extensions: ["ivecs"], writes: true },
  { name: "bvecs", holds: "matrix", extensions: ["bvecs"], writes: false },
  { name: "fbin", holds: "matrix", extensions: ["fbin"], writes: false },
  { name: "ibin", holds: "matrix", extensions: ["ibin"], writes: true },
  { name: "u8bin", holds: "matrix", extensions: ["u8bin"], writes: false },
  { name: "i8bin", holds: "matrix", extensions: ["i8bin"], writes: false },
  {
    name: "idx",
    holds: "matrix",
    extensions: ["idx", "idx1-ubyte", "idx2-ubyte", "idx3-ubyte"],
    writes: false,
  },
  { name: "ply", holds: "matrix", extensions: ["ply"], writes: false, magic: [0x70, 0x6c, 0x79, 0x0a] },
  { name: "xyz", holds: "matrix", extensions: ["xyz"], writes: false },
];

export const formatNames = formats.map(({ name }) => name);
const writable = formats.filter(({ writes }) => writes);
export const writableFormats = writable.map(({ name }) => name);

export interface Recognised {
  readonly format: Format;
  /** The source comes without gzip, and from its first byte, also where it can be read only once. */
  readonly source: ByteSource;
}

/**
 * Finds the format: the one that is named, else that of the name's extension, else that of the first bytes. A
 * file without extension, such as standard input, is JSON lines when it starts with "{", JSON when it starts
 * with "[", and CSV otherwise.
 * @throws InvalidInputError for an extension that no format has, and for bytes that are no text where neither
 *   tells.
 */
export async function recognise(
  given: ByteSource,
  named?: FormatName,
  signal?: AbortSignal,
): Promise<Recognised> {
  const source = await decompressed(given, { signal });
  if (named !== undefined) return { format: formatOf(named), source };
  const extension = extensionOf(given.name);
  const byName = formats.find(({ extensions }) => extensions.includes(extension));
  if (byName !== undefined) return { format: byName, source };
  const peeked = await peek(source, HEAD_BYTES, signal);
  const { head } = peeked;
  const byMagic = formats.find(({ magic }) => magic?.every((byte, at) => head[at] === byte));
  if (byMagic !== undefined) return { format: byMagic, source: peeked.source };
  if (extension !== "") throw unknownExtension(given.name, extension);
  // With a byte-order mark it is text in UTF-16, of which its reader tells.
  if (head.includes(0) && head[0] < 0xfe) throw unknownBytes(given.name);
  return { format: formatOf(textFormat(head)), source: peeked.source };
}

/**
 * Finds the format to write a file in: the one named, else that of the extension, .gz aside; CSV for a name
 * without one.
 * @param naming the name of what says which format, for messages
 * @throws InvalidInputError for an extension that no writable format has.
 */
export function outputFormat(path: string, named?: FormatName, naming = "--format"): Format {
  if (named !== undefined) return formatOf(named);
  return formatByName(path, writable, `, or name the format (${naming} ${writableFormats.join(", ")})`);
}

/**
 * Finds the format to write a table in, by the extension alone; CSV for a name without one.
 * @param option what names the file, for messages
 * @throws InvalidInputError for an extension that no format of tables has.
 */
export function tableFormatOf(path: string, option: string): Format {
  const tables = writable.filter(({ holds }) => holds === "table");
  return formatByName(path, tables, ` (${option})`);
}

function formatByName(file: string, some: readonly Format[], remedy: string): Format {
  const extension = extensionOf(file) || "csv";
  const known = some.find(({ extensions }) => extensions.includes(extension));
  if (known !== undefined) return known;
  throw new InvalidInputError(
    `the format to write cannot be told from the extension; expected ${listExtensions(some)}, each also with .gz${remedy}`,
    { file },
  );
}

export function formatOf(name: FormatName): Format {
  const format = formats.find((each) => each.name === name);
  if (format !== undefined) return format;
  throw new InvalidInputError(
    `the format ${JSON.stringify(name)} is unknown; expected ${oneOf(formatNames)}`,
  );
}

const HEAD_BYTES = 64;

/** Returns "csv" of "a/b.CSV.gz", "" of "b" and of hidden files. */
function extensionOf(path: string): string {
  const name = (path.split(/[/\\]/).pop() ?? "").toLowerCase().replace(/\.gz$/, "");
  const suffix = /[-.](idx\d-ubyte)$/.exec(name)?.[1];
  const dot = name.lastIndexOf(".");
  return suffix ?? (dot > 0 ? name.slice(dot + 1) : "");
}

function unknownExtension(file: string, extension: string): InvalidInputError {
  if (["xlsx", "xls", "ods"].includes(extension)) {
    return new InvalidInputError("is a spreadsheet, which Nearfield does not read; save it as CSV", { file });
  }
  return new InvalidInputError(
    `the format cannot be told from the extension .${extension}; expected ${listExtensions(formats)}, each also with .gz, or name the format ` +
      `(option format: ${formatNames.join(", ")})`,
    { file },
  );
}

function unknownBytes(file: string): InvalidInputError {
  return new InvalidInputError(
    "the format cannot be told from the name or the first bytes, and a zero byte says that it is not text (unless it is UTF-16); name " +
      `the format (option format: ${formatNames.join(", ")})`,
    { file },
  );
}

function listExtensions(some: readonly Format[]): string {
  return oneOf(some.flatMap(({ extensions }) => extensions.map((extension) => `.${extension}`)));
}

function textFormat(head: Uint8Array): FormatName {
  const first = head.find((byte) => ![0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf].includes(byte));
  return first === 0x7b ? "jsonl" : first === 0x5b ? "json" : "csv";
}
