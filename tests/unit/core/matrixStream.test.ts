import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../src/core/errors.ts";
import type { Matrix } from "../../../src/core/matrix.ts";
import { collectMatrix, matrixStream, streamOf } from "../../../src/core/matrixStream.ts";
import type { MatrixStream } from "../../../src/core/matrixStream.ts";

const counted = (rows: number, cols: number, from = 0): Matrix => ({
  data: Int16Array.from({ length: rows * cols }, (_, at) => from + at),
  rows,
  cols,
});

async function* given(...matrices: readonly Matrix[]): AsyncGenerator<Matrix> {
  for (const matrix of matrices) yield await Promise.resolve(matrix);
}

async function shapes(stream: MatrixStream, maxRows?: number): Promise<number[]> {
  const rows: number[] = [];
  let next = 0;
  for await (const chunk of stream.chunks(maxRows === undefined ? {} : { maxRows })) {
    expect(chunk.data).toEqual(counted(chunk.rows, chunk.cols, next).data);
    next += chunk.data.length;
    rows.push(chunk.rows);
  }
  return rows;
}

describe("a stream of a matrix in memory", () => {
  const matrix = counted(7, 3);

  it("gives all rows in order, as many at a time as asked, as often as asked", async () => {
    const stream = matrixStream(matrix, "train");
    expect(stream).toMatchObject({ name: "train", rows: 7, cols: 3, rowBytes: 6, once: false });
    expect(await shapes(stream, 1)).toEqual([1, 1, 1, 1, 1, 1, 1]);
    expect(await shapes(stream, 3)).toEqual([3, 3, 1]);
    expect(await shapes(stream, 7)).toEqual([7]);
    expect(await shapes(stream, 8)).toEqual([7]);
    expect(await shapes(stream)).toEqual([7]);
  });

  it("copies nothing", async () => {
    for await (const { data } of matrixStream(matrix, "train").chunks({ maxRows: 2 })) {
      expect(data.buffer).toBe(matrix.data.buffer);
    }
    expect((await collectMatrix(matrixStream(matrix, "train"))).data).toBe(matrix.data);
  });

  it("gives chunks of about 4 MiB unless told otherwise, and rows longer than that one by one", async () => {
    const wide = (rows: number, cols: number) =>
      matrixStream({ data: new Uint8Array(rows * cols), rows, cols }, "wide");
    const sizes = async (stream: MatrixStream) => {
      const rows: number[] = [];
      for await (const chunk of stream.chunks()) rows.push(chunk.rows);
      return rows;
    };
    expect(await sizes(wide(9, 2 ** 20))).toEqual([4, 4, 1]);
    expect(await sizes(wide(2, 5 * 2 ** 20))).toEqual([1, 1]);
  });

  it.each([0, -1, 1.5, NaN])("refuses chunks of %s rows", async (maxRows) => {
    await expect(shapes(matrixStream(matrix, "train"), maxRows)).rejects.toThrow(`maxRows is ${maxRows}`);
    const streamed = streamOf({ name: "x", cols: 3, chunks: given(matrix) });
    await expect(shapes(streamed, maxRows)).rejects.toThrow(InvalidInputError);
  });

  it("stops when the signal says so, with its reason", async () => {
    const abort = new AbortController();
    const seen: number[] = [];
    const run = async () => {
      for await (const { rows } of matrixStream(matrix, "x").chunks({ maxRows: 2, signal: abort.signal })) {
        seen.push(rows);
        abort.abort(new Error("enough"));
      }
    };
    await expect(run()).rejects.toThrow("enough");
    expect(seen).toEqual([2]);
  });
});

describe("a stream of matrices of any size", () => {
  const parts = [counted(2, 2), counted(5, 2, 4), counted(1, 2, 14), counted(0, 2), counted(3, 2, 16)];

  it("cuts and joins them into the chunks asked for", async () => {
    const stream = () => streamOf({ name: "x", cols: 2, chunks: given(...parts) });
    expect(await shapes(stream(), 1)).toEqual(new Array<number>(11).fill(1));
    expect(await shapes(stream(), 3)).toEqual([3, 3, 3, 2]);
    expect(await shapes(stream(), 4)).toEqual([4, 4, 3]);
    expect(await shapes(stream(), 11)).toEqual([11]);
    expect(await shapes(stream())).toEqual([11]);
    const whole = await collectMatrix(stream());
    expect(whole).toEqual(counted(11, 2));
    expect(whole.data).toBeInstanceOf(Int16Array);
  });

  it("is passed over once when it is an iterable, and as often as wanted when it is a function", async () => {
    const iterable = streamOf({ name: "x", cols: 2, chunks: given(...parts) });
    expect(iterable.once).toBe(true);
    await shapes(iterable, 4);
    await expect(shapes(iterable, 4)).rejects.toThrow("x: can be read only once");
    const again = streamOf({ name: "x", cols: 2, rows: 11, chunks: () => given(...parts) });
    expect(again).toMatchObject({ once: false, rows: 11 });
    expect(await shapes(again, 6)).toEqual(await shapes(again, 6));
  });

  it("refuses other columns, other types and other numbers of rows than announced", async () => {
    const of = (rows: number | undefined, ...chunks: Matrix[]) =>
      collectMatrix(
        streamOf({ name: "x", cols: 2, chunks: given(...chunks), ...(rows === undefined ? {} : { rows }) }),
      );
    await expect(of(undefined, counted(2, 2), counted(2, 3))).rejects.toThrow("x: row 2 has 3 columns");
    const floats = { data: new Float64Array(2), rows: 1, cols: 2 };
    await expect(of(undefined, counted(2, 2), floats)).rejects.toThrow("Int16Array and of Float64Array");
    const whole = streamOf({ name: "x", cols: 2, chunks: given(counted(1, 2), floats) }).chunks({
      maxRows: 1,
    });
    const read = async () => {
      for await (const { rows } of whole) expect(rows).toBe(1);
    };
    await expect(read()).rejects.toThrow(
      "x: gives chunks of Int16Array and of Float64Array; expected one type",
    );
    await expect(of(3, counted(2, 2))).rejects.toThrow("x: holds 2 rows, but 3 were announced");
    await expect(of(1, counted(2, 2))).rejects.toThrow("x: holds 2 rows, but 1 were announced");
  });

  it("without rows collects into a matrix without rows", async () => {
    const empty = streamOf({ name: "x", cols: 2, chunks: given() });
    expect(await collectMatrix(empty)).toEqual({ data: new Float64Array(0), rows: 0, cols: 2 });
  });
});
