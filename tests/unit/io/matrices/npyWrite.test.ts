import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../../src/core/errors.ts";
import type { Matrix, NumericArray } from "../../../../src/core/matrix.ts";
import { matrixStream, streamOf } from "../../../../src/core/matrixStream.ts";
import { readNpy } from "../../../../src/io/npy/read.ts";
import { writeNpy } from "../../../../src/io/npy/write.ts";
import { bytesSource } from "../../../../src/io/bytes/source.ts";
import { collected, fixture, plainFixture } from "./matrixHelpers.ts";

const files = [
  ["f4_little.npy", Float32Array],
  ["f8_little.npy", Float64Array],
  ["i1_little.npy", Int8Array],
  ["i2_little.npy", Int16Array],
  ["i4_little.npy", Int32Array],
  ["u1_little.npy", Uint8Array],
  ["u1_little.npy", Uint8ClampedArray],
  ["u2_little.npy", Uint16Array],
  ["u4_little.npy", Uint32Array],
  ["no_rows.npy", Float32Array],
] as const;

describe("writeNpy", () => {
  it.each(files)("writes the bytes numpy writes: %s", async (name, Type) => {
    const { rows, cols, values } = plainFixture(name);
    const matrix: Matrix = { data: Type.from(values), rows, cols };
    if (rows > 0) expect(await collected(writeNpy(matrix))).toEqual(fixture(name));
    const bytes = await collected(writeNpy(matrix));
    const back = await readNpy(bytesSource(bytes, name));
    expect([back.rows, back.cols, ...back.data]).toEqual([rows, cols, ...values]);
  });

  it("writes a typed array as an array of one axis, as numpy does", async () => {
    const { values } = plainFixture("one_axis.npy");
    expect(await collected(writeNpy(Float32Array.from(values)))).toEqual(fixture("one_axis.npy"));
  });

  it("writes a view on a larger buffer and nothing beside it", async () => {
    const { values } = plainFixture("one_axis.npy");
    const larger = Float32Array.of(9, ...values, 9);
    expect(await collected(writeNpy(larger.subarray(1, 1 + values.length)))).toEqual(fixture("one_axis.npy"));
  });

  it("writes shared memory as bytes of its own, which Blob takes", async () => {
    const { values } = plainFixture("one_axis.npy");
    const shared = new Float32Array(new SharedArrayBuffer(4 * values.length));
    shared.set(values);
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    for await (const piece of writeNpy(shared)) pieces.push(piece);
    expect(new Uint8Array(await new Blob(pieces).arrayBuffer())).toEqual(fixture("one_axis.npy"));
  });

  it("writes a stream of unknown length and then its header, the same bytes", async () => {
    const { rows, cols, values } = plainFixture("i2_little.npy");
    const matrix: Matrix = { data: Int16Array.from(values), rows, cols };
    const chunks = () => matrixStream(matrix, "x").chunks({ maxRows: 1 });
    const rewrites: Uint8Array[] = [];
    const written = await collected(
      writeNpy(streamOf({ name: "x", cols, chunks }), { rewriteStart: (bytes) => void rewrites.push(bytes) }),
    );
    expect(await collected(writeNpy(streamOf({ name: "x", cols, rows, chunks })))).toEqual(
      fixture("i2_little.npy"),
    );
    expect(rewrites).toHaveLength(1);
    expect(Buffer.from(written.subarray(0, rewrites[0].length)).toString()).toContain("'shape': (0, 2)");
    written.set(rewrites[0]);
    expect(written).toEqual(fixture("i2_little.npy"));
  });

  it("refuses a stream of unknown length where the start cannot be rewritten, before writing", async () => {
    const stream = streamOf({ name: "rows.csv", cols: 1, chunks: () => matrixStream(one, "x").chunks() });
    const first = writeNpy(stream).next();
    await expect(first).rejects.toThrow(InvalidInputError);
    await expect(first).rejects.toThrow("rows.csv: tells its number of rows only at the end");
  });

  it.each([
    [[[1, 2]], "an array"],
    [{ rows: 1, cols: 2 }, "object"],
    [5, "number"],
    [undefined, "undefined"],
  ])("refuses what is no matrix: %j", async (given, name) => {
    const first = writeNpy(given as never).next();
    await expect(first).rejects.toThrow(InvalidInputError);
    await expect(first).rejects.toThrow(
      `the matrix must be { data, rows, cols } or a stream of rows, not ${name}`,
    );
  });

  it("has a header of one length for any number of rows", async () => {
    const lengths = new Set<number>();
    for (const rows of [1, 9, 10, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
      const announced = { ...matrixStream(one, "x"), rows };
      const { value } = await writeNpy(announced).next();
      lengths.add((value as Uint8Array).length);
    }
    expect([...lengths]).toEqual([128]);
  });

  it("writes a stream without rows as float64", async () => {
    const empty = streamOf({ name: "x", cols: 3, rows: 0, chunks: () => matrixStream(none, "x").chunks() });
    const back = await readNpy(bytesSource(await collected(writeNpy(empty)), "x.npy"));
    expect(back).toEqual({ data: new Float64Array(0), rows: 0, cols: 3 });
  });

  it("never writes another number of rows than its header says, or another type", async () => {
    const fewer = { ...matrixStream(one, "x"), rows: 2 };
    await expect(collected(writeNpy(fewer))).rejects.toThrow("x gives 1 rows, not 2");
    async function* mixed(): AsyncGenerator<Matrix> {
      yield await Promise.resolve(one);
      yield { ...one, data: new Float32Array(1) };
    }
    const stream = { ...matrixStream(one, "x"), rows: 2, chunks: mixed };
    await expect(collected(writeNpy(stream))).rejects.toThrow("x gives chunks of several types");
  });

  it("stops when the signal says so, with its reason", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(collected(writeNpy(one, { signal }))).rejects.toThrow("enough");
  });
});

const data: NumericArray = Uint8Array.of(7);
const one: Matrix = { data, rows: 1, cols: 1 };
const none: Matrix = { data: new Uint8Array(0), rows: 0, cols: 3 };
