import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../src/core/errors.ts";
import { readCsv } from "../../../src/io/csv/read.ts";
import { textSource } from "../../../src/io/bytes/source.ts";
import { encode, encoding } from "../../../src/table/encode.ts";
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
    expect(encode(table, ["b", "a"])).toEqual({
      data: Float64Array.of(4, 1, 5, 2, 6, 3),
      rows: 3,
      cols: 2,
      gaps: false,
    });
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

  it("refuses nominal features for a metric of numbers, and numbers for one of nominal values", () => {
    const error = failure(() => encode(table, ["a", "s"], { name: "train", metric: "manhattan" }));
    expect(error.place).toEqual({ file: "train", column: "s" });
    expect(error.message).toContain(
      "manhattan takes numeric columns only: leave the column out (option features), or use the metric mixed_euclidean",
    );
    const metric = "rapidminer:NominalDistance";
    expect(failure(() => encode(table, ["s", "a"], { metric })).message).toContain(
      `${metric} takes nominal columns only`,
    );
    const either = "rapidminer:DiceSimilarity";
    expect(failure(() => encode(table, ["s", "a"], { metric: either })).place.column).toBe("a");
  });

  it("makes nominal values codes, in the order of their first appearance", () => {
    const made = encode(Table.fromColumns({ a: [1, 2, 3], s: ["y", "x", "y"] }), ["s", "a"]);
    expect([...made.data]).toEqual([0, 1, 1, 2, 0, 3]);
    expect(made.kinds).toEqual(["nominal", "numeric"]);
    expect(made.gaps).toBe(false);
  });

  it("gives nominal values of a test table the codes of the training table, by string", () => {
    const train = Table.fromColumns({ s: ["a", "b", "c"] }).withTypes({ s: "polynominal" });
    const test = Table.fromColumns({ s: ["c", "B", "a", null, "z", "B"] });
    const encoded = encode(test, ["s"], { train });
    expect([...encoded.data]).toEqual([2, 3, 0, NaN, 4, 3]);
    expect(encoded.gaps).toBe(true);
    expect([...encode(test, ["s"], { train, unseen: "missing" }).data]).toEqual([2, NaN, 0, NaN, NaN, NaN]);
  });

  it("takes whether a column is binominal from the training table", () => {
    const train = Table.fromColumns({ s: ["no", "yes"], n: [0, 1] }).withTypes({
      s: "binominal",
      n: "integer",
    });
    expect(encode(Table.fromColumns({ n: [1], s: ["yes"] }), ["s", "n"], { train }).kinds).toEqual([
      "binominal",
      "numeric",
    ]);
  });

  it("refuses a column that is nominal in one table and numeric in the other, but not one of gaps alone", () => {
    const train = Table.fromColumns({ s: ["a", "b"] });
    const error = failure(() =>
      encode(Table.fromColumns({ s: [1] }), ["s"], { train, trainedOn: "train.csv" }),
    );
    expect(error.message).toContain(
      "the column is numeric here but nominal in train.csv; read it the same way in both (option nominal: s)",
    );
    expect([...encode(Table.fromColumns({ s: [null, null] }), ["s"], { train }).data]).toEqual([NaN, NaN]);
  });

  it("makes missing cells NaN, and refuses them where they are errors, naming the row", () => {
    const gaps = Table.fromColumns({ a: [1, 2, 3], b: [1, null, null] });
    expect(encode(gaps, ["b", "a"])).toMatchObject({
      data: Float64Array.of(1, 1, NaN, 2, NaN, 3),
      gaps: true,
    });
    const error = failure(() => encode(gaps, ["a", "b"], { name: "queries", missing: "error" }));
    expect(error.place).toEqual({ file: "queries", column: "b" });
    expect(error.message).toContain(
      "of row 1 (from 0) is missing; fill the gaps, leave the column out (option features)",
    );
  });

  it("names the file and the line when the table was read from one", async () => {
    const file = await readCsv(textSource('a,b,c\n"x\ny",1,2\nz,?,NA\nz,u,3\n', "some.csv"));
    expect(failure(() => encode(file, ["c"], { missing: "error" })).place).toEqual({
      file: "some.csv",
      line: 4,
      column: "c",
    });
    const text = failure(() => encode(file, ["b"], { metric: "euclidean" }));
    expect(text.place).toEqual({ file: "some.csv", line: 5, column: "b" });
    expect(text.message).toContain('"u" is not a number, so the column is nominal');
    expect(text.message).toContain("correct the cell, leave the column out");
    expect(failure(() => encode(file.take([1]), ["c"], { missing: "error" })).place.line).toBe(4);
  });

  it("refuses a test table without a feature of the training table, naming both", () => {
    const error = failure(() => encode(table, ["a", "q", "r"], { name: "test.csv", trainedOn: "train.csv" }));
    expect(error.message).toBe(
      'test.csv: there are no columns "q", "r", features of train.csv; there are "a", "s", "b". ' +
        "Add what is missing, or choose features that both have (option features)",
    );
  });

  it("refuses unknown, repeated and no features", () => {
    expect(failure(() => encode(table, ["aa"])).message).toContain('did you mean "a"?');
    expect(failure(() => encode(table, ["a", "a"])).message).toContain("named twice");
    expect(failure(() => encode(table, [])).message).toContain("no features");
  });
});

describe("encoding a large table", () => {
  it("may pause after some thousand cells, and gives what encode gives", () => {
    const values = Float64Array.from({ length: 100_000 }, (_, row) => Math.sin(row));
    const large = Table.fromColumns({ x: values, y: values.map((value) => value * 2) });
    const work = encoding(large, ["y", "x"]);
    let pauses = 0;
    let next = work.next();
    for (; !next.done; next = work.next()) pauses++;
    expect(pauses).toBeGreaterThanOrEqual(200_000 / 2 ** 16);
    expect(next.value).toEqual(encode(large, ["y", "x"]));
  });
});
