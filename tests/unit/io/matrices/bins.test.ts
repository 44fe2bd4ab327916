/** The files of big-ann-benchmarks, against bytes that are made here, and IDX as it is written. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../../src/core/errors.ts";
import { fetchableRowsOf } from "../../../../src/core/fetchable.ts";
import type { Matrix, NumericArray } from "../../../../src/core/matrix.ts";
import { collectMatrix, matrixStream, streamOf } from "../../../../src/core/matrixStream.ts";
import { openBin, readGroundTruth, writeGroundTruth } from "../../../../src/io/bins.ts";
import { bytesSource, type ByteSource } from "../../../../src/io/bytes/source.ts";
import { readIdx, readIdxMatrix } from "../../../../src/io/idx.ts";
import { openMatrix } from "../../../../src/io/read.ts";
import { writeMatrix } from "../../../../src/io/write.ts";
import { fileSource } from "../../../../src/node/fileSource.ts";
import { printedSeed, Random } from "../../../oracle/random.ts";
import { pipe } from "../csv/helpers.ts";
import { chunksOf, collected, everySource, failure } from "./matrixHelpers.ts";

const random = new Random(printedSeed());
const folder = mkdtempSync(join(tmpdir(), "nearfield-bins-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const formats = [
  { name: "fbin", Type: Float32Array, bytes: 4, any: () => random.normal() },
  { name: "ibin", Type: Int32Array, bytes: 4, any: () => random.bits() },
  { name: "u8bin", Type: Uint8Array, bytes: 1, any: () => random.bits() },
  { name: "i8bin", Type: Int8Array, bytes: 1, any: () => random.bits() },
] as const;

/** The file by the words of its format: counts, then each value, lowest byte first. */
function fileOf({ rows, cols, data }: Matrix, size: number): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(8 + data.length * size));
  view.setUint32(0, rows, true);
  view.setUint32(4, cols, true);
  data.forEach((value: number, at: number) => {
    if (data instanceof Float32Array) view.setFloat32(8 + 4 * at, value, true);
    else if (size === 4) view.setInt32(8 + 4 * at, value, true);
    else view.setUint8(8 + at, value);
  });
  return new Uint8Array(view.buffer);
}

const write = (format: (typeof formats)[number]["name"] | "idx", matrix: Parameters<typeof writeMatrix>[1]) =>
  collected(writeMatrix(format, matrix) as AsyncGenerator<Uint8Array>);

describe.each(formats)(".$name", ({ name, Type, bytes, any }) => {
  const matrixOf = (rows: number, cols: number): Matrix => ({
    data: Type.from(Array.from({ length: rows * cols }, any)),
    rows,
    cols,
  });
  const read = async (source: ByteSource) => collectMatrix(await openBin(source, name));

  it("is read and written byte for byte, in chunks of any size, however it comes", async () => {
    for (const [rows, cols] of [
      [1, 1],
      [13, 3],
      [100, 31],
    ]) {
      const matrix = matrixOf(rows, cols);
      const file = fileOf(matrix, bytes);
      expect(await write(name, matrix)).toEqual(file);
      expect(await write(name, { ...matrix, data: Float64Array.from(matrix.data) })).toEqual(file);
      for (const source of Object.values(everySource(file))) expect(await read(source)).toEqual(matrix);
      for (const maxRows of [1, 7, undefined]) {
        const stream = await openMatrix(bytesSource(file, `x.${name}`));
        expect(stream).toMatchObject({ rows, cols, rowBytes: cols * bytes });
        const chunks = await chunksOf(stream, maxRows);
        expect(chunks.flatMap(({ data }) => [...data])).toEqual([...matrix.data]);
        expect(chunks.every(({ data }) => data instanceof Type)).toBe(true);
      }
    }
  });

  it("gives a range of rows, of a file on disk by position", async () => {
    const [rows, cols] = [3000, 801]; // more than a megabyte lies before the range
    const matrix = matrixOf(rows, cols);
    const file = fileOf(matrix, bytes);
    const path = join(folder, `x.${name}`);
    writeFileSync(path, file);
    for (const [begin, end] of [
      [0, 5],
      [2900, 2903],
      [2999, 3000],
    ]) {
      const wanted = matrix.data.subarray(begin * cols, end * cols);
      for (const source of [await fileSource(path), pipe(file, 1 << 16, `x.${name}`)]) {
        const stream = await openMatrix(source, { begin, end });
        expect(stream.rows).toBe(end - begin);
        expect((await collectMatrix(stream)).data).toEqual(wanted);
      }
      // What a GPU would fetch itself begins at the range, too.
      const place = fetchableRowsOf(await openMatrix(await fileSource(path), { begin, end }));
      const first = new Uint8Array(cols * bytes);
      await place!.fetch(first, 0);
      expect(first).toEqual(file.slice(8 + begin * cols * bytes, 8 + (begin + 1) * cols * bytes));
    }
    const read: number[] = [];
    const disk = await fileSource(path);
    const counting = {
      ...disk,
      readInto: (target: Uint8Array, at: number) => {
        read.push(target.length);
        return disk.readInto!(target, at);
      },
    };
    await collectMatrix(await openMatrix(counting, { begin: 2900, end: 2901 }));
    expect(read.reduce((sum, length) => sum + length, 0)).toBeLessThan(1 << 17);
  });

  it.each([
    [{ begin: 3 }, "rows from 3 to the end were asked for"],
    [
      { begin: 1, end: 4 },
      "rows from 1 to 4 were asked for; expected whole numbers, begin below end; the file has rows 0 to 3",
    ],
    [{ begin: -1 }, "rows from -1"],
    [{ end: 0 }, "rows from 0 to 0"],
    [{ end: 1.5 }, "rows from 0 to 1.5"],
  ])("refuses the range %j", async (range, message) => {
    const source = bytesSource(fileOf(matrixOf(3, 2), bytes), `x.${name}`);
    await expect(openMatrix(source, range)).rejects.toThrow(message);
  });

  it("that ends too early or too late is refused at that byte, wherever it ends", async () => {
    const file = fileOf(matrixOf(2, 3), bytes);
    for (let length = 0; length < file.length; length++)
      expect(await failure(file.slice(0, length), read)).toMatch(
        new RegExp(`^byte ${length}: the file ends here`),
      );
    const longer = new Uint8Array(file.length + 1);
    longer.set(file);
    expect(await failure(longer, read)).toMatch(`byte ${file.length}: 2 rows x 3 columns end here, but`);
  });

  it.each([
    [0, 3],
    [3, 0],
    [2 ** 32 - 1, 2 ** 32 - 1],
    [2 ** 32 - 1, 7],
  ])("that claims %i x %i is refused without memory for it", async (rows, cols) => {
    const header = fileOf({ rows, cols, data: new Uint8Array(0) }, 1);
    const before = process.memoryUsage().arrayBuffers;
    expect(await failure(header, read)).toMatch(
      /^byte \d: (the file says|the file ends here|\d+ rows x \d+ columns are)/,
    );
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1e7);
  });

  it("is not written of a stream without a number of rows, and not of none", async () => {
    const matrix = matrixOf(3, 2);
    const stream = streamOf({ name: "x", cols: 2, chunks: matrixStream(matrix, "x").chunks() });
    await expect(write(name, stream)).rejects.toThrow(
      `x: tells its number of rows only at the end, but the header of ${name}`,
    );
    await expect(write(name, { data: new Type(0), rows: 0, cols: 2 })).rejects.toThrow(InvalidInputError);
    const known = streamOf({
      name: "x",
      cols: 2,
      rows: 3,
      chunks: matrixStream(matrix, "x").chunks({ maxRows: 1 }),
    });
    expect(await write(name, { ...known, chunks: (o) => known.chunks({ ...o, maxRows: 1 }) })).toEqual(
      fileOf(matrix, bytes),
    );
  });
});

it.each([
  ["fbin", 0.1],
  ["ibin", 2 ** 31],
  ["u8bin", -1],
  ["u8bin", 256],
  ["i8bin", 128],
  ["i8bin", -129],
  ["i8bin", 0.5],
] as const)(".%s refuses %d with row and column", async (name, value) => {
  const written = write(name, { data: Float64Array.of(0, 1, 2, value), rows: 2, cols: 2 });
  await expect(written).rejects.toThrow(`the matrix: row 1, column 1 is ${value}, which`);
});

describe("IDX", () => {
  it.each<[string, NumericArray, number]>([
    ["u1", Uint8Array.of(0, 255, 3, 4, 5, 6), 0x08],
    ["i1", Int8Array.of(0, -128, 3, 4, 5, 6), 0x09],
    ["i2", Int16Array.of(0, -32768, 3, 4, 5, 6), 0x0b],
    ["i4", Int32Array.of(0, -(2 ** 31), 3, 4, 5, 6), 0x0c],
    ["f4", Float32Array.of(0, -0.1, 3, 4, 5, 6), 0x0d],
    ["f8", Float64Array.of(0, -0.1, 3, 4, 5, 6), 0x0e],
  ])("of %s comes back as it was written", async (_, data, code) => {
    const matrix = { data, rows: 2, cols: 3 };
    const bytes = await write("idx", matrix);
    expect([...bytes.subarray(0, 12)]).toEqual([0, 0, code, 2, 0, 0, 0, 2, 0, 0, 0, 3]);
    expect(await readIdxMatrix(bytesSource(bytes, "x.idx"))).toEqual(matrix);
    expect((await readIdx(bytesSource(bytes, "x.idx"))).data).toBeInstanceOf(data.constructor);
  });

  it("has no uint32", async () => {
    const written = write("idx", { data: Uint32Array.of(1), rows: 1, cols: 1 });
    await expect(written).rejects.toThrow("is of Uint32Array, which IDX does not have");
  });
});

describe("ground truth", () => {
  const [queries, k] = [5, 3];
  const indices = Uint32Array.from({ length: queries * k }, () => random.bits() >>> 1);
  const distances = Float64Array.from({ length: queries * k }, () => Math.abs(random.normal()));
  const expected = () => {
    const file = new Uint8Array(8 + queries * k * 8);
    const view = new DataView(file.buffer);
    view.setUint32(0, queries, true);
    view.setUint32(4, k, true);
    indices.forEach((row, at) => {
      view.setInt32(8 + 4 * at, row, true);
    });
    distances.forEach((distance, at) => {
      view.setFloat32(8 + 4 * (queries * k + at), distance, true);
    });
    return file;
  };

  it("is all row numbers, then all distances, and comes back", async () => {
    const file = await collected(writeGroundTruth({ indices, distances, queries, k }));
    expect(file).toEqual(expected());
    for (const source of Object.values(everySource(file)))
      expect(await readGroundTruth(source)).toEqual({
        indices,
        distances: Float32Array.from(distances),
        queries,
        k,
      });
  });

  it("read as a matrix is the row numbers", async () => {
    for (const source of Object.values(everySource(expected()))) {
      const stream = await openMatrix(source, { format: "ibin" });
      expect(stream).toMatchObject({ rows: queries, cols: k });
      expect((await collectMatrix(stream)).data).toEqual(Int32Array.from(indices));
    }
    for (const extra of [-1, 1]) {
      const odd = new Uint8Array(expected().length + extra);
      odd.set(expected().subarray(0, odd.length));
      const read = async (source: ByteSource) => collectMatrix(await openMatrix(source, { format: "ibin" }));
      expect(await failure(odd, read)).toMatch(`byte ${8 + queries * k * 4}: 5 rows x 3 columns end here`);
    }
  });

  it("without distances is refused at its end", async () => {
    const half = expected().slice(0, 8 + queries * k * 4);
    expect(await failure(half, readGroundTruth)).toBe(
      "byte 68: the file ends here, but neighbours and distances of 5 queries, k = 3, need 128 bytes; it is truncated",
    );
  });

  it("refuses no neighbour, and what float32 cannot reach", async () => {
    const one = (row: number, distance: number) =>
      collected(writeGroundTruth({ indices: [row], distances: [distance], queries: 1, k: 1 }));
    await expect(one(0xffffffff, 0)).rejects.toThrow(
      "row 0, column 0 is 4294967295, which is not a whole number",
    );
    await expect(one(0, 1e300)).rejects.toThrow("is beyond the range of float32");
    expect((await one(0, 0.1)).length).toBe(16);
  });
});
