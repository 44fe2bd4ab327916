/**
 * Divides the work of `select` on a GPU, as far as the size of its scratch depends on it. It is pure. The
 * passes are in ops/select/gpu.ts.
 *
 * For small k a filter goes over the rows, in pieces when there are few rows, each of which leaves k entries
 * of two words; then over what is left, until a row has one piece. For large k scratch holds lists of k
 * entries, and per row a state and the bins of a radix select.
 */
import { ceilDiv, clamp, roundUp } from "../../core/math.ts";
import type { SelectParams } from "./contract.ts";

/**
 * `select` has two variants. Tests take the one for large k, and small pieces, for any k; the result is the
 * same.
 */
export interface SelectVariant {
  readonly filtered: boolean;
  /** So many workgroups keep the device busy. */
  readonly groups: number;
  /** The fewest columns of a piece, unless the row is shorter. */
  readonly fewestCols: number;
}

/**
 * Rows are filtered up to this k. It is an estimate, not yet measured on a card; small GPUs have enough to do
 * with fewer pieces, but lose little.
 */
const LARGEST_FILTERED = 1024;
const GROUPS = 1024;
const FEWEST_COLS = 8192;
/** A piece has at least so many times k columns, so that every level has an eighth of the entries. */
const FEWEST_TIMES_K = 8;

export function chooseSelectVariant({ k }: Pick<SelectParams, "k">): SelectVariant {
  return { filtered: k <= LARGEST_FILTERED, groups: GROUPS, fewestCols: FEWEST_COLS };
}

/** One pass of the filter goes over rows of `cols` entries in pieces. */
export interface SelectLevel {
  readonly cols: number;
  readonly pieces: number;
  readonly pieceCols: number;
  /**
   * The entries of scratch where it reads, unless it is the first, and where it writes, unless it is the
   * last.
   */
  readonly from: number;
  readonly to: number;
  /** The number of entries it writes to scratch. */
  readonly listed: number;
}

/** Returns the levels: the first reads the input, the last one writes the result. */
export function selectLevels(
  { rows, cols, k }: SelectParams,
  { groups, fewestCols }: SelectVariant,
): SelectLevel[] {
  const fewest = Math.max(fewestCols, FEWEST_TIMES_K * k);
  const levels: SelectLevel[] = [];
  for (let length = cols, from = 0, to = 0; ;) {
    const pieces = clamp(Math.floor(length / fewest), 1, ceilDiv(groups, rows));
    const listed = pieces > 1 ? rows * pieces * k : 0;
    levels.push({ cols: length, pieces, pieceCols: ceilDiv(length, pieces), from, to, listed });
    if (pieces === 1) return levels;
    // A level reads what the one before it wrote, so that two places take turns; the first one's is the
    // largest.
    [length, from, to] = [pieces * k, to, from === to ? roundUp(listed, 4) : from];
  }
}

/** Returns the words of scratch at which the parts for large k begin, and their number. */
export function selectLayout({ rows, k }: SelectParams) {
  const states = 2 * rows * k;
  const bins = states + SELECT_STATE * rows;
  return { lists: 0, states, bins, words: bins + SELECT_BINS * rows };
}

const SELECT_STATE = 4;
/** So many bins of eight bits are found at a time. */
export const SELECT_BINS = 256;

export function selectScratchBytes(
  params: SelectParams,
  variant: SelectVariant = chooseSelectVariant(params),
): number {
  if (params.rows === 0) return 8;
  if (!variant.filtered) return 4 * selectLayout(params).words;
  return Math.max(8, ...selectLevels(params, variant).map(({ to, listed }) => 8 * (to + listed)));
}
