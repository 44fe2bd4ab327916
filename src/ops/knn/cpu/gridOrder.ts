/**
 * This puts rows in the order of the cells of a uniform grid over their box, by a counting sort. This is
 * pure. It is the order of a tree with `cells`; treeBuild.ts makes the boxes over blocks of it, by which the
 * search finds what is certain.
 */

/** Rows lie in the cells of a grid, and each cell has its rows. */
export interface GridOrder {
  /** This lists the rows, cell after cell; those of a cell in their order. */
  readonly order: Uint32Array;
  /** Each cell begins at this place in `order`; behind the last one stands the number of rows. */
  readonly starts: Uint32Array;
  /**
   * Each row is in this cell: its place along the first column, plus `cells` times that along the next one.
   */
  readonly cellOf: Uint32Array;
}

/**
 * Puts rows in the order of a grid's cells.
 * @param values float32 [rows][cols]; cells^cols is at most 2^24
 */
export function gridOrder(values: Float32Array, rows: number, cols: number, cells: number): GridOrder {
  const cellOf = new Uint32Array(rows);
  for (let j = 0, step = 1; j < cols; j++, step *= cells) {
    let [least, largest] = [Infinity, -Infinity];
    for (let at = j; at < values.length; at += cols) {
      least = Math.min(least, values[at]);
      largest = Math.max(largest, values[at]);
    }
    const scale = largest > least ? cells / (largest - least) : 0;
    for (let row = 0; row < rows; row++) {
      const cell = Math.floor((values[row * cols + j] - least) * scale);
      cellOf[row] += step * Math.min(cell, cells - 1);
    }
  }
  const starts = new Uint32Array(cells ** cols + 1);
  for (let row = 0; row < rows; row++) starts[cellOf[row] + 1]++;
  for (let cell = 1; cell < starts.length; cell++) starts[cell] += starts[cell - 1];
  const next = starts.slice();
  const order = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) order[next[cellOf[row]]++] = row;
  return { order, starts, cellOf };
}
