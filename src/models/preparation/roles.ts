/**
 * Decides which columns of a table are compared. A column with a role (an id, a weight, a comment) is carried
 * along but left out of distances, like the label.
 */
import { InvalidInputError } from "../../core/errors.ts";
import type { Table } from "../../table/table.ts";

/**
 * Columns with a role are not features. A role may be any word: `{ id: "sku", weight: "copies" }`.
 * @example
 * const roles: Roles = { id: "sku" };
 * const train = Table.fromColumns({ sku: [70, 80], width: [1, 5], kind: ["a", "b"] });
 * const model = await new KNeighborsClassifier({ nNeighbors: 1, roles }).fit(train, "kind");
 * await model.predict(Table.fromColumns({ sku: [80], width: [2] })); // => ["a"]
 * model.dispose();
 */
export type Roles = Readonly<Record<string, string>>;

/**
 * Returns the features: those `wanted`, or all columns but the label and those with a role.
 * @throws InvalidInputError when no column is left, for a column the table lacks, or one that is two things
 *   at once
 */
export function chooseFeatures(
  table: Table,
  {
    features,
    roles = {},
  }: { readonly features?: readonly string[] | undefined; readonly roles?: Roles | undefined },
  label?: string,
): readonly string[] {
  const special = new Map<string, string>(label === undefined ? [] : [[label, "the label"]]);
  for (const [role, name] of Object.entries(roles)) {
    table.column(name);
    const other = special.get(name);
    if (other !== undefined) throw twoThings(name, other, `the ${role}`);
    special.set(name, `the ${role}`);
  }
  return featuresBeside(table, special, features);
}

/**
 * Returns the features: those `wanted`, or all columns but the special ones and the names of the rows.
 * @param special the columns that are something else, and what errors call that
 * @param where the words of errors for where columns were looked for, such as "among --columns"
 * @throws InvalidInputError when no column is left, or for one that is two things at once
 */
export function featuresBeside(
  table: Table,
  special: ReadonlyMap<string, string>,
  wanted: readonly string[] | undefined,
  where?: string,
): readonly string[] {
  for (const name of wanted ?? []) {
    const role = special.get(name);
    if (role !== undefined) throw twoThings(name, role, "a feature");
  }
  const rowNames = table.origin?.rowNames;
  const chosen = wanted ?? table.names.filter((name) => !special.has(name) && name !== rowNames);
  if (chosen.length > 0) return chosen;
  const left = rowNames !== undefined && table.has(rowNames) ? ["the names of the rows"] : [];
  const others = [...new Set([...special.values(), ...left])].join(" and ");
  const place = [...(where === undefined ? [] : [where]), ...(others === "" ? [] : [`besides ${others}`])];
  throw new InvalidInputError(`${["has no columns to compare", ...place].join(" ")}; add at least one`, {
    file: table.origin?.file ?? "the table",
  });
}

function twoThings(column: string, one: string, other: string): InvalidInputError {
  return new InvalidInputError(`column ${JSON.stringify(column)} is both ${one} and ${other}; choose one`);
}
