/**
 * These are the tuned numbers of the kernels of compact, unique and runLength. They may change speed, never
 * results.
 */

/**
 * A tile has so many elements, SCAN_TILE or twice as many. On an H200, for 2^28 elements: compact of half,
 * with an earlier kernel, took 0.74 ms with 8192 and 0.80 with 4096; unique, whose elements take registers,
 * 0.73 and 0.70. Scans have SCAN_TILE, by which their sums associate: 0.58 ms, and 0.66 with twice as many.
 */
export const compactPolicy = { tile: 8192 } as const;
export const uniquePolicy = { tile: 4096 } as const;
export const runLengthPolicy = { tile: 4096, threads: 256 } as const;
