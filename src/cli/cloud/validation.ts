/**
 * Declares the options of `nearfield cloud nearest` that validate another program's results, and tells the
 * outcome. The comparison is in validate.ts.
 */
import type { Command } from "commander";
import { runYielding } from "../../core/async/yielding.ts";
import { makeMatrix } from "../../core/matrix.ts";
import { number } from "../../graph/catalogue/parameters.ts";
import { InvalidInputError, type KnnResult, type PointCloudOptions } from "../../node.ts";
import { count } from "../format.ts";
import type { ReadRows } from "../inputs/rows.ts";
import { parserOf } from "../options/parameter.ts";
import { wholeNumber } from "../options/values.ts";
import { readExpected } from "./expected.ts";
import { validateDistances, validateIndices, type FileVerdict } from "./validate.ts";

export interface ValidateOptions {
  readonly validateDistances?: string;
  readonly validateIndices?: string;
  readonly indexBase?: number;
  readonly tolerance?: number;
}

export interface CloudValidation {
  readonly tolerance: number;
  readonly distances?: FileVerdict;
  readonly indices?: FileVerdict & { readonly ties: number };
}

const TOLERANCE = 1e-4;

export function addValidateOptions(command: Command): Command {
  const tolerance = parserOf(number({ min: 0, default: TOLERANCE, says: "" }));
  return command
    .option("--validate-distances <file>", "another program's distances, to compare with")
    .option("--validate-indices <file>", "another program's indices, to compare with")
    .option("--index-base <number>", "the index of the first point there (default: 0)", wholeNumber(0))
    .option("--tolerance <distance>", `differences to accept as rounding (default: ${TOLERANCE})`, tolerance);
}

/** @throws InvalidInputError for options that contradict each other */
export function checkValidateOptions(options: ValidateOptions, radius: number | undefined): void {
  const { validateDistances: distances, validateIndices: indices, indexBase, tolerance } = options;
  const validates = distances !== undefined || indices !== undefined;
  if (indexBase !== undefined && indices === undefined) {
    throw new InvalidInputError("--index-base applies to --validate-indices, which is missing; add it");
  }
  if (tolerance !== undefined && !validates) {
    throw new InvalidInputError(
      "--tolerance applies to --validate-distances and --validate-indices; add one of them",
    );
  }
  if (!validates || radius === undefined) return;
  throw new InvalidInputError(
    "--radius may leave a query fewer than k neighbours, which a file of k for each cannot be compared with; " +
      "leave --radius out, or do not validate",
  );
}

/** Compares the result with the files of the options; returns undefined where there are none. */
export async function validated(
  result: KnnResult,
  { rows, metric }: Pick<ReadRows, "rows"> & Pick<PointCloudOptions, "metric">,
  options: ValidateOptions,
  signal: AbortSignal,
): Promise<CloudValidation | undefined> {
  const { validateDistances: distances, validateIndices: indices, indexBase: base = 0 } = options;
  const { tolerance = TOLERANCE } = options;
  if (distances === undefined && indices === undefined) return undefined;
  const [ofDistances, ofIndices] = [
    distances === undefined ? undefined : await readExpected(distances, result, signal),
    indices === undefined ? undefined : await readExpected(indices, result, signal),
  ];
  const matrices = async () => ({
    train: await runYielding(makeMatrix(rows.train, "train", "error"), signal),
    queries: await runYielding(makeMatrix(rows.queries, "queries", "error"), signal),
    isSquared: metric === "sqeuclidean",
  });
  return {
    tolerance,
    ...(ofDistances ? { distances: validateDistances(result, ofDistances, tolerance) } : {}),
    ...(ofIndices
      ? { indices: validateIndices(result, ofIndices, await matrices(), { base, tolerance }) }
      : {}),
  };
}

export function validationLines(validation: CloudValidation | undefined): string[] {
  const { distances, indices, tolerance = 0 } = validation ?? {};
  const lineOf = (name: string, { equal, withinTolerance, ties, wrong }: FileVerdict) => {
    const tied = ties === undefined ? "" : ` (${count(ties)} of them exact ties)`;
    const near = `${count(withinTolerance)} not told apart within ${tolerance}${tied}`;
    return `${name.padEnd(10)}${count(equal)} equal, ${near}, ${count(wrong)} wrong`;
  };
  return [
    ...(distances ? [lineOf("distances", distances)] : []),
    ...(indices ? [lineOf("indices", indices)] : []),
  ];
}

/** @throws InvalidInputError naming the first wrong value of a file */
export function refuseWrong(validation: CloudValidation | undefined): void {
  for (const verdict of [validation?.distances, validation?.indices]) {
    if (verdict?.firstWrong === undefined) continue;
    const { file, wrong, firstWrong } = verdict;
    const many = wrong === 1 ? "1 value is wrong" : `${count(wrong)} values are wrong, the first`;
    throw new InvalidInputError(`${many}: ${firstWrong}`, { file });
  }
}
