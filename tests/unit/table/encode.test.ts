import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../src/core/errors.ts";
import { readCsv } from "../../../src/io/csv.ts";
import { textSource } from "../../../src/io/source.ts";
import { encode } from "../../../src/table/encode.ts";
import { Table } from "../../../src/table/table.ts";

function failure(action: () => unknown): InvalidInputError {
  try {
    action();
  } catch (error) {
    if (error instanceof InvalidInputError) return error;
    throw error;
  }
  throw new Error("expected an InvalidInputError");
}

describe("encoding a table", () => {
  const table = Table.fromColumns({ a: [1, 2, 3], s: ["x", "y", "z"], b: [4, 5, 6] });

  it("gives float64 rows with the features in the order asked for", () => {
    expect(encode(table, ["b", "a"])).toEqual({ data: Float64Array.of(4, 1, 5, 2, 6, 3), rows: 3, cols: 2 });
  });

  it.each([1, 127, 128, 129, 300])("gives every cell its place in %i rows", (rows) => {
    const columns = Array.from({ length: 5 }, (_, j) => [
      `c${j}`,
      Float64Array.from({ length: rows }, (_, i) => 5 * i + j),
    ]);
    const { data } = encode(Table.fromColumns(Object.fromEntries(columns)), ["c0", "c1", "c2", "c3", "c4"]);
    expect(data).toEqual(Float64Array.from({ length: 5 * rows }, (_, at) => at));
  });

  it("copies, so that neither can change the other", () => {
    const values = Float64Array.of(1, 2);
    const { data } = encode(Table.fromColumns({ a: values }), ["a"]);
    data[0] = 9;
    expect(values[0]).toBe(1);
  });

  it("ignores what else the table holds, gaps and text included", () => {
    const test = Table.fromColumns({ a: [1], gaps: [null], s: ["x"] });
    expect(encode(test, ["a"], { trainedOn: "train.csv" }).data).toEqual(Float64Array.of(1));
  });

  it("refuses nominal features for now", () => {
    const error = failure(() => encode(table, ["a", "s"], { name: "train" }));
    expect(error.place).toEqual({ file: "train", column: "s" });
    expect(error.message).toContain(
      "nominal features are not supported yet: leave the column out (--features)",
    );
  });

  it("refuses missing cells for now, naming the row", () => {
    const gaps = Table.fromColumns({ a: [1, 2, 3], b: [1, null, null] });
    const error = failure(() => encode(gaps, ["a", "b"], { name: "queries" }));
    expect(error.place).toEqual({ file: "queries", column: "b" });
    expect(error.message).toContain("of row 1 (from 0) is missing");
    expect(error.message).toContain("fill the gaps or leave the column out (--features)");
  });

  it("names the file and the line when the table was read from one", async () => {
    const file = await readCsv(textSource('a,b,c\n"x\ny",1,2\nz,?,NA\nz,u,3\n', "some.csv"));
    expect(failure(() => encode(file, ["c"])).place).toEqual({ file: "some.csv", line: 4, column: "c" });
    const text = failure(() => encode(file, ["b"]));
    expect(text.place).toEqual({ file: "some.csv", line: 5, column: "b" });
    expect(text.message).toContain('"u" is not a number, so the column is nominal');
    expect(text.message).toContain("correct the cell or leave the column out");
    expect(failure(() => encode(file.take([1]), ["c"])).place.line).toBe(4);
  });

  it("refuses a test table without a feature of the training table, naming both", () => {
    const error = failure(() => encode(table, ["a", "q", "r"], { name: "test.csv", trainedOn: "train.csv" }));
    expect(error.message).toBe(
      'test.csv: lacks the columns "q", "r", features of train.csv; it has "a", "s", "b". ' +
        "Add what is missing, or choose features that both have (--features)",
    );
  });

  it("refuses unknown, repeated and no features", () => {
    expect(failure(() => encode(table, ["aa"])).message).toContain('did you mean "a"?');
    expect(failure(() => encode(table, ["a", "a"])).message).toContain("named twice");
    expect(failure(() => encode(table, [])).message).toContain("no features");
  });
});
