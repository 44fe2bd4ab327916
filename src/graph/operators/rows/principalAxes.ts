/**
 * Principal Axes gives rows of many columns places in a plane or in space, by the library's PrincipalAxes.
 */
import { PrincipalAxes } from "../../../models/principalAxes.ts";
import { InvalidInputError } from "../../../core/errors.ts";
import { Table } from "../../../table/index.ts";
import { quote } from "../../document/json.ts";
import { input, operator, output } from "../../catalogue/operator.ts";
import { wholeNumber } from "../../catalogue/parameters.ts";
import { plainFacts } from "../../facts.ts";
import { featureNames } from "../../features.ts";
import { plainTable } from "../../values.ts";
import type { ColumnRole } from "../../values.ts";

export const principalAxes = operator({
  id: "principalAxes",
  version: 1,
  title: "Principal Axes",
  group: "Rows and columns",
  says: "Places rows along the directions in which their numeric features vary most, such as for a map.",
  inputs: { table: input("Table", "the rows; normalise them first where units differ") },
  outputs: {
    table: output("Table", "the rows with columns axis1, axis2 and so on, which are not compared"),
    axes: output("Table", "of each axis the variance along it, and its share of all"),
  },
  parameters: { axes: wholeNumber({ min: 2, max: 3, default: 2, says: "how many" }) },
  check: ({ table }, { axes }, report) => {
    const added = namesOf(axes);
    const taken = table.columns?.find(({ name }) => added.includes(name));
    if (taken !== undefined)
      report(`these rows have a column ${quote(taken.name)} already; leave it out`, {
        input: "table",
      });
    const columns = table.columns && [
      ...table.columns,
      ...added.map((name) => ({ name, kind: "numeric" as const })),
    ];
    return {
      table: { ...table, columns, roles: withAxes(table.roles, added) },
      axes: plainFacts(undefined, axes),
    };
  },
  run: async ({ table: value }, { axes: count }, { signal }) => {
    const { table, roles } = value;
    const added = namesOf(count);
    const taken = added.find((name) => table.has(name));
    if (taken !== undefined)
      throw new InvalidInputError("there is a column of this name already; leave it out", { column: taken });
    const numeric = featureNames(value).filter((name) => table.column(name).kind === "numeric");
    const found = await new PrincipalAxes({ axes: count === 3 ? 3 : 2 }).fit(table, numeric, { signal });
    const places = found.transform(table);
    const columns = added.map((name, axis): [string, Float64Array] => [
      name,
      Float64Array.from({ length: table.rows }, (_, row) => places[row * count + axis]),
    ]);
    const { variances, totalVariance } = found;
    const axes = plainTable({
      axis: added,
      variance: variances,
      share: variances.map((each) => (totalVariance === 0 ? 0 : each / totalVariance)),
    });
    const wider = new Table(
      [...table.columns, ...Table.fromColumns(Object.fromEntries(columns)).columns],
      table.origin,
    );
    return {
      table: { table: wider, roles: withAxes(roles, added) },
      axes,
    };
  },
});

function namesOf(axes: number): string[] {
  return Array.from({ length: axes }, (_, at) => `axis${at + 1}`);
}

function withAxes(roles: ReadonlyMap<string, ColumnRole>, added: readonly string[]) {
  return new Map([...roles, ...added.map((name) => [name, "ignored" as const] as const)]);
}
