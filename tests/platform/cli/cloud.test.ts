/** `nearfield cloud`: its commands against all pairs in float64, its formats, and mistakes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { bytesSource, readNpyArray } from "../../../dist/node.js";
import { naiveChamfer, naiveHausdorff } from "../../oracle/cloud.ts";
import { bruteForce } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { Folder } from "./helpers.ts";

const folder = new Folder();
const random = new Random(printedSeed());
const points = (rows: number) =>
  Array.from({ length: rows }, () => [0, 1, 2].map(() => random.int(0, 9) / 4));
const matrix = (rows: number[][]) => ({ data: rows.flat(), rows: rows.length, cols: 3 });
const [model, scan] = [points(50), points(20)];

beforeEach(() => {
  const text = (rows: number[][], sign: string) => rows.map((row) => `${row.join(sign)}\n`).join("");
  const header = ["ply", "format ascii 1.0", `element vertex ${model.length}`];
  const properties = ["x", "y", "z"].map((name) => `property double ${name}`);
  folder.write({
    "model.ply": `${[...header, ...properties, "end_header"].join("\n")}\n${text(model, " ")}`,
    "scan.xyz": text(scan, "\t"),
    "scan.csv": `name,x,y,z\n${scan.map((row, at) => `p${at},${row.join(",")}\n`).join("")}`,
    "model.csv": `x,z,y\n${model.map(([x, y, z]) => `${x},${z},${y}\n`).join("")}`,
  });
});
const clouds = ["--train", "model.ply", "--queries", "scan.xyz", "--backend", "cpu"];

async function done(args: string[]): Promise<string> {
  const { code, stdout, stderr } = await folder.run(["cloud", ...args]);
  expect(code, stderr).toBe(0);
  return stdout;
}

interface Found {
  readonly row: number;
  readonly distance: number;
}

/** The k nearest of every query, by all pairs, among those that `keep` lets stay. */
function nearestOf(
  [train, queries]: readonly [number[][], number[][]],
  k: number,
  metric: "euclidean" | "sqeuclidean" = "euclidean",
  keep: (found: Found, query: number) => boolean = () => true,
): Found[][] {
  const { indices, distances } = bruteForce(matrix(train), matrix(queries), { metric, k: train.length });
  return queries.map((_, query) => {
    const all = train.map((_, rank): Found => {
      const at = query * train.length + rank;
      return { row: indices[at], distance: distances[at] };
    });
    return all.filter((found) => keep(found, query)).slice(0, k);
  });
}

function linesOf(found: Found[][]): string {
  const lines = found.flatMap((own, query) =>
    own.map(({ row, distance }, rank) => `${query},${rank},${row},${distance}\n`),
  );
  return ["query,rank,index,distance\n", ...lines].join("");
}

describe("nearfield cloud nearest", () => {
  it("finds the nearest point, and several, by either metric", async () => {
    expect(await done(["nearest", ...clouds])).toBe(linesOf(nearestOf([model, scan], 1)));
    const several = await done(["nearest", ...clouds, "-k", "7", "--metric", "sqeuclidean"]);
    expect(several).toBe(linesOf(nearestOf([model, scan], 7, "sqeuclidean")));
    const grid = await done(["nearest", ...clouds, "--technique", "grid", "--cells", "5"]);
    expect(grid).toBe(linesOf(nearestOf([model, scan], 1)));
  });

  it("takes the coordinates of tables, in the order in which they are named", async () => {
    const tables = ["--train", "model.csv", "--queries", "scan.csv", "--features", "x,y,z"];
    expect(await done(["nearest", ...tables, "-k", "2"])).toBe(linesOf(nearestOf([model, scan], 2)));
  });

  it("takes tables beside files of points, whose columns are x, y and z", async () => {
    const expected = linesOf(nearestOf([model, scan], 1));
    const files = [
      ["--train", "model.ply", "--queries", "scan.csv", "--features", "x,y,z"],
      ["--train", "model.csv", "--queries", "scan.xyz"],
    ];
    for (const both of files) expect(await done(["nearest", ...both, "--backend", "cpu"])).toBe(expected);
    const search = await folder.run(["search", ...clouds, "-k", "1", "--json", "--out", "found.csv"]);
    expect(JSON.parse(search.stdout)).toMatchObject({ features: ["x", "y", "z"] });
    folder.write({
      "flat.ply":
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float z\nend_header\n1 2\n",
      "flat.xyz": "1 2\n",
    });
    const { code, stderr } = await folder.run([
      "cloud",
      "nearest",
      "--train",
      "flat.ply",
      "--queries",
      "flat.xyz",
    ]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/flat.xyz: has x and y, but flat.ply has x and z/),
    ]);
  });

  it("searches points among themselves, within a radius, and with themselves", async () => {
    const near = nearestOf([scan, scan], 3, "euclidean", (found, query) => {
      return found.row !== query && found.distance <= 0.8;
    });
    const among = ["nearest", "--train", "scan.xyz", "-k", "3", "--backend", "cpu"];
    expect(await done([...among, "--radius", "0.8"])).toBe(linesOf(near));
    expect(await done([...among, "--no-exclude-self"])).toBe(linesOf(nearestOf([scan, scan], 3)));
    const others = nearestOf([scan, scan], 3, "euclidean", ({ row }, query) => row !== query);
    expect(await done([...among, "--queries", "scan.xyz", "--exclude-self"])).toBe(linesOf(others));
  });

  it("writes the index alone as .npy, and says what it did", async () => {
    const { code, stdout, stderr } = await folder.run([
      ...["cloud", "nearest", ...clouds, "-k", "4", "--out", "near.npy", "--explain"],
    ]);
    expect([code, stderr]).toEqual([0, ""]);
    const bytes = readFileSync(join(folder.path, "near.npy"));
    const { data, shape } = await readNpyArray(bytesSource(bytes, "near.npy"));
    expect(shape).toEqual([20, 4]);
    expect([...data]).toEqual(nearestOf([model, scan], 4).flatMap((own) => own.map(({ row }) => row)));
    expect(stdout).toMatch(/^searched +20 points against 50, k = 4, euclidean\npairs +50 per query; /);
    expect(stdout).toMatch(/\nwritten +near\.npy\n(.*\n)*technique +direct form/);
  });

  it("gives one JSON object, with the pairs of a query", async () => {
    const { stdout, stderr } = await folder.run(["cloud", "nearest", ...clouds, "--json"]);
    expect(stdout).toBe(linesOf(nearestOf([model, scan], 1)));
    expect(JSON.parse(stderr)).toMatchObject({
      command: "cloud nearest",
      k: 1,
      train: { file: "model.ply", rows: 50 },
      queries: { file: "scan.xyz", rows: 20 },
      pairsPerQuery: 50,
      explanation: { operator: "knn", pairs: 1000 },
    });
  });

  it.each([
    [["--k", "51"], /model.ply: has only 50 rows, but k is 51/],
    [["--exclude-self"], /scan.xyz: has 20 rows and model.ply has 50/],
    [["--metric", "manhattan"], /--metric <name>.*euclidean, sqeuclidean/],
    [["--radius", "-1"], /a number of at least 0/],
    [["--radius", "1", "--out", "x.npy"], /x.npy: --radius may leave a row fewer than k neighbours, but npy/],
    [["--queries", "-", "--train", "-"], /both standard input/],
    [
      ["--queries", "scan.csv", "--train", "scan.csv"],
      /scan.csv: has columns of text, but points are numbers/,
    ],
    [["--cells", "4"], /--cells is 4, but only a grid has cells; add --technique grid/],
    [["--backend", "cpu", "--gpu", "0"], /--gpu chooses a GPU, but the backend is the CPU/],
  ])("refuses %j", async (args, pattern) => {
    const { code, stdout, stderr } = await folder.run(["cloud", "nearest", ...clouds, ...args]);
    expect([code, stdout], stderr).toEqual([1, ""]);
    expect(stderr).toMatch(pattern);
  });

  it("refuses gaps and a fourth column by file, and names the nearest command", async () => {
    folder.write({ "gap.csv": "x,y\n1,2\n,4\n", "four.csv": "a,b,c,d\n1,2,3,4\n" });
    const refused = async (...args: string[]) => {
      const { code, stderr } = await folder.run(["cloud", ...args]);
      expect(code).toBe(1);
      return stderr;
    };
    expect(await refused("nearest", "--train", "gap.csv")).toMatch(/gap.csv, line 3, column "x": .*missing/);
    expect(await refused("nearest", "--train", "four.csv", "--no-exclude-self")).toMatch(
      /four.csv: has 4 columns, but points have one to three/,
    );
    expect(await refused("neares")).toMatch(/no command of cloud "neares" \(did you mean nearest\?\)/);
  });
});

describe("nearfield cloud icp", () => {
  const corners = [
    [0, 0, 0],
    [4, 0, 0],
    [4, 2, 0],
    [0, 3, 1],
  ];
  const turned = corners.map(([x, y, z]) => [0.96 * x - 0.28 * y, 0.28 * x + 0.96 * y, z + 0.125]);
  const lines = (points: number[][]) => points.map((point) => `${point.join(" ")}\n`).join("");
  const scans = ["--train", "room.xyz", "--queries", "part.xyz", "--backend", "cpu"];

  it("moves a cloud back to where it came from, and says how", async () => {
    folder.write({ "room.xyz": lines(corners), "part.xyz": lines(turned) });
    const { code, stdout, stderr } = await folder.run(["cloud", "icp", ...scans, "--json"]);
    expect(code, stderr).toBe(0);
    const [header, ...rows] = stdout.trimEnd().split("\n");
    expect(header).toBe("x,y,z");
    rows.forEach((row, at) =>
      row.split(",").forEach((cell, j) => expect(Number(cell)).toBeCloseTo(corners[at][j], 9)),
    );
    const summary = JSON.parse(stderr) as { transform: number[]; error: number };
    expect(summary).toMatchObject({ command: "cloud icp", pairs: 4, converged: true });
    const motion = [0.96, 0.28, 0, 0, -0.28, 0.96, 0, 0, 0, 0, 1, -0.125, 0, 0, 0, 1];
    summary.transform.forEach((value, at) => expect(value).toBeCloseTo(motion[at], 9));
    expect(summary.error).toBeLessThan(1e-9);
  });

  it("writes .npy, stops after the iterations asked for, and refuses what cannot be", async () => {
    folder.write({ "room.xyz": lines(corners), "part.xyz": lines(turned) });
    const told = await folder.run(["cloud", "icp", ...scans, "--iterations", "1", "--out", "a.npy"]);
    expect(told.stdout).toMatch(
      /^moved +4 points onto 4, not converged after 1 iteration\nerror +\S+ \(root mean/,
    );
    const { data, shape } = await readNpyArray(
      bytesSource(readFileSync(join(folder.path, "a.npy")), "a.npy"),
    );
    expect([shape, data.constructor]).toEqual([[4, 3], Float64Array]);
    const refused = async (...args: string[]) =>
      (await folder.run(["cloud", "icp", ...scans, ...args])).stderr;
    expect(await refused("--out", "a.ivecs")).toMatch(
      /the result holds coordinates, but ivecs holds whole numbers/,
    );
    expect(await refused("--overlap", "1.5")).toMatch(/--overlap <share>.*a number above 0 and at most 1/);
    expect(await refused("--iterations", "0")).toMatch(/--iterations <number>.*at least 1/);
  });
});

describe("nearfield cloud normals, outliers and duplicates", () => {
  const args = (...more: string[]) => ["--train", "line.xyz", ...more];
  const line = [0, 1, 2, 2, 3, 90].map((x) => [x, 0]);
  beforeEach(() => folder.write({ "line.xyz": line.map((point) => `${point.join(" ")}\n`).join("") }));

  it("keep points with their rows, and say how many", async () => {
    const rows = (kept: number[]) => kept.map((row) => `${row},${line[row].join(",")}\n`).join("");
    expect(await done(["duplicates", ...args()])).toBe(`row,x,y\n${rows([0, 1, 2, 4, 5])}`);
    expect(await done(["duplicates", ...args("--tolerance", "1")])).toBe(`row,x,y\n${rows([0, 2, 5])}`);
    const cut = args("--k", "2", "--deviations", "1", "--backend", "cpu");
    const { stdout, stderr } = await folder.run(["cloud", "outliers", ...cut, "--json"]);
    expect(stdout).toBe(`row,x,y\n${rows([0, 1, 2, 3, 4])}`);
    // The means to the two nearest others are 1.5, 1, 0.5, 0.5, 1 and 87.5.
    const summary = JSON.parse(stderr) as { mean: number };
    expect(summary).toMatchObject({ command: "cloud outliers", kept: 5 });
    expect(summary.mean).toBeCloseTo(92 / 6, 12);
  });

  it("estimate normals that point to a place", async () => {
    const how = args("--k", "3", "--backend", "cpu", "--viewpoint");
    const expected = (y: number) => line.map(([x]) => `${x},0,0,${y},0\n`).join("");
    expect(await done(["normals", ...how, "0,9"])).toBe(`x,y,nx,ny,variation\n${expected(1)}`);
    expect(await done(["normals", ...how, "0,-9"])).toBe(`x,y,nx,ny,variation\n${expected(-1)}`);
  });

  it("refuse what cannot be", async () => {
    const refused = async (...more: string[]) => (await folder.run(["cloud", ...more])).stderr;
    expect(await refused("duplicates", ...args("--backend", "gpu"))).toMatch(
      /the host, which does not use --backend gpu/,
    );
    expect(await refused("duplicates", ...args("--tolerance", "-1"))).toMatch(/--tolerance <distance>/);
    expect(await refused("outliers", ...args("--k", "6"))).toMatch(/k is 6/);
    expect(await refused("outliers", ...args("--k", "6"))).toMatch(
      /line.xyz: has 6 rows, so that each has 5 others, but k is 6; choose --k of at most 5\n/,
    );
    expect(await refused("normals", ...args("--k", "7"))).toMatch(
      /line.xyz: has only 6 rows, but k is 7; choose --k of at most 6\n/,
    );
    folder.write({ "one.xyz": "1 2 3\n" });
    expect(await refused("outliers", "--train", "one.xyz")).toMatch(
      /one.xyz: has 1 row, so that each has 0 others, but k is 8; give at least 2 points\n/,
    );
    expect(await refused("normals", ...args("--viewpoint", "1"))).toMatch(/at least 2 numbers/);
    expect(await refused("normals", ...args("--out", "n.npy"))).toMatch(/the result is a table, but npy/);
  });
});

describe("nearfield cloud chamfer and hausdorff", () => {
  const [a, b] = [matrix(scan), matrix(model)];

  it("add means of distances, or of squares", async () => {
    const line = (squared: boolean) => {
      const { distance, forward, backward } = naiveChamfer(a, b, squared);
      return `distance,forward,backward\n${distance},${forward},${backward}\n`;
    };
    expect(await done(["chamfer", ...clouds])).toBe(line(false));
    expect(await done(["chamfer", ...clouds, "--metric", "sqeuclidean"])).toBe(line(true));
  });

  it("find the greatest distance and its points, for a file and for people", async () => {
    const args = ["cloud", "hausdorff", ...clouds, "--out", "far.jsonl"];
    const { stdout, stderr } = await folder.run([...args, "--json"]);
    const { distance, a: query, b: index, forward, backward } = naiveHausdorff(a, b);
    const row = { distance, query, index, forward, backward };
    expect(JSON.parse(readFileSync(join(folder.path, "far.jsonl"), "utf8"))).toEqual(row);
    expect(JSON.parse(stdout), stderr).toMatchObject({ command: "cloud hausdorff", ...row });
    const told = await folder.run([...args, "--force", "--explain"]);
    expect(told.stdout).toMatch(/\ntechnique +direct form[^]*\nreferences +50 rows /);
    expect(told.stdout).toContain(`\ndistance  ${distance} (forward ${forward}, backward ${backward})\n`);
    expect(told.stdout).toContain(`\nwhere     query ${query}, index ${index}\n`);
  });

  it("refuse what holds only numbers, and want both files", async () => {
    const refused = async (args: string[]) => (await folder.run(["cloud", ...args])).stderr;
    expect(await refused(["chamfer", "--train", "model.ply"])).toContain(
      "\n(nearfield cloud chamfer --help shows every option)\n",
    );
    expect(await refused(["chamfer", ...clouds, "--out", "x.npy"])).toMatch(/the result is a table, but npy/);
    expect(await refused(["hausdorff", "--train", "model.ply"])).toMatch(/option '--queries <file>' not/);
    expect(await refused(["hausdorff", ...clouds, "--metric", "euclidean"])).toMatch(/--metric/);
  });
});
