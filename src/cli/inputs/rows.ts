/**
 * Reads the two files of a command as rows of numbers, whatever holds them: files of numbers as they are, any
 * others as tables whose features become a matrix.
 */
import type { MatrixLike } from "../../core/matrix.ts";
import { Features } from "../../models/features.ts";
import { InvalidInputError } from "../../node.ts";
import type { Column } from "../../table/index.ts";
import { kindsOf } from "../measure.ts";
import type { CommonOptions } from "../options/shared.ts";
import type { ProgressDisplay } from "../progress.ts";
import { openMatrices, readMatrices } from "./matrices.ts";
import { nameOf, openInputs, readInputs, type InputFile } from "./tables.ts";
import { plural } from "../format.ts";

export interface ReadRows {
  readonly train: InputFile;
  readonly queries: InputFile;
  readonly rows: { readonly train: MatrixLike; readonly queries: MatrixLike };
  /** It has the kind of each column. */
  readonly kinds: readonly Column["kind"][];
}

/**
 * Reads both files.
 * @param options without queries, those are the rows of train
 * @param missing what gaps of tables mean; default that of the metric
 */
export async function readRows(
  options: CommonOptions & { readonly queries?: string },
  signal: AbortSignal,
  progress: ProgressDisplay,
  missing?: "error",
): Promise<ReadRows> {
  const open = await openInputs(options, options.queries, signal);
  const opened = await openMatrices(options, open, signal);
  if (opened !== undefined) {
    const matrices = await readMatrices(opened, options.k, signal, progress);
    return { ...matrices, rows: matrices, kinds: Array<"numeric">(matrices.train.cols).fill("numeric") };
  }
  const { train, queries, features } = await readInputs(options, open, {}, signal, progress);
  const columns = new Features(train, { features, metric: options.metric, missing });
  const rows = {
    train: await columns.trainMatrix(train),
    queries: await columns.queryMatrix(queries, signal),
  };
  return { train, queries, rows, kinds: kindsOf({ train, features }) };
}

/** @throws InvalidInputError where rows without themselves are too few, or are not the same in both files */
export function checkSelf(k: number, train: InputFile, queries: InputFile): void {
  if (queries.rows !== train.rows) {
    throw new InvalidInputError(
      `has ${plural(queries.rows, "row")} and ${nameOf(train)} has ${train.rows}, but --exclude-self takes them for the same ones; leave ` +
        "it out, or leave out --queries to search the training rows among themselves",
      { file: nameOf(queries) },
    );
  }
  if (k < train.rows) return;
  throw new InvalidInputError(
    `has ${plural(train.rows, "row")}, so that each has ${plural(train.rows - 1, "other")}, but k is ${k}; choose a smaller --k, or add ` +
      "--no-exclude-self",
    { file: nameOf(train) },
  );
}
