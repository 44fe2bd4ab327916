/** Read Matrix, Table to Matrix and Write Matrix handle numbers without names, in their own type. */
import { InvalidInputError } from "../../../core/errors.ts";
import { collectMatrix } from "../../../core/matrixStream.ts";
import { openMatrix, writeGroundTruth, writeMatrix as piecesOf } from "../../../io/index.ts";
import type { FormatName } from "../../../io/index.ts";
import { input, operator, output } from "../../catalogue/operator.ts";
import { choice, columns, file } from "../../catalogue/parameters.ts";
import { checkFile, formatRead, formatWritten } from "./formats.ts";
import { checkColumn, featuresOf } from "../../facts.ts";
import { featureNames } from "../../features.ts";
import { featureMatrix } from "../../featureMatrix.ts";

const formats = [
  "npy",
  "fvecs",
  "ivecs",
  "bvecs",
  "fbin",
  "ibin",
  "u8bin",
  "i8bin",
  "idx",
] as const satisfies readonly FormatName[];

export const readMatrix = operator({
  id: "readMatrix",
  version: 1,
  title: "Read Matrix",
  group: "Data",
  says: "Reads a file of numbers in their own type: .npy, .fvecs, .ivecs, .bvecs, .fbin, .ibin, .u8bin, .i8bin or IDX.",
  inputs: {},
  outputs: { matrix: output("Matrix", "the rows of the file") },
  parameters: {
    file: file({ says: "the file, relative to the process" }),
    format: formatRead(formats),
  },
  check: (_, __, ___, { file: facts }) => ({
    matrix: { rows: facts?.rows, cols: facts?.cols, prepared: [] },
  }),
  run: async (_, { format }, { source, signal }) => {
    const stream = await openMatrix(source(), matrixOptions(format, signal));
    return { matrix: { matrix: await collectMatrix(stream, { signal }) } };
  },
});

/** Returns the library's options for the parameter `format`. */
export function matrixOptions(format: unknown, signal: AbortSignal | undefined) {
  return format === "auto" ? { signal } : { signal, format: format as FormatName };
}

export const tableToMatrix = operator({
  id: "tableToMatrix",
  version: 1,
  title: "Table to Matrix",
  group: "Rows and columns",
  says: "Takes the numbers of columns as a matrix, gaps as NaN.",
  inputs: { table: input("Table", "the rows") },
  outputs: { matrix: output("Matrix", "a row for each row, a column for each column") },
  parameters: {
    columns: columns({ of: "table", says: "the columns, in this order", otherwise: "all features" }),
    type: choice(["float64", "float32"], {
      default: "float64",
      says: "type of the numbers; float32 rounds them",
    }),
  },
  check: ({ table }, { columns: names }, report) => {
    const found = names?.map((name) => checkColumn(name, table, report, { parameter: "columns" }));
    const known = found?.flatMap((each) => (each === undefined ? [] : [each])) ?? featuresOf(table);
    const nominal = known?.find(({ kind }) => kind === "nominal");
    if (nominal !== undefined)
      report(`column ${JSON.stringify(nominal.name)} has texts, and a matrix numbers; leave it out`, {
        parameter: "columns",
      });
    if (names?.length === 0) report("is empty; name a column", { parameter: "columns" });
    return { matrix: { rows: table.rows, cols: names?.length ?? known?.length, prepared: table.prepared } };
  },
  run: ({ table }, { columns: names = featureNames(table), type }) => {
    const matrix = featureMatrix(table, names);
    const data = type === "float32" ? Float32Array.from(matrix.data) : matrix.data;
    return Promise.resolve({ matrix: { matrix: { ...matrix, data } } });
  },
});

export const writeMatrix = operator({
  id: "writeMatrix",
  version: 1,
  title: "Write Matrix",
  group: "Data",
  says: "Writes a matrix as a file in its own type; of neighbours the indices, a row of k for each query; as .ibin ground truth.",
  inputs: { matrix: input(["Matrix", "Neighbours"], "what to write") },
  outputs: {},
  parameters: {
    file: file({ says: "the file, relative to the process or to --out" }),
    format: formatWritten(formats),
  },
  effect: true,
  check: (_, { file: path, format }, report) => {
    checkFile(() => formatOf(path, format), report);
    return {};
  },
  run: async ({ matrix: value }, { file: path, format }, { signal, write }) => {
    const name = formatOf(path, format);
    const signals = signal === undefined ? {} : { signal };
    if ("matrix" in value) await write(piecesOf(name, value.matrix, signals));
    else if (name === "ibin") await write(writeGroundTruth(value.result, signals));
    else {
      const { indices, queries, k } = value.result;
      await write(piecesOf(name, { data: indices, rows: queries, cols: k }, signals));
    }
    return {};
  },
});

/** @throws InvalidInputError for an extension of no format of matrices */
function formatOf(path: string, format: FormatName | "auto"): FormatName {
  if (format !== "auto") return format;
  const [, extension] = /\.([a-z\d]+)(?:\.gz)?$/i.exec(path) ?? [];
  const name = formats.find((each) => each === extension?.toLowerCase());
  if (name !== undefined) return name;
  throw new InvalidInputError(
    `the path is ${JSON.stringify(path)}, whose extension is not that of a matrix; expected .${formats.join(", .")}, or ` +
      "Write Table",
  );
}
