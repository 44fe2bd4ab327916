/**
 * This is the index where there is no row. It is a leaf of its own, since modules that are loaded apart share
 * it.
 */
export const NO_ROW = 0xffffffff;
