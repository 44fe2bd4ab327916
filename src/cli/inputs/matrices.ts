/** Reads files of numbers for `search` in their own element type, without making tables of them. */
import { checkWidth, matrixStreamOf } from "../../io/index.ts";
import type { Recognised } from "../../io/index.ts";
import { InvalidInputError, collectMatrix } from "../../node.ts";
import type { Matrix, MatrixStream } from "../../node.ts";
import { checkK, noRows, type InputFile, type OpenInputs } from "./tables.ts";
import type { CommonOptions } from "../options/shared.ts";
import type { ProgressDisplay } from "../progress.ts";
import { plural } from "../format.ts";

export interface Matrices {
  readonly train: Matrix & InputFile;
  readonly queries: Matrix & InputFile;
}

/**
 * Returns undefined when one of the files is a table.
 * @throws InvalidInputError for options that name columns, which such files do not have, and, before any row
 *   is read, for columns that are too many or not the same in both.
 */
export async function readMatrices(
  options: NamingOptions,
  open: OpenInputs,
  signal: AbortSignal,
  progress: ProgressDisplay,
): Promise<Matrices | undefined> {
  if (open.train.format.holds !== "matrix") return undefined;
  const queries = await open.queries();
  if (queries.format.holds !== "matrix") return undefined;
  checkUnnamed(options, queries === open.train ? "the file is a matrix" : "both files are matrices");
  const trainStream = await openMatrix(open.train, options.memory, signal);
  const queryStream = queries === open.train ? undefined : await openMatrix(queries, options.memory, signal);
  if (queryStream !== undefined) checkSameWidth(trainStream, queryStream);
  const train = await readMatrix(open.train, trainStream, signal, progress);
  checkK(options.k, train);
  if (queryStream === undefined) return { train, queries: train };
  return { train, queries: await readMatrix(queries, queryStream, signal, progress) };
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
): Promise<MatrixStream> {
  const stream = await matrixStreamOf(found, { memory, signal });
  if (stream === undefined) throw new Error(`${found.source.name} holds no matrix`);
  checkWidth(stream);
  return stream;
}

function checkSameWidth(train: MatrixStream, queries: MatrixStream): void {
  if (train.cols === queries.cols) return;
  throw new InvalidInputError(
    `has ${plural(queries.cols, "column")}, but ${train.name} has ${train.cols}; both need the same columns in the same order`,
    { file: queries.name },
  );
}

async function readMatrix(
  found: Recognised,
  stream: MatrixStream,
  signal: AbortSignal,
  progress: ProgressDisplay,
): Promise<Matrix & InputFile> {
  const { name } = stream;
  progress.show({ phase: `reading ${name}`, unit: "row", done: 0, total: undefined });
  const matrix = await collectMatrix(stream, { signal });
  if (matrix.rows === 0) throw noRows(found);
  return { ...matrix, origin: { file: name } };
}
