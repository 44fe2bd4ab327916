import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCsv } from "../../../src/io/csv/read.ts";
import { textSource } from "../../../src/io/bytes/source.ts";
import type { ColumnInput } from "../../../src/table/columnInput.ts";
import {
  checkLabelKind,
  compareCodePoints,
  labelsByAppearance,
  labelsOf,
} from "../../../src/table/classes.ts";
import { Table } from "../../../src/table/table.ts";

const column = (values: ColumnInput) => Table.fromColumns({ y: values }).column("y");

describe("classes", () => {
  it("of numbers ascend by value, not as text", () => {
    expect(labelsOf(column([10, 9, -1, 9, 2.5]))).toEqual({
      classes: [-1, 2.5, 9, 10],
      codes: Uint32Array.of(3, 2, 0, 2, 1),
    });
  });

  it("of strings ascend by code point, not by locale", () => {
    const { classes, codes } = labelsOf(column(["b", "a", "Z", "ä", "10", "9", "b", ""]));
    expect(classes).toEqual(["", "10", "9", "Z", "a", "b", "ä"]);
    expect(codes).toEqual(Uint32Array.of(5, 4, 3, 6, 1, 2, 5, 0));
  });

  it("of strings beyond U+FFFF come last, although their UTF-16 units do not", () => {
    expect(labelsOf(column(["😀", "\uFFFD", "\uE000", "\uF900"])).classes).toEqual([
      "\uE000",
      "\uF900",
      "\uFFFD",
      "😀",
    ]);
  });

  it("are ordered as UTF-8 bytes are", () => {
    const utf8 = (text: string) => Buffer.from(text, "utf8");
    const unit = fc.constantFrom(
      "a",
      "b",
      "é",
      "\uD7FF",
      "\uE000",
      "\uFFFF",
      "\u{10000}",
      "\u{10FFFF}",
      "😀",
    );
    const text = fc.array(unit, { maxLength: 4 }).map((units) => units.join(""));
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareCodePoints(a, b))).toBe(Buffer.compare(utf8(a), utf8(b)));
      }),
      { numRuns: 1000 },
    );
  });

  it("are only those that occur", () => {
    const table = Table.fromColumns({ y: ["c", "b", "a"] }).take([0, 2]);
    expect(labelsOf(table.column("y"))).toEqual({ classes: ["a", "c"], codes: Uint32Array.of(1, 0) });
  });

  it("count 0 and -0 as one", () => {
    expect(labelsOf(column([0, -0, 1]))).toEqual({ classes: [0, 1], codes: Uint32Array.of(0, 0, 1) });
  });
});

describe("RapidMiner's classes", () => {
  it("of strings are all values of the dictionary in its order, and a missing label is class 0", () => {
    const table = Table.fromColumns({ y: ["c", "b", null, "a"] }).take([3, 2, 1]);
    expect(labelsByAppearance(table.column("y"))).toEqual({
      classes: ["c", "b", "a"],
      codes: Uint32Array.of(2, 0, 1),
    });
  });

  it("of numbers are numbered by first appearance", () => {
    expect(labelsByAppearance(column([null, 7, 3, 7]))).toEqual({
      classes: [7, 3],
      codes: Uint32Array.of(0, 0, 1, 0),
    });
  });

  it("need one label at least", async () => {
    const table = await readCsv(textSource("x,y\n1,\n2,\n", "some.csv"));
    expect(() => labelsByAppearance(table.column("y"), table.origin)).toThrow(
      'some.csv, column "y": every label is missing; give at least one row a label',
    );
  });
});

describe("a missing label", () => {
  it("is an error with its row", () => {
    expect(() => labelsOf(column(["a", null]))).toThrow('column "y": the label of row 1 (from 0) is missing');
    expect(() => labelsOf(column([1, 2, NaN]))).toThrow("row 2");
  });

  it("is an error with file and line when they are known", async () => {
    const table = await readCsv(textSource('x,y\n1,a\n"2\n",b\n3,\n', "some.csv"));
    expect(() => labelsOf(table.column("y"), table.origin)).toThrow(
      'some.csv, line 5, column "y": the label is missing',
    );
  });
});

describe("labels of another table", () => {
  it("may be others than those of the training table", () => {
    expect(() => checkLabelKind(column(["d", null]), ["a", "c"])).not.toThrow();
    expect(() => checkLabelKind(column([7, null]), [0, 3])).not.toThrow();
    expect(() => checkLabelKind(column([7]), [])).not.toThrow();
  });

  it("must be of the same kind", async () => {
    expect(() => checkLabelKind(column([1, 2]), ["1", "2"])).toThrow(
      "numeric here but nominal in the training table",
    );
    const table = await readCsv(textSource("x,y\n1,1\n2,b\n", "test.csv"));
    expect(() => checkLabelKind(table.column("y"), [1, 2], table.origin)).toThrow(
      'test.csv, column "y": the label is nominal here (line 3 is "b") but numeric in the training table',
    );
  });
});
