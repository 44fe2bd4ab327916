/**
 * These numbers tune k-NN on the CPU. They change the speed and the memory, never a result: the tests run
 * with tiny ones. They were searched on an EPYC 9005 (48 KiB L1, 1 MiB L2 per core) with 784, 128 and 32
 * columns; those of quantized rows on an Intel Xeon (model 167), the costs from a tile of 26 G products a
 * second and rows read from the second-level cache.
 */
import type { DistanceCore } from "../contract/filter.ts";

export interface KnnTuning {
  /** A task has at most this many queries; more of them read each packed reference more often. */
  readonly queryRows: number;
  /** Tasks are not made smaller than this many queries only to have more of them. */
  readonly fewestQueryRows: number;
  /** The queries of a task take at most this many bytes, and its candidate lists this many. */
  readonly queryBytes: number;
  readonly listBytes: number;
  /**
   * A packed tile of references takes this many bytes, which fit the second-level cache beside four queries.
   */
  readonly tileBytes: number;
  readonly tileRows: number;
  /** The whole rows of a tile take this many bytes, where sketches decide which of them are compared. */
  readonly rowsBytes: number;
  /** A task with sketches has at most this many queries, since each copies all rows. */
  readonly sketchedQueryRows: number;
  /** This many columns are summed at once, a multiple of 4; longer rows are summed in parts. */
  readonly depth: number;
  /**
   * From this many queries of a task on, rows are first compared by integers of 16 bits: quantizing a row
   * takes as long as some queries.
   */
  readonly fewestQuantized: number;
  /**
   * A pair that is compared whole costs this much, and quantizing saves this much on every pair, in columns
   * of a tile of float32.
   */
  readonly quantizedCost: {
    readonly whole: number;
    readonly wholeColumn: number;
    readonly saved: number;
    readonly savedColumn: number;
  };
  /** At most this many tiles in a row are not quantized because one left too many pairs. */
  readonly mostPaused: number;
  /**
   * A task has this many cost units, about a multiply-add each, that take a tenth of a second on a fast core.
   */
  readonly taskCost: number;
  /** A part of the references that is visited beside others for the same queries has at least this cost. */
  readonly partCost: number;
  /** This many bytes of references are copied for one task where memory is not shared. */
  readonly copyBytes: number;
}

export const knnTuning: KnnTuning = {
  queryRows: 400,
  fewestQueryRows: 100,
  queryBytes: 2 ** 23,
  listBytes: 2 ** 24,
  tileBytes: 2 ** 18,
  tileRows: 512,
  rowsBytes: 2 ** 20,
  sketchedQueryRows: 1024,
  depth: 2048,
  fewestQuantized: 48,
  quantizedCost: { whole: 150, wholeColumn: 1.5, saved: 4, savedColumn: 0.4 },
  mostPaused: 8,
  taskCost: 1.5e9,
  partCost: 2 ** 20,
  copyBytes: 2 ** 23,
};

/** One column of one pair costs this many units. */
export const columnCost: Readonly<Record<DistanceCore, number>> = {
  dot: 1,
  l2: 1.5,
  l1: 1.5,
  linf: 1.5,
  lp: 60,
};

/** A column of codes or with gaps costs this many times as much as others. */
export const mixedCost = 2;

/** Offering one pair to its list costs this many units. */
export const pairCost = 16;
