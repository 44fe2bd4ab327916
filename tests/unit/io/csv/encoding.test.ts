/**
 * Text files in other encodings than UTF-8: UTF-16 by its mark, others by name, and what is told of the rest.
 */
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { bytesSource } from "../../../../src/io/bytes/source.ts";
import { readCsv } from "../../../../src/io/csv/read.ts";
import { openCsv } from "../../../../src/io/csv/stream.ts";
import { readTable } from "../../../../src/io/read.ts";
import { collectTable } from "../../../../src/table/collect.ts";
import { failure, inPieces, pipe, plain } from "./helpers.ts";

const text = "name,note\r\nZoë,«ça»\r\nJosé,€\r\n";
const expected = { name: ["Zoë", "José"], note: ["«ça»", "€"] };
const latin1 = (all: string) => Uint8Array.from(Buffer.from(all, "latin1"));
const utf16 = (all: string, big = false) => {
  const bytes = Buffer.from(all, "utf16le");
  return Uint8Array.from(big ? bytes.swap16() : bytes);
};

async function everyWay(bytes: Uint8Array, encoding?: string) {
  const options = encoding === undefined ? {} : { encoding };
  for (const size of [1, 2, 3, 7, 1 << 16]) {
    expect(plain(await readCsv(inPieces(bytes, size), options))).toEqual(expected);
    for (const source of [inPieces(bytes, size), pipe(bytes, size)])
      expect(plain(await collectTable(await openCsv(source, options), { maxRows: 1 }))).toEqual(expected);
  }
}

describe("a text file", () => {
  it("in UTF-16 with a byte-order mark, as Excel saves it, is read", async () => {
    await everyWay(utf16(`\uFEFF${text}`));
    await everyWay(utf16(`\uFEFF${text}`, true));
  });

  it("in UTF-16 without one is read where it is named", async () => {
    await everyWay(utf16(text), "utf-16le");
    await everyWay(utf16(text, true), "utf-16be");
    await everyWay(utf16(`\uFEFF${text}`), "utf-16");
  });

  it("of Windows or Latin 1 is read where it is named", async () => {
    const windows = Uint8Array.from(latin1(text.replace("€", "\x80")));
    await everyWay(windows, "windows-1252");
    await everyWay(windows, "latin1");
    const jsonl = bytesSource(latin1('{"a":"é"}\n'), "x.jsonl");
    expect(plain(await readTable(jsonl, { encoding: "latin1" }))).toEqual({ a: ["é"] });
  });

  it("in UTF-8 is read also where that is named", async () => {
    await everyWay(new TextEncoder().encode(`\uFEFF${text}`), "UTF8");
  });
});

describe("what is wrong", () => {
  it("with UTF-8 is told with the byte, and the option", async () => {
    const error = await failure(latin1("a,b\n1,é\r\n2,x\n"));
    expect(error.place).toEqual({ file: "x.csv", line: 2 });
    expect(error.message).toBe(
      "x.csv, line 2: is not valid UTF-8: byte 6 (from 0) is 0xe9; name the encoding (option encoding: windows-1252 for most files of " +
        "Windows, latin1, utf-16le and so on), or save the file as UTF-8",
    );
    expect((await failure(Uint8Array.of(0x61, 0x0a, 0x31, 0xe2, 0x82))).message).toContain(
      "byte 3 (from 0) is 0xe2",
    );
    expect((await failure(Uint8Array.of(0x61, 0x0a, 0xc3, 0xa9, 0xc3, 0x28))).message).toContain(
      "byte 4 (from 0)",
    );
  });

  it("in unpacked data is told as such", async () => {
    const packed = bytesSource(new Uint8Array(gzipSync(latin1("a\né\n"))), "x.csv.gz");
    await expect(readTable(packed)).rejects.toThrow("byte 2 (from 0) of the unpacked data is 0xe9");
  });

  it("with UTF-16 is told too", async () => {
    const broken = Uint8Array.from([...utf16("\uFEFFa\nx"), 0x3d, 0xd8, 0x0a, 0x00]);
    expect((await failure(broken)).message).toContain("is not valid utf-16le");
    expect((await failure(utf16("\uFEFFa\n1\n").slice(0, -1))).message).toContain("is not valid utf-16le");
    expect((await failure(utf16("a\n1\n"))).message).toContain(
      "holds a zero byte, so it is not a text file, unless it is UTF-16",
    );
    expect((await failure(utf16("a\n1\n"))).message).toContain("(option encoding: utf-16le)");
  });

  it("with the name is told before anything is read", async () => {
    const error = await failure("a\n1\n", { encoding: "klingon" });
    expect(error.message).toContain(
      'the encoding "klingon" is unknown; expected such as utf-8, utf-16le, windows-1252',
    );
  });
});
