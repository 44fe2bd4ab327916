/** These are the tuned numbers of select's kernels. They may change speed, never results. */
import type { WorkgroupLimits } from "../../runtime/gpu/passes/pass.ts";

/** A workgroup of select_filter goes through a piece of a row with these sizes. */
export interface SelectFilter {
  /** A workgroup has this many lanes, a power of two. */
  readonly threads: number;
  /**
   * The number of entries it can collect, at least k and a multiple of 4; 8 bytes of workgroup memory each.
   */
  readonly capacity: number;
}

export const selectPolicy = {
  threads: 256,
  /** Columns of a workgroup that counts or gathers for large k. */
  partCols: 16_384,
} as const;

/**
 * Each has room for k and for as many more as keep a limit, from a sample of twice that many, from missing
 * often. On one H200 the milliseconds for 10,000 x 100,000 were, by lanes and capacity: k = 10: 1.27 (512,
 * 1280), 1.38 (512, 2048), 1.44 (256, 1536); k = 1000: 2.56 (512, 2304), 2.98 (512, 2048), 3.73 (512, 2560:
 * two workgroups instead of three share an SM), 4.02 (256, 2048).
 */
export const selectFilters = [
  { mostK: 128, threads: 512, capacity: 1280 },
  { mostK: 512, threads: 512, capacity: 2048 },
  { mostK: Infinity, threads: 512, capacity: 2304 },
] as const;

/** Chooses a filter. Short rows get fewer lanes, of which many would be idle. */
export function chooseSelectFilter(
  cols: number,
  k: number,
  { workgroupBytes = 16_384, workgroupThreads = 256 }: WorkgroupLimits = {},
): SelectFilter {
  if (k <= 128 && cols <= 512) return { threads: 64, capacity: 512 };
  const row = selectFilters.find(({ mostK }) => k <= mostK) ?? selectFilters[0];
  const threads = cols <= 8192 ? 256 : Math.min(row.threads, workgroupThreads);
  // Each lane needs a word for its bin and one for its sum.
  const room = Math.floor((workgroupBytes - 9 * threads - 128) / 32) * 4;
  return { threads, capacity: Math.min(row.capacity, room) };
}
