/**
 * This is the contract for comparing rows that hold codes beside numbers, or have gaps: what stands for a
 * gap, and how a pair gets its value. Plain rows are core.ts.
 */

/**
 * An entry that is a gap has this value, positive in queries and negative in references. Other entries are
 * below 2^60, so that differences from 2^61 on are of gaps.
 */
export const GAP = 2 ** 62;

/** A pair without a common column has this value. */
export const NOTHING_COMMON = 2 ** 120;

/**
 * This code stands for false in a quotient, which two rows may share without being alike; a code that is
 * equal adds EQUAL.
 */
export const FALSE = -3;
export const EQUAL = 2 ** 12;

/** Float32 holds whole numbers of so many bits. */
export const RESCALED_COLUMNS = 24;

/**
 * A quotient has at most so many columns: up to so many, both counts fit one sum, and their quotients lie far
 * enough apart.
 */
export const MOST_QUOTIENT_COLUMNS = EQUAL - 1;

/**
 * A pair is compared as distance/core.ts says with the core "l2", or without codes but with gaps also "l1"
 * and "linf", but for its value. A column adds nothing where either row has a gap; a code adds `unit` where
 * it differs (whole numbers below 2^24 that are compared for equality); other columns add what the core says.
 *
 * With a mark, every column that is there adds a difference of `mark` besides, so that a pair without any can
 * be told: its value is NOTHING_COMMON. Of counts the value is rounded down to a whole number.
 *
 * A rescaled sum is multiplied by `columns` / the number of columns that both rows have. A row's base then is
 * a whole number with a bit for each of them, of RESCALED_COLUMNS at most; a pair without any has the value
 * NOTHING_COMMON.
 *
 * A quotient is of two counts, of at most MOST_QUOTIENT_COLUMNS columns, all of them codes and `unit` 1: a
 * code that is equal in both rows but not FALSE adds EQUAL. The value is at most 2^24 and rises strictly with
 * u / (u + e), where u codes differ and e are equal; equal quotients have equal values. Where both are 0 the
 * value is `neither`.
 */
export interface PairMixed {
  /** The first entries of a row, a multiple of 4, are codes. */
  readonly codes: number;
  readonly unit: number;
  readonly gaps: boolean;
  /** A column adds this difference by being there; 0 for none. */
  readonly mark: number;
  readonly counts: boolean;
  readonly quotient?: { readonly neither: number } | undefined;
  /** Rescaled sums are of rows with so many columns; default 0: sums are not rescaled. */
  readonly columns?: number;
}
