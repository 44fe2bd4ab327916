/** Select Columns and Attach Column change which columns a table has. */
import { InvalidInputError } from "../../../core/errors.ts";
import { Table, columnLength } from "../../../table/index.ts";
import { quote } from "../../document/json.ts";
import { input, operator, output } from "../../catalogue/operator.ts";
import { column, columns, flag, required, text } from "../../catalogue/parameters.ts";
import { checkColumn } from "../../facts.ts";
import { plural } from "../../../core/plural.ts";

export const selectColumns = operator({
  id: "selectColumns",
  version: 1,
  title: "Select Columns",
  group: "Rows and columns",
  says: "Keeps columns, or leaves them out, and their roles with them.",
  inputs: { table: input("Table", "the rows") },
  outputs: { table: output("Table", "the rows with the columns that are kept") },
  parameters: {
    columns: required(columns({ of: "table", says: "the columns" })),
    leaveOut: flag({ default: false, says: "leave these out and keep the others" }),
  },
  check: ({ table }, { columns: names, leaveOut }, report) => {
    for (const name of names) checkColumn(name, table, report, { parameter: "columns" });
    const isKept = (name: string) => names.includes(name) !== leaveOut;
    const known = table.columns?.filter(({ name }) => isKept(name));
    if (names.length === 0 && !leaveOut) report("is empty; name a column", { parameter: "columns" });
    else if (known?.length === 0) report("leaves no column; keep one", { parameter: "columns" });
    return { table: { ...table, columns: known, roles: rolesOf(table.roles, isKept) } };
  },
  run: ({ table: { table, roles } }, { columns: names, leaveOut }) => {
    for (const name of names) table.column(name);
    const isKept = (name: string) => names.includes(name) !== leaveOut;
    return Promise.resolve({
      table: { table: table.select(table.names.filter(isKept)), roles: rolesOf(roles, isKept) },
    });
  },
});

export const attachColumn = operator({
  id: "attachColumn",
  version: 1,
  title: "Attach Column",
  group: "Rows and columns",
  says: "Puts a column of another table of as many rows beside those of this one.",
  inputs: {
    table: input("Table", "the rows"),
    other: input("Table", "rows in the same order, whose column is taken"),
  },
  outputs: { table: output("Table", "the rows with one column more, which is a feature") },
  parameters: {
    column: required(column({ of: "other", says: "the column of the other table" })),
    as: text({ says: "its name beside the others; by default the same" }),
  },
  check: ({ table, other }, { column: name, as = name }, report) => {
    const found = checkColumn(name, other, report, { parameter: "column" });
    if (table.columns?.some((each) => each.name === as) === true)
      report(`there is a column ${quote(as)} already; give it another name`, { parameter: "as" });
    const known = found && table.columns ? [...table.columns, { ...found, name: as }] : undefined;
    return { table: { ...table, columns: known } };
  },
  run: ({ table: { table, roles }, other }, { column: name, as = name }) => {
    const taken = other.table.column(name);
    if (columnLength(taken) !== table.rows)
      throw new InvalidInputError(
        `the table has ${plural(table.rows, "row")}, the other one ${columnLength(taken)}; attach a column of as many`,
      );
    if (table.has(as))
      throw new InvalidInputError("there is a column of this name already; give it another (as)", {
        column: as,
      });
    const attached = new Table([...table.columns, { ...taken, name: as }], table.origin);
    return Promise.resolve({ table: { table: attached, roles } });
  },
});

function rolesOf<Role>(
  roles: ReadonlyMap<string, Role>,
  isKept: (name: string) => boolean,
): ReadonlyMap<string, Role> {
  return new Map([...roles].filter(([name]) => isKept(name)));
}
