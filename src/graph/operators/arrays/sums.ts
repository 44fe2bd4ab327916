/**
 * Row Sums and Prefix Sums combine rows to one number each, or number by number. The device has what it gives
 * to the bit, extremes and sums of whole numbers that fit; other sums are made in float64 in the order of the
 * columns, so that every machine gives the same bits.
 */
import { Yielder } from "../../../core/async/yielding.ts";
import type { NumericArray } from "../../../core/matrix.ts";
import type { ReduceOp } from "../../../ops/reduce/index.ts";
import type { ScanOp } from "../../../ops/scan/index.ts";
import type { ElementArray } from "../../../runtime/element.ts";
import { input, operator, output } from "../../catalogue/operator.ts";
import { exactElements, likeFile, shapeOf } from "../../elements.ts";
import { reduceParameters, scanParameters } from "../../parameters/arrays.ts";

export const reduce = operator({
  id: "reduce",
  version: 1,
  title: "Row Sums",
  group: "Arrays",
  says: "Combines the numbers of each row, or all of a single column, to their sum or an extreme; extremes skip NaN.",
  inputs: { matrix: input("Matrix", "the rows") },
  outputs: {
    matrix: output("Matrix", "a column: a number for each row; sums are float64, extremes of its type"),
  },
  parameters: reduceParameters,
  check: ({ matrix: { rows, cols } }) => ({
    matrix: { rows: cols === 1 ? 1 : rows, cols: 1, prepared: [] },
  }),
  run: async ({ matrix: { matrix } }, { op }, { device, signal, onProgress }) => {
    const { reduce: combine } = await import("../../../ops/reduce/index.ts");
    const { data } = matrix;
    const { rows, cols } = shapeOf(matrix);
    const elements = exactElements(data);
    const made =
      elements !== undefined && (op !== "sum" || fits(elements, cols))
        ? await combine(elements, { device, signal, onProgress, op: op as "argmin", rows })
        : await combined(data, rows, cols, op, signal);
    const like = op === "sum" ? new Float64Array(0) : op.startsWith("arg") ? new Uint32Array(0) : data;
    return { matrix: { matrix: { data: likeFile<NumericArray>(made, like), rows, cols: 1 } } };
  },
});

export const scan = operator({
  id: "scan",
  version: 1,
  title: "Prefix Sums",
  group: "Arrays",
  says: "Combines each number with those before it, in its row or in a single column; minima and maxima skip NaN.",
  inputs: { matrix: input("Matrix", "the rows") },
  outputs: { matrix: output("Matrix", "as many numbers, float64") },
  parameters: scanParameters,
  check: ({ matrix }, { op, exclusive }, report) => {
    if (exclusive && op !== "sum")
      report(`is of sums, but op is ${op}, which nothing has; leave it out`, { parameter: "exclusive" });
    return { matrix: { ...matrix, prepared: [] } };
  },
  run: async ({ matrix: { matrix } }, { op, exclusive }, { device, signal, onProgress }) => {
    const { data } = matrix;
    const { rows, cols } = shapeOf(matrix);
    const elements = rows === 1 ? exactElements(data) : undefined;
    const room = await import("../../../ops/scan/index.ts");
    const made =
      elements !== undefined && (op !== "sum" || fits(elements, cols))
        ? await room.scan(elements, { device, signal, onProgress, op, exclusive })
        : await scanned(data, cols, op, exclusive, signal);
    return { matrix: { matrix: { ...matrix, data: Float64Array.from(made) } } };
  },
});

/** Says whether the sum of no row of whole numbers can leave 32 bits. */
function fits(elements: ElementArray, cols: number): boolean {
  if (elements instanceof Float32Array) return false;
  let largest = 0;
  for (const each of elements) largest = Math.max(largest, Math.abs(each));
  return largest * cols < 2 ** 31;
}

const LOOK = 4096;

async function combined(
  data: NumericArray,
  rows: number,
  cols: number,
  op: ReduceOp,
  signal: AbortSignal | undefined,
): Promise<Float64Array> {
  const yielder = new Yielder(signal);
  const made = new Float64Array(rows);
  const isMax = op === "max" || op === "argmax";
  for (let row = 0; row < rows; row++) {
    let [sum, best] = [0, 0];
    for (let col = 0; col < cols; col++) {
      const each = data[row * cols + col];
      sum += each;
      if (isBetter(each, data[row * cols + best], isMax)) best = col;
      if (col % LOOK === 0 && yielder.due) await yielder.next();
    }
    made[row] = op === "sum" ? sum : op.startsWith("arg") ? best : data[row * cols + best];
  }
  return made;
}

async function scanned(
  data: NumericArray,
  cols: number,
  op: ScanOp,
  exclusive: boolean,
  signal: AbortSignal | undefined,
): Promise<Float64Array> {
  const yielder = new Yielder(signal);
  const made = new Float64Array(data.length);
  let [sum, best] = [0, NaN];
  for (let at = 0; at < data.length; at++) {
    if (at % cols === 0) [sum, best] = [0, data[at]];
    if (exclusive) made[at] = sum;
    sum += data[at];
    if (isBetter(data[at], best, op === "max")) best = data[at];
    if (!exclusive) made[at] = op === "sum" ? sum : best;
    if (at % LOOK === 0 && yielder.due) await yielder.next();
  }
  return made;
}

/** Any number is better than NaN; -0 is less than +0. */
function isBetter(value: number, best: number, largest: boolean): boolean {
  if (Number.isNaN(value) || Number.isNaN(best)) return Number.isNaN(best) && !Number.isNaN(value);
  const [less, more] = largest ? [best, value] : [value, best];
  return less < more || (less === more && Object.is(less, -0) && !Object.is(more, -0));
}
