/** The command and a process refuse the same value in the same words, with the name that each has for it. */
import { describe, expect, it } from "vitest";
import { Folder, classifyArgs } from "./helpers.ts";

const folder = new Folder();
const nodes = {
  knn: { operator: "knn" },
  read: { operator: "readTable", parameters: { file: "train.csv" } },
  roles: { operator: "setRole", inputs: { table: "read.table" }, parameters: { label: "kind" } },
  folds: { operator: "crossValidation", inputs: { table: "roles.table", learner: "knn.learner" } },
};

describe("a value that is refused", () => {
  it.each([
    ["--k", "knn.k", "0", "expected a whole number of at least 1"],
    ["--weights", "knn.weights", "rank", "allowed choices are uniform, distance"],
    ["--p", "knn.p", "-2", "expected a number above 0, or inf"],
    [
      "--seed",
      "folds.seed",
      "281474976710656",
      "expected a whole number of at least 0 and at most 281474976710655",
    ],
    ["--delimiter", "read.delimiter", ";;", 'expected one character, such as ";", tab, or blanks'],
    [
      "--ignore",
      "roles.ignore",
      '"x,y',
      'column names between the commas, such as a,"b, c",d, each quote closed',
    ],
  ])("by %s and by --set %s=%s is refused by one rule", async (option, path, value, rule) => {
    folder.write({ "process.json": JSON.stringify({ nearfield: 1, nodes }) });
    const command = await folder.run([...classifyArgs, "--out", "out.csv", `${option}=${value}`]);
    const process = await folder.run(["run", "process.json", "--set", `${path}=${value}`]);
    expect([command.code, process.code]).toEqual([1, 1]);
    const [of, set] = [command.stderr, process.stderr].map((text) => text.toLowerCase().split("\n")[0]);
    expect(of).toContain(`${option} `);
    expect(of).toContain(`argument '${value}' is invalid. `);
    expect(set).toMatch(new RegExp(`^nearfield: ${path.replace(".", "\\.")}: is `));
    expect(of.split(" is invalid. ")[1]).toBe(
      `${set.slice(set.indexOf("; ", set.indexOf(" is ") + value.length) + 2)}.`,
    );
    expect(set).toContain(rule);
    expect(folder.list()).not.toContain("out.csv");
  });
});
