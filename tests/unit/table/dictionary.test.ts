import { describe, expect, it } from "vitest";
import { Dictionary } from "../../../src/table/dictionary.ts";

describe("a dictionary", () => {
  it("numbers values in order of first appearance", () => {
    const dictionary = Dictionary.from(["b", "a", "b", "c", "a"]);
    expect(dictionary.values).toEqual(["b", "a", "c"]);
    expect(["a", "b", "c"].map((value) => dictionary.codeOf(value))).toEqual([1, 0, 2]);
    expect(dictionary.size).toBe(3);
  });

  it("tells values apart by every character, case included", () => {
    const values = ["a", "A", "a ", "", "é", "e\u0301", "__proto__", "constructor"];
    const dictionary = new Dictionary();
    expect(values.map((value) => dictionary.add(value))).toEqual(values.map((_, code) => code));
    expect(dictionary.add("A")).toBe(1);
  });

  it("does not know what it was not given", () => {
    expect(Dictionary.from(["a"]).codeOf("toString")).toBeUndefined();
  });
});
