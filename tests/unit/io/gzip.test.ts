import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../src/core/errors.ts";
import { decompressed } from "../../../src/io/bytes/gzip.ts";
import { bytesSource, readBytes, type ByteSource } from "../../../src/io/bytes/source.ts";
import { printedSeed, Random } from "../../oracle/random.ts";
import { inPieces, pipe } from "./csv/helpers.ts";

const random = new Random(printedSeed());
const text = new TextEncoder().encode("the quick brown fox jumps over the lazy dog, twice: ".repeat(3));

const joined = (...parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));
const unpacked = async (source: ByteSource) => readBytes(await decompressed(source));

async function failure(bytes: Uint8Array): Promise<string> {
  const messages = new Set<string>();
  for (const source of [bytesSource(bytes, "x.gz"), inPieces(bytes, 1, "x.gz"), pipe(bytes, 3, "x.gz")]) {
    const error: unknown = await unpacked(source).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InvalidInputError);
    messages.add((error as InvalidInputError).message);
  }
  expect([...messages]).toHaveLength(1);
  return [...messages][0];
}

describe("a gzip file", () => {
  it.each([0, 1, 100, 2 ** 18 - 1, 2 ** 18, 2 ** 18 + 1, 600_000])(
    "of %i bytes unpacks to what was packed, at any level",
    async (length) => {
      const bytes = Uint8Array.from({ length }, () => random.int(0, 1 + random.int(0, 9)));
      for (const level of [0, 1, 9]) {
        const packed = new Uint8Array(gzipSync(bytes, { level }));
        for (const size of [packed.length, 1 + random.int(0, packed.length), 65_537]) {
          expect(Buffer.compare(await unpacked(inPieces(packed, size)), bytes)).toBe(0);
        }
      }
    },
  );

  it("of several members reads to the end of the last, wherever the pieces are cut", async () => {
    const packed = joined(gzipSync(text), gzipSync(""), gzipSync(text.subarray(0, 9)));
    const whole = joined(text, text.subarray(0, 9));
    for (let size = 1; size <= packed.length; size++) {
      expect(await unpacked(inPieces(packed, size))).toEqual(whole);
    }
  });

  it("may be padded with zeros", async () => {
    expect(await unpacked(inPieces(joined(gzipSync(text), new Uint8Array(512)), 7))).toEqual(text);
  });

  it("is told by its bytes, not by its name", async () => {
    const plain = bytesSource(text, "x.gz");
    expect(await decompressed(plain)).toBe(plain);
    const packed = await decompressed(bytesSource(new Uint8Array(gzipSync(text)), "x.csv"));
    expect(packed).toMatchObject({ name: "x.csv", unpacked: true, once: false });
    expect([packed.byteLength, packed.slice]).toEqual([undefined, undefined]);
  });

  it("that is none passes through a pipe unchanged, however short it is", async () => {
    for (const length of [0, 1, 2, 3, text.length]) {
      for (const size of [1, 2, 100]) {
        const source = await decompressed(pipe(text.subarray(0, length), size));
        expect(source.once).toBe(true);
        expect(await readBytes(source)).toEqual(text.subarray(0, length));
      }
    }
  });

  it("is unpacked only as far as it is read", async () => {
    const zeros = new Uint8Array(gzipSync(new Uint8Array(2 ** 24)));
    let pieces = 0;
    for await (const piece of (await decompressed(bytesSource(zeros, "x.gz"))).stream()) {
      expect(piece.length).toBeLessThanOrEqual(2 ** 18);
      if (++pieces === 3) break;
    }
    expect(pieces).toBe(3);
  });
});

describe("a damaged gzip file", () => {
  const packed = new Uint8Array(gzipSync(text));

  it("that is truncated is refused at its last byte, wherever it ends", async () => {
    for (let length = 2; length < packed.length; length++) {
      expect(await failure(packed.subarray(0, length))).toBe(
        `x.gz: byte ${length}: the file ends here, within its gzip data; it is truncated`,
      );
    }
  });

  it("with a flipped bit is refused, or reads the same", async () => {
    for (let bit = 16; bit < 8 * packed.length; bit++) {
      const flipped = packed.slice();
      flipped[bit >> 3] ^= 1 << (bit & 7);
      const result = await unpacked(bytesSource(flipped, "x.gz")).catch((error: unknown) => error);
      if (result instanceof Uint8Array) expect(result).toEqual(text);
      else expect(result).toBeInstanceOf(InvalidInputError);
    }
  });

  it("with a wrong checksum or length is refused there", async () => {
    const wrong = packed.slice();
    wrong[packed.length - 8] ^= 1;
    expect(await failure(wrong)).toMatch(/^x\.gz: byte \d+: the gzip data are damaged: incorrect data check/);
    const wrongLength = packed.slice();
    wrongLength[packed.length - 1] ^= 1;
    expect(await failure(wrongLength)).toContain("incorrect length check");
  });

  it("with something else after it is refused there", async () => {
    const message = "the gzip data end here, but something else follows";
    expect(await failure(joined(packed, Uint8Array.of(7)))).toBe(`x.gz: byte ${packed.length}: ${message}`);
    expect(await failure(joined(packed, Uint8Array.of(0, 0), packed))).toBe(
      `x.gz: byte ${packed.length + 2}: ${message}`,
    );
  });
});
