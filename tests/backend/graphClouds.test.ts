/**
 * Clouds in processes, on every backend: of files, of matrices and of the features of tables, what loops over
 * the points give, with one fingerprint everywhere.
 */
import { describe, expect, it } from "vitest";
import { checkProcess, inspectFiles } from "../../dist/graph/index.js";
import type { ProcessNode } from "../../dist/graph/index.js";
import { bytesSource, textSource, writeNpy } from "../../dist/node.js";
import { onEachBackend, openDevice } from "./helpers.ts";
import { bytesOf, node, outcomeOf, short } from "./processes.ts";

type Point = readonly number[];
const points: Point[] = Array.from({ length: 40 }, (_, at) => [(at * 7) % 11, (at * 5) % 13, (at * 3) % 7]);
const others: Point[] = [
  [0.5, 0.25, 0],
  [20, -3, 6],
  [5, 5, 5],
];
const xyz = `${others.map((each) => each.join(" ")).join("\n")}\n`;
const csv = `tree,x,y,z\n${points.map((each, at) => `t${at},${each.join(",")}`).join("\n")}\n`;

const open = async (path: string) => {
  if (path.endsWith(".csv")) return textSource(csv, path);
  if (path.endsWith(".xyz")) return textSource(xyz, path);
  const cols = path === "wide.npy" ? 4 : 2;
  const data = Float32Array.from({ length: 5 * cols }, (_, at) => at);
  return bytesSource(await bytesOf(writeNpy({ data, rows: 5, cols })), path);
};

const squared = (a: Point, b: Point) => a.reduce((sum, each, col) => sum + (each - b[col]) ** 2, 0);
const distance = (a: Point, b: Point) => Math.sqrt(squared(a, b));

/** The places of the k nearest, ties by place. */
const nearest = (query: Point, among: readonly Point[], k: number, self = -1) =>
  among
    .map((_, at) => at)
    .filter((at) => at !== self)
    .sort((a, b) => distance(query, among[a]) - distance(query, among[b]) || a - b)
    .slice(0, k);

const table = node("readTable", {}, { file: "trees.csv" });
const trees = node("setRole", { table: "table.table" }, { ignore: ["tree"] });
const scan = node("readCloud", {}, { file: "scan.xyz" });

onEachBackend((device) => {
  it("Nearest in Cloud finds the points that a loop finds, and Neighbour Rows their attributes", async () => {
    const nodes = {
      table,
      trees,
      scan,
      own: node("nearestInCloud", { cloud: "trees.table" }, { k: 4 }),
      asked: node(
        "nearestInCloud",
        { cloud: "trees.table", queries: "scan.cloud" },
        { k: 2, metric: "sqeuclidean" },
      ),
      beside: node("neighbourRows", {
        neighbours: "asked.neighbours",
        train: "trees.table",
        queries: "scan.cloud",
      }),
    };
    const { outputOf } = await outcomeOf(device(), nodes, open);
    const of = (id: string) => outputOf(`${id}.neighbours`, "Neighbours").value.result;
    expect([...of("own").indices]).toEqual(points.flatMap((each, at) => nearest(each, points, 4, at)));
    const places = others.map((each) => nearest(each, points, 2));
    expect([...of("asked").indices]).toEqual(places.flat());
    expect([...of("asked").distances]).toEqual(
      places.flatMap((each, query) => each.map((at) => squared(others[query], points[at]))),
    );
    const { table: beside } = outputOf("beside.table", "Table").value;
    const trunk = beside.column("nearest(tree)");
    const names =
      trunk.kind === "nominal" ? [...trunk.codes].map((code) => trunk.dictionary.values[code]) : [];
    expect(names).toEqual(places.flat().map((at) => `t${at}`));
    expect(short(outputOf("own.neighbours", "Neighbours"))).toBe(FINGERPRINTS.own);
  });

  it.each(["chamfer", "hausdorff"])("Cloud Distance gives the %s distance of a loop", async (by) => {
    const nodes = {
      table,
      trees,
      scan,
      far: node("cloudDistance", { a: "trees.table", b: "scan.cloud" }, { by }),
    };
    const { outputOf } = await outcomeOf(device(), nodes, open);
    const { table: found } = outputOf("far.table", "Table").value;
    const [names, values] = ["measure", "value"].map((name) => found.column(name));
    const cells = Object.fromEntries(
      names.kind === "nominal" && values.kind === "numeric"
        ? [...names.codes].map((code, at) => [names.dictionary.values[code], values.values[at]])
        : [],
    ) as Record<string, number>;
    const least = (from: readonly Point[], to: readonly Point[]) =>
      from.map((each) => Math.min(...to.map((other) => distance(each, other))));
    const [there, back] = [least(points, others), least(others, points)];
    const meanOf = (each: readonly number[]) => each.reduce((sum, one) => sum + one, 0) / each.length;
    const combine = by === "chamfer" ? meanOf : (each: readonly number[]) => Math.max(...each);
    const [forward, backward] = [combine(there), combine(back)];
    const whole = by === "chamfer" ? forward + backward : Math.max(forward, backward);
    expect(cells).toMatchObject({ distance: whole, forward, backward });
    expect(Object.keys(cells).length).toBe(by === "chamfer" ? 3 : 5);
    expect(short(outputOf("far.table", "Table"))).toBe(FINGERPRINTS[by as "chamfer"]);
  });
});

/** The first digits of the results, on every device and every machine. */
const FINGERPRINTS = { own: "a6a64ece2157e786", chamfer: "2df73aabd9feea88", hausdorff: "9a5066d98c191a8b" };

describe("on the CPU", () => {
  const said = async (nodes: Record<string, ProcessNode>) => {
    const process = { nearfield: 1 as const, nodes };
    const found = checkProcess(process, { files: await inspectFiles(process, { open }) });
    return found.map(({ path, message }) => `${path}: ${message}`);
  };
  const flat = node("readMatrix", {}, { file: "flat.npy" });
  const wide = node("readMatrix", {}, { file: "wide.npy" });

  it.each<[string, Record<string, ProcessNode>, string]>([
    [
      "texts as coordinates",
      { table, near: node("nearestInCloud", { cloud: "table.table" }) },
      'column "tree" has texts',
    ],
    [
      "four columns",
      { wide, near: node("nearestInCloud", { cloud: "wide.matrix" }) },
      "nodes.near.inputs.cloud: the points have 4 columns; a cloud has 1 to 3",
    ],
    [
      "a column of texts among those named",
      { table, cloud: node("tableToCloud", { table: "table.table" }, { columns: ["x", "tree"] }) },
      'nodes.cloud.parameters.columns: column "tree" has texts',
    ],
    [
      "a column that is not there",
      { table, cloud: node("tableToCloud", { table: "table.table" }, { columns: ["x", "Y"] }) },
      'nodes.cloud.parameters.columns: there is no column "Y" (did you mean "y"?)',
    ],
    [
      "other columns",
      { table, trees, flat, far: node("cloudDistance", { a: "trees.table", b: "flat.matrix" }) },
      "nodes.far.inputs.b: have 2 columns, but the other points 3",
    ],
    [
      "k as large as the cloud",
      { flat, near: node("nearestInCloud", { cloud: "flat.matrix" }, { k: 5 }) },
      "nodes.near.parameters.k: is 5, but there are at most 4 other points",
    ],
    [
      "squares of Hausdorff",
      {
        scan,
        far: node(
          "cloudDistance",
          { a: "scan.cloud", b: "scan.cloud" },
          { by: "hausdorff", metric: "sqeuclidean" },
        ),
      },
      "nodes.far.parameters.metric: is sqeuclidean, which chamfer takes alone",
    ],
    [
      "a cloud that was normalised beside one that was not",
      {
        table,
        trees,
        scan,
        scaled: node("normalize", { table: "trees.table" }),
        far: node("cloudDistance", { a: "scaled.table", b: "scan.cloud" }),
      },
      "nodes.far.inputs.b: these rows did not go through Normalize, but the other points did",
    ],
  ])("the checks refuse %s", async (_, nodes, message) => {
    expect(await said(nodes)).toEqual([expect.stringContaining(message)]);
  });

  it("a cloud is read as a table with its attributes carried along, and as a matrix of points", async () => {
    const device = await openDevice("cpu");
    const nodes = {
      table,
      trees,
      matrix: node("tableToMatrix", { table: "scan.cloud" }),
      scan,
      near: node("withinRadius", { train: "scan.cloud" }, { radius: 9 }),
      flat: node("tableToCloud", { table: "table.table" }, { columns: ["z", "x"] }),
      kept: node("selectColumns", { table: "flat.cloud" }, { columns: ["z", "tree"] }),
      pairs: node("nearestInCloud", { cloud: "flat.cloud" }),
      beside: node("neighbourRows", { neighbours: "pairs.neighbours", train: "flat.cloud" }),
      most: node("reduce", { matrix: "scan.cloud" }, { op: "max" }),
    };
    const { outputOf } = await outcomeOf(device, nodes, open);
    expect([...outputOf("matrix.matrix", "Matrix").value.matrix.data]).toEqual(others.flat());
    expect([...outputOf("most.matrix", "Matrix").value.matrix.data]).toEqual([0.5, 20, 5]);
    const { points: flat, names, attributes } = outputOf("flat.cloud", "PointCloud").value;
    expect([...flat.data]).toEqual(points.flatMap(([x, , z]) => [z, x]));
    expect([names, attributes?.names]).toEqual([
      ["z", "x"],
      ["tree", "y"],
    ]);
    expect([...outputOf("kept.table", "Table").value.roles]).toEqual([["tree", "ignored"]]);
    expect(outputOf("beside.table", "Table").value.table.names.slice(4)).toEqual([
      ...["tree", "y", "nearest(tree)", "nearest(y)"],
    ]);
    const close = others.flatMap((a, at) => others.filter((b, to) => at < to && distance(a, b) <= 9));
    expect(outputOf("near.pairs", "Table").value.table.rows).toBe(close.length);
    device.dispose();
  });

  it("a file of more than three columns is no cloud, in words", async () => {
    const device = await openDevice("cpu");
    const read = node("readCloud", {}, { file: "wide.npy" });
    await expect(outcomeOf(device, { read }, open)).rejects.toThrow(
      "node read (Read Cloud): wide.npy: the points have 4 columns; a cloud has 1 to 3",
    );
    device.dispose();
  });
});
