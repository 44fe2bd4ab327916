/**
 * Cross-validated k-NN on a table of numbers, texts and gaps, from the rows of a JSON file to a prediction
 * for each row, in plain float64 loops: folds drawn with java.util.Random, columns Z-normalised on the other
 * folds, every row compared with every other. Shares no code with src/.
 */
import { predictedOf, type Cell, type Row } from "./tableNeighbors.ts";

export type { Row };

export interface Job {
  readonly rows: readonly Row[];
  readonly label: string;
  readonly features: readonly string[];
  readonly k: number;
  readonly folds: number;
  readonly seed: number;
}

export interface Outcome {
  /** -1 for rows without a label. */
  readonly foldOf: readonly number[];
  readonly predictions: readonly (number | string | null)[];
}

/** Classes where the labels are texts, means where they are numbers. */
export function crossValidated({ rows, label, features, k, folds, seed }: Job): Outcome {
  const labelled = rows.flatMap((row, at) => (row[label] === null ? [] : [at]));
  const classes = labelled.map((at) => rows[at][label]);
  const nominal = classes.every((value) => typeof value === "string");
  const parts = nominal ? stratified(classes, folds, seed) : shuffled(labelled.length, folds, seed);
  const foldOf = rows.map(() => -1);
  labelled.forEach((at, i) => (foldOf[at] = parts[i]));
  const predictions = rows.map((_, at): number | string | null => {
    if (foldOf[at] < 0) return null;
    const train = labelled.filter((other) => foldOf[other] !== foldOf[at]);
    const scaled = (index: number) => features.map((name) => scale(rows, train, name, rows[index][name]));
    const known = train.map((index) => ({ cells: scaled(index), label: rows[index][label] }));
    return predictedOf(known, scaled(at), k);
  });
  return { foldOf, predictions };
}

const moments = new WeakMap<readonly number[], Map<string, { mean: number; deviation: number }>>();

function scale(rows: readonly Row[], train: readonly number[], name: string, value: Cell) {
  if (typeof value !== "number") return value;
  const { mean, deviation } = momentsOf(rows, train, name);
  return (value - mean) / deviation;
}

function momentsOf(rows: readonly Row[], train: readonly number[], name: string) {
  const known = moments.get(train) ?? new Map<string, { mean: number; deviation: number }>();
  moments.set(train, known);
  let found = known.get(name);
  if (!found) {
    const values = train.map((at) => rows[at][name]).filter((value) => typeof value === "number");
    const mean = sum(values) / values.length;
    const squares = values.map((value) => (value - mean) * (value - mean));
    found = { mean, deviation: Math.sqrt(sum(squares) / (values.length - 1)) };
    known.set(name, found);
  }
  return found;
}

function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** java.util.Random. */
export class JavaRandom {
  #state: bigint;

  constructor(seed: number) {
    this.#state = (BigInt(seed) ^ 0x5deece66dn) & (2n ** 48n - 1n);
  }

  nextInt(bound: number): number {
    const next = () => {
      this.#state = (this.#state * 0x5deece66dn + 11n) & (2n ** 48n - 1n);
      return this.#state >> 17n;
    };
    const wide = BigInt(bound);
    if ((wide & -wide) === wide) return Number((wide * next()) >> 31n);
    let bits = next();
    while (bits - (bits % wide) + wide - 1n >= 2n ** 31n) bits = next();
    return Number(bits % wide);
  }
}

/** The part of place `at` when `size` places are cut into equal parts. */
function partOf(at: number, size: number, parts: number): number {
  let share = 0;
  for (let part = 0; part < parts - 1; part++) {
    share += 1 / parts;
    if (at < Math.floor(size * share + 0.5)) return part;
  }
  return parts - 1;
}

export function shuffled(size: number, parts: number, seed: number): number[] {
  const random = new JavaRandom(seed);
  const result = Array.from({ length: size }, (_, at) => partOf(at, size, parts));
  for (let i = size - 1; i >= 1; i--) swap(result, i, random.nextInt(i));
  return result;
}

export function stratified(classes: readonly string[], parts: number, seed: number): number[] {
  const random = new JavaRandom(seed);
  const order = [...classes.keys()];
  for (let i = order.length; i > 1; i--) swap(order, i - 1, random.nextInt(i));
  const sorted = [...new Set(classes)].sort().flatMap((name) => order.filter((row) => classes[row] === name));
  const dealt = Array.from({ length: parts }, (_, pile) =>
    sorted.filter((_, at) => at % parts === pile),
  ).flat();
  const result = new Array<number>(classes.length);
  dealt.forEach((row, at) => (result[row] = partOf(at, dealt.length, parts)));
  return result;
}

function swap<T>(list: T[], a: number, b: number): void {
  [list[a], list[b]] = [list[b], list[a]];
}
