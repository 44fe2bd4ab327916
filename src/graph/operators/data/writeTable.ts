/** Write Table writes a table, or neighbours as one, to a file, by the library's writeTable. */
import { writableFormats, writeTable as piecesOf } from "../../../io/index.ts";
import { neighbourTable } from "../../../models/neighbourTable.ts";
import { input, operator } from "../../catalogue/operator.ts";
import { file } from "../../catalogue/parameters.ts";
import { checkFile, formatToWrite, formatWritten } from "./formats.ts";

export const writeTable = operator({
  id: "writeTable",
  version: 1,
  title: "Write Table",
  group: "Data",
  says: "Writes a table as a file that appears when it is complete, gzipped where its name ends with .gz.",
  inputs: { table: input(["Table", "Neighbours"], "the rows to write") },
  outputs: {},
  parameters: {
    file: file({ says: "the file, relative to the process or to --out" }),
    format: formatWritten(writableFormats),
  },
  effect: true,
  check: (_, { file: path, format }, report) => {
    checkFile(() => formatToWrite(path, format), report);
    return {};
  },
  run: async ({ table: value }, { file: path, format }, { signal, write }) => {
    const rows = "table" in value ? value.table : neighbourTable(value.result);
    const { name } = formatToWrite(path, format);
    await write(piecesOf(name, rows, signal === undefined ? {} : { signal }));
    return {};
  },
});
