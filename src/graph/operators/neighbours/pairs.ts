/** Within Radius and Neighbour Rows give pairs of rows as a table, and what stands in both rows of a pair. */
import { InvalidInputError } from "../../../core/errors.ts";
import { neighbourTable } from "../../../models/neighbourTable.ts";
import { radiusNeighbors } from "../../../ops/knn/index.ts";
import { Table, collectTable, encode } from "../../../table/index.ts";
import { input, operator, optionalInput, output } from "../../catalogue/operator.ts";
import { columns, number } from "../../catalogue/parameters.ts";
import { quote } from "../../document/json.ts";
import { checkAlike, checkColumn, featuresOf, plainFacts } from "../../facts.ts";
import { featureNames } from "../../features.ts";
import { plainTable } from "../../values.ts";
import type { ColumnRole, TableValue } from "../../values.ts";
import { measureParameters } from "../../parameters/measure.ts";
import { checkMeasure, measureOptions } from "./measure.ts";

const { k: _, ...comparing } = measureParameters;

export const withinRadius = operator({
  id: "withinRadius",
  version: 1,
  title: "Within Radius",
  group: "Neighbours",
  says: "Finds every row within a distance of every query; without queries the pairs of rows that close, each once.",
  inputs: {
    train: input("Table", "the rows to search among"),
    queries: optionalInput("Table", "the rows to search for"),
  },
  outputs: { pairs: output("Table", "query and index, both from 0, and their distance, the nearest first") },
  parameters: {
    radius: number({ default: 0, says: "the largest distance; 0 finds rows that are equal" }),
    ...comparing,
  },
  check: ({ train, queries }, parameters, report) => {
    checkMeasure({ k: 1, ...parameters }, report, train);
    if (queries !== undefined) {
      for (const each of featuresOf(train) ?? [])
        checkColumn(each.name, queries, report, { input: "queries" });
      checkAlike(queries, train.prepared, "the rows to search among", report, "queries");
    }
    return { pairs: plainFacts(["query", "index", "distance"]) };
  },
  run: async ({ train, queries }, { radius, ...parameters }, { device, signal, onProgress }) => {
    const features = featureNames(train);
    const { nNeighbors: _k, ...options } = measureOptions({ k: 1, ...parameters });
    const measure = parameters.metric === "auto" ? {} : { metric: parameters.metric };
    const rows = encode(train.table, features, measure);
    const asked = queries && encode(queries.table, features, { ...measure, train: train.table });
    const { offsets, indices, distances } = await radiusNeighbors(rows, asked ?? rows, {
      ...options,
      ...{ radius, device, signal, onProgress, missing: "skip" as const },
    });
    const query = new Float64Array(indices.length);
    for (let row = 0; row + 1 < offsets.length; row++) query.fill(row, offsets[row], offsets[row + 1]);
    const isWanted = (at: number) => queries !== undefined || query[at] < indices[at];
    const kept = Array.from(indices.keys()).filter(isWanted);
    const numbers = (of: ArrayLike<number>) => Float64Array.from(kept, (at) => of[at]);
    const pairs = { query: numbers(query), index: numbers(indices), distance: numbers(distances) };
    return { pairs: plainTable(pairs) };
  },
});

export const neighbourRows = operator({
  id: "neighbourRows",
  version: 1,
  title: "Neighbour Rows",
  group: "Neighbours",
  says: "Puts every query beside its neighbours: a row for each pair, with columns of both, nearest(NAME) of the neighbour.",
  inputs: {
    neighbours: input(["Neighbours", "Table"], "who is near whom, or a table with query and index"),
    train: input("Table", "the rows that were searched among"),
    queries: optionalInput("Table", "the rows that were searched for; by default the same"),
  },
  outputs: { table: output("Table", "the pairs, with the columns of both") },
  parameters: {
    columns: columns({ of: "queries", says: "columns of queries; by default those that have roles" }),
    trainColumns: columns({ of: "train", says: "columns of train; by default those that have roles" }),
  },
  check: ({ train, queries = train }, { columns: own, trainColumns }, report) => {
    for (const name of own ?? []) checkColumn(name, queries, report, { parameter: "columns" });
    for (const name of trainColumns ?? []) checkColumn(name, train, report, { parameter: "trainColumns" });
    const roles = new Map([...queries.roles].filter(([name]) => own?.includes(name) ?? true));
    return { table: { columns: undefined, roles, prepared: [], predicted: undefined } };
  },
  run: async ({ neighbours, train, queries = train }, { columns: own, trainColumns }, { signal }) => {
    const options = signal === undefined ? {} : { signal };
    const pairs =
      "table" in neighbours
        ? neighbours.table
        : await collectTable(neighbourTable(neighbours.result), options);
    const left = taken(queries, own, placesIn(pairs, "query", queries.table));
    const right = taken(train, trainColumns, placesIn(pairs, "index", train.table));
    const beside = right.map((each) => ({ ...each, name: `nearest(${each.name})` }));
    const all = [...pairs.columns, ...left, ...beside];
    const names = all.map(({ name }) => name);
    const twice = names.find((name, at) => names.indexOf(name) < at);
    if (twice !== undefined)
      throw new InvalidInputError("would stand here twice; leave it out or rename it", { column: twice });
    const carried = [...pairs.columns, ...beside].map(({ name }) => [name, "ignored"] as const);
    const roles = [...queries.roles].filter(([role]) => left.some(({ name }) => name === role));
    return { table: { table: new Table(all), roles: new Map<string, ColumnRole>([...carried, ...roles]) } };
  },
});

/** A table without columns has no rows either. */
function taken({ table, roles }: TableValue, names: readonly string[] | undefined, rows: number[]) {
  const wanted = names ?? table.names.filter((name) => roles.has(name));
  return wanted.length === 0 ? [] : table.select(wanted).take(rows).columns;
}

/** Returns the rows of a table that a column of pairs names. */
function placesIn(pairs: Table, name: string, { rows }: Table): number[] {
  const column = pairs.column(name);
  const places = column.kind === "numeric" ? Array.from(column.values) : [NaN];
  const wrong = places.find((place) => !(Number.isInteger(place) && place >= 0 && place < rows));
  if (wrong === undefined) return places;
  const is = column.kind === "nominal" ? "has texts" : `has ${quote(String(wrong))}`;
  throw new InvalidInputError(`${is}; expected rows of the table, which has ${rows}, counted from 0`, {
    column: name,
  });
}
