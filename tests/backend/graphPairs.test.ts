/** Within Radius and Neighbour Rows, against loops over the rows, on every backend. */
import { describe, expect, it } from "vitest";
import { checkProcess, runProcess } from "../../dist/graph/index.js";
import type { ProcessNode } from "../../dist/graph/index.js";
import { textSource } from "../../dist/node.js";
import type { Device, Table } from "../../dist/node.js";
import { onEachBackend, openDevice } from "./helpers.ts";

const rows = Array.from(
  { length: 60 },
  (_, at) => [(at * 7) % 11, (at * 5) % 7, ["oak", "ash"][at % 2]] as const,
);
const csv = (from: number, to: number) =>
  `id,x,y,kind\n${rows
    .slice(from, to)
    .map((row, at) => `${from + at},${row.join(",")}\n`)
    .join("")}`;
const texts: Readonly<Record<string, string>> = { "a.csv": csv(0, 50), "b.csv": csv(50, 60) };

const reading = (id: string, file: string): Record<string, ProcessNode> => ({
  [`${id}File`]: { operator: "readTable", parameters: { file } },
  [id]: {
    operator: "setRole",
    inputs: { table: `${id}File.table` },
    parameters: { label: "kind", ignore: ["id"] },
  },
});
const nodes = { ...reading("train", "a.csv"), ...reading("queries", "b.csv") };
const both = { train: "train.table", queries: "queries.table" };
const within = (inputs: object, parameters: object): ProcessNode => ({
  operator: "withinRadius",
  inputs: inputs as Record<string, string>,
  parameters: parameters as Record<string, number | string>,
});

async function lastOf(device: Device, more: Record<string, ProcessNode>, output: string): Promise<Table> {
  const process = { nearfield: 1 as const, nodes: { ...nodes, ...more } };
  expect(checkProcess(process)).toEqual([]);
  const last = Object.keys(more).at(-1)!;
  const result = await runProcess(process, { device, open: (path) => textSource(texts[path], path) });
  const { outputs, error } = result.nodes.find(({ node }) => node === last)!;
  if (error) throw error;
  const found = outputs[output];
  if (found.type !== "Table") throw new Error(`a ${found.type} is no table`);
  return found.value.table;
}

const cells = (table: Table): unknown[][] =>
  Array.from({ length: table.rows }, (_, row) =>
    table.columns.map((column) =>
      column.kind === "numeric" ? column.values[row] : column.dictionary.values[column.codes[row]],
    ),
  );

/** All pairs, by a loop, of rows `from` to `to` with the first 50. */
function pairsOf(from: number, to: number, radius: number, distance: (dx: number, dy: number) => number) {
  return rows.slice(from, to).flatMap(([x, y], query) =>
    rows
      .slice(0, 50)
      .map(([a, b], index) => [query, index, distance(x - a, y - b)] as const)
      .filter(([, , d]) => d <= radius)
      .sort((one, two) => one[2] - two[2] || one[1] - two[1]),
  );
}

const euclidean = (dx: number, dy: number) => Math.sqrt(dx * dx + dy * dy);

onEachBackend((device) => {
  it("Within Radius finds what a loop finds, of queries and among the rows themselves", async () => {
    const asked = await lastOf(device(), { near: within(both, { radius: 2 }) }, "pairs");
    expect(asked.names).toEqual(["query", "index", "distance"]);
    expect(cells(asked)).toEqual(pairsOf(50, 60, 2, euclidean));
    expect(asked.rows).toBeGreaterThan(20);

    const manhattan = (dx: number, dy: number) => Math.abs(dx) + Math.abs(dy);
    const own = { near: within({ train: "train.table" }, { radius: 1, metric: "manhattan" }) };
    const expected = pairsOf(0, 50, 1, manhattan).filter(([query, index]) => query < index);
    expect(cells(await lastOf(device(), own, "pairs"))).toEqual(expected);
    expect(expected.length).toBeGreaterThan(10);

    const equal = cells(await lastOf(device(), { near: within({ train: "train.table" }, {}) }, "pairs"));
    expect(equal).toEqual(pairsOf(0, 50, 0, euclidean).filter(([query, index]) => query < index));
  });

  it("Neighbour Rows has the columns of both rows of a pair", async () => {
    const near: ProcessNode = { operator: "nearestNeighbours", inputs: both, parameters: { k: 2 } };
    const beside: ProcessNode = {
      operator: "neighbourRows",
      inputs: { ...both, neighbours: "near.neighbours" },
    };
    const table = await lastOf(device(), { near, beside }, "table");
    expect(table.names).toEqual([
      ...["query", "rank", "index", "distance", "id", "kind", "nearest(id)", "nearest(kind)"],
    ]);
    const found = cells(table);
    expect(found).toHaveLength(20);
    for (const [query, , index, , id, kind, other, nearest] of found as number[][])
      expect([id, kind, other, nearest]).toEqual([query + 50, rows[query + 50][2], index, rows[index][2]]);
  });
});

describe("on the CPU", () => {
  it("Neighbour Rows takes pairs of a table, and columns that are named", async () => {
    const device = await openDevice("cpu");
    const near = within({ train: "train.table" }, {});
    const beside: ProcessNode = {
      operator: "neighbourRows",
      inputs: { train: "train.table", neighbours: "near.pairs" },
      parameters: { columns: ["x"], trainColumns: ["y", "id"] },
    };
    const table = await lastOf(device, { near, beside }, "table");
    expect(table.names).toEqual(["query", "index", "distance", "x", "nearest(y)", "nearest(id)"]);
    for (const [query, index, , x, y, id] of cells(table) as number[][])
      expect([x, y, id]).toEqual([rows[query][0], rows[index][1], index]);
    device.dispose();
  });

  it("Neighbour Rows gives pairs alone where no column has a role", async () => {
    const device = await openDevice("cpu");
    const plain: ProcessNode = {
      operator: "selectColumns",
      inputs: { table: "train.table" },
      parameters: { columns: ["x", "y"] },
    };
    const near: ProcessNode = {
      operator: "nearestNeighbours",
      inputs: { train: "plain.table" },
      parameters: { k: 1 },
    };
    const beside: ProcessNode = {
      operator: "neighbourRows",
      inputs: { train: "plain.table", neighbours: "near.neighbours" },
    };
    const table = await lastOf(device, { plain, near, beside }, "table");
    expect(table.names).toEqual(["query", "rank", "index", "distance"]);
    expect(table.rows).toBe(rows.slice(0, 50).length);
    device.dispose();
  });

  it.each<[string, Record<string, ProcessNode>, string]>([
    [
      "rows that the table does not have",
      {
        near: within({ train: "train.table", queries: "train.table" }, { radius: 1 }),
        beside: {
          operator: "neighbourRows",
          inputs: { train: "queries.table", queries: "train.table", neighbours: "near.pairs" },
        },
      },
      'column "index": has "',
    ],
    [
      "texts for rows",
      {
        beside: {
          operator: "neighbourRows",
          inputs: { train: "train.table", neighbours: "train.table" },
        },
      },
      'there is no column "query"',
    ],
    [
      "a column twice",
      {
        near: { operator: "nearestNeighbours", inputs: { train: "train.table" } },
        one: { operator: "neighbourRows", inputs: { train: "train.table", neighbours: "near.neighbours" } },
        two: { operator: "neighbourRows", inputs: { train: "train.table", neighbours: "one.table" } },
      },
      'column "id": would stand here twice',
    ],
  ])("Neighbour Rows refuses %s", async (_, more, message) => {
    const device = await openDevice("cpu");
    await expect(lastOf(device, more, "table")).rejects.toThrow(message);
    device.dispose();
  });

  it("the checks name columns that are not there, and metrics that do not fit", () => {
    const files = new Map([
      ["trainFile", { columns: ["id", "x", "y"].map((name) => ({ name, kind: "numeric" as const })) }],
    ]);
    const near = within({ train: "trainFile.table" }, { metric: "rapidminer:NominalDistance" });
    const beside: ProcessNode = {
      operator: "neighbourRows",
      inputs: { train: "trainFile.table", neighbours: "near.pairs" },
      parameters: { columns: ["xx"], trainColumns: ["kind"] },
    };
    const process = { nearfield: 1 as const, nodes: { trainFile: nodes.trainFile, near, beside } };
    expect(checkProcess(process, { files }).map(({ path }) => path)).toEqual([
      "nodes.near.parameters.metric",
      "nodes.beside.parameters.columns",
      "nodes.beside.parameters.trainColumns",
    ]);
  });
});
