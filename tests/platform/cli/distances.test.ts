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
beforeEach(() => {
  put("points.csv", ["id,x", ...xs.map((x, row) => `p${row},${x}`)].join("\n") + "\n");
  put("two.csv", "a,b\n1,2\n");
});
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

  it("counts the rows of one file among themselves, by edges too", async () => {
    const alone = ["distances", "--train", "points.csv", "--id", "id", "--edges", "0,1,6,8"];
    const edges = [0, 1, 6, 8];
    const among = await done(alone);
    expect(among.trim().split("\n").slice(1)).toEqual(linesOf(others, () => edges));
    const all = await done([...alone, "--no-exclude-self"]);
    expect(all.trim().split("\n").slice(1)).toEqual(linesOf(distances, () => edges));
    const { stderr, code } = await folder.run([...alone, "--plot", "own.svg", "--float32"]);
    expect([code, stderr], stderr).toEqual([0, expect.stringContaining("in 3 bins")]);
    expect(readFileSync(join(folder.path, "own.svg"), "utf8")).toContain("<title>6 to 8: ");
  });

  it("takes the range of all, or a given one, and a metric", async () => {
    const whole = await done([...alike, "--bins", "2", "--range", "all"]);
    const edges = edgesBetween(...finiteRange(distances.flat()), 2);
    expect(whole.trim().split("\n").slice(1)).toEqual(linesOf(distances, () => edges));
    const given = await done([...alike, "--bins", "2", "--range", "1,6", "--metric", "manhattan"]);
    expect(given.trim().split("\n").slice(1)).toEqual(linesOf(distances, () => [1, 3.5, 6]));
  });

  it("writes the counts alone as .npy, and says what it did", async () => {
    const { stdout, stderr, code } = await folder.run([
      ...alike,
      "--bins",
      "4",
      "--out",
      "c.npy",
      "--explain",
    ]);
    expect([code, stderr]).toEqual([0, ""]);
    const bytes = readFileSync(join(folder.path, "c.npy"));
    const { data, shape } = await readNpyArray(bytesSource(bytes, "c.npy"));
    expect(shape).toEqual([6, 4]);
    const expected = distances.map((own) => binned(own, edgesBetween(...finiteRange(own), 4)).counts);
    expect([...data]).toEqual(expected.flat());
    expect(stdout).toMatch(/counted +distances of 6 rows to 6 in 4 bins, euclidean/);
    expect(stdout).toMatch(
      /settled +0 \(0.00 %\) in float32, 0 \(0.00 %\) in whole numbers, 36 \(100.00 %\) in float64/,
    );
  });

  it("draws all histograms summed up", async () => {
    const args = [...alike, "--bins", "4", "--range", "0,20", "--out", "c.csv", "--plot", "c.svg"];
    const { stderr, code } = await folder.run([...args, "--json"]);
    expect(code, stderr).toBe(0);
    const svg = readFileSync(join(folder.path, "c.svg"), "utf8");
    const counts = binned(distances.flat(), [0, 5, 10, 15, 20]).counts;
    const edges = ["0 to 5", "5 to 10", "10 to 15", "15 to 20"];
    const titles = edges.map((text, bin) => `<title>${text}: ${counts[bin]}</title>`);
    expect(svg.match(/<title>[^<]*: \d+<\/title>/g)).toEqual(titles);
    expect(svg).toContain("<title>Distances of points.csv to points.csv, euclidean</title>");
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"[^]*<\/svg>\n$/);
    const again = await folder.run([...alike, "--bins", "4", "--out", "d.csv", "--plot", "c.svg"]);
    expect([again.code, again.stderr], again.stderr).toEqual([1, expect.stringContaining("c.svg")]);
  });

  it("compares with another tool's counts", async () => {
    await done([...alike, "--bins", "4", "--out", "mine.csv"]);
    await done([...alike, "--bins", "4", "--out", "mine.npy"]);
    for (const file of ["mine.csv", "mine.npy"]) {
      const { stderr, code } = await folder.run([...alike, "--bins", "4", "--out", "-", "--validate", file]);
      expect([code, stderr], stderr).toEqual([0, expect.stringContaining("6 histograms, all equal")]);
    }
    const counts = distances.map((own) => binned(own, edgesBetween(...finiteRange(own), 4)).counts);
    counts[2][1] += 1;
    counts[5][3] -= 1;
    counts[5][0] += 2;
    put("theirs.csv", ["a,b,c,d", ...counts.map((each) => each.join(","))].join("\n") + "\n");
    const { stdout, stderr, code } = await folder.run([
      ...[...alike, "--bins", "4", "--out", "d.npy", "--validate", "theirs.csv", "--json"],
    ]);
    expect(code, stderr).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      validation: { histograms: 6, different: 2, largest: 2, at: { query: 5, bin: 0 } },
    });
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
    [["--bins", "2", "--range", "5,1"], /--range is \[5, 1\]; expected two numbers, the smaller first/],
    [["--bins", "2", "--range", "5"], /--range <range>.*at least 2 numbers, such as 1,0,-1/],
    [["--bins", "2", "--edges", "1,2"], /--bins and edges are given; choose one/],
    [["--edges", "1,2", "--range", "all"], /--range is said by edges; leave it out/],
    [["--edges", "2,1"], /--edges has 1 behind 2; expected ascending numbers/],
    [[], /--bins is missing; give bins or edges/],
    [["--bins", "70000"], /70000 bins; expected a whole number from 1 to 65536/],
    [["--bins", "2", "--features", "y"], /y/],
    [["--bins", "2", "--plot", "c.png"], /ends with .svg/],
    [["--bins", "3", "--validate", "points.csv", "--out", "c.npy"], /points.csv.*column "id" holds text/],
    [["--bins", "3", "--validate", "two.csv", "--out", "c.npy"], /two.csv.*\[1, 2\].*expected \[6, 3\]/],
    [["--bins", "2", "--validate", "none.npy"], /none.npy/],
  ])("refuses %j", async (args, pattern) => {
    const { code, stdout, stderr } = await folder.run([...alike, ...args]);
    expect([code, stdout], stderr).toEqual([1, ""]);
    expect(stderr).toMatch(pattern);
  });
});

describe("nearfield bench distances", () => {
  it("sweeps the numbers of bins, and checks every histogram", async () => {
    const sizes = ["--queries", "7", "--references", "301", "--columns", "5", "--repeat", "1"];
    const args = ["bench", "distances", ...sizes, "--bins", "1,40", "--backend", "cpu", "--sample", "7"];
    const { sweep, ...summary } = JSON.parse(await done([...args, "--json"])) as {
      sweep: { bins: number; total: number; stages: object; buffers: object[]; wrong: number }[];
    };
    expect(summary).toMatchObject({ command: "bench distances", queries: 7, references: 301, checked: 7 });
    expect(sweep.map(({ bins, wrong }) => [bins, wrong])).toEqual([
      [1, 0],
      [40, 0],
    ]);
    const steps = ["pack", "evaluate", "range", "count"].map((step) => `distances.${step}`);
    expect(Object.keys(sweep[0].stages)).toEqual(steps);
    expect(sweep[0].buffers).not.toEqual([]);
    const text = await done(args);
    expect(text).toMatch(/bins +total ms +pairs\/s +distances.pack/);
    expect(text).toContain("checked   14 histograms, all right");
    const wrong = await folder.run(["bench", "distances", "--bins", "5,0"]);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("such as 5,50,500,5000")]);
  });
});
