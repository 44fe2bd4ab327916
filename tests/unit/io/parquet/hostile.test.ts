/**
 * Parquet files whose metadata were written by hand to contradict their pages or themselves: each is refused
 * by name and in time, or read to the cells that its pages hold. Damage at random is in ../mutations.test.ts,
 * claims of much memory in claims.test.ts.
 */
import { parquetMetadata, type ColumnMetaData, type FileMetaData } from "hyparquet";
import { ByteWriter, parquetWriteBuffer } from "hyparquet-writer";
import { writeMetadata } from "hyparquet-writer/src/metadata.js";
import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../../src/core/errors.ts";
import { bytesSource } from "../../../../src/io/bytes/source.ts";
import { readTable } from "../../../../src/io/read.ts";

const numbers = [3, 1, 2, 9, 5];
const words = ["a", "b", "a", "c", "b"];
const whole = new Uint8Array(
  parquetWriteBuffer({
    columnData: [
      { name: "x", data: numbers, type: "INT32" },
      { name: "word", data: words, type: "STRING" },
    ],
    statistics: false,
  }),
);

function changed(change: (metadata: FileMetaData, x: ColumnMetaData, word: ColumnMetaData) => void) {
  const metadata = parquetMetadata(whole.slice().buffer);
  const [x, word] = metadata.row_groups[0].columns.map(({ meta_data }) => meta_data!);
  change(metadata, x, word);
  const writer = new ByteWriter();
  writer.appendBytes(whole.subarray(0, whole.length - metadata.metadata_length - 8));
  writeMetadata(writer, metadata);
  writer.appendUint32(0x31524150);
  return new Uint8Array(writer.getBytes());
}

type Change = Parameters<typeof changed>[0];

const refused: Readonly<Record<string, Change>> = {
  "fewer than no values": (_, x) => (x.num_values = -1n),
  "more values than the pages": (_, x) => (x.num_values = 6n),
  "fewer values than the pages": (_, x) => (x.num_values = 4n),
  "fewer than no rows in a group": ({ row_groups: [group] }) => (group.num_rows = -5n),
  "more rows in a group than values": ({ row_groups: [group] }) => (group.num_rows = 6n),
  "2^62 rows": (metadata) => {
    metadata.num_rows = 2n ** 62n;
    metadata.row_groups[0].num_rows = 2n ** 62n;
  },
  "a page before the file": (_, x) => (x.data_page_offset = -4n),
  "a page in the magic number": (_, x) => (x.data_page_offset = 0n),
  "a page behind the file": (_, x) => (x.data_page_offset = 10n ** 9n),
  "a page in the footer": (_, x) => (x.data_page_offset = BigInt(whole.length - 20)),
  "pages of another column": (_, x, word) => (x.data_page_offset = word.data_page_offset),
  "sizes below 0": (_, x) => {
    x.total_compressed_size = -1n;
    x.total_uncompressed_size = -1n;
  },
  "a size of 2^60 bytes": (_, x) => (x.total_compressed_size = 2n ** 60n),
  "another type than the schema": (_, x) => (x.type = "DOUBLE"),
  "a schema of another type": ({ schema }) => (schema[1].type = "INT96"),
  "children below 0": ({ schema }) => (schema[0].num_children = -1),
  "no columns": ({ schema, row_groups: [group] }) => {
    schema.splice(1);
    schema[0].num_children = 0;
    group.columns = [];
  },
  "a column fewer in a group": ({ row_groups: [group] }) => void group.columns.pop(),
  "a column more in a group": ({ row_groups: [group] }) => void group.columns.push(group.columns[0]),
  "the path of another column": (_, x) => (x.path_in_schema = ["word"]),
  "two columns of one name": ({ schema }, x) => {
    schema[1].name = "word";
    x.path_in_schema = ["word"];
  },
  "pages of another codec": (_, x) => (x.codec = x.codec === "GZIP" ? "ZSTD" : "GZIP"),
};

describe("a Parquet file that is written to have", () => {
  it.each(Object.entries(refused))("%s is refused by name", async (_, change) => {
    const read = readTable(bytesSource(changed(change), "a.parquet"), { memory: 2 ** 26 });
    await expect(read).rejects.toBeInstanceOf(InvalidInputError);
    await expect(read).rejects.toThrow(/^a\.parquet/);
  });

  it("nothing changed is read", async () => {
    const table = await readTable(
      bytesSource(
        changed(() => undefined),
        "a.parquet",
      ),
    );
    const [x, word] = [table.column("x"), table.column("word")];
    expect(x.kind === "numeric" && [...x.values]).toEqual(numbers);
    expect(word.kind === "nominal" && [...word.codes].map((code) => word.dictionary.values[code])).toEqual(
      words,
    );
  });

  it.each(["__proto__", "constructor", "\u001b]0;title\u0007"])(
    "a column called %j keeps its name",
    async (name) => {
      const bytes = changed(({ schema }, x) => {
        schema[1].name = name;
        x.path_in_schema = [name];
      });
      const table = await readTable(bytesSource(bytes, "a.parquet"));
      expect(table.names).toEqual([name, "word"]);
      expect(({} as Record<string, unknown>).x).toBeUndefined();
    },
  );
});
