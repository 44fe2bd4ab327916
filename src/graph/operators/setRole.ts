/** Set Role: says which column is the label and which are no features. */
import { quote } from "../document/json.ts";
import { input, operator, output } from "../catalogue/operator.ts";
import { column, columns } from "../catalogue/parameters.ts";
import { checkColumn } from "../facts.ts";
import type { ColumnRole } from "../values.ts";

export const setRole = operator({
  id: "setRole",
  version: 1,
  title: "Set Role",
  group: "Rows and columns",
  says: "Says which column is the label and which are carried along without being compared.",
  inputs: { table: input("Table", "the rows") },
  outputs: { table: output("Table", "the same rows, whose columns have roles") },
  parameters: {
    label: column({ of: "table", says: "the column to predict" }),
    ignore: columns({ of: "table", says: "columns that are not compared, such as an id or a comment" }),
  },
  check: ({ table }, { label, ignore = [] }, report) => {
    if (label !== undefined) checkColumn(label, table, report, { parameter: "label" });
    for (const name of ignore) checkColumn(name, table, report, { parameter: "ignore" });
    if (label !== undefined && ignore.includes(label))
      report(`column ${quote(label)} is the label too; choose one`, { parameter: "ignore" });
    if (label === undefined && ignore.length === 0) report("sets no role; give label or ignore a column");
    return { table: { ...table, roles: rolesWith(table.roles, label, ignore) } };
  },
  run: ({ table: { table, roles } }, { label, ignore = [] }) => {
    for (const name of [...(label === undefined ? [] : [label]), ...ignore]) table.column(name);
    return Promise.resolve({ table: { table, roles: rolesWith(roles, label, ignore) } });
  },
});

/** There is one label; another one that was is a feature again. */
function rolesWith(
  before: ReadonlyMap<string, ColumnRole>,
  label: string | undefined,
  ignore: readonly string[],
): ReadonlyMap<string, ColumnRole> {
  const kept = [...before].filter(([, role]) => label === undefined || role !== "label");
  const ignored = ignore.map((name) => [name, "ignored"] as const);
  return new Map<string, ColumnRole>([
    ...kept,
    ...ignored,
    ...(label === undefined ? [] : [[label, "label"] as const]),
  ]);
}
