/**
 * The files of a command as tables: which columns are compared, and how a test file must be read to fit. What the label
 * means is labels.ts.
 */
import { parseNumber, readCsv } from "../io/index.ts";
import type { ByteSource } from "../io/index.ts";
import { InvalidInputError } from "../node.ts";
import { MISSING_CODE } from "../table/index.ts";
import type { Table } from "../table/index.ts";
import { inputSource } from "./files.ts";
import { csvFormat } from "./options.ts";
import type { CommonOptions, FormatOptions } from "./options.ts";
import type { Progress } from "./progress.ts";

export interface Trained {
  readonly train: Table;
  /** The columns compared, in their order. */
  readonly features: readonly string[];
}

export interface Inputs extends Trained {
  readonly queries: Table;
}

/** What the reading of training rows depends on besides the common options. */
export interface TrainOptions {
  /** The column that is no feature, if there is one. */
  readonly label?: string | undefined;
  /** Other columns that are no features. */
  readonly ignore?: readonly string[] | undefined;
  /** k may exceed the number of rows. */
  readonly anyK?: boolean;
}

/** @param queries the file of the rows to find neighbours of, or to predict */
export async function readInputs(
  options: CommonOptions,
  queries: string,
  special: TrainOptions,
  signal: AbortSignal,
  progress: Progress,
): Promise<Inputs> {
  // Both are looked at before the first is read, which may take long.
  const trainSource = await inputSource(options.train, signal);
  const querySource = await inputSource(queries, signal);
  const trained = await readTrain(trainSource, options, special, signal, progress);
  const columns = columnsLike(trained, textColumns(options));
  const rows = await readTable(querySource, options, columns, signal, progress);
  for (const name of textColumns(options)) if (!rows.has(name)) trained.train.column(name);
  return { ...trained, queries: rows };
}

export async function readTrain(
  source: ByteSource,
  options: CommonOptions,
  special: TrainOptions,
  signal: AbortSignal,
  progress: Progress,
): Promise<Trained> {
  const train = await readTable(source, options, { nominal: textColumns(options) }, signal, progress);
  const features = featuresOf(train, options, special);
  for (const name of features) checkMostlyText(train, name, options);
  if (special.anyK !== true) checkK(options.k, train);
  return { train, features };
}

/** How the columns of another file are to be read. */
export interface Columns {
  readonly nominal: readonly string[];
  readonly numeric: readonly string[];
}

/** Features as the training file has them. @param nominal other columns to read as text */
export function columnsLike({ train, features }: Trained, nominal: readonly string[]): Columns {
  const isText = (name: string) => nominal.includes(name) || train.column(name).kind === "nominal";
  return {
    nominal: [...new Set([...nominal, ...features.filter(isText)])],
    numeric: features.filter((name) => !isText(name)),
  };
}

/** Columns that the user wants read as text; an id is never a number. */
export function textColumns({ nominal = [], id }: CommonOptions): readonly string[] {
  return [...new Set([...nominal, ...(id === undefined ? [] : [id])])];
}

/** The cells of a row exactly as they were in the file. */
export function textOf({ origin }: Table, row: number): string[] {
  if (!origin?.textOf) throw new Error("the table was read without its text");
  return origin.textOf(row);
}

export function nameOf({ origin }: Table): string {
  return origin?.file ?? "the table";
}

export async function readTable(
  source: ByteSource,
  options: FormatOptions,
  columns: Partial<Columns>,
  signal: AbortSignal,
  progress: Progress,
): Promise<Table> {
  return readCsv(source, {
    ...csvFormat(options),
    ...(options.na === undefined ? {} : { na: options.na }),
    ...columns,
    ignoreUnknown: true,
    keepText: true,
    signal,
    onProgress: (done, total) =>
      progress.show({ phase: `reading ${source.name}`, unit: "bytes", done, total }),
  });
}

function featuresOf(
  train: Table,
  { features, id }: CommonOptions,
  { label, ignore = [] }: TrainOptions,
): readonly string[] {
  if (label !== undefined) train.column(label);
  for (const name of ignore) train.column(name);
  const left = train.names.filter((name) => name !== label && name !== id && !ignore.includes(name));
  const chosen = features ?? left;
  if (chosen.length > 0) return chosen;
  throw new InvalidInputError("has no columns to compare besides the label and --id; add at least one", {
    file: nameOf(train),
  });
}

/**
 * A slip of the pen must not turn numbers into nominal values without a word.
 * @throws InvalidInputError for a column of which most cells are numbers, but not all
 */
function checkMostlyText(train: Table, name: string, { decimal, nominal = [] }: CommonOptions): void {
  const column = train.column(name);
  const text = train.origin?.firstText(name);
  if (column.kind === "numeric" || text === undefined || nominal.includes(name)) return;
  const isNumber = column.dictionary.values.map((value) => parseNumber(value, decimal) !== undefined);
  let numbers = 0;
  let texts = 0;
  for (const code of column.codes) {
    if (isNumber[code]) numbers++;
    else if (code !== MISSING_CODE) texts++;
  }
  if (numbers <= texts) return;
  throw new InvalidInputError(
    `${JSON.stringify(text.text)} is not a number, but most of the column are; correct the cell, name what stands for a ` +
      `missing value (--na), or read the column as text (--nominal ${name})`,
    { file: nameOf(train), line: text.line, column: name },
  );
}

function checkK(k: number, train: Table): void {
  if (k <= train.rows) return;
  throw new InvalidInputError(
    `has only ${train.rows} rows, but k is ${k}; choose --k of at most ${train.rows}`,
    {
      file: nameOf(train),
    },
  );
}
