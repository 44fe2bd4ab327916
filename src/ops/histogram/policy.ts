/** Histogram's kernel has these tuned numbers. They may change speed, never results. */

export const histogramPolicy = {
  /** Workgroups have room for so many bins, or as many as fit: few shaders serve all numbers of bins. */
  sizes: [256, 1024, 2048, 4096, 6144, 8192],
  /** So many bytes of workgroup memory are no bins. */
  reserved: 64,
  /** A workgroup has at most so many copies of the bins, as long as all of them are at most `copiedBins`. */
  copies: 8,
  copiedBins: 1024,
  /**
   * So many lanes keep a large GPU busy, those of one H200: twice as many were 2 % slower. `elementsPerLane`
   * is the number of elements below which one more lane is not worth it.
   */
  lanes: 264 * 1024,
  elementsPerLane: 16,
} as const;

/**
 * Returns the lanes that share one set of bins: as many as the device allows, where the row has enough for
 * them.
 */
export function chooseHistogramThreads(cols: number, mostThreads = 256): number {
  const { elementsPerLane } = histogramPolicy;
  return [1024, 512].find((each) => each <= mostThreads && cols >= each * elementsPerLane) ?? 256;
}
