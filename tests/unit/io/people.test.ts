/**
 * Files as pandas, R, DuckDB, jq, numpy and Gnumeric write them (tests/fixtures/people/README.md): each is
 * read as it was meant, or says which option reads it so, and what was read is written and read back to the
 * same.
 */
import { readFileSync, readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { bytesSource } from "../../../src/io/bytes/source.ts";
import { openTable, readTable, type ReadOptions } from "../../../src/io/read.ts";
import { writeTable } from "../../../src/io/write.ts";
import { collectTable } from "../../../src/table/collect.ts";
import { Table } from "../../../src/table/table.ts";
import { plain } from "./csv/helpers.ts";

const folder = new URL("../../fixtures/people/", import.meta.url);
const read = (name: string) => bytesSource(new Uint8Array(readFileSync(new URL(name, folder))), name);

type Columns = Readonly<Record<string, readonly (number | string | null)[]>>;
const ms = (...texts: (string | null)[]) =>
  texts.map((text) => (text === null ? null : Date.parse(`${text}Z`)));

/** make.py */
const pandas = {
  name: ["Ada", "Zoë", null, "O'Neil, P."],
  age: [36, 41, 28, 50],
  height: [1.65, null, 1.8, 1.755],
  member: ["True", "False", "True", "True"],
  joined: ms("2024-01-31T00:00", "2023-12-01T00:00", "2024-02-29T00:00", "2022-06-15T00:00"),
  seen: ms("2024-01-31T12:30", "2023-12-01T00:00", "2024-02-29T23:59:59.250", null),
  zip: ["00501", "10001", "99950", "02134"],
};
const pandasJson = { ...pandas, member: ["true", "false", "true", "true"] };
const zoned = ms("2024-01-31T11:30", "2023-11-30T23:00", "2024-02-29T22:59:59.250", null);
const numbered = Object.fromEntries(Object.values(pandas).map((cells, at) => [String(at), cells]));

/** make.R */
const r = {
  species: ["setosa", "versicolor", null, 'a "b"'],
  width: [0.2, null, 1.5, 2],
  count: [10, 20, null, 40],
  day: ms("2024-01-31T00:00", "2023-12-01T00:00", null, "2022-06-15T00:00"),
  ripe: ["TRUE", "FALSE", null, "TRUE"],
};
const first3 = (columns: Columns): Columns =>
  Object.fromEntries(Object.entries(columns).map(([name, cells]) => [name, cells.slice(0, 3)]));
const rows: Columns = { "column 1": ["first", "second", "third", "fourth"], ...r };
const dashes: Columns = {
  ...r,
  species: ["setosa", "versicolor", "-", 'a "b"'],
  ripe: ["TRUE", "FALSE", "-", "TRUE"],
};

/** make.mjs */
const duckdb = {
  id: [1, 2, 3],
  shop: ['Köln, "Mitte"', null, "Aix"],
  price: [1200.5, 3.75, null],
  sold: ms("2024-01-31T12:30", null, "2024-02-29T23:59:59.250"),
  opens: [29_700_000, 61_530_500, null],
  since: ms("2024-01-31T10:30", "2024-02-01T00:00", null),
  open: ["true", "false", null],
};
const numberedSales = Object.fromEntries(Object.values(duckdb).map((cells, at) => [String(at), cells]));

/** make.sh */
const jq = {
  city: ["Zürich", 'Rio, "o"'],
  people: [443037, 6211223],
  rate: [null, 0.5],
  day: ms("2024-01-31T00:00", "2024-02-01T00:00"),
};
const sheet = {
  product: ["Pen", "Ink", "Cap"],
  price: [1200.5, 3.75, 12],
  share: [0.12, 0.075, 0],
  sold: ms("2024-01-31T00:00", "2024-02-29T00:00", "2022-06-15T00:00"),
  code: [501, 7, 10001],
  note: ['a "b"', null, "x, y"],
};
const points = { x: [1.5, 3], y: [2, 4.25] };
const iris = {
  "column 1": [1, 2, 3],
  "Sepal.Length": [5.1, 4.9, 4.7],
  "Sepal.Width": [3.5, 3, 3.2],
  "Petal.Length": [1.4, 1.4, 1.3],
  "Petal.Width": [0.2, 0.2, 0.2],
  Species: ["setosa", "setosa", "setosa"],
};

interface Case {
  readonly columns: Columns;
  readonly options?: ReadOptions;
  /** The first column names the rows. */
  readonly rowNames?: true;
  /** The option that the error or the hints name where the options are not given. */
  readonly hint?: string;
}

const cases: Readonly<Record<string, Case>> = {
  "pandas_index.csv": { columns: { "column 1": [0, 1, 2, 3], ...pandas }, rowNames: true },
  "pandas_plain.csv": { columns: pandas },
  "pandas_semicolon.csv": { columns: pandas, options: { decimal: "," }, hint: "--decimal ," },
  "pandas_tabs.tsv": { columns: pandas },
  "pandas_latin1.csv": { columns: pandas, options: { encoding: "latin1" }, hint: "option encoding" },
  "pandas_utf16.csv": { columns: pandas },
  "pandas_bom.csv": { columns: pandas },
  "pandas_packed.csv.gz": { columns: pandas },
  "pandas_none.csv": { columns: pandas },
  "pandas_named_index.csv": { columns: pandas },
  "pandas_zones.csv": { columns: { ...pandas, seen: zoned } },
  "pandas_noheader.csv": { columns: numbered, options: { header: false }, hint: "--no-header" },
  "pandas_records.json": { columns: pandasJson },
  "pandas_records_indented.json": { columns: pandasJson },
  "pandas_lines.jsonl": { columns: pandasJson },
  "pandas_pivot.csv": {
    columns: {
      zip: ["00501", "02134", "10001", "99950"],
      False: [null, null, 41, null],
      True: [36, 50, null, 28],
    },
  },
  "pandas_to_string.txt": {
    columns: { "column 1": [0, 1, 2, 3], age: pandas.age, height: pandas.height, zip: pandas.zip },
    rowNames: true,
  },
  "numpy_savetxt.txt": { columns: points },
  "numpy_savetxt.csv": { columns: points },
  "numpy_plain.txt": {
    columns: { "0": points.x, "1": points.y },
    options: { header: false },
    hint: "--no-header",
  },
  "r_csv.csv": { columns: rows, rowNames: true },
  "r_norows.csv": { columns: r },
  "r_csv2.csv": { columns: rows, rowNames: true, options: { decimal: "," }, hint: "--decimal ," },
  "r_table.txt": { columns: first3(rows), rowNames: true },
  "r_tabs.tsv": { columns: first3(rows), rowNames: true },
  "r_comma.csv": { columns: first3(rows), rowNames: true },
  "r_dash.csv": { columns: dashes },
  "r_iris.csv": { columns: iris, rowNames: true },
  "r_times.csv": { columns: { at: ms("2024-01-31T12:30", "2024-02-01T08:00"), n: [1, 2] } },
  "duckdb_plain.csv": { columns: duckdb },
  "duckdb_pipes.csv": { columns: duckdb },
  "duckdb_noheader.csv": { columns: numberedSales, options: { header: false }, hint: "--no-header" },
  "duckdb_packed.csv.gz": { columns: duckdb },
  "duckdb_list.json": { columns: duckdb },
  "duckdb_lines.jsonl": { columns: duckdb },
  "duckdb_snappy.parquet": { columns: duckdb },
  "duckdb_zstd.parquet": { columns: duckdb },
  "jq_list.json": { columns: jq },
  "jq_compact.json": { columns: jq },
  "jq_objects.json": { columns: jq },
  "jq_lines.jsonl": { columns: jq },
  "jq_sorted.json": { columns: { city: jq.city, day: jq.day, people: jq.people, rate: jq.rate } },
  "jq_csv.csv": { columns: jq },
  "jq_tsv.tsv": { columns: jq },
  "gnumeric_comma.csv": { columns: sheet },
  "gnumeric_semicolon.csv": { columns: sheet },
  "gnumeric_windows.csv": { columns: sheet },
  "gnumeric_utf16.txt": {
    columns: sheet,
    options: { encoding: "utf-16le" },
    hint: "option encoding: utf-16le",
  },
  "excel_german.csv": {
    columns: { Name: ["Äpfel", "Öl"], Preis: [1200.5, 3.75], Anteil: [0.12, 0.075] },
    options: { encoding: "windows-1252", decimal: ",", thousands: ".", units: ["%"] },
    hint: "option encoding: windows-1252",
  },
  "excel_unicode.txt": {
    columns: { Name: ["Zoë", 'a "b"'], Wert: [1.5, 2] },
    options: { decimal: "," },
    hint: "--decimal ,",
  },
  "excel_formats.csv": {
    columns: { id: ["001", "002"], amount: [1200.5, 3.75], share: [0.12, 0.07] },
    options: { thousands: ",", units: ["$", "%"] },
    hint: "--units '$' --thousands ,",
  },
};

const dateNames = ["joined", "seen", "day", "sold", "since", "at"];

it.each(Object.entries(cases))("%s", async (name, { columns, options, rowNames, hint }) => {
  const table = await readTable(read(name), options);
  expect(plain(table)).toEqual(columns);
  expect(table.names).toEqual(Object.keys(columns));
  for (const column of table.columns) {
    if (dateNames.includes(column.name)) expect([column.name, column.type]).toEqual([column.name, "date"]);
  }
  expect(table.origin?.rowNames).toBe(rowNames === undefined ? undefined : "column 1");
  expect(plain(await collectTable(await openTable(read(name), options), { maxRows: 1 }))).toEqual(columns);
  for (const format of ["csv", "json", "jsonl", "parquet"] as const) {
    const pieces: (string | Uint8Array<ArrayBuffer>)[] = [];
    for await (const piece of writeTable(format, new Table(table.columns))) pieces.push(piece);
    const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
    const again = await readTable(bytesSource(bytes, `x.${format}`));
    expect(plain(again)).toEqual(columns);
    expect(again.columns.map(({ type }) => type)).toEqual(table.columns.map(({ type }) => type));
  }
  if (hint === undefined) return;
  const said = await readTable(read(name)).then(
    ({ origin }) => [
      ...(origin?.namesInDoubt === true ? ["--no-header"] : []),
      ...(origin?.hints ?? []).map(({ option }) => option),
    ],
    (error: Error) => [error.message],
  );
  expect(said.join()).toContain(hint);
});

it("pandas_columns.json, objects of objects, is refused with the column", async () => {
  await expect(readTable(read("pandas_columns.json"))).rejects.toThrow('column "name": holds an object');
});

it("these are all of the folder", () => {
  const files = readdirSync(folder).filter((name) => !/^(README|make\.|pandas_columns)/.test(name));
  expect(files.sort()).toEqual(Object.keys(cases).sort());
  expect(files.length).toBeGreaterThanOrEqual(40);
});
