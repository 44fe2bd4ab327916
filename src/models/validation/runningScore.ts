/**
 * Scores predictions that come in one after the other, and keeps sums alone: many columns and repeats have
 * more predictions than there is memory for. Scores of predictions that are all there are in importance.ts.
 */
import { isMissing, type Label } from "../labels.ts";
import { sumOf } from "../preparation/statistics.ts";
import { mean } from "./performance.ts";
import type { TuneMeasure } from "./score.ts";

/** It leaves out rows whose prediction is missing, as the measures of performance.ts do. */
export interface RunningScore {
  add(truth: Label, predicted: Label | null, weight: number): void;
  value(): number;
}

/**
 * Makes scores of any measure but the log loss, which takes probabilities.
 * @param truth the labels that there are
 */
export function runningScores(measure: TuneMeasure, truth: readonly Label[]): () => RunningScore {
  if (measure === "accuracy" || measure === "balancedAccuracy")
    return () => new RunningShare(measure === "balancedAccuracy");
  const centre = mean(Float64Array.from(truth, Number));
  return () => new RunningError(measure as "rmse" | "mae" | "r2", centre);
}

/** Counts right predictions by class. */
class RunningShare implements RunningScore {
  readonly #isBalanced: boolean;
  readonly #rows = new Map<Label, number>();
  readonly #right = new Map<Label, number>();

  constructor(isBalanced: boolean) {
    this.#isBalanced = isBalanced;
  }

  add(truth: Label, predicted: Label | null, weight: number): void {
    if (isMissing(predicted)) return;
    this.#rows.set(truth, (this.#rows.get(truth) ?? 0) + weight);
    if (truth === predicted) this.#right.set(truth, (this.#right.get(truth) ?? 0) + weight);
  }

  value(): number {
    const right = [...this.#rows].map(([label]) => this.#right.get(label) ?? 0);
    const rows = [...this.#rows.values()];
    if (!this.#isBalanced) return sumOf(right) / sumOf(rows);
    const recalls = right.flatMap((count, c) => (rows[c] > 0 ? [count / rows[c]] : []));
    return sumOf(recalls) / recalls.length;
  }
}

/** Adds up errors of numbers; R2 also adds up how far the labels are from a number near their mean. */
class RunningError implements RunningScore {
  readonly #measure: "rmse" | "mae" | "r2";
  readonly #centre: number;
  #rows = 0;
  #weights = 0;
  #errors = 0;
  #offsets = 0;
  #squares = 0;
  #least = Infinity;
  #largest = -Infinity;

  constructor(measure: "rmse" | "mae" | "r2", centre: number) {
    this.#measure = measure;
    this.#centre = centre;
  }

  add(truth: Label, predicted: Label | null, weight: number): void {
    if (isMissing(predicted)) return;
    const error = Number(truth) - Number(predicted);
    const offset = Number(truth) - this.#centre;
    this.#rows++;
    this.#weights += weight;
    this.#errors += weight * (this.#measure === "mae" ? Math.abs(error) : error ** 2);
    this.#offsets += weight * offset;
    this.#squares += weight * offset ** 2;
    if (!(weight > 0)) return;
    this.#least = Math.min(this.#least, Number(truth));
    this.#largest = Math.max(this.#largest, Number(truth));
  }

  value(): number {
    const average = this.#errors / this.#weights;
    if (this.#measure !== "r2") return this.#measure === "mae" ? average : Math.sqrt(average);
    if (this.#rows < 2 || !(this.#weights > 0)) return NaN;
    // The difference of sums of labels that are alike is not always 0.
    const total = this.#least < this.#largest ? this.#squares - this.#offsets ** 2 / this.#weights : 0;
    if (total > 0) return 1 - this.#errors / total;
    return this.#errors === 0 ? 1 : 0;
  }
}
