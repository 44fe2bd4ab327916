/** Sums, extremes and their places, one row and one element after the other. Shares no code with src/. */
import { combineNaively, type Elements } from "./scan.ts";

export type NaiveOp = "sum" | "min" | "max" | "argmin" | "argmax";

/** Results of all rows, and for sums of floats the sum of magnitudes of each. */
export function naiveReduce(
  input: Elements,
  op: NaiveOp,
  rows: number,
): { readonly values: number[]; readonly magnitudes: number[] } {
  const cols = input.length / rows;
  const values: number[] = [];
  const magnitudes: number[] = [];
  for (let row = 0; row < rows; row++) {
    const elements = input.subarray(row * cols, (row + 1) * cols);
    let magnitude = 0;
    for (const element of elements) magnitude += Math.abs(element);
    magnitudes.push(magnitude);
    values.push(op === "sum" ? naiveSum(elements) : naiveExtreme(elements, op));
  }
  return { values, magnitudes };
}

function naiveSum(elements: Elements): number {
  let sum = 0;
  for (const element of elements) sum = combineNaively(elements, "sum", sum, element);
  return sum;
}

function naiveExtreme(elements: Elements, op: Exclude<NaiveOp, "sum">): number {
  const least = op === "min" || op === "argmin";
  let best = 0;
  for (let i = 1; i < elements.length; i++) {
    const [here, there] = [elements[i], elements[best]];
    if (Number.isNaN(here)) continue;
    const isZeros = here === 0 && there === 0;
    const less = isZeros ? Object.is(here, -0) && Object.is(there, 0) : here < there;
    const more = isZeros ? Object.is(here, 0) && Object.is(there, -0) : here > there;
    if (Number.isNaN(there) || (least ? less : more)) best = i;
  }
  return op === "argmin" || op === "argmax" ? best : elements[best];
}
