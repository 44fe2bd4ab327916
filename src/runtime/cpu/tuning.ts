/**
 * These are the tuned numbers of the CPU backend's work on arrays, and the way a backend's options override
 * tuned numbers: those here, and those of any room. They change the speed and the memory, never a result: the
 * tests run with tiny ones.
 */

/** These numbers replace tuned ones, by their names; a name that no table has changes nothing. */
export type Overrides = Readonly<Record<string, unknown>>;

/** Returns a table of tuned numbers with what overrides them. */
export function tuned<Table extends object>(table: Table, overrides: Overrides): Table {
  const known = Object.entries(overrides).filter(([name, value]) => name in table && value !== undefined);
  return known.length > 0 ? { ...table, ...Object.fromEntries(known) } : table;
}

export interface ArrayTuning {
  /** An array of fewer elements in shared memory is not given to workers. */
  readonly sharedElements: number;
  /** An array of fewer is not given to workers that would have to be started, and end with it. */
  readonly startElements: number;
  /**
   * Elements of a share of an array at least, unless there are not so many, and at most: up to 20
   * milliseconds.
   */
  readonly fewestShareElements: number;
  readonly mostShareElements: number;
  /** Workers from which on it pays to read an array twice, where reading is most of the work. */
  readonly workersForTwoPasses: number;
  /** The main thread writes arrays through shared memory; undefined has that measured (copies.ts). */
  readonly sharedWindows: boolean | undefined;
}

export const arrayTuning: ArrayTuning = {
  sharedElements: 2 ** 22,
  startElements: 2 ** 27,
  fewestShareElements: 2 ** 17,
  mostShareElements: 2 ** 22,
  workersForTwoPasses: 4,
  sharedWindows: undefined,
};
