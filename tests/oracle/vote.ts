/**
 * The vote of nearest neighbours as the contract (section 4) has it, for one query at a time. Shares no code
 * with src/ but types.
 */
import type { Label } from "../../src/models/labels.ts";
import type { Weights } from "../../src/models/weights.ts";

export interface Neighbor {
  readonly label: Label;
  readonly distance: number;
}

/** Classes as scikit-learn numbers them: numbers ascending, strings by code point. */
export function sortedClasses(labels: readonly Label[]): Label[] {
  const byCodePoint = (a: Label, b: Label) => Buffer.compare(utf32(String(a)), utf32(String(b)));
  const numeric = typeof labels[0] === "number";
  return [...new Set(labels)].sort((a, b) => (numeric ? Number(a) - Number(b) : byCodePoint(a, b)));
}

/** Big-endian code points, whose bytes sort as the code points do. */
function utf32(text: string): Buffer {
  const points = [...text].map((letter) => letter.codePointAt(0)!);
  const bytes = Buffer.alloc(points.length * 4);
  points.forEach((point, at) => bytes.writeUInt32BE(point, at * 4));
  return bytes;
}

/** Weights are added in neighbour order; equal votes go to the lower class. */
export function voteOf(neighbors: readonly Neighbor[], classes: readonly Label[], weights: Weights) {
  const shares = sharesOf(neighbors, weights);
  const votes = classes.map(() => 0);
  let total = 0;
  neighbors.forEach(({ label }, i) => {
    votes[classes.indexOf(label)] += shares[i];
    total += shares[i];
  });
  const winner = classes[votes.indexOf(Math.max(...votes))];
  return { winner, probabilities: votes.map((vote) => vote / total) };
}

/** The weighted mean of numeric labels, summed in neighbour order. */
export function meanOf(neighbors: readonly Neighbor[], weights: Weights): number {
  const shares = sharesOf(neighbors, weights);
  let sum = 0;
  let total = 0;
  neighbors.forEach(({ label }, i) => {
    sum += shares[i] * Number(label);
    total += shares[i];
  });
  return sum / total;
}

/**
 * Returns the share of each neighbour: 1, or 1 / d by distance. Where some of those are infinite only these
 * count; rows infinitely far, or with nothing in common, count only where all are such; and where the sum of
 * as many of the largest would overflow, all are multiplied by the least d.
 */
function sharesOf(neighbors: readonly Neighbor[], weights: Weights): number[] {
  const inverse = neighbors.map(({ distance }) => 1 / distance);
  if (weights === "uniform") return inverse.map(() => 1);
  if (inverse.includes(Infinity)) return inverse.map((share) => (share === Infinity ? 1 : 0));
  const counted = inverse.map((share) => (share > 0 ? share : 0));
  if (counted.every((share) => share === 0)) return inverse.map(() => 1);
  const least = Math.min(...neighbors.map(({ distance }) => distance).filter((d) => !Number.isNaN(d)));
  if (neighbors.length / least < Infinity) return counted;
  return neighbors.map(({ distance }) => (Number.isNaN(distance) ? 0 : least / distance));
}
