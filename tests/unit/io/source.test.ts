import { describe, expect, it } from "vitest";
import { assert, OutOfMemoryError } from "../../../src/core/errors.ts";
import { ByteCursor } from "../../../src/io/bytes/cursor.ts";
import { allocated } from "../../../src/io/bytes/pieces.ts";
import { blobSource, bytesSource, readBytes, textSource } from "../../../src/io/bytes/source.ts";
import { openNpy } from "../../../src/io/npy/read.ts";
import { readFvecs } from "../../../src/io/vecs.ts";
import { inPieces } from "./csv/helpers.ts";

const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => i % 251);

/** toEqual takes a tenth of a second for so many. */
function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((value, at) => value === b[at]);
}

describe("a byte source", () => {
  it("gives bytes in memory in place", async () => {
    const source = bytesSource(bytes, "memory");
    expect([source.name, source.byteLength]).toEqual(["memory", 300_000]);
    for await (const piece of source.stream()) expect(piece.buffer).toBe(bytes.buffer);
    expect(sameBytes(await readBytes(source), bytes)).toBe(true);
  });

  it("gives a blob or a file, which brings its name", async () => {
    expect(sameBytes(await readBytes(blobSource(new Blob([bytes]))), bytes)).toBe(true);
    expect(blobSource(new File([bytes], "digits.idx")).name).toBe("digits.idx");
    expect(blobSource(new File([bytes], "digits.idx"), "other").name).toBe("other");
    expect(blobSource(new Blob([bytes])).byteLength).toBe(300_000);
  });

  it("in memory and of a blob can be read from anywhere", async () => {
    for (const source of [bytesSource(bytes, "memory"), blobSource(new Blob([bytes]))]) {
      expect(await source.slice?.(1000, 1010)).toEqual(bytes.subarray(1000, 1010));
      expect(await source.slice?.(299_998, 300_010)).toEqual(bytes.subarray(299_998));
    }
  });

  it("joins pieces of any size", async () => {
    expect(sameBytes(await readBytes(inPieces(bytes, 777)), bytes)).toBe(true);
    expect(await readBytes(inPieces(new Uint8Array(0), 1))).toEqual(new Uint8Array(0));
  });

  it("gives text as UTF-8", async () => {
    expect(await readBytes(textSource("é", "text"))).toEqual(Uint8Array.of(0xc3, 0xa9));
  });

  it("is closed when left before its end", async () => {
    let closed = false;
    const stream = () =>
      new ReadableStream<Uint8Array<ArrayBuffer>>({
        pull: (controller) => controller.enqueue(Uint8Array.of(1)),
        cancel: () => {
          closed = true;
        },
      });
    for await (const piece of blobSource(Object.assign(new Blob(), { stream })).stream()) {
      expect(piece).toEqual(Uint8Array.of(1));
      break;
    }
    expect(closed).toBe(true);
  });
});

describe("a cursor over a source that reads into memory it is given", () => {
  const bytes = Uint8Array.from({ length: 5_000_003 }, (_, at) => (at * 31) ^ (at >> 8));

  it("gives the same bytes, large pieces without the stream", async () => {
    const reads: number[] = [];
    const watchedSource = {
      ...bytesSource(bytes, "x"),
      readInto: (target: Uint8Array, begin: number) => {
        reads.push(target.length);
        const read = bytes.subarray(begin, begin + target.length);
        target.set(read);
        return Promise.resolve(read.length);
      },
    };
    const cursor = new ByteCursor(watchedSource);
    const taken: Uint8Array[] = [];
    for (const length of [10, 2_000_000, 7, 100_000, 1_500_000, 3, 5_000_000])
      taken.push(await cursor.take(length));
    expect(taken.map(({ length }) => length)).toEqual([10, 2_000_000, 7, 100_000, 1_500_000, 3, 1_399_983]);
    expect(Buffer.compare(Buffer.concat(taken), bytes)).toBe(0);
    expect(reads.filter((length) => length >= 1_000_000)).toEqual([2_000_000, 1_500_000, 1_399_983]);
    expect(await cursor.take(1)).toHaveLength(0);
    await cursor.close();
  });

  /** A file that is said to have so many bytes, all of them 0. */
  const zeros = (byteLength: number, onRead: (length: number) => void = () => undefined) => ({
    name: "x.npy",
    byteLength,
    stream: () => inPieces(new Uint8Array(0), 1).stream(),
    readInto: (target: Uint8Array) => {
      onRead(target.length);
      return Promise.resolve(target.length);
    },
  });

  it("hears an abort within a large piece", async () => {
    const reads: number[] = [];
    const controller = new AbortController();
    const source = zeros(2 ** 28, (length) => {
      reads.push(length);
      if (reads.length === 2) controller.abort(new Error("enough"));
    });
    await expect(new ByteCursor(source, undefined, controller.signal).take(2 ** 28)).rejects.toThrow(
      "enough",
    );
    expect(reads).toEqual([2 ** 26, 2 ** 26]);
  });

  it("says which file has a piece that no array can hold", async () => {
    const failed = new ByteCursor(zeros(2 ** 50)).take(2 ** 50);
    await expect(failed).rejects.toThrow(OutOfMemoryError);
    await expect(failed).rejects.toThrow(`x.npy: ${2 ** 50} bytes are too many to hold at once`);
  });

  it("says so too of what is made of the bytes, and lets other errors be", () => {
    expect(() => allocated(7, "x.npy", () => new Float64Array(2 ** 50))).toThrow(OutOfMemoryError);
    expect(() => allocated(7, "x.npy", () => assert(false, "a bug"))).toThrow("a bug");
  });

  it("gives what there is of a source that turns out shorter", async () => {
    const source = {
      ...zeros(3_000_000),
      readInto: (target: Uint8Array) => Promise.resolve(target.length - 5),
    };
    const cursor = new ByteCursor(source);
    expect([(await cursor.take(2_000_000)).length, cursor.position]).toEqual([1_999_995, 1_999_995]);
  });
});

describe("a source that says less than its size, as Node's openAsBlob does of files from 4 GiB on", () => {
  const vectors = new Uint8Array(Int32Array.of(2, 0, 0, 2, 1, 1, 2, 3, 3).buffer);

  it("is refused where its rows would end without a sign", async () => {
    const source = { ...inPieces(vectors, 5, "base.fvecs"), byteLength: 24 };
    await expect(readFvecs(source)).rejects.toThrow(
      "base.fvecs: byte 24: the source ends here by its size, but more bytes follow; Node's openAsBlob",
    );
    expect((await readFvecs({ ...source, byteLength: 36 })).rows).toBe(3);
  });

  it("is not just called truncated where its header tells another size", async () => {
    const refusal = (rows: number) => {
      const dict = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, 1), }`.padEnd(117) + "\n";
      const bytes = Buffer.from(`\x93NUMPY\x01\x00\x76\x00${dict}${"\0".repeat(12)}`, "latin1");
      return openNpy(bytesSource(bytes, "x.npy")).then(String, String);
    };
    expect(await refusal(3 + 2 ** 30)).toMatch(/it is truncated, or Node's openAsBlob tells/);
    expect(await refusal(4 + 2 ** 30)).toMatch(/it is truncated$/);
  });
});
