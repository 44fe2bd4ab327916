/**
 * Reads the files of a command as tables, and decides which columns are compared and how a test file must be
 * read to fit. The label is the task of labelColumn.ts; files of numbers that need not become tables are read
 * by matrices.ts.
 */
import { parseNumber, printedCells, readFound, recognise } from "../../io/index.ts";
import type { CsvCell, Recognised } from "../../io/index.ts";
import { featuresBeside } from "../../models/preparation/index.ts";
import { InvalidInputError } from "../../node.ts";
import { MISSING_CODE, unknownColumn } from "../../table/index.ts";
import type { Guess, Table } from "../../table/index.ts";
import { inputSource } from "../files.ts";
import { readOptions, type FormatOptions } from "../options/reading.ts";
import type { CommonOptions } from "../options/shared.ts";
import type { ProgressDisplay } from "../progress.ts";
import { plural } from "../format.ts";
import { likeHints } from "./likeHints.ts";

export interface Trained {
  readonly train: Table;
  /** These columns are compared, in order. */
  readonly features: readonly string[];
}

export interface TableInputs extends Trained {
  readonly queries: Table;
}

/** The reading of training rows depends on these options, besides the common ones. */
export interface TrainOptions {
  /** This column has the label, if there is one; it is no feature. */
  readonly label?: string | undefined;
  /** These other columns are no features. */
  readonly ignore?: readonly string[] | undefined;
  /** Says whether k may exceed the number of rows. */
  readonly anyK?: boolean;
}

/** Two files that were opened and not read yet; or one, whose rows are the queries, too. */
export interface OpenInputs {
  readonly train: Recognised;
  readonly queries: () => Promise<Recognised>;
}

/**
 * Opens both files before the first is read, which may take long. Only a pipe of queries is left alone until
 * the training rows are read, if these are a table: the program that fills both pipes may not write to the
 * second before the first is read.
 * @param queries the file of the rows to find neighbours of, or to predict; undefined for those of train
 */
export async function openInputs(
  { train, inputFormat }: CommonOptions,
  queries: string | undefined,
  signal: AbortSignal,
): Promise<OpenInputs> {
  const trainSource = await inputSource(train, signal);
  if (queries === undefined) {
    const both = await recognise(trainSource, inputFormat, signal);
    return { train: both, queries: async () => both };
  }
  const querySource = await inputSource(queries, signal);
  let found: Promise<Recognised> | undefined;
  const open = {
    train: await recognise(trainSource, inputFormat, signal),
    queries: () => (found ??= recognise(querySource, inputFormat, signal)),
  };
  if (querySource.once !== true || open.train.format.holds === "matrix") await open.queries();
  return open;
}

export async function readInputs(
  options: CommonOptions,
  open: OpenInputs,
  special: TrainOptions,
  signal: AbortSignal,
  progress: ProgressDisplay,
): Promise<TableInputs> {
  const trained = await readTrain(open.train, options, special, signal, progress);
  const columns = columnsLike(trained, textColumns(options), options.numeric);
  const queries = await open.queries();
  const isSame = queries === open.train;
  const rows = isSame ? trained.train : await readTable(queries, options, columns, signal, progress);
  checkNamed(options, trained.train, rows);
  return { ...trained, queries: rows };
}

export async function readTrain(
  found: Recognised,
  options: CommonOptions,
  special: TrainOptions,
  signal: AbortSignal,
  progress: ProgressDisplay,
): Promise<Trained> {
  checkNominal(found, options);
  const kinds = { nominal: textColumns(options), numeric: options.numeric ?? [] };
  const train = await readTable(found, options, kinds, signal, progress);
  const features = featuresOf(train, options, special);
  for (const name of features) checkMostlyText(train, name, options);
  if (special.anyK !== true) checkK(options.k, train);
  return { train, features };
}

/** Says how the columns of another file are to be read. */
export interface ColumnReading {
  readonly nominal: readonly string[];
  readonly numeric: readonly string[];
  readonly dates: readonly string[];
}

/**
 * Returns how to read another file, so that its features are as the training file has them.
 * @param nominal other columns to read as text
 * @param numeric other columns to read as numbers
 */
export function columnsLike(
  { train, features }: Trained,
  nominal: readonly string[],
  numeric: readonly string[] = [],
): ColumnReading {
  const isTime = (name: string) => ["date", "time"].includes(train.column(name).type ?? "");
  const isText = (name: string) => nominal.includes(name) || train.column(name).kind === "nominal";
  return {
    nominal: [...new Set([...nominal, ...features.filter(isText)])],
    numeric: [...new Set([...numeric, ...features.filter((name) => !isText(name) && !isTime(name))])],
    dates: features.filter((name) => !isText(name) && isTime(name)),
  };
}

/** Returns the columns that the user wants read as text; an id is never a number. */
export function textColumns({ nominal = [], id }: CommonOptions): readonly string[] {
  return [...new Set([...nominal, ...(id === undefined ? [] : [id])])];
}

/** @throws InvalidInputError for a column that no table has and that the user wants read, or read as text */
export function checkNamed(options: CommonOptions, train: Table, queries: Table = train): void {
  const { numeric = [], columns = [] } = options;
  for (const name of [...textColumns(options), ...numeric, ...columns]) {
    if (!train.has(name) && !queries.has(name))
      throw unknownColumn(name, train.origin?.header ?? train.names, nameOf(train));
  }
}

/**
 * Returns the cells of each row of a table: those of a CSV file exactly as they were, of others their values.
 */
export function cellsOfRows(table: Table): (row: number) => CsvCell[] {
  const { columns, names } = table;
  const { header = names, textOf } = table.origin ?? {};
  if (!textOf) {
    const printed = columns.map(printedCells);
    return (row) => printed.map((cellAt) => cellAt(row));
  }
  const placeOf = new Map(header.map((name, at) => [name, at]));
  const places = names.map((name) => placeOf.get(name)!);
  return (row) => {
    const texts = textOf(row);
    return places.map((at) => texts[at]);
  };
}

/** Messages and summaries name these facts of a file. */
export interface InputFile {
  readonly rows: number;
  readonly origin?:
    { readonly file: string; readonly namesInDoubt?: boolean; readonly hints?: readonly Guess[] } | undefined;
}

export function nameOf({ origin }: InputFile): string {
  return origin?.file ?? "the table";
}

/** Lists, for the summary, the files whose line 1 was taken for names though it looks like a row. */
export function namesInDoubt(...files: readonly (InputFile | undefined)[]): {
  readonly namesInDoubt?: readonly string[];
} {
  const doubted = files.flatMap((file) => (file?.origin?.namesInDoubt ? [nameOf(file)] : []));
  return doubted.length === 0 ? {} : { namesInDoubt: [...new Set(doubted)] };
}

/** The readers found this of a file; `mends` says that the option mends it, rather than says otherwise. */
export type FileHint = Omit<Guess, "remedy"> & {
  readonly file: string;
  readonly mends?: boolean;
  /** The hint is about all these columns, where there are several. */
  readonly columns?: readonly string[];
};

/**
 * Returns, for the summary, what the readers noticed of the columns that are compared or predicted, and of
 * names of rows that are not compared, unless an option leaves them out.
 */
export function hintsOn(
  {
    used,
    leftOut = [],
    also = [],
  }: {
    readonly used: readonly string[];
    readonly leftOut?: readonly string[];
    /** These other findings stand after those of the readers. */
    readonly also?: readonly FileHint[];
  },
  ...files: readonly (InputFile | undefined)[]
): { readonly hints?: readonly FileHint[] } {
  const seen = new Set<string>();
  const noticed = files.flatMap((file): FileHint[] =>
    (file?.origin?.hints ?? []).flatMap((hint) => {
      const { column, what, value, option } = hint;
      const isUsed = column === undefined || used.includes(column);
      const concerns = what === "row names" ? !isUsed && !leftOut.includes(column) : isUsed;
      if (!concerns || seen.has(value)) return [];
      seen.add(value);
      return [{ file: nameOf(file!), ...(column === undefined ? {} : { column }), what, value, option }];
    }),
  );
  const hints = [...likeHints(noticed), ...also];
  return hints.length === 0 ? {} : { hints };
}

export async function readTable(
  found: Recognised,
  options: FormatOptions & { readonly memory?: number },
  like: Partial<ColumnReading>,
  signal: AbortSignal,
  progress: ProgressDisplay,
): Promise<Table> {
  const { memory } = options;
  const table = await readFound(found, {
    ...readOptions(options),
    ...(memory === undefined ? {} : { memory }),
    ...like,
    ignoreUnknown: true,
    keepText: true,
    signal,
    onProgress: (done, total) =>
      progress.show({ phase: `reading ${found.source.name}`, unit: "byte", done, total }),
  });
  if (table.rows > 0 || table.columns.length === 0) return table;
  throw noRows(found);
}

export function noRows({ source }: Recognised): InvalidInputError {
  return new InvalidInputError("has no rows; expected at least one", { file: source.name });
}

function featuresOf(
  train: Table,
  { features, id, columns }: CommonOptions,
  { label, ignore = [] }: TrainOptions,
): readonly string[] {
  if (label !== undefined) train.column(label);
  for (const name of ignore) train.column(name);
  const special = new Map([
    ...(label === undefined ? [] : [[label, "the label"] as const]),
    ...(id === undefined ? [] : [[id, "--id"] as const]),
    ...ignore.map((name) => [name, "--ignore"] as const),
  ]);
  return featuresBeside(train, special, features, columns === undefined ? undefined : "among --columns");
}

/**
 * Refuses a column that a typing error would turn from numbers into nominal values unnoticed.
 * @throws InvalidInputError for a column in which most cells, but not all, are numbers
 */
function checkMostlyText(train: Table, name: string, { decimal, nominal = [] }: CommonOptions): void {
  const column = train.column(name);
  const text = train.origin?.firstText(name);
  if (column.kind === "numeric" || text === undefined || nominal.includes(name)) return;
  // A word that is a number, with leading zeros or between quotes of JSON, is no slip.
  if (parseNumber(text.text, decimal) !== undefined) return;
  const isNumber = column.dictionary.values.map((value) => parseNumber(value, decimal) !== undefined);
  let numbers = 0;
  let texts = 0;
  for (const code of column.codes) {
    if (isNumber[code]) numbers++;
    else if (code !== MISSING_CODE) texts++;
  }
  if (numbers <= texts) return;
  throw new InvalidInputError(
    `${JSON.stringify(text.text)} is not a number, but most cells of the column are; correct the cell, name what stands for a ` +
      `missing value (--na), or read the column as text (--nominal ${name})`,
    { file: nameOf(train), line: text.line, column: name },
  );
}

/** @throws InvalidInputError for columns to be read as text in a file whose columns are all numbers */
function checkNominal({ format, source }: Recognised, { nominal }: CommonOptions): void {
  if (format.holds !== "matrix" || nominal === undefined) return;
  throw new InvalidInputError("holds only numbers, which are not read as text; leave out --nominal", {
    file: source.name,
  });
}

/**
 * @throws InvalidInputError for more neighbours than there are rows; it names the rows by their file or, in
 *   benches, by their option
 */
export function checkK(k: number, train: InputFile): void {
  const { rows } = train;
  if (k <= rows) return;
  throw new InvalidInputError(
    `has only ${plural(rows, "row")}, but k is ${k}; choose --k of at most ${rows}`,
    {
      file: nameOf(train),
    },
  );
}
