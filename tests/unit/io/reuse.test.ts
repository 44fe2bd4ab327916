/**
 * Chunks of a file whose memory is filled anew: only where a consumer gives them back, and never where
 * somebody may hold on to them.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Matrix, NumericArray } from "../../../src/core/matrix.ts";
import { passOver, type MatrixStream } from "../../../src/core/matrixStream.ts";
import { openNpy } from "../../../src/io/npy/read.ts";
import type { ByteSource } from "../../../src/io/bytes/source.ts";
import { writeNpy } from "../../../src/io/npy/write.ts";

const cols = 16;
/** Chunks of 1 MiB, from which on files are read straight into them, and a shorter one. */
const maxRows = 2 ** 14;
const rows = 5 * maxRows + 7;

async function npy(data: NumericArray): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of writeNpy({ data, rows, cols })) pieces.push(piece.slice());
  return Buffer.concat(pieces);
}

async function file(packed?: (bytes: Buffer) => Buffer): Promise<ByteSource> {
  const plain = await npy(Float32Array.from({ length: rows * cols }, (_, at) => at));
  const bytes = packed?.(plain) ?? plain;
  return {
    name: "large.npy",
    byteLength: bytes.length,
    stream: async function* () {
      yield await Promise.resolve(bytes);
    },
    readInto: (target, begin) => {
      const part = bytes.subarray(begin, begin + target.length);
      target.set(part);
      return Promise.resolve(part.length);
    },
  };
}

/**
 * The same numbers of float32 as zeros of a type that is converted: only how many bytes there are matters
 * here.
 */
function zeros(descr: string, bytes: number) {
  return (plain: Buffer): Buffer => {
    const headerEnd = plain.indexOf("\n") + 1;
    const header = Buffer.from(
      plain.subarray(0, headerEnd).toString("latin1").replace("<f4", descr),
      "latin1",
    );
    return Buffer.concat([header, Buffer.alloc(rows * cols * bytes)]);
  };
}

/**
 * Looks at every chunk, makes garbage of it and gives it back once `held` others follow.
 * @returns the buffers, in their order
 */
async function consume(stream: MatrixStream, held: number) {
  const pass = passOver(stream, { maxRows });
  const buffers: ArrayBufferLike[] = [];
  const kept: Matrix[] = [];
  let next = 0;
  for await (const chunk of pass.chunks) {
    expect(chunk.data[0]).toBe(next);
    expect(chunk.data.every((x, at) => x === next + at)).toBe(true);
    next += chunk.data.length;
    buffers.push(chunk.data.buffer);
    kept.push(chunk);
    const done = kept.length > held ? kept.shift() : undefined;
    if (!done) continue;
    done.data.fill(NaN);
    pass.giveBack(done);
  }
  expect(next).toBe(rows * cols);
  return buffers;
}

describe("the memory of chunks of a file", () => {
  it.each([0, 1, 2])("is filled anew once it was given back, with %i chunks held", async (held) => {
    const buffers = await consume(await openNpy(await file()), held);
    expect(buffers).toHaveLength(6);
    expect(new Set(buffers.slice(0, 5)).size).toBe(held + 1);
  });

  it("is every chunk's own where nobody gives any back", async () => {
    const buffers = await consume(await openNpy(await file()), Infinity);
    expect(new Set(buffers).size).toBe(6);
    const stream = await openNpy(await file());
    const chunks: Matrix[] = [];
    for await (const chunk of stream.chunks({ maxRows })) chunks.push(chunk);
    chunks.forEach(({ data }, at) => expect(data[1]).toBe(at * maxRows * cols + 1));
  });

  it("is left alone where another stream hands the chunks on, which may hold on to them", async () => {
    const inner = await openNpy(await file());
    const around = { ...inner, chunks: (options = {}) => inner.chunks(options) };
    expect(new Set(await consume(around, 0)).size).toBe(6);
  });

  it.each([
    ["a gzipped file", (plain: Buffer) => gzipSync(plain)],
    ["float16, which becomes float32", zeros("<f2", 2)],
  ] as const)("is not piled up where it cannot be filled anew: %s", async (_, packed) => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const pass = passOver(await openNpy(await file(packed)), { maxRows });
    let chunks = 0;
    let least = Infinity;
    let last = 0;
    for await (const chunk of pass.chunks) {
      chunks++;
      pass.giveBack(chunk);
      collect();
      last = process.memoryUsage().arrayBuffers;
      least = Math.min(least, last);
    }
    expect(chunks).toBe(6);
    expect(last - least).toBeLessThan(3 * 2 ** 20);
  });
});
