/** Chunks of a file whose memory is filled anew: only where a consumer gives them back, and never where somebody may hold on to them. */
import { describe, expect, it } from "vitest";
import type { Matrix } from "../../../src/core/matrix.ts";
import { passOver, type MatrixStream } from "../../../src/core/matrixStream.ts";
import { openNpy } from "../../../src/io/npy.ts";
import type { ByteSource } from "../../../src/io/source.ts";
import { writeNpy } from "../../../src/io/npyWrite.ts";

const cols = 16;
/** Chunks of 1 MiB, from which on files are read straight into them, and a shorter one. */
const maxRows = 2 ** 14;
const rows = 5 * maxRows + 7;

async function file(): Promise<ByteSource> {
  const pieces: Uint8Array[] = [];
  const data = Float32Array.from({ length: rows * cols }, (_, at) => at);
  for await (const piece of writeNpy({ data, rows, cols })) pieces.push(piece.slice());
  const bytes = Buffer.concat(pieces);
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

/** Looks at every chunk, makes garbage of it and gives it back once `held` others follow. @returns the buffers, in their order */
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
});
