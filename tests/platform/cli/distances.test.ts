/** `nearfield distances`: tables and matrices, every format of the counts, and mistakes. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { bytesSource, readNpyArray } from "../../../dist/node.js";
import { binned, edgesBetween, finiteRange } from "../../oracle/distances.ts";
import { Folder } from "./helpers.ts";

const folder = new Folder();
const put = (name: string, text: string) => writeFileSync(join(folder.path, name), text);

const xs = [0, 1, 2.5, 7, 7, 19];
beforeEach(() => put("points.csv", ["id,x", ...xs.map((x, row) => `p${row},${x}`)].join("\n") + "\n"));
const alike = ["distances", "--train", "points.csv", "--queries", "points.csv", "--id", "id"];
const distances = xs.map((x) => xs.map((y) => Math.abs(x - y)));
const others = distances.map((own, query) => own.filter((_, row) => row !== query));

/** The result as it should be, a line per query. */
function linesOf(all: number[][], edgesOf: (own: number[]) => number[]): string[] {
  return all.map((own, query) => {
    const { counts, below, above, nan } = binned(own, edgesOf(own));
    return [query, ...finiteRange(own), below, above, nan, ...counts].join(",");
  });
}

async function done(args: string[]): Promise<string> {
  const { code, stdout, stderr } = await folder.run(args);
  expect(code, stderr).toBe(0);
  return stdout;
}

describe("nearfield distances", () => {
  it("counts the distances of a table's rows to each other", async () => {
    const out = await done([...alike, "--bins", "3", "--exclude-self"]);
    const expected = linesOf(others, (own) => edgesBetween(...finiteRange(own), 3));
    expect(out.trim().split("\n")).toEqual(["query,min,max,below,above,nan,bin_0,bin_1,bin_2", ...expected]);
  });

  it("takes the range of all, or a given one, and a metric", async () => {
    const whole = await done([...alike, "--bins", "2", "--range", "all"]);
    const edges = edgesBetween(...finiteRange(distances.flat()), 2);
    expect(whole.trim().split("\n").slice(1)).toEqual(linesOf(distances, () => edges));
    const given = await done([...alike, "--bins", "2", "--range", "1,6", "--metric", "manhattan"]);
    expect(given.trim().split("\n").slice(1)).toEqual(linesOf(distances, () => [1, 3.5, 6]));
  });

  it("writes the counts alone as .npy, and says what it did", async () => {
    const { stderr, code } = await folder.run([...alike, "--bins", "4", "--out", "c.npy", "--explain"]);
    expect(code, stderr).toBe(0);
    const bytes = readFileSync(join(folder.path, "c.npy"));
    const { data, shape } = await readNpyArray(bytesSource(bytes, "c.npy"));
    expect(shape).toEqual([6, 4]);
    const expected = distances.map((own) => binned(own, edgesBetween(...finiteRange(own), 4)).counts);
    expect([...data]).toEqual(expected.flat());
    expect(stderr).toMatch(/counted +distances of 6 rows to 6 in 4 bins, euclidean/);
    expect(stderr).toMatch(/settled +0 \(0.00 %\) in float32, 36 \(100.00 %\) in float64/);
  });

  it("says which metric compares words", async () => {
    put("mixed.csv", "x,colour\n1,red\n2,blue\n");
    const args = ["distances", "--train", "mixed.csv", "--queries", "mixed.csv", "--bins", "2"];
    const { stdout, stderr } = await folder.run([...args, "--json"]);
    expect(stdout).toContain("0,0,1.4142135623730951,0,0,0,1,1\n");
    expect(JSON.parse(stderr)).toMatchObject({ metric: "mixed_euclidean" });
  });

  it.each([
    [["--bins", "0"], /at least 1/],
    [["--bins", "2", "--range", "5,1"], /two numbers in ascending order/],
    [["--bins", "70000"], /70000 bins; expected a whole number from 1 to 65536/],
    [["--bins", "2", "--backend", "gpu"], /counted by the CPU alone so far/],
    [["--bins", "2", "--features", "y"], /y/],
  ])("refuses %j", async (args, pattern) => {
    const { code, stdout, stderr } = await folder.run([...alike, ...args]);
    expect([code, stdout], stderr).toEqual([1, ""]);
    expect(stderr).toMatch(pattern);
  });
});
