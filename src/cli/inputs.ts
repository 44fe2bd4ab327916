/**
 * The two files of a command as tables and matrices: which columns are compared, and that both files have them. What
 * the label means is labels.ts.
 */
import { readCsv } from "../io/index.ts";
import type { ByteSource, CsvOptions } from "../io/index.ts";
import { InvalidInputError } from "../node.ts";
import type { Matrix } from "../node.ts";
import { encode } from "../table/index.ts";
import type { Table } from "../table/index.ts";
import { inputSource } from "./files.ts";
import { csvFormat } from "./options.ts";
import type { CommonOptions } from "./options.ts";
import type { Progress } from "./progress.ts";

export interface Inputs {
  readonly train: Table;
  readonly queries: Table;
  /** The columns compared, in the order of both matrices. */
  readonly features: readonly string[];
  readonly trainRows: Matrix;
  readonly queryRows: Matrix;
}

/** @param label the column of the training file that is no feature, if there is one */
export async function readInputs(
  options: CommonOptions,
  files: { readonly queries: string; readonly label?: string },
  signal: AbortSignal,
  progress: Progress,
): Promise<Inputs> {
  // Both are looked at before the first is read, which may take long.
  const trainSource = await inputSource(options.train, signal);
  const querySource = await inputSource(files.queries, signal);
  const nominal = [
    ...new Set([...(options.nominal ?? []), ...(options.id === undefined ? [] : [options.id])]),
  ];
  const format = { ...csvFormat(options), ...(options.na === undefined ? {} : { na: options.na }) };

  const train = await readTable(trainSource, { ...format, nominal }, signal, progress);
  const features = featuresOf(train, options, files.label);
  const { metric } = options;
  const trainRows = encode(train, features, { metric });
  checkK(options.k, train);

  const isText = (name: string) => nominal.includes(name) || train.column(name).kind === "nominal";
  const numeric = features.filter((name) => !isText(name));
  const text = [...new Set([...nominal, ...features.filter(isText)])];
  const queries = await readTable(querySource, { ...format, nominal: text, numeric }, signal, progress);
  for (const name of nominal) if (!queries.has(name)) train.column(name);
  const queryRows = encode(queries, features, { metric, train, trainedOn: nameOf(train) });
  return { train, queries, features, trainRows, queryRows };
}

/** The cells of a row exactly as they were in the file. */
export function textOf({ origin }: Table, row: number): string[] {
  if (!origin?.textOf) throw new Error("the table was read without its text");
  return origin.textOf(row);
}

export function nameOf({ origin }: Table): string {
  return origin?.file ?? "the table";
}

async function readTable(
  source: ByteSource,
  options: CsvOptions,
  signal: AbortSignal,
  progress: Progress,
): Promise<Table> {
  return readCsv(source, {
    ...options,
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
  label: string | undefined,
): readonly string[] {
  if (label !== undefined) train.column(label);
  const chosen = features ?? train.names.filter((name) => name !== label && name !== id);
  if (chosen.length > 0) return chosen;
  throw new InvalidInputError("has no columns to compare besides the label and --id; add at least one", {
    file: nameOf(train),
  });
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
