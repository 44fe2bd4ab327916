/**
 * This module shapes rows for measures that few searches use. It makes logarithms, whitened rows, and rows
 * with the facts of a power. It is a file of its own, so that pages which search by other measures do not
 * load it. It is pure; the usual forms are forms.ts.
 */
import { log } from "../../core/float/explog.ts";
import type { PairPower } from "../contract/power.ts";
import type { RowFacts, RowForm } from "./forms.ts";

const ordinary: RowFacts = { verdict: "normal", base: 0, size: 0 };

/**
 * Makes the form in which a row becomes the product of this matrix, row-major [cols][cols], and the row.
 * size: the square of the row before.
 */
export function whitenedRows(whitening: Float64Array): RowForm {
  return { kind: "own", name: "whitened", shape: (row) => whiten(row, whitening) };
}

function whiten(row: Float64Array, whitening: Float64Array): RowFacts {
  const before = row.slice();
  let size = 0;
  for (const value of before) size += value * value;
  for (let at = 0, i = 0; i < row.length; i++) {
    let sum = 0;
    for (let j = 0; j < row.length; j++, at++) sum += whitening[at] * before[j];
    row[i] = sum;
  }
  return { ...ordinary, size };
}

/** A divergence is a sum x log(x / q), in bits where `binary`, less sum (x - q) where `differences`. */
export interface Entropy {
  readonly binary: boolean;
  readonly differences: boolean;
}

/**
 * Makes the form of a divergence's training rows x, whose base is sum x log x, less sum x where
 * `differences`. size: sum |x log x| + 1.5 x. With any value of 0 or less all distances from usual queries
 * are NaN.
 */
export function entropyRows(of: Entropy): RowForm {
  return { kind: "own", name: "entropy", shape: (row) => takeEntropy(row, of) };
}

function takeEntropy(row: Float64Array, { binary, differences }: Entropy): RowFacts {
  let base = 0;
  let size = 0;
  for (const x of row) {
    if (!(x > 0)) return blank(row, "last");
    if (!isModerate(x)) return blank(row, "unknown");
    const term = x * logarithm(x, binary);
    base += term;
    size += Math.abs(term) + 1.5 * x;
    if (differences) base -= x;
  }
  return { verdict: "normal", base, size };
}

/** Makes the form of a divergence's queries q, which become log q. size: sum q where differences enter. */
export function logarithmRows(of: Entropy): RowForm {
  return { kind: "own", name: "logarithm", shape: (row) => takeLogarithm(row, of) };
}

function takeLogarithm(row: Float64Array, { binary, differences }: Entropy): RowFacts {
  let size = 0;
  for (let j = 0; j < row.length; j++) {
    const q = row[j];
    if (!(q > 0) || !isModerate(q)) return blank(row, "unknown");
    if (differences) size += q;
    row[j] = logarithm(q, binary);
  }
  return { ...ordinary, size };
}

/** Says whether quotients of such numbers are normal numbers. */
function isModerate(x: number): boolean {
  return x >= 2 ** -500 && x <= 2 ** 500;
}

function logarithm(x: number, binary: boolean): number {
  return binary ? log(x) / Math.LN2 : log(x);
}

function blank(row: Float64Array, verdict: RowFacts["verdict"]): RowFacts {
  row.fill(0);
  return { ...ordinary, verdict };
}

/**
 * Makes the form of rows as they are, of kernels K(x, y) = (x.y + shift)^times: the base is K(x, x), and the
 * length that of the row in the kernel's space, whose square (|x|^2 + |shift|)^times bounds.
 */
export function powerRows({ shift, times }: PairPower): RowForm {
  return {
    kind: "own",
    name: `power ${times} ${shift}`,
    shape: (row) => {
      let square = 0;
      for (const value of row) square += value * value;
      const power = (square + Math.abs(shift)) ** times;
      return { ...ordinary, base: (square + shift) ** times, power };
    },
  };
}
