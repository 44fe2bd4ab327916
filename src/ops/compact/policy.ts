/**
 * These are the tuned numbers of the kernels of compact, unique and runLength. They may change speed, never
 * results.
 */

/** A tile has so many elements, SCAN_TILE or twice as many. */
export const compactPolicy = { tile: 8192 } as const;
export const uniquePolicy = { tile: 4096 } as const;
export const runLengthPolicy = { tile: 4096, threads: 256 } as const;
