/** Compaction, unique elements and runs, one element after the other. Shares no code with src/. */
import type { Elements } from "./scan.ts";

/** Where the flags are not 0. */
export function keptIndices(flags: ArrayLike<number>): number[] {
  return Array.from(flags, (flag, at) => (flag === 0 ? -1 : at)).filter((at) => at >= 0);
}

export interface NaiveRuns {
  /** Index of the first element of each run. */
  readonly offsets: number[];
  readonly counts: number[];
}

/** Runs of equal elements: -0 and +0 differ, all NaN are equal. */
export function naiveRuns(input: Elements): NaiveRuns {
  const offsets: number[] = [];
  const counts: number[] = [];
  input.forEach((element, at) => {
    if (at > 0 && Object.is(element, input[at - 1])) counts[counts.length - 1]++;
    else {
      offsets.push(at);
      counts.push(1);
    }
  });
  return { offsets, counts };
}
