/** Operators that change which rows and columns a table has: what they give, and what they refuse. */
import { describe, expect, it } from "vitest";
import { checkProcess, runProcess } from "../../../dist/graph/index.js";
import type { ColumnFacts, NodeResult, ProcessNode } from "../../../dist/graph/index.js";
import { splitTable, textSource } from "../../../dist/node.js";
import type { Device, Table } from "../../../dist/node.js";

const csv = "id,x,kind\n1,3,oak\n2,,ash\n3,5,\n4,-1,oak\n5,0,ash tree\n";
const read: ProcessNode = { operator: "readTable", parameters: { file: "a.csv" } };
const columns: readonly ColumnFacts[] = [
  { name: "id", kind: "numeric" },
  { name: "x", kind: "numeric" },
  { name: "kind", kind: "nominal" },
];

/** None of these operators touches a device. */
const device = { info: { kind: "cpu", name: "none" } } as Device;

const node = (
  operator: string,
  parameters: ProcessNode["parameters"] = {},
  more: object = {},
): ProcessNode => ({
  operator,
  inputs: { table: "read.table", ...more },
  parameters,
});

async function resultOf(last: ProcessNode, text = csv): Promise<NodeResult> {
  const process = { nearfield: 1 as const, nodes: { read, last } };
  const { nodes } = await runProcess(process, { device, open: (path) => textSource(text, path) });
  return nodes[1];
}

async function tableOf(last: ProcessNode, output = "table", text = csv): Promise<Table> {
  const { outputs, error } = await resultOf(last, text);
  const found = outputs[output];
  if (found?.type !== "Table") throw error ?? new Error("no table");
  return found.value.table;
}

const cells = (table: Table, name: string): unknown[] => {
  const column = table.column(name);
  return column.kind === "numeric"
    ? [...column.values]
    : Array.from(column.codes, (code) => column.dictionary.values[code] ?? null);
};

function problemsOf(last: ProcessNode): string[] {
  const process = { nearfield: 1 as const, nodes: { read, last } };
  return checkProcess(process, { files: new Map([["read", { columns }]]) }).map(
    ({ path, message }) => `${path}: ${message}`,
  );
}

describe("Filter Rows by another column", () => {
  const text = "a,b,one,two\n1,2,u,u\n3,3,u,v\n5,4,,v\n,4,vu,u\n";
  it.each([
    ["a", "=", "b", [3]],
    ["a", "!=", "b", [1, 5]],
    ["a", "<", "b", [1]],
    ["a", ">=", "b", [3, 5]],
    ["one", "=", "two", [1]],
    ["one", "!=", "two", [3, NaN]],
    ["one", "contains", "two", [1, NaN]],
  ])(
    "keeps the rows where %s %s %s, and none with a gap on either side",
    async (column, comparison, other, kept) => {
      const filter = node("filterRows", { column, comparison, other });
      expect(cells(await tableOf(filter, "table", text), "a")).toEqual(kept);
    },
  );

  it.each<[ProcessNode["parameters"], string]>([
    [{ column: "x", other: "kind" }, "parameters.other: is nominal, but the column is numeric"],
    [{ column: "x", other: "id", value: "1" }, "parameters.other: and value are two things to compare with"],
    [{ column: "x", comparison: "missing", other: "id" }, "parameters.other: is not compared under missing"],
    [
      { column: "kind", comparison: "<", other: "kind" },
      "parameters.comparison: is <, which compares numbers",
    ],
    [{ column: "x", other: "idd" }, 'parameters.other: there is no column "idd"'],
  ])("refuses %j before a run", (parameters, message) => {
    expect(problemsOf(node("filterRows", parameters))).toEqual([expect.stringContaining(message)]);
  });

  it("refuses columns of two kinds in a run, where nobody has looked before", async () => {
    const { error } = await resultOf(node("filterRows", { column: "x", other: "kind" }));
    expect(error?.message).toContain('column "x": other is nominal, but the column is numeric');
  });
});

describe("Filter Rows", () => {
  it.each<[string, string, string | undefined, number[]]>([
    ["x", "=", "5", [3]],
    ["x", "=", " 5.0", [3]],
    ["x", "!=", "5", [1, 4, 5]],
    ["x", "<", "3", [4, 5]],
    ["x", "<=", "3", [1, 4, 5]],
    ["x", ">", "0", [1, 3]],
    ["x", ">=", "0", [1, 3, 5]],
    ["x", "missing", undefined, [2]],
    ["x", "present", undefined, [1, 3, 4, 5]],
    ["kind", "=", "ash", [2]],
    ["kind", "!=", "oak", [2, 5]],
    ["kind", "contains", "a", [1, 2, 4, 5]],
    ["kind", "contains", "ash", [2, 5]],
    ["kind", "missing", undefined, [3]],
    ["x", ">", "99", []],
  ])("keeps the rows where %s %s %s", async (column, comparison, value, kept) => {
    const filter = node("filterRows", { column, comparison, ...(value === undefined ? {} : { value }) });
    expect(problemsOf(filter)).toEqual([]);
    expect(cells(await tableOf(filter), "id")).toEqual(kept);
  });

  it.each<[string, ProcessNode["parameters"], string]>([
    ["no column", {}, "nodes.last.parameters.column: is missing; expected a text"],
    ["an unknown column", { column: "y", value: "1" }, 'there is no column "y"'],
    ["no value", { column: "x" }, "nodes.last.parameters.value: is missing; give one"],
    [
      "a value of missing",
      { column: "x", comparison: "missing", value: "1" },
      "value: is not compared under missing",
    ],
    ["a word among numbers", { column: "x", value: "oak" }, 'value: is "oak", but the column has numbers'],
    [
      "an order of texts",
      { column: "kind", comparison: "<", value: "oak" },
      "comparison: is <, which compares numbers",
    ],
    [
      "parts of numbers",
      { column: "x", comparison: "contains", value: "5" },
      "comparison: is contains, which compares",
    ],
  ])("is refused %s, before a run where columns are known, else in it", async (_, parameters, message) => {
    expect(problemsOf(node("filterRows", parameters)).join()).toContain(message);
    await expect(
      resultOf(node("filterRows", parameters)).then(({ error }) => {
        if (error) throw error;
      }),
    ).rejects.toThrow();
  });
});

describe("Sample Rows", () => {
  it("draws so many rows in their order, the same for a seed, and all where there are fewer", async () => {
    const all = await tableOf(node("sampleRows", { rows: 5 }));
    const [drawn] = splitTable(all, { ratios: [2, 3], sampling: "shuffled", seed: 7 });
    expect(cells(await tableOf(node("sampleRows", { rows: 2, seed: 7 })), "id")).toEqual(cells(drawn, "id"));
    expect(cells(await tableOf(node("sampleRows", { rows: 9 })), "id")).toEqual([1, 2, 3, 4, 5]);
    expect(cells(await tableOf(node("sampleRows", { rows: 3, sampling: "linear" })), "id")).toEqual([
      1, 2, 3,
    ]);
  });

  it("gives exactly as many rows as are asked for", async () => {
    const rows = 997;
    const text = `id\n${Array.from({ length: rows }, (_, row) => row).join("\n")}\n`;
    for (const wanted of [1, 2, 333, 500, 996]) {
      const table = await tableOf(node("sampleRows", { rows: wanted }), "table", text);
      expect(new Set(cells(table, "id")).size).toBe(wanted);
    }
  });

  it("needs a label to be stratified", () => {
    expect(problemsOf(node("sampleRows", { sampling: "stratified" })).join()).toContain("needs a label");
  });
});

describe("Select Columns", () => {
  it("keeps columns in the order of the table, or leaves them out", async () => {
    expect((await tableOf(node("selectColumns", { columns: ["kind", "id"] }))).names).toEqual(["id", "kind"]);
    expect((await tableOf(node("selectColumns", { columns: ["id"], leaveOut: true }))).names).toEqual([
      "x",
      "kind",
    ]);
  });

  it("is refused columns that are not there, or none", () => {
    expect(problemsOf(node("selectColumns", { columns: ["knd"] })).join()).toContain('did you mean "kind"?');
    expect(problemsOf(node("selectColumns", { columns: [] })).join()).toContain("is empty; name a column");
    const all = { columns: ["id", "x", "kind"], leaveOut: true };
    expect(problemsOf(node("selectColumns", all)).join()).toContain("leaves no column");
  });
});

describe("Attach Column", () => {
  const attach = (parameters: ProcessNode["parameters"]) =>
    node("attachColumn", parameters, { other: "read.table" });

  it("puts the column beside the others under its new name", async () => {
    const table = await tableOf(attach({ column: "x", as: "y" }));
    expect(table.names).toEqual(["id", "x", "kind", "y"]);
    expect(cells(table, "y")).toEqual(cells(table, "x"));
  });

  it("is refused a name that is taken, an unknown column, and rows that are fewer", async () => {
    expect(problemsOf(attach({ column: "x" })).join()).toContain('there is a column "x" already');
    expect(problemsOf(attach({ column: "z" })).join()).toContain('there is no column "z"');
    expect((await resultOf(attach({ column: "x" }))).error?.message).toContain(
      "a column of this name already",
    );
    const process = {
      nearfield: 1 as const,
      nodes: {
        read,
        few: node("sampleRows", { rows: 2 }),
        last: node("attachColumn", { column: "x", as: "y" }, { other: "few.table" }),
      },
    };
    const { nodes } = await runProcess(process, { device, open: (path) => textSource(csv, path) });
    expect(nodes[2].error?.message).toContain("the table has 5 rows, the other one 2");
  });
});

describe("Principal Axes", () => {
  it("adds places that are not compared, and tells the variances", async () => {
    const { outputs } = await resultOf(node("principalAxes"), "a,b,k\n0,0,u\n1,2,u\n2,4,v\n");
    const { table, axes } = outputs;
    if (table.type !== "Table" || axes.type !== "Table") throw new Error("no tables");
    expect(table.value.table.names).toEqual(["a", "b", "k", "axis1", "axis2"]);
    expect([...table.value.roles]).toEqual([
      ["axis1", "ignored"],
      ["axis2", "ignored"],
    ]);
    expect(cells(table.value.table, "axis1").map((each) => Number(Number(each).toFixed(9)))).toEqual([
      -2.236067977, 0, 2.236067977,
    ]);
    expect(cells(axes.value.table, "share").map((each) => Number(Number(each).toFixed(9)))).toEqual([1, 0]);
  });

  it("is refused columns of those names, and texts alone", async () => {
    const twice = "axis1,b\n0,0\n1,2\n";
    expect((await resultOf(node("principalAxes"), twice)).error?.message).toContain("of this name already");
    expect((await resultOf(node("principalAxes"), "a,b\nu,v\n")).error?.message).toContain("0 columns given");
  });
});
