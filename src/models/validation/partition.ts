/**
 * Divides rows into parts, by the rules of RapidMiner's Split Data: pure, from sizes, labels and a seed to a
 * part for each row. split.ts and crossValidate.ts apply it to tables and models.
 */
import { InvalidInputError, oneOf } from "../../core/errors.ts";
import { SeededRandom } from "./random.ts";

export const samplings = ["linear", "shuffled", "stratified"] as const;

/**
 * Rows are divided in this way. "linear": consecutive rows. "shuffled": at random. "stratified": at random,
 * with the same share of each class in every part.
 * @example
 * const sampling: Sampling = "linear";
 * const table = Table.fromColumns({ x: [1, 2, 3, 4] });
 * const [train, test] = splitTable(table, { ratios: [0.75, 0.25], sampling });
 * encode(train, ["x"]).data; // => [1, 2, 3]
 */
export type Sampling = (typeof samplings)[number];

/** A process in RapidMiner has this seed by default. */
export const DEFAULT_SEED = 2001;

export interface PartitionOptions {
  readonly sampling: Sampling;
  readonly seed: number;
}

/**
 * Returns the part of each row, 0, 1, ... Part i ends at row round(rows * (r0 + ... + ri)) of the order that
 * `sampling` puts the rows in, ratios scaled to the sum 1.
 * @param classes one per row; only "stratified" reads them
 */
export function partition(
  rows: number,
  ratios: readonly number[],
  classes: readonly string[],
  { sampling, seed }: PartitionOptions,
): Uint32Array {
  checkRatios(ratios);
  checkSeed(seed);
  const random = new SeededRandom(seed);
  switch (sampling) {
    case "linear":
      return linear(rows, ratios);
    case "shuffled":
      return shuffled(linear(rows, ratios), random);
    case "stratified":
      return ratios.every((ratio) => ratio === ratios[0])
        ? dealt(classes, ratios, random)
        : byClass(classes, ratios, random);
    default:
      throw new InvalidInputError(
        `unknown sampling ${JSON.stringify(sampling)}; expected ${oneOf(samplings)}`,
      );
  }
}

function linear(rows: number, ratios: readonly number[]): Uint32Array {
  const parts = new Uint32Array(rows);
  boundaries(rows, ratios).forEach((end, part, ends) =>
    parts.fill(part, part === 0 ? 0 : ends[part - 1], end),
  );
  return parts;
}

/** Shuffles by Sattolo's algorithm, in which no entry stays in its place. */
function shuffled(parts: Uint32Array, random: SeededRandom): Uint32Array {
  for (let i = parts.length - 1; i > 0; i--) {
    const j = random.below(i);
    [parts[i], parts[j]] = [parts[j], parts[i]];
  }
  return parts;
}

/**
 * Divides into equal parts: all rows are shuffled, sorted by class, and dealt like cards before they are cut.
 */
function dealt(classes: readonly string[], ratios: readonly number[], random: SeededRandom): Uint32Array {
  const rows = Uint32Array.from(classes.keys());
  random.shuffle(rows);
  const order = Array.from(rows).sort((a, b) =>
    classes[a] < classes[b] ? -1 : classes[a] > classes[b] ? 1 : 0,
  );
  const cut = linear(order.length, ratios);
  const parts = new Uint32Array(order.length);
  let at = 0;
  for (let pile = 0; pile < ratios.length; pile++) {
    for (let i = pile; i < order.length; i += ratios.length) parts[order[i]] = cut[at++];
  }
  return parts;
}

/**
 * Divides into unequal parts: the rows of each class, in order of first appearance, are shuffled and cut
 * separately.
 */
function byClass(classes: readonly string[], ratios: readonly number[], random: SeededRandom): Uint32Array {
  const rowsOf = new Map<string, number[]>();
  classes.forEach((name, row) => {
    const rows = rowsOf.get(name);
    if (rows) rows.push(row);
    else rowsOf.set(name, [row]);
  });
  const parts = new Uint32Array(classes.length);
  for (const rows of rowsOf.values()) {
    const order = Uint32Array.from(rows);
    random.shuffle(order);
    const cut = linear(order.length, ratios);
    order.forEach((row, at) => (parts[row] = cut[at]));
  }
  return parts;
}

/** Returns where each part ends; the last one ends at `rows`. */
function boundaries(rows: number, ratios: readonly number[]): number[] {
  const total = ratios.reduce((sum, ratio) => sum + ratio, 0);
  let share = 0;
  const ends = ratios.map((ratio) => Math.round(rows * (share += ratio / total)));
  ends[ends.length - 1] = rows;
  return ends;
}

function checkRatios(ratios: readonly number[]): void {
  if (ratios.length > 0 && ratios.every((ratio) => ratio > 0 && Number.isFinite(ratio))) return;
  throw new InvalidInputError(`the ratios are ${ratios.join(", ") || "missing"}; expected numbers above 0`);
}

/** @throws InvalidInputError for a number that seeds no generator */
export function checkSeed(seed: number): void {
  if (Number.isInteger(seed) && seed >= 0 && seed < 2 ** 48) return;
  throw new InvalidInputError(`the seed is ${seed}; expected a whole number from 0 to 2^48 - 1`);
}
