/** Read Table reads a file as a table, by the library's readTable. */
import { readTable as readFile } from "../../../io/index.ts";
import type { FormatName, ReadOptions } from "../../../io/index.ts";
import { operator, output } from "../../catalogue/operator.ts";
import { quote } from "../../document/json.ts";
import { checkColumn } from "../../facts.ts";
import { readingParameters } from "../../parameters/reading.ts";

export const readTable = operator({
  id: "readTable",
  version: 3,
  title: "Read Table",
  group: "Data",
  says: "Reads a file of any format as a table; of a matrix file the columns are called 0, 1 and so on, of points x, y and z.",
  inputs: {},
  outputs: { table: output("Table", "the rows of the file") },
  parameters: readingParameters,
  check: (_, parameters, report, given) => {
    const { columns: found, rows } = given.file ?? {};
    const facts = { columns: found, rows, roles: new Map(), prepared: [], predicted: undefined };
    const { columns: chosen, nominal = [], numeric = [], dates = [] } = parameters;
    for (const [parameter, names] of Object.entries({ columns: chosen ?? [], nominal, numeric, dates }))
      for (const name of names) checkColumn(name, facts, report, { parameter });
    const forced = Object.entries({ nominal, numeric, dates });
    for (const [parameter, names] of forced)
      for (const [other, others] of forced.slice(
        0,
        forced.findIndex(([name]) => name === parameter),
      )) {
        const both = names.find((name) => others.includes(name));
        if (both !== undefined)
          report(`column ${quote(both)} is one of ${other} too; choose one`, { parameter });
      }
    const known = found?.filter(({ name }) => chosen === undefined || chosen.includes(name));
    return { table: { ...facts, columns: known } };
  },
  run: async (_, parameters, { source, signal, onProgress }) => {
    const table = await readFile(source(), {
      ...readOptions(parameters),
      ...(signal === undefined ? {} : { signal }),
      onProgress: (done, total) => onProgress({ phase: "reading", done, total: total ?? Infinity }),
    });
    return { table: { table, roles: new Map() } };
  },
});

interface TableReading {
  readonly format: FormatName | "auto";
  readonly columns: readonly string[] | undefined;
  readonly nominal: readonly string[] | undefined;
  readonly numeric: readonly string[] | undefined;
  readonly dates: readonly string[] | undefined;
  readonly header: boolean;
  readonly delimiter: string | undefined;
  readonly decimal: "." | ",";
  readonly missing: readonly string[] | undefined;
  readonly skip: number;
  readonly comment: string | undefined;
  readonly thousands: string | undefined;
  readonly units: readonly string[] | undefined;
  readonly encoding: string | undefined;
}

/** Returns the library's options for the parameters: those that are given. */
export function readOptions({ missing, format, header, decimal, skip, ...given }: TableReading): ReadOptions {
  const { columns: chosen, nominal, numeric, dates, delimiter, comment, thousands, units, encoding } = given;
  const options = {
    columns: chosen,
    nominal,
    numeric,
    dates,
    delimiter,
    comment,
    thousands,
    units,
    encoding,
  };
  const known = Object.entries({
    ...options,
    na: missing && ["", ...missing],
    format: format === "auto" ? undefined : format,
  });
  return { ...Object.fromEntries(known.filter(([, value]) => value !== undefined)), header, decimal, skip };
}
