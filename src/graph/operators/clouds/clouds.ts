/**
 * These operators work on points of one to three columns, by the library's PointCloud and distances of
 * clouds.
 */
import { collectMatrix } from "../../../core/matrixStream.ts";
import { openMatrix } from "../../../io/index.ts";
import type { FormatName } from "../../../io/index.ts";
import { input, operator, optionalInput, output } from "../../catalogue/operator.ts";
import { choice, columns, file } from "../../catalogue/parameters.ts";
import { formatRead } from "../data/formats.ts";
import { cloudFacts, cloudOf, cloudOfTable, coordinatesOf } from "../../cloudAs.ts";
import { checkAlike, checkColumn, measuresFacts } from "../../facts.ts";
import type { CloudFacts, Report, TableFacts } from "../../facts.ts";
import { cloudMetric, nearestPointParameters } from "../../parameters/clouds.ts";
import { plainTable } from "../../values.ts";
import { matrixOptions } from "../data/matrices.ts";
import { checkRows } from "../neighbours/measure.ts";
import { plural } from "../../../core/plural.ts";

const formats = ["ply", "xyz", "npy", "fvecs"] as const satisfies readonly FormatName[];

export const readCloud = operator({
  id: "readCloud",
  version: 1,
  title: "Read Cloud",
  group: "Data",
  says: "Reads points of .ply or .xyz, or of a matrix file of one to three columns.",
  inputs: {},
  outputs: { cloud: output("PointCloud", "the points, whose coordinates are called x, y and z") },
  parameters: {
    file: file({ says: "the file, relative to the process" }),
    format: formatRead(formats),
  },
  check: (_, __, ___, { file: facts }) => ({
    cloud: {
      rows: facts?.rows,
      names: coordinatesOf(facts?.cols),
      attributes: [],
      prepared: [],
    },
  }),
  run: async (_, { format }, { source, signal }) => {
    const opened = source();
    const stream = await openMatrix(opened, matrixOptions(format, signal));
    return { cloud: cloudOf(await collectMatrix(stream, { signal }), opened.name) };
  },
});

export const tableToCloud = operator({
  id: "tableToCloud",
  version: 1,
  title: "Table to Cloud",
  group: "Rows and columns",
  says: "Takes columns of numbers as the coordinates of points; all others are carried along.",
  inputs: { table: input("Table", "the rows, one for each point") },
  outputs: { cloud: output("PointCloud", "the points") },
  parameters: {
    columns: columns({ of: "table", says: "the coordinates, one to three", otherwise: "all features" }),
  },
  check: ({ table }, { columns: names }, report) => {
    for (const name of names ?? []) checkColumn(name, table, report, { parameter: "columns" });
    const place = names === undefined ? { input: "table" } : { parameter: "columns" };
    const rows = names === undefined ? table : { ...table, roles: rolesBeside(names, table) };
    return { cloud: cloudFacts(rows, (message) => report(message, place)) };
  },
  run: ({ table }, { columns: names }) => Promise.resolve({ cloud: cloudOfTable(table, names) }),
});

/** Returns the roles of columns where those of these names are compared alone. */
function rolesBeside(names: readonly string[], { columns: all = [] }: TableFacts): TableFacts["roles"] {
  const others = all.filter(({ name }) => !names.includes(name));
  return new Map(others.map(({ name }) => [name, "ignored"]));
}

export const nearestInCloud = operator({
  id: "nearestInCloud",
  version: 1,
  title: "Nearest in Cloud",
  group: "Clouds",
  says: "Finds the k nearest points of every query; without queries the nearest other points of every point.",
  inputs: {
    cloud: input("PointCloud", "the points to search among"),
    queries: optionalInput("PointCloud", "the points to search for"),
  },
  outputs: { neighbours: output("Neighbours", "indices from 0 and distances, the nearest first") },
  parameters: nearestPointParameters,
  check: ({ cloud, queries }, { k }, report) => {
    const others = queries === undefined && cloud.rows !== undefined ? cloud.rows - 1 : cloud.rows;
    checkRows(k, others, queries === undefined ? "other points" : "points to search among", report);
    if (queries !== undefined) checkTogether(cloud, queries, "queries", report);
    return { neighbours: {} };
  },
  run: async ({ cloud, queries }, { k, metric: by, radius }, { device, signal, onProgress }) => {
    const { PointCloud } = await import("../../../ops/cloud/index.ts");
    const points = await PointCloud.create(cloud.points, { device, metric: by, signal });
    try {
      const excludeSelf = queries === undefined;
      const result = await points.nearest((queries ?? cloud).points, {
        ...{ k, radius, signal, onProgress, excludeSelf },
      });
      return { neighbours: { result } };
    } finally {
      points.dispose();
    }
  },
});

export const cloudDistance = operator({
  id: "cloudDistance",
  version: 1,
  title: "Cloud Distance",
  group: "Clouds",
  says: "Says how far two clouds are from each other: by the means of nearest distances, or by the greatest of them.",
  inputs: { a: input("PointCloud", "a cloud"), b: input("PointCloud", "another") },
  outputs: { table: output("Table", "measure and value: the distance, forward from a to b, and backward") },
  parameters: {
    by: choice(["chamfer", "hausdorff"], {
      default: "chamfer",
      says: "chamfer adds the means of both directions; hausdorff takes the greater one, with the points a and b",
    }),
    metric: cloudMetric,
  },
  check: ({ a, b }, { by, metric: chosen }, report) => {
    if (by === "hausdorff" && chosen !== "euclidean")
      report(`is ${chosen}, which chamfer takes alone; leave it out`, {
        parameter: "metric",
        value: undefined,
      });
    checkTogether(a, b, "b", report);
    return { table: measuresFacts };
  },
  run: async ({ a, b }, { by, metric: chosen }, { device, signal }) => {
    const room = await import("../../../ops/cloud/index.ts");
    const found =
      by === "chamfer"
        ? await room.chamferDistance(a.points, b.points, { device, signal, metric: chosen })
        : await room.hausdorffDistance(a.points, b.points, { device, signal });
    return {
      table: plainTable({ measure: Object.keys(found), value: Object.values(found) as number[] }),
    };
  },
});

export const cloudSpacing = operator({
  id: "cloudSpacing",
  version: 1,
  title: "Cloud Spacing",
  group: "Clouds",
  says: "Says how dense a cloud is: the mean distance of its points to the nearest other one.",
  inputs: { cloud: input("PointCloud", "the points, at least two") },
  outputs: { table: output("Table", "measure and value: the mean nearest distance") },
  parameters: {},
  check: ({ cloud: { rows } }, _, report) => {
    if (rows !== undefined && rows < 2)
      report(`have ${plural(rows, "point")}; the nearest other one needs at least 2`, { input: "cloud" });
    return { table: measuresFacts };
  },
  run: async ({ cloud }, _, { device, signal }) => {
    const { meanNearestDistance } = await import("../../../ops/cloud/index.ts");
    const value = await meanNearestDistance(cloud.points, { device, signal });
    return { table: plainTable({ measure: ["mean nearest distance"], value: [value] }) };
  },
});

/** Reports clouds of different columns, or of which one was prepared. */
export function checkTogether(one: CloudFacts, other: CloudFacts, which: string, report: Report): void {
  const [cols, own] = [one.names?.length, other.names?.length];
  if (cols !== undefined && own !== undefined && cols !== own)
    report(`have ${plural(own, "column")}, but the other points ${cols}; expected as many`, { input: which });
  const facts = { ...other, columns: undefined, roles: new Map(), predicted: undefined };
  checkAlike(facts, one.prepared, "the other points", report, which);
}
