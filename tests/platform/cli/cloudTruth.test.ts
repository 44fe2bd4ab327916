/**
 * `nearfield cloud generate`, and `nearfield cloud nearest` validating what another program found: each value
 * is put into the class in which an evaluation of all pairs puts it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Random, printedSeed } from "../../oracle/random.ts";
import { Folder } from "./helpers.ts";

const folder = new Folder();
const seed = new Random(printedSeed()).int(0, 2 ** 31);
const text = (name: string) => readFileSync(join(folder.path, name), "utf8");
const numbers = (name: string) =>
  text(name)
    .trimEnd()
    .split("\n")
    .map((line) => line.split(" ").map(Number));

async function generate(rows: number, queries: number, decimals: number): Promise<string> {
  const sizes = { rows, queries, decimals, seed, truth: "c" };
  const args = Object.entries(sizes).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const { code, stdout, stderr } = await folder.run(["cloud", "generate", ...args, "--backend", "cpu"]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

const clouds = ["--train", "c.train.xyz", "--queries", "c.queries.xyz", "--backend", "cpu"];
const both = ["--validate-distances", "c.distances.txt", "--validate-indices", "c.indices.txt"];
const validate = (...args: string[]) =>
  folder.run(["cloud", "nearest", ...clouds, ...both, "--index-base", "1", "--out", "near.csv", ...args]);

/** The distances from every query to every point of the files. */
function allDistances(): number[][] {
  const points = numbers("c.train.xyz");
  return numbers("c.queries.xyz").map(([x, y, z]) =>
    points.map((point) => Math.sqrt((x - point[0]) ** 2 + (y - point[1]) ** 2 + (z - point[2]) ** 2)),
  );
}

describe("nearfield cloud generate", () => {
  it("writes points in [0, 1) and the nearest of each, counted from 1", async () => {
    expect(await generate(300, 50, 17)).toMatch(
      /^generated 300 points and 50 queries from seed \d+, 17 decimals\n/,
    );
    expect(text("c.train.xyz")).toMatch(/^(0\.\d{17} 0\.\d{17} 0\.\d{17}\n){300}$/);
    expect(text("c.queries.xyz")).toMatch(/^(0\.\d{17} 0\.\d{17} 0\.\d{17}\n){50}$/);
    expect(text("c.distances.txt")).toMatch(/^([01]\.\d{17}\n){50}$/);
    const all = allDistances();
    const nearest = all.map((own) => Math.min(...own));
    expect(numbers("c.indices.txt").flat()).toEqual(all.map((own, at) => own.indexOf(nearest[at]) + 1));
    numbers("c.distances.txt").forEach(([distance], at) => expect(distance).toBeCloseTo(nearest[at], 14));
    expect(new Set(numbers("c.train.xyz").flat()).size).toBe(900);
  });

  it("writes the same for the same seed, and replaces nothing unasked", async () => {
    await generate(20, 20, 6);
    const first = text("c.train.xyz");
    const args = ["cloud", "generate", "--rows", "20", "--truth", "c", "--backend", "cpu", "--json"];
    const { code, stderr } = await folder.run(args);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/c.train.xyz: exists already; add --force.*\(--truth\)/),
    ]);
    const again = await folder.run([...args, "--force", "--seed", String(seed)]);
    expect(JSON.parse(again.stdout)).toMatchObject({
      command: "cloud generate",
      rows: 20,
      queries: 20,
      seed,
    });
    expect(text("c.train.xyz")).toBe(first);
    await folder.run([...args, "--force", "--seed", String(seed + 1)]);
    expect(text("c.train.xyz")).not.toBe(first);
  });
});

describe("nearfield cloud nearest --validate-distances --validate-indices", () => {
  it("finds as many values of each class as an evaluation of all pairs", async () => {
    await generate(500, 250, 1);
    const { code, stdout, stderr } = await validate("--tolerance", "0.06", "--json");
    const { validation } = JSON.parse(stdout) as { validation: unknown };
    const expected = { equal: 0, withinTolerance: 0, ties: 0, wrong: 0 };
    const ofDistances = { equal: 0, withinTolerance: 0, wrong: 0 };
    const theirs = { rows: numbers("c.indices.txt").flat(), distances: numbers("c.distances.txt").flat() };
    allDistances().forEach((own, query) => {
      const least = Math.min(...own);
      const row = theirs.rows[query] - 1;
      if (row === own.indexOf(least)) expected.equal++;
      else if (Math.abs(own[row] - least) > 0.06) expected.wrong++;
      else {
        expected.withinTolerance++;
        if (own[row] === least) expected.ties++;
      }
      const gap = Math.abs(theirs.distances[query] - least);
      ofDistances[gap === 0 ? "equal" : gap <= 0.06 ? "withinTolerance" : "wrong"]++;
    });
    expect(validation).toMatchObject({
      tolerance: 0.06,
      indices: { file: "c.indices.txt", ...expected },
      distances: { file: "c.distances.txt", ...ofDistances },
    });
    expect(expected.ties).toBeGreaterThan(0);
    const wrong = expected.wrong + ofDistances.wrong;
    expect(code, stderr).toBe(wrong === 0 ? 0 : 1);
  });

  it("finds nothing wrong in six decimals", async () => {
    await generate(4000, 4000, 6);
    const { code, stdout } = await validate();
    expect(stdout).toMatch(/\ndistances \d[\d,]* equal, [\d,]+ not told apart within 0.0001, 0 wrong\n/);
    expect(stdout).toMatch(
      /\nindices +[34],\d{3} equal, \d+ not told apart within 0.0001 \(\d .*, 0 wrong\n/,
    );
    expect(code).toBe(0);
  });

  it("exits with 1 where an index, a distance or their number is wrong", async () => {
    await generate(200, 30, 6);
    const good = { indices: text("c.indices.txt"), distances: text("c.distances.txt") };
    const lines = good.indices.split("\n");
    const other = (Number(lines[4]) % 200) + 1;
    folder.write({ "c.indices.txt": lines.with(4, String(other)).join("\n") });
    const outcome = await validate("--json");
    expect([outcome.code, JSON.parse(outcome.stdout)]).toMatchObject([
      1,
      { validation: { indices: { wrong: 1 } } },
    ]);
    expect(outcome.stderr).toMatch(
      new RegExp(
        `^nearfield: c.indices.txt: 1 value is wrong: query 4, rank 0: the file says ${other}, ` +
          `at distance [.\\d]+; the neighbour is ${lines[4]} at distance [.\\d]+\n$`,
      ),
    );
    expect(folder.list()).toContain("near.csv");
    const refused = async (files: Record<string, string>, ...args: string[]) => {
      folder.write({ "c.indices.txt": good.indices, "c.distances.txt": good.distances, ...files });
      const { code, stderr } = await validate("--force", "--quiet", ...args);
      expect(code).toBe(1);
      return stderr;
    };
    const far = good.distances.split("\n").with(29, "0.9").join("\n");
    expect(await refused({ "c.distances.txt": far })).toMatch(
      /query 29, rank 0: the file says 0.9, the distance/,
    );
    const few = { "c.indices.txt": lines.slice(1).join("\n") };
    expect(await refused(few)).toMatch(
      /c.indices.txt: holds 29 numbers; expected 30, for 30 queries of k = 1/,
    );
    expect(await refused({}, "-k", "2")).toMatch(/holds 30 numbers; expected 60, for 30 queries of k = 2/);
    const word = { "c.indices.txt": good.indices.replace("\n", "\nx\n") };
    expect(await refused(word)).toMatch(/c.indices.txt, line 2: "x" is not a number/);
    expect(await refused({ "c.indices.txt": lines.with(0, "0").join("\n") })).toMatch(
      /the file says 0, which no point has, counted from 1/,
    );
    expect(await refused({}, "--radius", "1")).toMatch(/--radius may leave a query fewer than k neighbours/);
  });

  it("takes k columns, also of .npy, and one neighbour once", async () => {
    await generate(60, 12, 6);
    const near = ["cloud", "nearest", ...clouds, "-k", "3"];
    const found = await folder.run([...near, "--out", "near.npy"]);
    expect(found.code, found.stderr).toBe(0);
    const { code, stderr } = await folder.run([...near, "--validate-indices", "near.npy"]);
    expect(stderr).toMatch(/\nindices +36 equal, 0 not told apart/);
    expect(code).toBe(0);
    const first = numbers("c.indices.txt").flat();
    folder.write({ "own.txt": first.map((index) => `${index} ${index} ${index}\n`).join("") });
    const args = ["--validate-indices", "own.txt", "--index-base", "1", "--tolerance", "9"];
    const twice = await folder.run([...near, ...args, "--quiet"]);
    expect([twice.code, twice.stderr]).toEqual([
      1,
      expect.stringMatching(/24 values are wrong.* says \d+ again/),
    ]);
  });

  it.each([
    [["--index-base", "1"], /--index-base applies to --validate-indices, which is missing/],
    [["--tolerance", "1"], /--tolerance applies to --validate-distances and --validate-indices/],
  ])("refuses %j alone", async (args, pattern) => {
    folder.write({ "a.xyz": "0 0 0\n1 1 1\n" });
    const { code, stderr } = await folder.run(["cloud", "nearest", "--train", "a.xyz", ...args]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(pattern)]);
  });
});
