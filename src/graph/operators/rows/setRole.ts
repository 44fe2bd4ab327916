/** Set Role says which column is the label and which are no features. */
import { quote } from "../../document/json.ts";
import { input, operator, output } from "../../catalogue/operator.ts";
import { checkColumn } from "../../facts.ts";
import { roleParameters } from "../../parameters/learning.ts";
import type { ColumnRole } from "../../values.ts";

export const setRole = operator({
  id: "setRole",
  version: 1,
  title: "Set Role",
  group: "Rows and columns",
  says: "Says which column is the label and which are carried along without being compared.",
  inputs: { table: input("Table", "the rows") },
  outputs: { table: output("Table", "the same rows, whose columns have roles") },
  parameters: roleParameters,
  check: ({ table }, { label, ignore = [], features }, report) => {
    if (label !== undefined) checkColumn(label, table, report, { parameter: "label" });
    for (const [parameter, names] of Object.entries({ ignore, features: features ?? [] }))
      for (const name of names) checkColumn(name, table, report, { parameter });
    if (label !== undefined && ignore.includes(label))
      report(`column ${quote(label)} is the label too; choose one`, { parameter: "ignore" });
    const both = features?.find((name) => name === label || ignore.includes(name));
    if (both !== undefined) {
      const other = both === label ? "the label" : "one of ignore";
      report(`column ${quote(both)} is ${other} too; choose one`, { parameter: "features" });
    }
    if (features?.length === 0) report("is empty; name a column", { parameter: "features" });
    if (label === undefined && ignore.length === 0 && features === undefined)
      report("sets no role; give label or ignore a column, or name features");
    const names = table.columns?.map(({ name }) => name) ?? [];
    return { table: { ...table, roles: rolesWith(table.roles, names, { label, ignore, features }) } };
  },
  run: ({ table: { table, roles } }, { label, ignore = [], features }) => {
    for (const name of [...(label === undefined ? [] : [label]), ...ignore, ...(features ?? [])])
      table.column(name);
    const given = { label, ignore, features };
    return Promise.resolve({ table: { table, roles: rolesWith(roles, table.names, given) } });
  },
});

interface ColumnRoles {
  readonly label: string | undefined;
  readonly ignore: readonly string[];
  readonly features: readonly string[] | undefined;
}

/** There is one label; another one that was is a feature again, and so is what `features` names. */
function rolesWith(
  before: ReadonlyMap<string, ColumnRole>,
  names: readonly string[],
  { label, ignore, features }: ColumnRoles,
): ReadonlyMap<string, ColumnRole> {
  const kept = [...before].filter(
    ([name, role]) => (label === undefined || role !== "label") && features?.includes(name) !== true,
  );
  const has = new Set(kept.map(([name]) => name));
  const others = names.filter((name) => features?.includes(name) === false && !has.has(name));
  return new Map<string, ColumnRole>([
    ...kept,
    ...[...ignore, ...others].map((name) => [name, "ignored"] as const),
    ...(label === undefined ? [] : [[label, "label"] as const]),
  ]);
}
