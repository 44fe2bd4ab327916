import { describe, expect, it } from "vitest";
import { float64List, RunList, SparseTexts } from "../../../src/io/lists.ts";

describe("lists that grow", () => {
  it.each([0, 1, 7, 8, 9, 63, 64, 65, 1000])("hold %i numbers", (length) => {
    const list = float64List();
    for (let i = 0; i < length; i++) list.push(i / 3);
    expect(list.toArray()).toEqual(Float64Array.from({ length }, (_, i) => i / 3));
  });

  it("hold texts of some rows, Latin-1 or not", () => {
    const texts = new SparseTexts();
    const given = new Map([
      [0, "1.50"],
      [3, ""],
      [4, "ÿ\0"],
      [899, "\u0100"],
      [900, "😀–"],
      [901, "x"],
    ]);
    for (const [row, text] of given) texts.push(row, text);
    for (let row = 0; row < 1000; row++) expect(texts.get(row)).toBe(given.get(row));
  });

  it("hold a value that rarely changes", () => {
    const runs = new RunList();
    const values = [2, 2, 2, 5, 5, 9];
    values.forEach((value, index) => runs.push(index, value));
    expect(values.map((_, index) => runs.get(index))).toEqual(values);
    expect(runs.get(1e6)).toBe(9);
  });
});
