/**
 * This surveys a sample of train for sketches: it finds the principal axes, and how well sketches along them
 * tell the sample's pairs apart. This is pure. A worker does it where one is free (cpu/survey.ts),
 * and sketch.ts decides whether sketches pay.
 */
import { defectOf, principalAxes, products, type Multiply } from "../../../distance/axes.ts";

/** A survey says what was found in a sample of the prepared rows of train. It depends on train alone. */
export interface Survey {
  /** The basis has the axes that hold most first, float64 [axes][stride]. */
  readonly basis: Float64Array;
  /** The basis, and so its first axes at most, is this far from orthonormal (distance/axes.ts). */
  readonly defect: number;
  readonly stride: number;
  readonly sampled: number;
  /** One of these numbers of axes may be chosen. */
  readonly choices: readonly number[];
  /** Each row has its pairs in the sample. */
  readonly pairs: readonly PairsOfRow[];
}

/** One row of the sample has these pairs with all others. */
interface PairsOfRow {
  /** These are the squared distances, ascending. */
  readonly sorted: Float64Array;
  /** For each choice of axes these are the squared distances of the sketches, [choice][other row]. */
  readonly bounds: readonly Float64Array[];
}

const CHOICES = [4, 8, 12, 16, 24, 32, 40, 48, 64] as const;
const PIVOTS = 24;

/** A sample has these rows of train as they are prepared, float32 [rows][stride]. */
export interface Sample {
  readonly rows: Float32Array<ArrayBuffer>;
  readonly stride: number;
  readonly cols: number;
}

/** Surveys a sample. */
export function survey({ rows, stride, cols }: Sample, multiply: Multiply = products): Survey {
  // Loops over float64 take less time than those that widen each number again.
  const sample = new Float64Array(rows);
  const sampled = rows.length / stride;
  const most = Math.min(CHOICES[CHOICES.length - 1], cols, sampled);
  const basis = withoutEmpty(principalAxes(sample, stride, most, multiply), stride);
  const along = multiply(sample, basis, stride);
  const count = Math.min(PIVOTS, sampled);
  const pivots = Array.from({ length: count }, (_, p) => Math.floor((p * sampled) / count));
  const chosen = new Float64Array(count * stride);
  pivots.forEach((row, p) => chosen.set(sample.subarray(row * stride, (row + 1) * stride), p * stride));
  const dots = multiply(chosen, sample, stride);
  const squares = squaresOf(sample, stride);
  const pairs = pivots.map((pivot, p) =>
    pairsOf(pivot, dots.subarray(p * sampled, (p + 1) * sampled), along, squares),
  );
  const choices = choicesOf(basis.length / stride);
  return { basis, defect: defectOf(basis, stride, multiply), stride, sampled, choices, pairs };
}

function squaresOf(rows: Float64Array, stride: number): Float64Array {
  return Float64Array.from({ length: rows.length / stride }, (_, i) => {
    let sum = 0;
    for (let j = i * stride; j < (i + 1) * stride; j++) sum += rows[j] ** 2;
    return sum;
  });
}

function choicesOf(available: number): readonly number[] {
  return CHOICES.filter((axes) => axes <= available);
}

function withoutEmpty(basis: Float64Array, stride: number): Float64Array {
  let axes = basis.length / stride;
  while (axes > 0 && basis.subarray((axes - 1) * stride, axes * stride).every((x) => x === 0)) axes--;
  return basis.subarray(0, axes * stride);
}

/** Looks at the pairs of one row. @param dots its products with all rows */
function pairsOf(pivot: number, dots: Float64Array, along: Float64Array, squares: Float64Array): PairsOfRow {
  const count = squares.length;
  const width = along.length / count;
  const choices = choicesOf(width);
  const distances = new Float64Array(count - 1);
  const bounds = choices.map(() => new Float64Array(count - 1));
  for (let other = 0, at = 0; other < count; other++) {
    if (other === pivot) continue;
    distances[at] = squares[pivot] - 2 * dots[other] + squares[other];
    let led = 0;
    let [restPivot, restOther] = [squares[pivot], squares[other]];
    for (let axis = 0, choice = 0; choice < choices.length; axis++) {
      if (axis === choices[choice]) {
        const tails = Math.sqrt(Math.max(restPivot, 0)) - Math.sqrt(Math.max(restOther, 0));
        bounds[choice++][at] = led + tails * tails;
        if (choice === choices.length) break;
      }
      const [y, z] = [along[pivot * width + axis], along[other * width + axis]];
      led += (y - z) * (y - z);
      restPivot -= y * y;
      restOther -= z * z;
    }
    at++;
  }
  return { sorted: distances.sort(), bounds };
}
