/** Read Table: a file as a table, by the library's readTable. */
import { formatNames, readTable as readFile } from "../../io/index.ts";
import type { FormatName, ReadOptions } from "../../io/index.ts";
import { operator, output } from "../catalogue/operator.ts";
import { choice, columns, file, flag, text, texts } from "../catalogue/parameters.ts";
import { checkColumn } from "../facts.ts";

export const readTable = operator({
  id: "readTable",
  version: 1,
  title: "Read Table",
  group: "Data",
  says: "Reads a file of any format as a table; of a matrix file the columns are called 0, 1 and so on.",
  inputs: {},
  outputs: { table: output("Table", "the rows of the file") },
  parameters: {
    file: file({ says: "the file, relative to the process" }),
    format: choice(["auto", ...formatNames], {
      default: "auto",
      says: "of the file; auto goes by its extension, else by its first bytes",
    }),
    columns: columns({ says: "columns to read; by default all" }),
    nominal: columns({ says: "columns to read as text even if they look like numbers" }),
    numeric: columns({ says: "columns that must hold numbers, those with leading zeros too" }),
    header: flag({ default: true, says: "whether line 1 of CSV has the names of the columns" }),
    delimiter: text({ says: "the character between cells of CSV; by default found out" }),
    decimal: choice([".", ","], { default: ".", says: "the decimal separator of CSV" }),
    missing: texts({ says: "cells of CSV that mean no value; by default ?, NA, NaN, null and their like" }),
    encoding: text({ says: "of text files, such as windows-1252; by default UTF-8" }),
  },
  check: (_, parameters, report, given) => {
    const facts = { columns: given.file, roles: new Map(), prepared: [], predicted: undefined };
    const { columns: chosen, nominal = [], numeric = [] } = parameters;
    for (const [parameter, names] of Object.entries({ columns: chosen ?? [], nominal, numeric }))
      for (const name of names) checkColumn(name, facts, report, { parameter });
    const known = given.file?.filter(({ name }) => chosen === undefined || chosen.includes(name));
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

interface Reading {
  readonly format: FormatName | "auto";
  readonly columns: readonly string[] | undefined;
  readonly nominal: readonly string[] | undefined;
  readonly numeric: readonly string[] | undefined;
  readonly header: boolean;
  readonly delimiter: string | undefined;
  readonly decimal: "." | ",";
  readonly missing: readonly string[] | undefined;
  readonly encoding: string | undefined;
}

/** The library's options for the parameters. */
export function readOptions(parameters: Reading): ReadOptions {
  const {
    format,
    columns: chosen,
    nominal,
    numeric,
    header,
    delimiter,
    decimal,
    missing,
    encoding,
  } = parameters;
  return {
    ...(format === "auto" ? {} : { format }),
    ...(chosen === undefined ? {} : { columns: chosen }),
    ...(nominal === undefined ? {} : { nominal }),
    ...(numeric === undefined ? {} : { numeric }),
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(missing === undefined ? {} : { na: missing }),
    ...(encoding === undefined ? {} : { encoding }),
    header,
    decimal,
  };
}
