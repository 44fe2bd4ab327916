import { describe, expect, it } from "vitest";
import { nearestName } from "../../../src/core/nearestName.ts";
import { InvalidInputError } from "../../../src/core/errors.ts";
import { listNames, repeatedName, unknownColumn } from "../../../src/table/names.ts";
import { Table } from "../../../src/table/table.ts";

describe("column names in errors", () => {
  it("are listed in quotes", () => {
    expect(listNames(["a", "b c", 'd"'])).toBe('"a", "b c", "d\\""');
  });

  it("are cut after twenty", () => {
    const names = Array.from({ length: 785 }, (_, j) => `p${j}`);
    expect(listNames(names)).toMatch(/^"p0", .*"p19" and 765 more$/);
    expect(listNames(names.slice(0, 20))).toMatch(/"p19"$/);
  });

  it.each([
    ["label", ["id", "Label", "lab"], "Label"],
    ["speices", ["sepal", "species", "spines"], "species"],
    [" b", ["a", "b"], "b"],
    ["colour", ["color", "colon"], "color"],
    ["x2", ["x1", "y"], "x1"],
  ])("suggest the nearest one: %s", (wanted, names, nearest) => {
    expect(nearestName(wanted, names)).toBe(nearest);
  });

  it("suggest nothing that is far off", () => {
    expect(nearestName("species", ["a", "petal", "zzzzzzz"])).toBeUndefined();
    expect(unknownColumn("q", ["alpha"], "x.csv").message).toBe(
      'x.csv: there is no column "q"; the columns are "alpha"',
    );
  });
});

describe("a column's name that is no string", () => {
  const table = Table.fromColumns({ x: [1], y: [2] });
  it.each([
    [[1, 1, 2], "1,1,2 of type object"],
    [0, "0 of type number"],
    [undefined, "undefined of type undefined"],
  ])("is refused: %j", (name, given) => {
    const message = `there is no column ${given}, expected a string; the columns are "x", "y"`;
    const wrong = name as unknown as string;
    for (const use of [() => table.column(wrong), () => table.select([wrong]), () => table.drop([wrong])])
      expect(use).toThrow(new InvalidInputError(message));
  });
});

describe("the name that is repeated first", () => {
  it.each([
    [[], undefined],
    [["a", "b", "A"], undefined],
    [["a", "b", "c", "b", "a"], "b"],
  ])("of %j is %j", (names, repeated) => {
    expect(repeatedName(names)).toBe(repeated);
  });
});
