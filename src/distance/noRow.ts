/** The index where there is no row. A leaf of its own, since modules that are loaded apart share it. */
export const NO_ROW = 0xffffffff;
