/** `nearfield example` writes tables that are real and whole, and nothing over what is there. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Folder } from "./helpers.ts";

const folder = new Folder();
const before = ["test.csv", "train.csv"];

function linesOf(name: string): string[] {
  const text = readFileSync(join(folder.path, name), "utf8");
  expect(text.endsWith("\n")).toBe(true);
  return text.split("\n").slice(0, -1);
}

describe("example", () => {
  it("lists the tables with their sources and licences", async () => {
    const { code, stdout } = await folder.run(["example"]);
    expect(code).toBe(0);
    expect(stdout.match(/^\w+/gm)).toEqual(["penguins", "iris", "cars", "digits"]);
    expect(stdout.match(/CC0 1\.0|CC BY 4\.0/g)).toHaveLength(4);
    expect(folder.list()).toEqual(before);
  });

  it.each([
    ["penguins", 344, 7, { Adelie: 152, Chinstrap: 68, Gentoo: 124 }, 0],
    ["iris", 150, 5, { setosa: 50, versicolor: 50, virginica: 50 }, 4],
    ["cars", 398, 9, { USA: 249, Europe: 70, Japan: 79 }, 8],
    [
      "digits",
      1797,
      65,
      { 0: 178, 1: 182, 2: 177, 3: 183, 4: 181, 5: 182, 6: 181, 7: 179, 8: 174, 9: 180 },
      64,
    ],
  ])("writes %s, whole and in two parts", async (name, rows, columns, classes, label) => {
    const { code, stdout, stderr } = await folder.run(["example", name]);
    expect([code, stderr]).toEqual([0, ""]);
    const names = [`${name}.csv`, `${name}-train.csv`, `${name}-test.csv`];
    expect(folder.list()).toEqual([...before, ...names].sort());
    const [header, ...all] = linesOf(names[0]);
    expect([all.length, header.split(",").length]).toEqual([rows, columns]);
    expect(all.filter((line) => line.split(",").length !== columns)).toEqual([]);
    const counts: Record<string, number> = {};
    for (const line of all) counts[line.split(",")[label]] = (counts[line.split(",")[label]] ?? 0) + 1;
    expect(counts).toEqual(classes);

    const [trainHeader, ...train] = linesOf(names[1]);
    const [testHeader, ...test] = linesOf(names[2]);
    expect([trainHeader, testHeader]).toEqual([header, header]);
    expect(test).toEqual(all.filter((_, at) => at % 5 === 4));
    expect(train).toEqual(all.filter((_, at) => at % 5 !== 4));

    const [, args] = /^try: npx nearfield (.*)$/m.exec(stdout) ?? [];
    const tried = await folder.run([...args.split(" "), "--backend", "cpu"]);
    expect(tried.code, tried.stderr).toBe(0);
    expect(tried.stdout).toMatch(/accuracy {2}9[4-9]\.|R2 {8}0\.8/);
  });

  it("replaces nothing without --force, and then leaves all files alone", async () => {
    writeFileSync(join(folder.path, "iris-test.csv"), "mine");
    const refused = await folder.run(["example", "iris"]);
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toBe(
      "nearfield: iris-test.csv: exists already; add --force to replace it, or choose another folder (--out)\n",
    );
    expect(folder.list()).toEqual(["iris-test.csv", ...before]);
    expect((await folder.run(["example", "iris", "--force"])).code).toBe(0);
    expect(linesOf("iris-test.csv")).toHaveLength(31);
  });

  it("writes into a folder, which it creates", async () => {
    const { code, stdout } = await folder.run(["example", "iris", "--out", "new/data"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`${join("new/data", "iris-train.csv")}  120 rows\n`);
    expect(linesOf("new/data/iris-train.csv")).toHaveLength(121);
  });

  it.each([
    [
      ["penguin"],
      'there is no example "penguin" (did you mean penguins?); expected penguins, iris, cars, digits',
    ],
    [["iris", "--out", "train.csv"], "train.csv: is a file; choose a folder (--out)"],
  ])("refuses %j", async (args, message) => {
    expect(await folder.run(["example", ...args])).toEqual({
      code: 1,
      stdout: "",
      stderr: `nearfield: ${message}\n`,
    });
    expect(folder.list()).toEqual(before);
  });
});
