import { describe, expect, it } from "vitest";
import { blobSource, bytesSource, readBytes, textSource } from "../../../src/io/source.ts";
import { inPieces } from "./csvHelpers.ts";

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
