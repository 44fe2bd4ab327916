/** Files of numbers for `search`, in their own element type, without making tables of them. */
import { matrixStreamOf } from "../io/index.ts";
import type { Recognised } from "../io/index.ts";
import { InvalidInputError, collectMatrix } from "../node.ts";
import type { Matrix } from "../node.ts";
import { checkK, noRows, type InputFile, type OpenInputs } from "./inputs.ts";
import type { CommonOptions } from "./options.ts";
import type { Progress } from "./progress.ts";

export interface Matrices {
  readonly train: Matrix & InputFile;
  readonly queries: Matrix & InputFile;
}

/**
 * Undefined when one of the files is a table.
 * @throws InvalidInputError for options that name columns, which such files do not have.
 */
export async function readMatrices(
  options: CommonOptions,
  open: OpenInputs,
  signal: AbortSignal,
  progress: Progress,
): Promise<Matrices | undefined> {
  if (open.train.format.holds !== "matrix") return undefined;
  const queries = await open.queries();
  if (queries.format.holds !== "matrix") return undefined;
  const named = (["features", "columns", "nominal", "id"] as const).find(
    (name) => options[name] !== undefined,
  );
  if (named !== undefined) {
    throw new InvalidInputError(
      `--${named} names columns, but both files are matrices without names; leave it out`,
    );
  }
  const train = await readMatrix(open.train, signal, progress);
  checkK(options.k, train);
  return { train, queries: await readMatrix(queries, signal, progress) };
}

async function readMatrix(
  found: Recognised,
  signal: AbortSignal,
  progress: Progress,
): Promise<Matrix & InputFile> {
  const { name } = found.source;
  progress.show({ phase: `reading ${name}`, unit: "rows", done: 0, total: undefined });
  const stream = await matrixStreamOf(found);
  if (stream === undefined) throw new Error(`${name} holds no matrix`);
  const matrix = await collectMatrix(stream, { signal });
  if (matrix.rows === 0) throw noRows(found);
  return { ...matrix, origin: { file: name } };
}
