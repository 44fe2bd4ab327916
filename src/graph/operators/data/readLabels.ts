/** Read Labels reads the classes of rows from a file of their own, by the library's readIdxLabels. */
import { readIdxLabels } from "../../../io/index.ts";
import { operator, output } from "../../catalogue/operator.ts";
import { file, text } from "../../catalogue/parameters.ts";
import { plainFacts } from "../../facts.ts";
import { plainTable } from "../../values.ts";

const USUAL = "label";

export const readLabels = operator({
  id: "readLabels",
  version: 1,
  title: "Read Labels",
  group: "Data",
  says: "Reads an IDX file of labels, one byte each, as a nominal column that Attach Column puts beside its rows.",
  inputs: {},
  outputs: { table: output("Table", "a column of the labels") },
  parameters: {
    file: file({ says: "the file, relative to the process" }),
    name: text({ says: "name of the column", otherwise: USUAL }),
  },
  check: (_, { name = USUAL }, report, { file: facts }) => {
    const { rows, cols } = facts ?? {};
    if (cols !== undefined && cols !== 1)
      report(`holds ${cols} numbers a row; labels are one, so Read Matrix or Read Table reads it`, {
        parameter: "file",
      });
    const columns = [{ name, kind: "nominal" as const }];
    return { table: { ...plainFacts(undefined, rows), columns } };
  },
  run: async (_, { name = USUAL }, { source, signal }) => {
    const labels = await readIdxLabels(source(), { signal });
    return { table: plainTable({ [name]: Array.from(labels, String) }) };
  },
});
