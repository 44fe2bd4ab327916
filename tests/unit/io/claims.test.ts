/**
 * Small files, and inputs without end, that claim memory: each is refused before it takes what its bytes do
 * not justify.
 */
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { allowedBytes } from "../../../src/io/bytes/budget.ts";
import { decompressed } from "../../../src/io/bytes/gzip.ts";
import { bytesSource, readBytes, textSource, type ByteSource } from "../../../src/io/bytes/source.ts";
import { readCsv } from "../../../src/io/csv/read.ts";
import { openNpy, readNpy } from "../../../src/io/npy/read.ts";
import { formatNpyHeader } from "../../../src/io/npy/header.ts";
import { openTable, readTable } from "../../../src/io/read.ts";
import { readBvecs } from "../../../src/io/vecs.ts";
import { pipe } from "./csv/helpers.ts";

const MEBIBYTE = 2 ** 20;
const encoded = (text: string) => new TextEncoder().encode(text);

/**
 * A pipe that gives `head`, then the same piece again and again, and ends only so that a reader which takes
 * all of it ends too.
 */
function endless(name: string, head: Uint8Array, piece: Uint8Array, bytes: number): ByteSource {
  return {
    name,
    once: true,
    async *stream() {
      yield head;
      for (let given = 0; given < bytes; given += piece.length) yield piece;
    },
  };
}

describe("what the bytes of a file justify", () => {
  it("is 64 times their number, compressed or not, or what the caller allows", async () => {
    expect(allowedBytes({ byteLength: 1e9 }, 5)).toBe(64e9);
    expect(allowedBytes({ packedLength: 1e9 })).toBe(64e9);
    expect(allowedBytes({ byteLength: 100 }, MEBIBYTE)).toBe(MEBIBYTE);
    expect(allowedBytes({})).toBe(2 ** 30);
    const packed = gzipSync("x\n1\n");
    expect(await decompressed(bytesSource(packed, "x"))).toMatchObject({ packedLength: packed.length });
  });

  it("is read however little the caller allows", async () => {
    const text = `a,b\n${"1,x\n,y\n".repeat(1e5)}`;
    expect((await readCsv(textSource(text, "x.csv"), { memory: 1 })).rows).toBe(2e5);
    expect((await readTable(textSource('{"a":1}\n'.repeat(1e4), "x.jsonl"), { memory: 1 })).rows).toBe(1e4);
  });
});

describe("JSON lines with new keys in every line", () => {
  const keys = 3000;
  const lines = Array.from({ length: keys }, (_, i) => `{"k${i}":1}\n`).join("");
  const source = textSource(lines, "x.jsonl");

  it("are refused as a table before their gaps take memory", async () => {
    const message = `x.jsonl: ${keys} rows of ${keys} columns take 76608000 bytes in memory; at most ${64 * lines.length} may; `;
    await expect(readTable(source, { memory: MEBIBYTE })).rejects.toThrow(new RegExp(message));
    await expect(readTable(textSource(lines, "-"), { memory: MEBIBYTE })).rejects.toThrow("-: 3000 rows");
  });

  it("are refused at their row where they come from a pipe of a few columns", async () => {
    const wide = `{${Array.from({ length: 100 }, (_, i) => `"k${i}":1`).join(",")}}\n`;
    const bytes = encoded(wide + "{}\n".repeat(3_000_000));
    const read = readTable(pipe(bytes, 1 << 16, "x.jsonl"), { memory: MEBIBYTE });
    await expect(read).rejects.toThrow(/^x.jsonl, line 1: 41943 rows of 100 columns take \d+ bytes/);
  });

  it("take the time and the memory of the cells there are while they are streamed", async () => {
    const many = 20_000;
    const lines = Array.from({ length: many }, (_, i) => `{"k${i}":${i % 2 === 0 ? i : '"x"'}}\n`);
    const begin = process.cpuUsage();
    const { chunks } = await openTable(textSource(lines.join(""), "x.jsonl"));
    let cells = 0;
    for await (const { columns, rows } of chunks()) {
      const arrays = columns.map((column) => (column.kind === "numeric" ? column.values : column.codes));
      // One of each kind is shared by all columns that have no cell here.
      expect(new Set(arrays.map(({ buffer }) => buffer)).size).toBeLessThanOrEqual(rows + 2);
      for (const { valid } of columns) cells += valid?.count() ?? rows;
    }
    expect(cells).toBe(many);
    const { user, system } = process.cpuUsage(begin);
    expect((user + system) / 1e6).toBeLessThan(4);
  });

  it("are a stream, and a table where that is allowed", async () => {
    let rows = 0;
    for await (const chunk of (await openTable(source, { memory: MEBIBYTE })).chunks()) rows += chunk.rows;
    expect(rows).toBe(keys);
    expect((await readTable(source, { memory: 2 ** 27 })).names).toHaveLength(keys);
  });
});

describe("gzip that unpacks to far more than it is", () => {
  const text = "0\n".repeat(2 ** 20);
  it("is refused at a line where it becomes a table", async () => {
    const source = bytesSource(gzipSync(`x\n${text}`), "x.csv.gz");
    await expect(readTable(source, { memory: MEBIBYTE })).rejects.toThrow(
      "x.csv.gz, line 196609: the table takes 1572864 bytes in memory up to here",
    );
    expect((await readTable(source)).rows).toBe(2 ** 20);
  });
});

describe("an input without end", () => {
  const empty = new Uint8Array(0);
  it("of CSV is refused at a line, its texts at their column", async () => {
    const numbers = endless("-", encoded("x,y\n"), encoded("1,2.50\n".repeat(5000)), 2 ** 26);
    await expect(readCsv(numbers, { memory: MEBIBYTE })).rejects.toThrow(
      /^-, line \d+: the table takes 1\d{6} bytes in memory up to here; at most 1048576 may; put the input into an uncompressed file/,
    );
    const texts = encoded(`t\n${Array.from({ length: 20_000 }, (_, i) => `text ${i}\n`).join("")}`);
    await expect(readCsv(pipe(texts, 1000), { memory: MEBIBYTE })).rejects.toThrow(
      /^x.csv, column "t": has \d+ different texts so far, and those of all columns take more than 1048576 bytes/,
    );
  });

  it("of anything is refused where all of it is wanted", async () => {
    const source = endless("-", empty, new Uint8Array(1000), 1e6);
    await expect(readBytes(source, 5000)).rejects.toThrow(
      "-: byte 6000: more than 5000 bytes up to here are to be held in memory at once",
    );
  });

  it("of numbers is refused where all of them are wanted, and is a stream", async () => {
    const piece = new Uint8Array(MEBIBYTE);
    const most = 2 ** 30;
    const header = formatNpyHeader("|u1", [2 ** 40, 1]);
    const refusal = `more than ${most} bytes up to here are to be held in memory at once, of a source whose size is unknown`;
    await expect(readNpy(endless("x.npy", header, piece, most + 2 * MEBIBYTE))).rejects.toThrow(refusal);
    const one = Uint8Array.of(1, 0, 0, 0, 1);
    const vecs = new Uint8Array(5 * MEBIBYTE).map((_, at) => one[at % 5]);
    await expect(readBvecs(endless("x.bvecs", empty, vecs, most + 10 * MEBIBYTE))).rejects.toThrow(refusal);
    const stream = await openNpy(endless("x.npy", header, piece, most));
    for await (const { rows } of stream.chunks({ maxRows: 1000 })) {
      expect(rows).toBe(1000);
      break;
    }
  });
});
