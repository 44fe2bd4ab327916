/** The k first elements of every row by sorting all of them with a comparison. Shares no code with src/. */

export interface SelectAnswer {
  readonly values: number[];
  readonly indices: number[];
}

/** -Infinity ... -0, +0 ... Infinity, or the reverse; NaN last; equal ones by column. */
export function sortAndTake(
  input: ArrayLike<number>,
  rows: number,
  k: number,
  largest: boolean,
): SelectAnswer {
  const cols = input.length / rows;
  const [values, indices]: [number[], number[]] = [[], []];
  for (let row = 0; row < rows; row++) {
    const order = Array.from({ length: cols }, (_, column) => column);
    const at = (column: number) => input[row * cols + column];
    order.sort((a, b) => compare(at(a), at(b), largest) || a - b);
    for (const column of order.slice(0, k)) {
      values.push(at(column));
      indices.push(column);
    }
  }
  return { values, indices };
}

function compare(a: number, b: number, largest: boolean): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  const order = a === b ? zeroSign(a) - zeroSign(b) : a < b ? -1 : 1;
  return largest ? -order : order;
}

function zeroSign(value: number): number {
  return Object.is(value, -0) ? -1 : 0;
}
