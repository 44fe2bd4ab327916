/**
 * Compares neighbours with those of another program, in three classes: equal; another one, but both are as
 * near within a tolerance, which the decimals of a file do not tell apart; wrong. It reads no file.
 */
import { readRow, type Matrix } from "../../core/matrix.ts";
import type { KnnResult } from "../../node.ts";
import type { ExpectedNumbers } from "./expected.ts";

/** Counts the values of a file by class. */
export interface FileVerdict {
  readonly file: string;
  readonly equal: number;
  /** So many values differ by no more than the tolerance. */
  readonly withinTolerance: number;
  /** So many of them are indices of points that are exactly as near. */
  readonly ties?: number;
  readonly wrong: number;
  /** Describes the first wrong value in words; absent where none is wrong. */
  readonly firstWrong?: string;
}

/** Compares the distances of a file with those that were found. */
export function validateDistances(
  { distances, k }: KnnResult,
  { file, values }: ExpectedNumbers,
  tolerance: number,
): FileVerdict {
  const tally = new VerdictTally(file, k);
  for (let at = 0; at < values.length; at++) {
    const gap = Math.abs(values[at] - distances[at]);
    if (values[at] === distances[at]) tally.equal++;
    else if (gap <= tolerance) tally.withinTolerance++;
    else tally.addWrong(at, () => `the file says ${values[at]}, the distance is ${distances[at]}`);
  }
  return tally.verdict();
}

/**
 * Compares the indices of a file with those that were found, by how near the points are that they name.
 * @param base the index of the first point in the file
 */
export function validateIndices(
  { indices, distances, k }: KnnResult,
  { file, values }: ExpectedNumbers,
  {
    train,
    queries,
    isSquared,
  }: { readonly train: Matrix; readonly queries: Matrix; readonly isSquared: boolean },
  { base, tolerance }: { readonly base: number; readonly tolerance: number },
): FileVerdict & { readonly ties: number } {
  const tally = new VerdictTally(file, k);
  let ties = 0;
  const [point, query] = [new Float64Array(train.cols), new Float64Array(train.cols)];
  const distanceTo = (row: number, from: number): number => {
    readRow(train, row, point);
    readRow(queries, from, query);
    const square = query.reduce((sum, value, j) => sum + (value - point[j]) * (value - point[j]), 0);
    return isSquared ? square : Math.sqrt(square);
  };
  for (let at = 0; at < values.length; at++) {
    const row = values[at] - base;
    if (row === indices[at]) {
      tally.equal++;
      continue;
    }
    const first = at - (at % k);
    const exists = Number.isInteger(row) && row >= 0 && row < train.rows;
    const isRepeated = values.subarray(first, at).includes(values[at]);
    const distance = exists ? distanceTo(row, first / k) : NaN;
    if (!isRepeated && Math.abs(distance - distances[at]) <= tolerance) {
      tally.withinTolerance++;
      if (distance === distances[at]) ties++;
      continue;
    }
    tally.addWrong(at, () => {
      const nearest = `the neighbour is ${indices[at] + base} at distance ${distances[at]}`;
      if (!exists) return `the file says ${values[at]}, which no point has, counted from ${base}; ${nearest}`;
      return `the file says ${values[at]}${isRepeated ? " again" : ""}, at distance ${distance}; ${nearest}`;
    });
  }
  return { ...tally.verdict(), ties };
}

class VerdictTally {
  equal = 0;
  withinTolerance = 0;
  #wrong = 0;
  #firstWrong: string | undefined;
  readonly #file: string;
  readonly #k: number;

  constructor(file: string, k: number) {
    this.#file = file;
    this.#k = k;
  }

  addWrong(at: number, says: () => string): void {
    this.#firstWrong ??= `query ${Math.floor(at / this.#k)}, rank ${at % this.#k}: ${says()}`;
    this.#wrong++;
  }

  verdict(): FileVerdict {
    const first = this.#firstWrong;
    return {
      file: this.#file,
      equal: this.equal,
      withinTolerance: this.withinTolerance,
      wrong: this.#wrong,
      ...(first === undefined ? {} : { firstWrong: first }),
    };
  }
}
