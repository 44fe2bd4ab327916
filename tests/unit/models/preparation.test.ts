/**
 * Steps of preparation: their definitions on small columns, what they learn from training only, and what they
 * refuse.
 */
import { describe, expect, it } from "vitest";
import { readCsv } from "../../../src/io/csv/read.ts";
import { textSource } from "../../../src/io/bytes/source.ts";
import {
  Normalize,
  ReplaceMissingValues,
  chooseFeatures,
  featuresBeside,
} from "../../../src/models/preparation/index.ts";
import type {
  NormalizeMethod,
  NormalizeOptions,
  ReplaceMissingOptions,
  Replacement,
} from "../../../src/models/preparation/index.ts";
import type { ColumnInput } from "../../../src/table/columnInput.ts";
import { cellOf, isMissing } from "../../../src/table/column.ts";
import { Table } from "../../../src/table/table.ts";

const cells = (table: Table, name = "x") =>
  Array.from({ length: table.rows }, (_, row) => cellOf(table.column(name), row));
const one = (values: ColumnInput) => Table.fromColumns({ x: values });
const normalized = (options: NormalizeOptions, train: ColumnInput, test: ColumnInput = train) =>
  cells(new Normalize(options).fit(one(train)).transform(one(test)));
const filled = (options: ReplaceMissingOptions, train: ColumnInput, test: ColumnInput = train) =>
  cells(new ReplaceMissingValues(options).fit(one(train)).transform(one(test)));

describe("Normalize", () => {
  const data = [4, 1, null, 7, 2, 9];

  it.each<[NormalizeMethod, (number | null)[]]>([
    ["z", [4, 1, null, 7, 2, 9].map((x) => (x === null ? null : (x - 4.6) / Math.sqrt(45.2 / 4)))],
    ["range", [3 / 8, 0, null, 6 / 8, 1 / 8, 1]],
    ["proportion", [4 / 23, 1 / 23, null, 7 / 23, 2 / 23, 9 / 23]],
    // Sorted 1 2 4 7 9: ranks trunc(6 / 4 - 1) = 0 and trunc(18 / 4 - 1) = 3.
    ["interquartile", [4, 1, null, 7, 2, 9].map((x) => (x === null ? null : (x - 4) / ((7 - 1) / 1.349)))],
  ])("by %s is as defined, and leaves gaps out", (method, expected) => {
    const found = normalized({ method }, data);
    expect(found.map((value) => value === null)).toEqual(expected.map((value) => value === null));
    found.forEach((value, row) => {
      if (value !== null) expect(value).toBeCloseTo(Number(expected[row]), 14);
    });
  });

  it("takes Z by default, with the sample deviation", () => {
    expect(normalized({}, [1, 2, 3])).toEqual([-1, 0, 1]);
  });

  it("maps to the range asked for and does not clip test values", () => {
    expect(normalized({ method: "range", min: -1, max: 3 }, [0, 4], [0, 2, 4, 6, -4])).toEqual([
      -1, 1, 3, 5, -5,
    ]);
  });

  it("takes the mean of the two middle values as the median of an even number", () => {
    // Sorted 1 2 6 8: ranks 0 and trunc(2.75) = 2.
    expect(normalized({ method: "interquartile" }, [8, 1, 6, 2], [4])).toEqual([0]);
    expect(normalized({ method: "interquartile" }, [8, 1, 6, 2], [9])).toEqual([5 / (5 / 1.349)]);
  });

  it.each<[NormalizeOptions, ColumnInput, number]>([
    [{ method: "z" }, [5, 5, 5], 0],
    [{ method: "z" }, [0.1, 0.1, 0.1], 0],
    [{ method: "z" }, [7], 0],
    [{ method: "interquartile" }, [1, 5, 5, 5, 5, 5, 9], 0],
    [{ method: "range" }, [5, 5], 1],
    [{ method: "range" }, [0.25, 0.25], 0.25],
    [{ method: "range", min: 2, max: 3 }, [-1, -1], 2],
  ])(
    "%j of a column without spread is the constant, whatever the test holds: %j",
    (options, train, constant) => {
      expect(normalized(options, train, [null, 100])).toEqual([null, constant]);
      expect(normalized({ ...options, compat: "rapidminer" }, train, [100])).toEqual([constant]);
    },
  );

  it("makes even gaps of a constant column the constant in compat, as RapidMiner does", () => {
    const step = new Normalize({ compat: "rapidminer" }).fit(one([5, null, 5]));
    const column = step.transform(one([null, 6])).column("x");
    expect([isMissing(column, 0), cellOf(column, 0), cellOf(column, 1)]).toEqual([false, 0, 0]);
  });

  it("computes the variance in one pass in compat and in two otherwise", () => {
    const far = [1e9, 1e9 + 1, 1e9 + 2];
    expect(normalized({}, far)).toEqual([-1, 0, 1]);
    const sum = far[0] + far[1] + far[2];
    const squares = far[0] * far[0] + far[1] * far[1] + far[2] * far[2];
    const deviation = Math.sqrt(Math.max((squares - (sum * sum) / 3) / 2, 0));
    expect(normalized({ compat: "rapidminer" }, far)).toEqual(
      far.map((x) => (deviation === 0 ? 0 : (x - sum / 3) / deviation)),
    );
    const near = [1.25, 3.5, 2.75];
    expect(normalized({ compat: "rapidminer" }, near)[0]).toBeCloseTo(Number(normalized({}, near)[0]), 12);
  });

  it("leaves columns of zeros as they are by proportion, and columns without a number by any method", () => {
    expect(normalized({ method: "proportion" }, [0, 0], [0, 3])).toEqual([0, 3]);
    for (const method of ["z", "range", "proportion", "interquartile"] as const) {
      expect(normalized({ method }, [NaN, NaN], [3, NaN])).toEqual([3, null]);
    }
  });

  it("makes integers and dates real, dates not in compat", () => {
    const table = Table.fromColumns({ i: [1, 3], d: [1000, 3000] }).withTypes({ i: "integer", d: "date" });
    const own = new Normalize().fit(table).transform(table);
    expect([own.column("i").type, own.column("d").type]).toEqual([undefined, undefined]);
    expect(cells(own, "d")).toEqual([-1 / Math.SQRT2, 1 / Math.SQRT2]);
    const theirs = new Normalize({ compat: "rapidminer" }).fit(table).transform(table);
    expect(theirs.column("d")).toBe(table.column("d"));
  });

  it("changes only numeric columns among those named, and keeps rows and the other columns", () => {
    const table = Table.fromColumns({ x: [1, 3], kind: ["a", null], y: [1, 3] });
    const made = new Normalize().fit(table, ["x", "kind"]).transform(table);
    expect(cells(made)).toEqual([-1 / Math.SQRT2, 1 / Math.SQRT2]);
    expect(made.column("kind")).toBe(table.column("kind"));
    expect(made.column("y")).toBe(table.column("y"));
  });

  it("refuses negative numbers by proportion, with their place, unless allowed", async () => {
    const table = await readCsv(textSource("x\n1\n-3\n", "some.csv"));
    expect(() => new Normalize({ method: "proportion" }).fit(table)).toThrow(
      'some.csv, line 3, column "x": is -3, and a proportion needs numbers of at least 0; allow negative ones',
    );
    expect(normalized({ method: "proportion", allowNegative: true }, [1, -3])).toEqual([0.25, -0.75]);
  });

  it("refuses what cannot be normalised", async () => {
    expect(() => new Normalize({ method: "log" as NormalizeMethod })).toThrow(
      'unknown normalisation "log"; expected z, range, proportion or interquartile',
    );
    expect(() => new Normalize({ min: 1, max: 1 })).toThrow(
      "the range is from 1 to 1; max must be above min",
    );
    expect(() => new Normalize().transform(one([1]))).toThrow("Normalize is not fitted yet; call fit(table)");
    expect(() => new Normalize().fit(one([1e200, -1e200]))).toThrow('column "x": holds numbers too large');
    const step = new Normalize().fit(one([1, 2]));
    expect(() => step.transform(Table.fromColumns({ z: [1] }))).toThrow('there is no column "x"');
    const text = await readCsv(textSource("x\n1\none\n", "test.csv"));
    expect(() => step.transform(text)).toThrow(
      'test.csv, line 3, column "x": is nominal here ("one" is not a number) but numeric in training; read it the same way',
    );
  });

  it("is the same again from its state, through JSON", () => {
    const train = Table.fromColumns({ x: [0.1, 0.2, 0.7], c: [-0, -0, -0], n: [null, null, null] });
    for (const options of [
      {},
      { method: "range", min: -1 },
      { method: "interquartile" },
    ] as NormalizeOptions[]) {
      const step = new Normalize(options).fit(train);
      const again = Normalize.fromState(
        JSON.parse(JSON.stringify(step.toState())) as ReturnType<Normalize["toState"]>,
      );
      expect(again.transform(train)).toEqual(step.transform(train));
      expect(again.toState()).toEqual(step.toState());
    }
  });
});

describe("ReplaceMissingValues", () => {
  it.each<[Replacement, (number | null)[], number]>([
    ["average", [1.5, null, 2.25], 1.875],
    ["average", [1, 2, null], 2],
    ["average", [-1, -2, null], -1],
    ["minimum", [3, null, -1], -1],
    ["maximum", [3, null, -1], 3],
    ["zero", [3, null, -1], 0],
  ])("by %s fills the gaps of %j with %d, whole means rounded half up", (by, train, value) => {
    expect(filled({ by }, train, [null, 7])).toEqual([value, 7]);
  });

  it("rounds the mean of integers, not that of a column declared real, and has none of dates", () => {
    const table = one([1, 2, null]);
    const mean = (type: "real" | "integer" | "date") => {
      const typed = table.withTypes({ x: type });
      const step = new ReplaceMissingValues().fit(typed);
      return [cells(step.transform(typed))[2], step.unfilled];
    };
    expect(mean("integer")).toEqual([2, []]);
    expect(mean("real")).toEqual([1.5, []]);
    expect(mean("date")).toEqual([null, ["x"]]);
  });

  it("leaves a binominal column binominal as long as it has two values", () => {
    const table = one(["no", "yes", null]).withTypes({ x: "binominal" });
    const typeAfter = (options: ReplaceMissingOptions) =>
      new ReplaceMissingValues(options).fit(table).transform(table).column("x").type;
    expect(typeAfter({})).toBe("binominal");
    expect(typeAfter({ by: "value", value: "?" })).toBeUndefined();
  });

  it("takes the first nominal value to reach the highest count", () => {
    expect(filled({}, ["a", "b", "b", "a", null])).toEqual(["a", "b", "b", "a", "b"]);
    expect(filled({}, ["a", "b", null, "b", "a", "a"], [null])).toEqual(["a"]);
  });

  it("fills with the value given, as a number or as a text", () => {
    expect(filled({ by: "value", value: 7 }, [1, null])).toEqual([1, 7]);
    expect(filled({ by: "value", value: "7" }, [1, null])).toEqual([1, 7]);
    expect(filled({ by: "value", value: 7 }, ["a", null])).toEqual(["a", "7"]);
    expect(filled({ by: "value", value: "none" }, ["a", null])).toEqual(["a", "none"]);
    expect(() => new ReplaceMissingValues({ by: "value", value: "none" }).fit(one([1]))).toThrow(
      'column "x": is numeric, but the value for gaps is "none"; give a number, or leave the column out',
    );
  });

  it("fills a test column without any value, whatever kind it was read as", () => {
    expect(filled({}, ["a", "b"], [null])).toEqual(["a"]);
    const empty = Table.fromColumns({ x: ["text", null] }).take([1]);
    expect(cells(new ReplaceMissingValues().fit(one([1, 4])).transform(empty))).toEqual([3]);
    expect(cells(new Normalize().fit(one([1, 4])).transform(empty))).toEqual([null]);
  });

  it("leaves the dictionaries of train and test alone", () => {
    const test = one(["c", null]);
    expect(filled({}, ["a", "b", "b"], ["c", null])).toEqual(["c", "b"]);
    new ReplaceMissingValues().fit(one(["b"])).transform(test);
    expect(test.column("x")).toEqual(one(["c", null]).column("x"));
  });

  it("names columns with gaps that nothing fills", () => {
    const train = Table.fromColumns({ x: [NaN], kind: ["a"], gaps: ["a"] });
    const gappy = Table.fromColumns({ x: [NaN, NaN], kind: ["a", "b"], gaps: ["a", null] });
    const step = new ReplaceMissingValues({ by: "minimum" }).fit(gappy);
    expect(step.unfilled).toEqual(["x", "gaps"]);
    expect(cells(step.transform(gappy), "gaps")).toEqual(["a", null]);
    expect(new ReplaceMissingValues().fit(train).unfilled).toEqual(["x"]);
  });

  it("refuses what it cannot do", () => {
    expect(() => new ReplaceMissingValues({ by: "median" as Replacement })).toThrow(
      'unknown replacement "median"; expected average, minimum, maximum, zero or value',
    );
    expect(() => new ReplaceMissingValues({ by: "value" })).toThrow('the replacement "value" needs a value');
    expect(() => new ReplaceMissingValues({ value: 3 })).toThrow('the replacement "average" takes no value');
    expect(() => new ReplaceMissingValues({ by: "value", value: Infinity })).toThrow(
      "expected a finite number",
    );
    expect(() => new ReplaceMissingValues().transform(one([1]))).toThrow("not fitted yet");
    expect(() => new ReplaceMissingValues().fit(one([1])).transform(one(["a"]))).toThrow(
      "nominal here but numeric",
    );
    expect(() => new ReplaceMissingValues().fit(one(["a"])).transform(one([1]))).toThrow(
      "numeric here but nominal",
    );
  });

  it("is the same again from its state, through JSON", () => {
    const train = Table.fromColumns({ x: [-0, NaN], kind: ["ä", null] });
    const step = new ReplaceMissingValues().fit(train);
    const state = JSON.parse(JSON.stringify(step.toState())) as ReturnType<ReplaceMissingValues["toState"]>;
    expect(ReplaceMissingValues.fromState(state).transform(train)).toEqual(step.transform(train));
  });
});

describe("features", () => {
  const table = Table.fromColumns({ sku: ["a"], x: [1], w: [2], y: [3] });

  it("are all columns but the label and those with a role", () => {
    expect(chooseFeatures(table, {}, "y")).toEqual(["sku", "x", "w"]);
    expect(chooseFeatures(table, { roles: { id: "sku", weight: "w" } }, "y")).toEqual(["x"]);
    expect(chooseFeatures(table, { features: ["w", "x"], roles: { id: "sku" } }, "y")).toEqual(["w", "x"]);
  });

  it.each([
    [{ roles: { id: "y" } }, 'column "y" is both the label and the id; choose one'],
    [{ roles: { id: "x", weight: "x" } }, 'column "x" is both the id and the weight; choose one'],
    [{ features: ["x", "y"] }, 'column "y" is both the label and a feature; choose one'],
    [{ roles: { id: "skq" } }, 'there is no column "skq" (did you mean "sku"?)'],
    [
      { roles: { id: "sku", weight: "w", time: "x" } },
      "the table: has no columns to compare besides the label and the id and the weight and the time; add at least one",
    ],
  ])("%j are refused", (options, message) => {
    expect(() => chooseFeatures(table, options, "y")).toThrow(message);
  });

  it("of which none is left are refused in a whole sentence, whatever is special", () => {
    expect(() => chooseFeatures(table, { features: [] })).toThrow(
      "the table: has no columns to compare; add at least one",
    );
    const special = new Map([
      ["sku", "--id"],
      ["x", "--ignore"],
      ["w", "--ignore"],
      ["y", "the label"],
    ]);
    expect(() => featuresBeside(table, special, undefined, "among --columns")).toThrow(
      "the table: has no columns to compare among --columns besides --id and --ignore and the label; add at least one",
    );
  });
});
