/** Rows of few columns that are copied word by word: to the bit, and as rows that are prepared are. */
import { describe, expect, it } from "vitest";
import { toMatrix } from "../../../src/core/matrix.ts";
import { pointSources } from "../../../src/ops/knn/plan/treeSources.ts";
import type { HostSource, RowSet } from "../../../src/runtime/source.ts";

/** Words that copies of numbers may change: a NaN with a payload, -0, and a subnormal. */
const WORDS = [0x7fa12345, 0x80000000, 0x00000001];

/** A source that marks what it is asked for. */
const prepared: HostSource = {
  rows: 4,
  rowBytes: () => 16,
  fill: (_part, _rows, target) => void target.fill(7),
};
const [train, queries] = [prepared, prepared];

function matrixOf(cols: number) {
  const words = Uint32Array.from({ length: 1 + 4 * cols }, (_, at) => WORDS[at] ?? 100 + at);
  // It begins within its buffer.
  return { data: new Float32Array(words.buffer, 4), rows: 4, cols };
}

function filled(source: HostSource, part: string, rows: RowSet, count: number): Uint32Array {
  const bytes = new Uint8Array(8 + 16 * count).fill(9);
  source.fill(part, rows, bytes.subarray(8));
  expect([...bytes.subarray(0, 8)]).toEqual(new Array(8).fill(9));
  return new Uint32Array(bytes.buffer, 8);
}

describe("sources of points", () => {
  it.each([1, 2, 3])("spread rows of %i words to four, the others 0", (cols) => {
    const matrix = matrixOf(cols);
    const words = new Uint32Array(matrix.data.buffer, 4);
    const sources = pointSources({ train, queries }, matrix, matrix);
    expect(Object.keys(sources)).toEqual(["train", "queries"]);
    const rows = [1, 2, 3].flatMap((row) =>
      [0, 1, 2, 3].map((column) => (column < cols ? words[row * cols + column] : 0)),
    );
    expect([...filled(sources.train, "raw", { begin: 1, end: 4 }, 3)]).toEqual(rows);
  });

  it("leave what is no run of raw rows to those that prepare it", () => {
    const sources = pointSources({ train, queries }, matrixOf(3), matrixOf(3));
    const marked = [...filled(prepared, "raw", { begin: 0, end: 2 }, 2)];
    expect([...filled(sources.queries, "raw", Uint32Array.of(2, 0), 2)]).toEqual(marked);
    expect([...filled(sources.queries, "meta", { begin: 0, end: 2 }, 2)]).toEqual(marked);
    expect([sources.queries.rows, sources.queries.rowBytes("raw")]).toEqual([4, 16]);
  });

  it.each([1, 2, 3])("leave rows of %i columns as they lie, float64 rounded to float32", (cols) => {
    const numbers = Float64Array.from({ length: 4 * cols }, (_, at) => 1 / (3 + at));
    const doubles = toMatrix({ data: numbers, rows: 4, cols }, "queries");
    const sources = pointSources({ train, queries }, matrixOf(cols), doubles);
    expect(sources.queries.rowBytes("packed")).toBe(4 * cols);
    const floats = new Uint32Array(Float32Array.from(numbers).buffer);
    const packed = filled(sources.queries, "packed", { begin: 1, end: 4 }, 3);
    expect([...packed.subarray(0, 3 * cols)]).toEqual([...floats.subarray(cols)]);
    const chosen = filled(sources.queries, "packed", Uint32Array.of(2, 0), 2);
    const rows = [...floats.subarray(2 * cols, 3 * cols), ...floats.subarray(0, cols)];
    expect([...chosen.subarray(0, 2 * cols)]).toEqual(rows);
  });

  it("are for rows of up to three columns alone", () => {
    expect(pointSources({ train, queries }, matrixOf(4), matrixOf(4))).toEqual({});
  });
});
