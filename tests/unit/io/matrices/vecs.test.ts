/** some.*vecs are numpy's own bytes (tests/fixtures/make.py). */
import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../../src/core/errors.ts";
import type { Matrix } from "../../../../src/core/matrix.ts";
import { matrixStream, streamOf } from "../../../../src/core/matrixStream.ts";
import { bytesSource, type ByteSource } from "../../../../src/io/bytes/source.ts";
import { openBvecs, openFvecs, openIvecs, readBvecs, readFvecs, readIvecs } from "../../../../src/io/vecs.ts";
import { writeBvecs, writeFvecs, writeIvecs } from "../../../../src/io/vecsWrite.ts";
import { printedSeed, Random } from "../../../oracle/random.ts";
import { inPieces, pipe } from "../csv/helpers.ts";
import { chunksOf, collected, everySource, failure, fixture, plain, plainFixture } from "./matrixHelpers.ts";

const random = new Random(printedSeed());

const formats = [
  {
    name: "some.fvecs",
    open: openFvecs,
    read: readFvecs,
    write: writeFvecs,
    Type: Float32Array,
    any: () => random.normal(),
  },
  {
    name: "some.ivecs",
    open: openIvecs,
    read: readIvecs,
    write: writeIvecs,
    Type: Int32Array,
    any: () => random.bits(),
  },
  {
    name: "some.bvecs",
    open: openBvecs,
    read: readBvecs,
    write: writeBvecs,
    Type: Uint8Array,
    any: () => random.bits(),
  },
];

const ints = (...values: number[]) => new Uint8Array(Int32Array.from(values).buffer);

describe.each(formats)("$name", ({ name, open, read, write, Type, any }) => {
  it("of numpy reads equal, however it comes", async () => {
    for (const source of Object.values(everySource(fixture(name)))) {
      const matrix = await read(source);
      expect(plain(matrix)).toEqual(plainFixture(name));
      expect(matrix.data).toBeInstanceOf(Type);
    }
  });

  it("is written as numpy writes it", async () => {
    const { rows, cols, values } = plainFixture(name);
    expect(await collected(write({ data: Type.from(values), rows, cols }))).toEqual(fixture(name));
    expect(await collected(write({ data: Float64Array.from(values), rows, cols }))).toEqual(fixture(name));
  });

  it("of no rows is not written, since it could not be read", async () => {
    const written = collected(write({ data: new Type(0), rows: 0, cols: 3 }));
    await expect(written).rejects.toThrow(InvalidInputError);
    await expect(written).rejects.toThrow(
      "the matrix: has no rows, and a file without any does not say how many",
    );
  });

  it("comes back as it was written, in chunks of any size", async () => {
    for (const [rows, cols] of [
      [1, 1],
      [1, 17],
      [13, 3],
      [100, 31],
    ]) {
      const matrix: Matrix = { data: Type.from(Array.from({ length: rows * cols }, any)), rows, cols };
      const bytes = await collected(write(matrix));
      expect(await read(inPieces(bytes, 11))).toEqual(matrix);
      const streamed = streamOf({
        name: "x",
        cols,
        chunks: matrixStream(matrix, "x").chunks({ maxRows: 4 }),
      });
      expect(await collected(write(streamed))).toEqual(bytes);
      for (const maxRows of [1, 7, 100, undefined]) {
        const stream = await open(bytesSource(bytes, name));
        expect(stream).toMatchObject({ rows, cols, once: false });
        const chunks = await chunksOf(stream, maxRows);
        expect(chunks.flatMap(({ data }) => [...data])).toEqual([...matrix.data]);
        const sizes = chunks.map((chunk) => chunk.rows);
        expect(sizes.slice(0, -1).every((size) => size === maxRows)).toBe(true);
      }
    }
  });

  it("through a pipe tells its number of rows only at the end", async () => {
    const stream = await open(pipe(fixture(name), 3));
    expect(stream).toMatchObject({ rows: undefined, cols: plainFixture(name).cols, once: true });
    expect(await chunksOf(stream, 1)).toHaveLength(plainFixture(name).rows);
  });

  it("that is truncated is refused at its last byte, wherever it ends", async () => {
    const bytes = fixture(name);
    const { rows } = plainFixture(name);
    for (let length = 0; length < bytes.length; length++) {
      if (length > 0 && length % (bytes.length / rows) === 0) continue;
      expect(await failure(bytes.slice(0, length), read)).toMatch(
        new RegExp(`^byte ${length}: the file ends here, within`),
      );
    }
  });

  it("that is truncated between rows has fewer", async () => {
    const twice = new Uint8Array(Buffer.concat([fixture(name), fixture(name)]));
    const { rows } = await read(bytesSource(twice.subarray(0, twice.length / 2), name));
    expect(rows).toBe(plainFixture(name).rows);
  });

  it.each([0, -1, -(2 ** 31)])("of dimension %i is refused", async (dimension) => {
    const bytes = new Uint8Array(Buffer.concat([ints(dimension), ints(1, 2)]));
    expect(await failure(bytes, read)).toBe(
      `byte 0: row 0 has the dimension ${dimension}; expected at least 1`,
    );
  });

  it("of a huge dimension takes no memory for it", async () => {
    const bytes = new Uint8Array(Buffer.concat([ints(2 ** 31 - 1), ints(1, 2)]));
    const before = process.memoryUsage().arrayBuffers;
    expect(await failure(bytes, read)).toBe("byte 12: the file ends here, within row 0; it is truncated");
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1e7);
  });

  it("whose first row is longer than the file is refused before it is read", async () => {
    const bytes = new Uint8Array(Buffer.concat([ints(2 ** 31 - 1), ints(1, 2)]));
    await expect(open(bytesSource(bytes, name))).rejects.toThrow(
      "byte 12: the file ends here, within row 0; it is truncated",
    );
  });

  it("with rows of several dimensions is refused at the first that differs", async () => {
    const size = Type.BYTES_PER_ELEMENT;
    const row = (dimension: number) => Buffer.concat([ints(dimension), new Uint8Array(size * dimension)]);
    const message = (at: number, found: number) =>
      `byte ${at * (4 + 3 * size)}: row ${at} has the dimension ${found}, but row 0 has 3`;
    for (const found of [1, 2, 4, 50]) {
      const bytes = (...rows: Buffer[]) => new Uint8Array(Buffer.concat(rows));
      expect(await failure(bytes(row(3), row(3), row(found), row(3)), read)).toBe(message(2, found));
      expect(await failure(bytes(row(3), row(found)), read)).toBe(message(1, found));
    }
  });
});

describe("what a format cannot hold is refused with row and column", () => {
  const at = (value: number, rows = 2, cols = 2): Matrix => ({
    data: Float64Array.of(0, 1, 2, value),
    rows,
    cols,
  });
  const write = (from: AsyncIterable<Uint8Array>) => collected(from);

  it.each([0.1, 1e300, -1e-50])("in .fvecs: %s", async (value) => {
    await expect(write(writeFvecs(at(value)))).rejects.toThrow(
      `the matrix: row 1, column 1 is ${value}, which float32 cannot hold exactly`,
    );
  });

  it.each([0.5, 2 ** 31, 0xffffffff, -(2 ** 31) - 1, NaN, Infinity])("in .ivecs: %s", async (value) => {
    await expect(write(writeIvecs(at(value)))).rejects.toThrow(
      `row 1, column 1 is ${value}, which is not a whole`,
    );
  });

  it.each([0.5, 256, -1, NaN])("in .bvecs: %s", async (value) => {
    await expect(write(writeBvecs(at(value)))).rejects.toThrow(
      `row 1, column 1 is ${value}, which is not a whole`,
    );
  });

  it("in .fvecs unless rounding is asked for, which never becomes infinite", async () => {
    const bytes = await write(writeFvecs(at(0.1), { round: true }));
    const { data } = await readFvecs(bytesSource(bytes, "x.fvecs"));
    expect(data).toEqual(Float32Array.of(0, 1, 2, 0.1));
    await expect(write(writeFvecs(at(1e300), { round: true }))).rejects.toThrow(
      "beyond the range of float32",
    );
    await expect(write(writeFvecs(at(Infinity), { round: true }))).resolves.toHaveLength(24);
  });

  it("with the row counted over all chunks", async () => {
    const chunks = matrixStream({ data: Float64Array.of(1, 2, 3, 400), rows: 4, cols: 1 }, "x");
    const stream = streamOf({ name: "many", cols: 1, chunks: () => chunks.chunks({ maxRows: 1 }) });
    const small = { ...stream, chunks: () => stream.chunks({ maxRows: 1 }) };
    await expect(write(writeBvecs(small))).rejects.toThrow("many: row 3, column 0 is 400");
  });

  it("when the data are fewer than the shape says", async () => {
    await expect(write(writeBvecs({ data: new Uint8Array(3), rows: 2, cols: 2 }))).rejects.toThrow("need 4");
  });
});

it("stops when the signal says so, with its reason", async () => {
  const signal = AbortSignal.abort(new Error("enough"));
  const source: ByteSource = bytesSource(fixture("some.fvecs"), "x.fvecs");
  const read = async () => {
    for await (const chunk of (await openFvecs(source)).chunks({ signal })) expect(chunk).toBeUndefined();
  };
  await expect(read()).rejects.toThrow("enough");
  const matrix: Matrix = { data: new Float32Array(4), rows: 2, cols: 2 };
  await expect(collected(writeFvecs(matrix, { signal }))).rejects.toThrow("enough");
});
