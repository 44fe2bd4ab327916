/**
 * Scans in processes, on every backend: cleaned, given normals and aligned, as loops over the points do it,
 * with one fingerprint everywhere and all that is known of a point kept beside it.
 */
import { describe, expect, it } from "vitest";
import { checkProcess, inspectFiles } from "../../dist/graph/index.js";
import type { NodeOutput, ProcessNode } from "../../dist/graph/index.js";
import { textSource } from "../../dist/node.js";
import type { NumericColumn, Table } from "../../dist/node.js";
import { naiveInliers, naiveMeanNearest, naiveMoments, naiveRepresentatives } from "../oracle/cloud.ts";
import { naiveIcp } from "../oracle/icp.ts";
import { onEachBackend } from "./helpers.ts";
import { node, outcomeOf, short } from "./processes.ts";

/** A wavy sheet in quarters, three of its points again, and one astray. */
const sheet = Array.from({ length: 64 }, (_, at) => {
  const [x, y] = [at % 8, Math.floor(at / 8)];
  return [x, y, ((x * y) % 5) / 4];
});
const points = [...sheet, sheet[3], sheet[60], sheet[17], [4, 4, 50]];
const moved = sheet.slice(0, 50).map(([x, y, z], at) => [x + 0.25, y - 0.1 * z, z + (at % 7) / 64]);
const textOf = (rows: readonly (readonly number[])[]) =>
  `name,x,y,z\n${rows.map((row, at) => `p${at},${row.join(",")}`).join("\n")}\n`;
const files: Readonly<Record<string, string>> = {
  "points.csv": textOf(points),
  "moved.csv": textOf(moved),
  "normals.csv": "x,y,nx\n1,2,3\n3,4,5\n5,6,7\n",
  "three.csv": "x,y\n1,2\n3,4\n5,6\n",
  "line.csv": "x\n1\n2\n",
  "one.csv": "x,y\n1,2\n",
};
const open = (path: string) => textSource(files[path], path);
const cloudOf = (rows: readonly (readonly number[])[]) => ({
  data: Float64Array.from(rows.flat()),
  rows: rows.length,
  cols: 3,
});

const read = (file: string) => node("readTable", {}, { file });
const coordinates = (table: string) => node("tableToCloud", { table }, { columns: ["x", "y", "z"] });
const scan = { read: read("points.csv"), scan: coordinates("read.table") };

const numbersOf = (table: Table | undefined, name: string) => [
  ...(table?.column(name) as NumericColumn).values,
];
const namesIn = (table: Table | undefined) => {
  const column = table?.column("name");
  return column?.kind === "nominal" ? [...column.codes].map((code) => column.dictionary.values[code]) : [];
};
const measuresOf = (output: Extract<NodeOutput, { type: "Table" }>) => {
  const { table } = output.value;
  const names = table.column("measure");
  const values = numbersOf(table, "value");
  if (names.kind !== "nominal") throw new Error("measure has numbers");
  return Object.fromEntries([...names.codes].map((code, at) => [names.dictionary.values[code], values[at]]));
};

onEachBackend((device) => {
  it("duplicates and outliers are left out with what belongs to them", async () => {
    const nodes = {
      ...scan,
      distinct: node("removeDuplicates", { cloud: "scan.cloud" }, { tolerance: 0.25 }),
      clean: node("removeOutliers", { cloud: "distinct.cloud" }, { k: 4, deviations: 1.5 }),
      spacing: node("cloudSpacing", { cloud: "clean.cloud" }),
    };
    const { outputOf } = await outcomeOf(device(), nodes, open);
    const distinct = naiveRepresentatives(cloudOf(points), 0.25).flatMap((kept, at) =>
      kept === at ? [at] : [],
    );
    const first = outputOf("distinct.cloud", "PointCloud");
    expect(namesIn(first.value.attributes)).toEqual(distinct.map((at) => `p${at}`));
    expect(distinct.length).toBe(65);
    const left = distinct.map((at) => points[at]);
    const { kept } = naiveInliers(cloudOf(left), 4, 1.5);
    const clean = outputOf("clean.cloud", "PointCloud");
    expect([...clean.value.points.data]).toEqual([...kept].flatMap((at) => left[at]));
    expect(namesIn(clean.value.attributes)).toEqual([...kept].map((at) => `p${distinct[at]}`));
    expect(kept.length).toBeLessThan(65);
    const spacing = outputOf("spacing.table", "Table");
    expect(measuresOf(spacing)).toEqual({
      "mean nearest distance": naiveMeanNearest(cloudOf([...kept].map((at) => left[at]))),
    });
    expect([first, clean, spacing].map(short)).toEqual(FINGERPRINTS.clean);
  });

  it("normals stand beside the points, across the surface and towards the viewpoint", async () => {
    const nodes = {
      ...scan,
      normals: node("estimateNormals", { cloud: "scan.cloud" }, { k: 7, viewpoint: [9, -7, 99] }),
      kept: node("selectColumns", { table: "normals.cloud" }, { columns: ["name", "nz", "variation"] }),
      same: node("estimateNormals", { cloud: "scan.cloud" }, { k: 3 }),
    };
    const { outputOf } = await outcomeOf(device(), nodes, open);
    const normals = outputOf("normals.cloud", "PointCloud");
    const { attributes, names } = normals.value;
    expect(names).toEqual(["x", "y", "z"]);
    expect(attributes?.names).toEqual(["name", "nx", "ny", "nz", "variation"]);
    const [nx, ny, nz, variation] = attributes!.names.slice(1).map((name) => numbersOf(attributes, name));
    for (const [at] of points.entries()) {
      const moments = naiveMoments(cloudOf(points), at, 7);
      const total = moments.reduce((sum, row, col) => sum + row[col], 0);
      const normal = [nx[at], ny[at], nz[at]];
      const along = moments.map((row) => row.reduce((sum, each, col) => sum + each * normal[col], 0));
      const least = along.reduce((sum, each, col) => sum + each * normal[col], 0);
      along.forEach((each, col) => expect(Math.abs(each - least * normal[col])).toBeLessThan(1e-12 * total));
      expect(Math.abs(variation[at] - least / total)).toBeLessThan(1e-12);
      const towards = [9, -7, 99].reduce((sum, each, col) => sum + (each - points[at][col]) * normal[col], 0);
      expect(towards).toBeGreaterThan(0);
    }
    expect([...outputOf("kept.table", "Table").value.roles]).toEqual(
      ["name", "nz", "variation"].map((name) => [name, "ignored"]),
    );
    expect([normals, outputOf("same.cloud", "PointCloud")].map(short)).toEqual(FINGERPRINTS.normals);
  });

  it("ICP moves a cloud as the naive one does, with its attributes, and says by which motion", async () => {
    const nodes = {
      ...scan,
      readMoved: read("moved.csv"),
      part: coordinates("readMoved.table"),
      icp: node(
        "icp",
        { cloud: "part.cloud", target: "scan.cloud" },
        { iterations: 3, overlap: 0.9, maxDistance: 2 },
      ),
      far: node("cloudDistance", { a: "icp.cloud", b: "scan.cloud" }),
    };
    const { outputOf } = await outcomeOf(device(), nodes, open);
    const expected = naiveIcp(cloudOf(moved), cloudOf(points), {
      maxIterations: 3,
      overlap: 0.9,
      maxDistance: 2,
    });
    const { transform, pairs, iterations, error, converged } = expected;
    const table = outputOf("icp.table", "Table");
    const found = measuresOf(table);
    expect(found).toMatchObject({ pairs, iterations, converged: Number(converged) });
    expect(Math.abs(found.error - error)).toBeLessThan(1e-9);
    const motion = outputOf("icp.transform", "Matrix");
    const { matrix } = motion.value;
    expect([matrix.rows, matrix.cols]).toEqual([4, 4]);
    transform.forEach((each, at) => expect(Math.abs(Number(matrix.data[at]) - each)).toBeLessThan(1e-8));
    const cloud = outputOf("icp.cloud", "PointCloud");
    expect(namesIn(cloud.value.attributes)).toEqual(moved.map((_, at) => `p${at}`));
    cloud.value.points.data.forEach((each, at) => {
      const [x, y, z] = moved[Math.floor(at / 3)];
      const [a, b, c, d] = transform.slice((at % 3) * 4);
      expect(Math.abs(Number(each) - (a * x + b * y + c * z + d))).toBeLessThan(1e-8);
    });
    expect([cloud, motion, table].map(short)).toEqual(FINGERPRINTS.icp);
  });
});

/** The first digits of the results, on every device and every machine. */
const FINGERPRINTS = {
  clean: ["8f9360d2f7351e6b", "9bc84fc3ad84dadc", "91408acab515d314"],
  normals: ["5c5e661974208d32", "b2523bd600906140"],
  icp: ["d0884aff42774b75", "097b38554a0f8042", "c20ad457cc96f28e"],
};

describe("the checks", () => {
  const found = async (nodes: Record<string, ProcessNode>) => {
    const process = { nearfield: 1 as const, nodes };
    const options = { files: await inspectFiles(process, { open }) };
    const problems = checkProcess(process, options);
    const [{ mend }] = problems;
    const mended = mend === undefined ? undefined : checkProcess(mend.apply(process), options);
    return { said: problems.map(({ path, message }) => `${path}: ${message}`), mend: mend?.says, mended };
  };
  const line = { read: read("line.csv") };
  const withNormals = {
    read: read("normals.csv"),
    cloud: node("tableToCloud", { table: "read.table" }, { columns: ["x", "y"] }),
  };

  it.each<[string, Record<string, ProcessNode>, string, string | undefined]>([
    [
      "as many neighbours as points",
      { ...line, clean: node("removeOutliers", { cloud: "read.table" }, { k: 2 }) },
      "nodes.clean.parameters.k: is 2, but there are at most 1 other points",
      "set k to 1",
    ],
    [
      "normals of numbers",
      { ...line, normals: node("estimateNormals", { cloud: "read.table" }, { k: 2 }) },
      "nodes.normals.inputs.cloud: have 1 column; a normal needs 2 or 3",
      undefined,
    ],
    [
      "a neighbourhood that has no plane",
      { ...scan, normals: node("estimateNormals", { cloud: "scan.cloud" }, { k: 2 }) },
      "nodes.normals.parameters.k: is 2; expected at least 3, one for each column",
      "set k to 3",
    ],
    [
      "a larger neighbourhood than there are points",
      { read: read("three.csv"), normals: node("estimateNormals", { cloud: "read.table" }) },
      "nodes.normals.parameters.k: is 30, but there are at most 3 points",
      "set k to 3",
    ],
    [
      "normals that are there",
      { ...withNormals, normals: node("estimateNormals", { cloud: "cloud.cloud" }, { k: 3 }) },
      'nodes.normals.inputs.cloud: have a column "nx" already; leave it out by Select Columns before',
      undefined,
    ],
    [
      "a viewpoint in the plane",
      { ...scan, normals: node("estimateNormals", { cloud: "scan.cloud" }, { viewpoint: [0, 1] }) },
      "nodes.normals.parameters.viewpoint: has 2 numbers; expected 3, one for each column",
      "leave out viewpoint",
    ],
    [
      "clouds of different columns",
      {
        ...scan,
        ...{ line: read("line.csv") },
        icp: node("icp", { cloud: "scan.cloud", target: "line.table" }),
      },
      "nodes.icp.inputs.target: have 1 column, but the other points 3",
      undefined,
    ],
    [
      "more than all points to have a partner",
      { ...scan, icp: node("icp", { cloud: "scan.cloud", target: "scan.cloud" }, { overlap: 1.5 }) },
      "nodes.icp.parameters.overlap: is 1.5; expected a number above 0 and at most 1",
      undefined,
    ],
    [
      "a point that has no other",
      { read: read("one.csv"), spacing: node("cloudSpacing", { cloud: "read.table" }) },
      "nodes.spacing.inputs.cloud: have 1 point; the nearest other one needs at least 2",
      undefined,
    ],
  ])("refuse %s", async (_, nodes, message, mend) => {
    const problem = await found(nodes);
    expect(problem.said).toEqual([expect.stringContaining(message)]);
    expect(problem.mend).toBe(mend);
    if (mend !== undefined) expect(problem.mended).toEqual([]);
  });
});
