/** Opens and reads files of numbers in their own element type, without making tables of them. */
import { checkWidth, matrixStreamOf } from "../../io/index.ts";
import type { Recognised } from "../../io/index.ts";
import { InvalidInputError, collectMatrix } from "../../node.ts";
import type { Matrix, MatrixStream } from "../../node.ts";
import { checkK, noRows, type InputFile, type OpenInputs } from "./tables.ts";
import type { CommonOptions } from "../options/shared.ts";
import type { ProgressDisplay } from "../progress.ts";
import { plural } from "../format.ts";

/** The files of a search are opened, and no row is read yet. */
export interface OpenMatrices {
  readonly train: OpenMatrix;
  /** It is undefined where the queries are the rows of train. */
  readonly queries: OpenMatrix | undefined;
}

interface OpenMatrix {
  readonly found: Recognised;
  readonly stream: MatrixStream;
}

type FileMatrix = Matrix & InputFile & Pick<MatrixStream, "columns">;

export interface Matrices {
  readonly train: FileMatrix;
  readonly queries: FileMatrix;
}

/**
 * Opens both files, or returns undefined when one of them is a table.
 * @throws InvalidInputError for options that name columns, which such files do not have, and for columns that
 *   are too many or not the same in both
 */
export async function openMatrices(
  options: NamingOptions,
  open: OpenInputs,
  signal: AbortSignal,
): Promise<OpenMatrices | undefined> {
  if (open.train.format.holds !== "matrix") return undefined;
  const queries = await open.queries();
  if (queries.format.holds !== "matrix") return undefined;
  checkUnnamed(options, queries === open.train ? "the file is a matrix" : "both files are matrices");
  const train = await openMatrix(open.train, options.memory, signal);
  if (queries === open.train) return { train, queries: undefined };
  const asked = await openMatrix(queries, options.memory, signal);
  checkSameColumns(train.stream, asked.stream);
  return { train, queries: asked };
}

/** Reads both files. @throws InvalidInputError where train has no k rows */
export async function readMatrices(
  { train, queries }: OpenMatrices,
  k: number,
  signal: AbortSignal,
  progress: ProgressDisplay,
): Promise<Matrices> {
  const rows = await readMatrix(train, signal, progress);
  checkK(k, rows);
  return { train: rows, queries: queries ? await readMatrix(queries, signal, progress) : rows };
}

/** These options may name columns. */
type NamingOptions = CommonOptions & {
  readonly carry?: readonly string[];
  readonly ignore?: readonly string[];
};

function checkUnnamed(options: NamingOptions, what: string): void {
  const names = ["features", "columns", "nominal", "numeric", "id", "carry", "ignore"] as const;
  const named = names.find((name) => options[name] !== undefined);
  if (named === undefined) return;
  throw new InvalidInputError(`--${named} names columns, but ${what} without names; leave it out`);
}

async function openMatrix(
  found: Recognised,
  memory: number | undefined,
  signal: AbortSignal,
): Promise<OpenMatrix> {
  const stream = await matrixStreamOf(found, { memory, signal });
  if (stream === undefined) throw new Error(`${found.source.name} holds no matrix`);
  checkWidth(stream);
  return { found, stream };
}

function checkSameColumns(train: MatrixStream, queries: MatrixStream): void {
  const file = queries.name;
  if (train.cols !== queries.cols) {
    throw new InvalidInputError(
      `has ${plural(queries.cols, "column")}, but ${train.name} has ${train.cols}; both need the same columns in the same order`,
      { file },
    );
  }
  const [wanted, got] = [train.columns?.join(" and "), queries.columns?.join(" and ")];
  if (!wanted || !got || wanted === got) return;
  throw new InvalidInputError(`has ${got}, but ${train.name} has ${wanted}; both need the same columns`, {
    file,
  });
}

async function readMatrix(
  { found, stream }: OpenMatrix,
  signal: AbortSignal,
  progress: ProgressDisplay,
): Promise<FileMatrix> {
  const { name } = stream;
  progress.show({ phase: `reading ${name}`, unit: "row", done: 0, total: undefined });
  const matrix = await collectMatrix(stream, { signal });
  if (matrix.rows === 0) throw noRows(found);
  return { ...matrix, columns: stream.columns, origin: { file: name } };
}
