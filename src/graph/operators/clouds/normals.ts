/** Estimate Normals finds the directions across the surface of a cloud, by the library's estimateNormals. */
import { Table } from "../../../table/index.ts";
import { input, operator, output } from "../../catalogue/operator.ts";
import { quote } from "../../document/json.ts";
import { normalsParameters } from "../../parameters/clouds.ts";
import { checkRows } from "../neighbours/measure.ts";
import { plural } from "../../../core/plural.ts";

/** Files in .ply have these names for the components. */
const COMPONENTS = ["nx", "ny", "nz"];
const namesOf = (cols: number) => [...COMPONENTS.slice(0, cols), "variation"];

export const estimateNormals = operator({
  id: "estimateNormals",
  version: 1,
  title: "Estimate Normals",
  group: "Clouds",
  says: "Puts beside each point its normal, nx, ny and nz, and the surface variation of its neighbourhood.",
  inputs: { cloud: input("PointCloud", "the points, of two or three columns") },
  outputs: {
    cloud: output("PointCloud", "the points with their normals, missing where all neighbours coincide"),
  },
  parameters: normalsParameters,
  check: ({ cloud }, { k, viewpoint }, report) => {
    const { names, attributes, rows } = cloud;
    checkRows(k, rows, "points", report);
    const cols = names?.length;
    if (names === undefined || cols === undefined) return { cloud };
    if (cols === 1) report("have 1 column; a normal needs 2 or 3", { input: "cloud" });
    if (k < cols)
      report(`is ${k}; expected at least ${cols}, one for each column`, { parameter: "k", value: cols });
    if (viewpoint !== undefined && viewpoint.length !== cols)
      report(`has ${plural(viewpoint.length, "number")}; expected ${cols}, one for each column`, {
        parameter: "viewpoint",
        value: undefined,
      });
    const added = namesOf(cols);
    const taken = [...names, ...attributes.map(({ name }) => name)];
    const twice = added.find((name) => taken.includes(name));
    if (twice !== undefined)
      report(`have a column ${quote(twice)} already; leave it out by Select Columns before`, {
        input: "cloud",
      });
    const more = added.map((name) => ({ name, kind: "numeric" as const }));
    return { cloud: { ...cloud, attributes: [...attributes, ...more] } };
  },
  run: async ({ cloud }, { k, viewpoint }, { device, signal }) => {
    const { estimateNormals: estimate } = await import("../../../ops/cloud/index.ts");
    const { normals, variations } = await estimate(cloud.points, { k, viewpoint, device, signal });
    const { rows, cols } = cloud.points;
    const componentOf = (col: number) =>
      Float64Array.from({ length: rows }, (_, row) => normals[row * cols + col]);
    const values = [...Array.from({ length: cols }, (_, col) => componentOf(col)), variations];
    const added = Table.fromColumns(Object.fromEntries(namesOf(cols).map((name, at) => [name, values[at]])));
    const attributes = new Table([...(cloud.attributes?.columns ?? []), ...added.columns]);
    return { cloud: { ...cloud, attributes } };
  },
});
