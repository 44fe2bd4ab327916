/**
 * This module reads CSV into a Table. The first record is the header unless the options say that there is
 * none; every record must have as many cells. Quoted cells, the delimiter and the type of each column are
 * found out; whatever does not fit is an error with file, line and column.
 */
import type { Table } from "../../table/table.ts";
import { checkOptions } from "../../core/options.ts";
import { csvNames, csvSettings, type CsvOptions } from "./options.ts";
import { CsvFeed } from "./feed.ts";
import { loadParser } from "./records.ts";
import { TableBuilder } from "./table.ts";
import { allowedBytes } from "../bytes/budget.ts";
import { sourceOf, type FileInput } from "../bytes/input.ts";
import { watched, type ByteSource } from "../bytes/source.ts";
import { decodeText } from "../bytes/utf8.ts";

/**
 * Reads a CSV file to the end once, in pieces; memory is what the table needs and, until the end, the text of
 * numbers that are not in their shortest form.
 * @throws InvalidInputError with the place of the mistake.
 * @example
 * const table = await readCsv(textSource("width,kind\n1.5,a\n2,b\n", "leaves.csv"));
 * table.column("width").kind; // => "numeric"
 * table.column("kind").kind; // => "nominal"
 * table.rows; // => 2
 */
export async function readCsv(
  file: FileInput | Promise<FileInput>,
  options: CsvOptions = {},
): Promise<Table> {
  checkOptions(options, "readCsv", csvNames);
  return csvTable(await sourceOf(file, "readCsv"), options);
}

/** Does readCsv, with options of which others are for something else. */
export async function csvTable(source: ByteSource, options: CsvOptions): Promise<Table> {
  const settings = csvSettings(options);
  const builder = new TableBuilder(source.name, settings, allowedBytes(source, options.memory));
  const feed = new CsvFeed(source.name, settings, await loadParser(), {
    onFormat: (format) => (builder.format = format),
    onRecord: (cells, line) => builder.add(cells, line),
  });
  for await (const text of decodeText(watched(source, options), settings.encoding)) feed.push(text);
  feed.end();
  return builder.finish();
}
