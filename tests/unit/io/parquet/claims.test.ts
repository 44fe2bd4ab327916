/**
 * Parquet files of a few bytes that claim much memory: columns on the same bytes, long runs, large metadata,
 * shared beginnings.
 */
import { parquetMetadata, type FileMetaData } from "hyparquet";
import { ByteWriter, parquetWriteBuffer, type ColumnSource } from "hyparquet-writer";
import { writeMetadata } from "hyparquet-writer/src/metadata.js";
import { describe, expect, it } from "vitest";
import { bytesSource } from "../../../../src/io/bytes/source.ts";
import { openParquet } from "../../../../src/io/parquet/stream.ts";
import { readTable } from "../../../../src/io/read.ts";

const MEBIBYTE = 2 ** 20;

/** A Parquet file whose metadata are those of another, changed. */
function rewritten(columns: readonly ColumnSource[], change: (metadata: FileMetaData) => void): Uint8Array {
  const rows = columns[0].data.length;
  const bytes = new Uint8Array(
    parquetWriteBuffer({ columnData: [...columns], statistics: false, rowGroupSize: rows }),
  );
  const metadata = parquetMetadata(bytes);
  change(metadata);
  const writer = new ByteWriter();
  writer.appendBytes(bytes.subarray(0, bytes.length - metadata.metadata_length - 8));
  writeMetadata(writer, metadata);
  writer.appendUint32(0x31524150);
  return writer.getBytes();
}

describe("a Parquet file", () => {
  const rows = 100_000;
  const few = Array.from({ length: rows }, (_, row) => row % 2);
  const columns = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ name: `c${i}`, data: few, type: "INT32" as const }));

  it("whose columns all point at the same bytes is refused", async () => {
    const bytes = rewritten(columns(1), (metadata) => {
      const [root, column] = metadata.schema;
      const [group] = metadata.row_groups;
      const [chunk] = group.columns;
      metadata.schema = [{ ...root, num_children: 500 }];
      group.columns = [];
      for (let i = 0; i < 500; i++) {
        metadata.schema.push({ ...column, name: `c${i}` });
        group.columns.push({ ...chunk, meta_data: { ...chunk.meta_data!, path_in_schema: [`c${i}`] } });
      }
    });
    await expect(openParquet(bytesSource(bytes, "x"))).rejects.toThrow(
      /^x: byte \d+: the metadata is damaged: the columns' pages are said to be \d+ bytes together, but pages end at byte \d+/,
    );
  });

  it("is held against the memory allowed before it becomes a table", async () => {
    const bytes = rewritten(columns(30), () => undefined);
    const source = bytesSource(bytes, "x.parquet");
    await expect(readTable(source, { memory: 3 * MEBIBYTE })).rejects.toThrow(
      `x.parquet: ${rows} rows of 30 columns take 24030720 bytes in memory; at most 3145728 may; name the columns to read (option columns)`,
    );
    expect((await readTable(source, { memory: 60 * MEBIBYTE })).rows).toBe(rows);
    expect((await readTable(source, { memory: 3 * MEBIBYTE, columns: ["c7"] })).rows).toBe(rows);
  });

  it("may not hold many pages at a time that are longer than their bytes", async () => {
    const bytes = rewritten(columns(30), () => undefined);
    const chunks = (await openParquet(bytesSource(bytes, "x"), { memory: 3 * MEBIBYTE })).chunks();
    await expect(chunks[Symbol.asyncIterator]().next()).rejects.toThrow(
      /^x, column "c4": byte \d+: the page that begins here is too large: with it, the pages that are read at a time take 3\d{6} bytes in memory; at most 3145728 may/,
    );
  });

  it("may not have metadata of many times its size in memory", async () => {
    const count = 10_000;
    const bytes = rewritten(columns(1), (metadata) => {
      metadata.key_value_metadata = Array.from({ length: count }, () => ({ key: "" }));
    });
    await expect(openParquet(bytesSource(bytes, "x"), { memory: MEBIBYTE })).rejects.toThrow(
      /^x: byte \d+: the metadata is too large: up to here it takes more than 1048576 bytes in memory; allow more \(option memory\)/,
    );
    await expect(openParquet(bytesSource(bytes, "x"))).resolves.toMatchObject({ rows });
  });

  it("may not have texts that share their beginnings without end", async () => {
    const data = Array.from({ length: 2000 }, (_, row) => "x".repeat(1000 + row));
    const text = { name: "t", data, type: "STRING" as const, encoding: "DELTA_BYTE_ARRAY" as const };
    const bytes = rewritten([text], () => undefined);
    const read = async (memory: number) => readTable(bytesSource(bytes, "x.parquet"), { memory });
    await expect(read(MEBIBYTE)).rejects.toThrow(
      /^x.parquet, column "t": byte 4: the page that begins here is too large: with it, the pages that are read at a time take \d+ bytes/,
    );
    expect((await read(20 * MEBIBYTE)).column("t").name).toBe("t");
  });
});
