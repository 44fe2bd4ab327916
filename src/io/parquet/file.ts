/**
 * This is the metadata of a Parquet file: its columns and where their bytes are, all checked against the size
 * of the file before anything is read because of it. hyparquet parses the footer and trusts it: 213 kB whose
 * columns all point at the same bytes took 6.2 GB there.
 */
import type { ColumnMetaData, CompressionCodec, FileMetaData, SchemaElement } from "hyparquet";
import { InvalidInputError } from "../../core/errors.ts";
import type { RandomAccess } from "../bytes/randomAccess.ts";
import { checkThrift, ThriftError } from "./thrift.ts";

export interface ParquetFile {
  readonly rows: number;
  readonly columns: readonly FileColumn[];
  readonly groups: readonly RowGroup[];
}

export interface FileColumn {
  readonly element: SchemaElement;
  /** It is the number among the row groups' chunks; undefined for nested columns, which have several. */
  readonly leaf: number | undefined;
}

export interface RowGroup {
  readonly rows: number;
  /** Chunks go by leaf. */
  readonly chunks: readonly Chunk[];
}

/** It has the pages of one column in one row group. */
export interface Chunk {
  readonly begin: number;
  /** It ends before this byte. */
  readonly end: number;
  readonly codec: CompressionCodec | undefined;
}

const MAGIC = "PAR1";
const FOOTER_BYTES = 8;
const DEFAULT_METADATA_BYTES = 2 ** 28;

/**
 * Reads the end of the file.
 * @param memory bytes that the metadata may take when they are parsed
 * @throws InvalidInputError naming the byte where the file is not what it says.
 */
export async function readParquetFile(access: RandomAccess, memory: number): Promise<ParquetFile> {
  const { name: file, byteLength } = access;
  const fail = (byte: number, message: string, cause?: unknown) =>
    new InvalidInputError(`byte ${byte}: ${message}`, { file }, cause);

  if (byteLength < 4 + FOOTER_BYTES)
    throw fail(byteLength, "the file ends here, too early for a Parquet file");
  const head = textOf(await access.slice(0, 4));
  if (head !== MAGIC) throw fail(0, `found ${JSON.stringify(head)}; a Parquet file starts with ${MAGIC}`);
  const footer = await access.slice(byteLength - FOOTER_BYTES, byteLength);
  const tail = textOf(footer.subarray(4));
  if (tail === "PARE") throw fail(byteLength - 4, "the file is encrypted; decrypt it first");
  if (tail !== MAGIC) {
    throw fail(
      byteLength - 4,
      `found ${JSON.stringify(tail)}; a Parquet file ends with ${MAGIC}: it is truncated`,
    );
  }
  const length = new DataView(footer.buffer, footer.byteOffset).getUint32(0, true);
  const begin = byteLength - FOOTER_BYTES - length;
  if (begin < 4 || length > DEFAULT_METADATA_BYTES)
    throw fail(
      byteLength - FOOTER_BYTES,
      `the metadata is said to take ${length} of the file's ${byteLength} bytes; it is truncated or damaged`,
    );

  const bytes = (await access.slice(begin, byteLength)).slice();
  try {
    checkThrift(bytes.subarray(0, length), memory);
  } catch (error) {
    if (!(error instanceof ThriftError)) throw error;
    const verdict = error.lacks === "memory" ? "too large" : "damaged";
    throw fail(begin + error.offset, `the metadata is ${verdict}: ${error.message}`);
  }
  const { parquetMetadata } = await import("hyparquet");
  let metadata: FileMetaData;
  try {
    metadata = parquetMetadata(bytes, { geoparquet: false });
    return checkedFile(metadata, begin, file);
  } catch (error) {
    if (error instanceof InvalidInputError) throw error;
    throw fail(begin, "the metadata is damaged", error);
  }
}

/** @param end where the pages end and the metadata begins */
function checkedFile({ schema, num_rows, row_groups }: FileMetaData, end: number, file: string): ParquetFile {
  const fail = (message: string, column?: string) =>
    new InvalidInputError(`byte ${end}: the metadata is damaged: ${message}`, {
      file,
      ...(column === undefined ? {} : { column }),
    });
  const columns = fileColumns(schema, fail);
  const leaves = schema.filter((element, at) => at > 0 && element.type !== undefined);
  const groups = row_groups.map((group, at): RowGroup => {
    const rows = wholeNumber(group.num_rows);
    if (rows === undefined) throw fail(`row group ${at} has ${group.num_rows} rows`);
    if (group.columns.length !== leaves.length)
      throw fail(`row group ${at} has ${group.columns.length} columns instead of ${leaves.length}`);
    const chunks = group.columns.map((chunk, leaf) => {
      const { name, type, repetition_type } = leaves[leaf];
      if (chunk.file_path) throw fail(`its values are in another file, ${chunk.file_path}`, name);
      if (chunk.meta_data === undefined) throw fail("its pages are not described; is it encrypted?", name);
      const { path_in_schema: path, type: stored, num_values } = chunk.meta_data;
      if (path.at(-1) !== name)
        throw fail(
          `row group ${at}: its pages are said to be those of ${JSON.stringify(path.join("."))}`,
          name,
        );
      if (stored !== type)
        throw fail(`row group ${at}: its pages hold ${stored}, the schema says ${type}`, name);
      if (path.length === 1 && repetition_type !== "REPEATED" && num_values !== group.num_rows)
        throw fail(`row group ${at}: it has ${num_values} values, but ${group.num_rows} rows`, name);
      return chunkOf(chunk.meta_data, end, (message) => fail(`row group ${at}: ${message}`, name));
    });
    return { rows, chunks };
  });
  const bytes = groups
    .flatMap(({ chunks }) => chunks)
    .reduce((sum, chunk) => sum + chunk.end - chunk.begin, 0);
  if (bytes > end)
    throw fail(`the columns' pages are said to be ${bytes} bytes together, but pages end at byte ${end}`);
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  if (BigInt(rows) !== BigInt(num_rows)) throw fail(`the row groups have ${rows} rows, the file ${num_rows}`);
  return { rows, columns, groups };
}

/** Returns the root's children; elements come depth first. */
function fileColumns(
  schema: readonly SchemaElement[],
  fail: (message: string) => InvalidInputError,
): FileColumn[] {
  const columns: FileColumn[] = [];
  const names = new Set<string>();
  let leaf = 0;
  let at = 1;
  const skip = (): void => {
    const element = schema[at++] as SchemaElement | undefined;
    if (element === undefined) throw fail("columns are missing");
    if (element.type !== undefined) leaf++;
    for (let child = 0; child < (element.num_children ?? 0); child++) skip();
  };
  const count = (schema[0] as SchemaElement | undefined)?.num_children ?? 0;
  for (let child = 0; child < count; child++) {
    const element = schema[at] as SchemaElement | undefined;
    const own = leaf;
    skip();
    if (element === undefined || element.name === "") throw fail("a column has no name");
    if (names.has(element.name)) throw fail(`two columns are called ${JSON.stringify(element.name)}`);
    names.add(element.name);
    columns.push({ element, leaf: element.type === undefined ? undefined : own });
  }
  if (columns.length === 0) throw fail("there are no columns");
  if (at !== schema.length) throw fail(`${schema.length - at} columns belong nowhere`);
  return columns;
}

function chunkOf(meta: ColumnMetaData, end: number, fail: (message: string) => InvalidInputError): Chunk {
  // A damaged file may lack what every file must have.
  const offset = (meta.dictionary_page_offset || meta.data_page_offset) as bigint | undefined;
  const size = meta.total_compressed_size as bigint | undefined;
  if (offset === undefined) throw fail("at which byte its pages begin is not said");
  if (size === undefined) throw fail("how many bytes its pages take is not said");
  const begin = wholeNumber(offset);
  const length = wholeNumber(size);
  if (begin === undefined || length === undefined || begin < 4 || begin + length > end)
    throw fail(`its pages are said to be ${size} bytes at byte ${offset}, but pages end at byte ${end}`);
  return { begin, end: begin + length, codec: meta.codec };
}

function wholeNumber(value: bigint | undefined): number | undefined {
  if (value === undefined || value < 0n || value > 2n ** 53n) return undefined;
  return Number(value);
}

function textOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
