/**
 * Counts shares of the vote by class: as probabilities of every class for every query, or only far enough to
 * know the winners, which takes no more memory for many classes. vote.ts and rapidminer/vote.ts say how much
 * each neighbour counts.
 */
import { InvalidInputError } from "../core/errors.ts";
import { currentPlatform } from "../core/platform.ts";
import { NO_CLASS } from "../table/classes.ts";

/** It holds the neighbours of all queries, row-major [queries][k], nearest first. */
export interface Neighborhoods {
  readonly indices: Uint32Array;
  readonly distances: Float64Array;
  readonly queries: number;
  readonly k: number;
}

/** Fills in how much each neighbour of a query counts, in the order of the neighbours. */
export type Shares = (query: number, shares: Float64Array) => void;

/** Counting returns this. */
export interface Tallied {
  /**
   * They are sums of shares, row-major [queries][classes], added in neighbour order; empty where only winners
   * were asked for.
   */
  readonly sums: Float64Array;
  /** Each query's largest sum is of this class, the lowest of several; NO_CLASS where all are NaN. */
  readonly winners: Uint32Array;
  /** Each query's winner has this sum, the largest; NaN where all are. */
  readonly tops: Float64Array;
}

/** Counts the shares of each query by class. @param codes class number of each training row */
export function countShares(
  { indices, queries, k }: Neighborhoods,
  codes: Uint32Array,
  classes: number,
  shares: Shares,
  onlyWinners: boolean,
): Tallied {
  if (!onlyWinners) checkProbabilities(queries, classes);
  const sums = new Float64Array(onlyWinners ? 0 : queries * classes);
  const row = new Float64Array(onlyWinners ? classes : 0);
  const winners = new Uint32Array(queries);
  const tops = new Float64Array(queries);
  const own = new Float64Array(k);
  const voted = new Uint32Array(k);
  for (let q = 0; q < queries; q++) {
    const votes = onlyWinners ? row : sums.subarray(q * classes, (q + 1) * classes);
    shares(q, own);
    for (let i = 0; i < k; i++) {
      voted[i] = codes[indices[q * k + i]];
      votes[voted[i]] += own[i];
    }
    winners[q] = classes > MANY_CLASSES ? largestOf(votes, voted.sort()) : largest(votes);
    tops[q] = winners[q] === NO_CLASS ? NaN : votes[winners[q]];
    if (onlyWinners) for (let i = 0; i < k; i++) votes[voted[i]] = 0;
  }
  return { sums, winners, tops };
}

/** Up to so many classes, reading all of them is faster than keeping track of those that were voted for. */
const MANY_CLASSES = 64;

/** At most so many probabilities are held without a check against the memory there is. */
const ALWAYS_HELD = 2 ** 24;

/**
 * @param options `memory` in bytes, default most of the machine's; `remedy`, default to call `predict`
 * @throws InvalidInputError for more probabilities than there is memory for
 */
export function checkProbabilities(
  queries: number,
  classes: number,
  {
    memory,
    remedy = "call predict, which needs none, or pass fewer queries at a time",
  }: { readonly memory?: number | undefined; readonly remedy?: string } = {},
): void {
  const count = queries * classes;
  if (count <= ALWAYS_HELD) return;
  const budget = memory ?? currentPlatform().memory;
  if (count * Float64Array.BYTES_PER_ELEMENT <= budget) return;
  throw new InvalidInputError(
    `${queries} queries x ${classes} classes are ${count} probabilities of 8 bytes, more than the ${budget} bytes of main ` +
      `memory that may be used; ${remedy}`,
  );
}

function largest(votes: Float64Array): number {
  let best = -Infinity;
  let winner = NO_CLASS;
  for (let code = 0; code < votes.length; code++)
    if (votes[code] > best) [best, winner] = [votes[code], code];
  return winner;
}

/**
 * Returns what `largest` would, from the classes voted for, ascending, and the first that nobody voted for,
 * whose sum is 0.
 */
function largestOf(votes: Float64Array, voted: Uint32Array): number {
  let unvoted = 0;
  let best = -Infinity;
  let winner = NO_CLASS;
  for (const code of voted) {
    if (code === unvoted) unvoted++;
    if (votes[code] > best) [best, winner] = [votes[code], code];
  }
  const isFirst = 0 > best || (best === 0 && unvoted < winner);
  return unvoted < votes.length && isFirst ? unvoted : winner;
}
