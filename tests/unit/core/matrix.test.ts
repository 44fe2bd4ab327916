/**
 * What callers may pass as a matrix, and the message that names what is wrong with one that cannot be used.
 */
import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../src/core/errors.ts";
import { readRow, toMatrix } from "../../../src/core/matrix.ts";
import type { MatrixLike } from "../../../src/core/matrix.ts";

const message = (input: unknown) => {
  try {
    toMatrix(input as MatrixLike, "train");
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInputError);
    return (error as Error).message;
  }
  return "accepted";
};

describe("a matrix", () => {
  it("keeps a flat array as it is, without a copy", () => {
    const data = Float32Array.of(1, 2, 3, 4, 5, 6);
    expect(toMatrix({ data, rows: 2, cols: 3 }, "train").data).toBe(data);
  });

  it("copies rows, of arrays or typed arrays, to float64", () => {
    expect(
      toMatrix(
        [
          [1, 2],
          [3, 0.1],
        ],
        "train",
      ),
    ).toMatchObject({ data: Float64Array.of(1, 2, 3, 0.1), rows: 2, cols: 2 });
    expect(toMatrix([Uint8Array.of(1, 2), Uint8Array.of(3, 4)], "train").data).toEqual(
      Float64Array.of(1, 2, 3, 4),
    );
  });

  it("takes 64-bit integers up to 2^53", () => {
    const data = BigInt64Array.of(2n ** 53n, -(2n ** 53n));
    expect(toMatrix({ data, rows: 1, cols: 2 }, "train").data).toEqual(Float64Array.of(2 ** 53, -(2 ** 53)));
  });

  it("gives its rows as float64", () => {
    const row = new Float64Array(2);
    readRow({ data: Int8Array.of(1, 2, -3, 4), rows: 2, cols: 2 }, 1, row);
    expect(row).toEqual(Float64Array.of(-3, 4));
  });
});

describe("a matrix that cannot be used is refused, naming", () => {
  it.each<[string, unknown, RegExp]>([
    [
      "the wrong length",
      { data: new Float32Array(5), rows: 2, cols: 3 },
      /^train\.data has 5 values, but 2 rows x 3 columns need 6$/,
    ],
    ["a shape that is none", { data: new Float32Array(5), rows: 2.5, cols: 2 }, /2\.5 x 2/],
    ["no columns", { data: new Float32Array(0), rows: 2, cols: 0 }, /at least one column/],
    ["no rows", { data: new Float32Array(0), rows: 0, cols: 3 }, /train has no rows/],
    ["no rows at all", [], /train has no rows/],
    ["rows without columns", [[]], /no columns/],
    ["a typed array", new Float64Array(4), /or an array of rows, not Float64Array$/],
    ["a ragged row", [[1, 2], [3]], /^train row 1 has 1 value, but row 0 has 2$/],
    ["a cell that is a bigint", [[1n]], /^train row 0, column 0 is 1n; expected a number$/],
    ["a cell that is text", [[1], ["a"]], /^train row 1, column 0 is "a"; expected a number$/],
    [
      "NaN by row and column",
      [
        [1, 2],
        [3, NaN],
      ],
      /^train row 1, column 1 is NaN/,
    ],
    [
      "infinity by row and column",
      { data: Float32Array.of(0, 0, -Infinity, 0), rows: 2, cols: 2 },
      /^train row 1, column 0 is -Infinity/,
    ],
    [
      "an integer beyond 2^53",
      { data: BigInt64Array.of(0n, 2n ** 53n + 1n), rows: 1, cols: 2 },
      /^train row 0, column 1 is 9007199254740993, beyond 2\^53/,
    ],
    ["nested arrays as data", { data: [[1]], rows: 1, cols: 1 }, /typed array/],
    ["no object", "text", /train/],
    ["nothing", undefined, /train/],
    ["null", null, /train/],
    ["a row that is missing", [[1], undefined], /train row 1/],
  ])("%s", (_, input, pattern) => {
    expect(message(input)).toMatch(pattern);
  });
});

describe("missing and nominal cells", () => {
  const flat = (data: Float64Array, more: object = {}) => ({ data, rows: 1, cols: 2, ...more });

  it("may be NaN where the matrix or the caller says so, and never infinite", () => {
    expect(() => toMatrix(flat(Float64Array.of(1, NaN)), "train")).toThrow(
      /train row 0, column 1 is NaN; .*or pass missing: "skip"/,
    );
    expect(toMatrix(flat(Float64Array.of(1, NaN)), "train", "skip").gaps).toBe(true);
    expect(toMatrix(flat(Float64Array.of(1, NaN), { gaps: true }), "train").gaps).toBe(true);
    expect(toMatrix(flat(Float64Array.of(1, 2), { gaps: true }), "train").gaps).toBe(false);
    expect(() => toMatrix(flat(Float64Array.of(1, NaN), { gaps: true }), "train", "error")).toThrow(
      /is NaN; a matrix must be finite: remove or fill such rows first$/,
    );
    expect(() => toMatrix(flat(Float64Array.of(1, Infinity)), "train", "skip")).toThrow(/is Infinity/);
  });

  it.each([NaN, Infinity, -Infinity])("are found in float32, %d at the end of a part of a buffer", (cell) => {
    const data = Float32Array.of(1, 3e38, -3e38, cell).subarray(1);
    const matrix = { data, rows: 3, cols: 1 };
    expect(() => toMatrix(matrix, "train")).toThrow(new RegExp(`^train row 2, column 0 is ${cell}`));
    expect(toMatrix({ data: data.subarray(0, 2), rows: 2, cols: 1 }, "train").rows).toBe(2);
  });

  it("are codes in nominal columns", () => {
    const kinds = ["numeric", "nominal"];
    expect(toMatrix(flat(Float64Array.of(0.5, 3), { kinds }), "train").kinds).toBe(kinds);
    expect(() => toMatrix(flat(Float64Array.of(0.5, 0.5), { kinds }), "train")).toThrow(
      /train row 0, column 1 is 0.5, but the column is nominal; expected a code/,
    );
    expect(() => toMatrix(flat(Float64Array.of(1, 2), { kinds: ["numeric"] }), "train")).toThrow(
      /train.kinds names 1 column, but train has 2/,
    );
    expect(() => toMatrix(flat(Float64Array.of(1, 2), { kinds: ["numeric", "text"] }), "train")).toThrow(
      /train.kinds of column 1 is "text"; expected numeric, nominal or binominal/,
    );
  });
});
