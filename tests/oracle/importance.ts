/**
 * Permutation importance of k-NN by scikit-learn's algorithm, in plain float64 loops: for each column the
 * cells change places again and again, every row is predicted anew, and the score is compared. Shares no code
 * with src/.
 */
import { JavaRandom } from "./crossValidation.ts";
import { predictedOf, type Cell, type Row } from "./tableNeighbors.ts";

export interface ImportanceJob {
  readonly train: readonly Row[];
  readonly test: readonly Row[];
  readonly label: string;
  readonly features: readonly string[];
  readonly k: number;
  readonly repeats: number;
  readonly seed: number;
  /** Of the labels and predictions of all test rows, such as the accuracy. */
  readonly score: (truth: readonly unknown[], predicted: readonly unknown[]) => number;
}

/** Returns the score of the rows as they are, and what it loses in each repeat of each column. */
export function importanceOf({ train, test, label, features, k, repeats, seed, score }: ImportanceJob) {
  const cells = (row: Row) => features.map((name) => row[name]);
  const rows = test.filter((row) => row[label] !== null);
  const truth = rows.map((row) => row[label]);
  const known = train.map((row) => ({ cells: cells(row), label: row[label] }));
  const scoreOf = (queries: readonly (readonly Cell[])[]) =>
    score(
      truth,
      queries.map((query) => predictedOf(known, query, k)),
    );
  const own = rows.map(cells);
  const baseline = scoreOf(own);
  const lost = features.map((_, column) => {
    const random = new JavaRandom(seed);
    const order = [...rows.keys()];
    return Array.from({ length: repeats }, () => {
      for (let i = order.length; i > 1; i--) {
        const j = random.nextInt(i);
        [order[i - 1], order[j]] = [order[j], order[i - 1]];
      }
      const permuted = own.map((row, at) => row.map((cell, c) => (c === column ? own[order[at]][c] : cell)));
      return baseline - scoreOf(permuted);
    });
  });
  return { baseline, lost };
}

/**
 * The same of rows that folds predict: a row is predicted from the rows of other folds, and cells change
 * places among all rows with a label.
 */
export function foldImportanceOf({
  rows: all,
  foldOf,
  label,
  features,
  k,
  repeats,
  seed,
  score,
}: Omit<ImportanceJob, "train" | "test"> & {
  readonly rows: readonly Row[];
  readonly foldOf: ArrayLike<number>;
}) {
  const at = [...all.keys()].filter((row) => all[row][label] !== null);
  const own = at.map((row) => features.map((name) => all[row][name]));
  const truth = at.map((row) => all[row][label]);
  const scoreOf = (queries: readonly (readonly Cell[])[]) =>
    score(
      truth,
      queries.map((query, i) => {
        const others = [...at.keys()].filter((j) => foldOf[at[j]] !== foldOf[at[i]]);
        const known = others.map((j) => ({ cells: own[j], label: truth[j] }));
        return predictedOf(known, query, k);
      }),
    );
  const baseline = scoreOf(own);
  const lost = features.map((_, column) => {
    const random = new JavaRandom(seed);
    const order = [...own.keys()];
    return Array.from({ length: repeats }, () => {
      for (let i = order.length; i > 1; i--) {
        const j = random.nextInt(i);
        [order[i - 1], order[j]] = [order[j], order[i - 1]];
      }
      return (
        baseline -
        scoreOf(own.map((row, i) => row.map((cell, c) => (c === column ? own[order[i]][c] : cell))))
      );
    });
  });
  return { baseline, lost };
}

export const accuracyOf = (truth: readonly unknown[], predicted: readonly unknown[]) =>
  truth.filter((label, at) => label === predicted[at]).length / truth.length;

/** The mean of the shares of each class that are right. */
export const balancedOf = (truth: readonly unknown[], predicted: readonly unknown[]) =>
  mean(
    [...new Set(truth)].map((kind) => {
      const own = [...truth.keys()].filter((at) => truth[at] === kind);
      return own.filter((at) => predicted[at] === kind).length / own.length;
    }),
  );

export const r2Of = (truth: readonly unknown[], predicted: readonly unknown[]) => {
  const centre = mean(truth.map(Number));
  const squares = (others: (at: number) => number) =>
    truth.reduce((sum: number, label, at) => sum + (Number(label) - others(at)) ** 2, 0);
  return 1 - squares((at) => Number(predicted[at])) / squares(() => centre);
};

export const meanErrorOf = (truth: readonly unknown[], predicted: readonly unknown[]) =>
  -mean(truth.map((label, at) => Math.abs(Number(label) - Number(predicted[at]))));

export const rootErrorOf = (truth: readonly unknown[], predicted: readonly unknown[]) =>
  -Math.sqrt(mean(truth.map((label, at) => (Number(label) - Number(predicted[at])) ** 2)));

/** numpy's mean and std: the divisor of the deviation is the number of values. */
export function spreadOf(values: readonly number[]) {
  const centre = mean(values);
  return { mean: centre, deviation: Math.sqrt(mean(values.map((value) => (value - centre) ** 2))) };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
