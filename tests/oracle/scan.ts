/** Prefix sums and extremes, one element after the other, in float64 and BigInt. Shares no code with src/. */
export type Elements = Uint32Array | Int32Array | Float32Array;

/**
 * Extremes and sums of whole numbers exactly; sums of floats in float64, with the sum of magnitudes up to
 * each.
 */
export function naiveScan(
  input: Elements,
  op: "sum" | "min" | "max",
  exclusive: boolean,
): { readonly values: number[]; readonly magnitudes: number[] } {
  const values: number[] = [];
  const magnitudes: number[] = [];
  let before = nothing(input, op);
  let magnitude = 0;
  for (const element of input) {
    if (exclusive) values.push(before);
    before = combineNaively(input, op, before, element);
    magnitude += Math.abs(element);
    magnitudes.push(magnitude);
    if (!exclusive) values.push(before);
  }
  return { values, magnitudes };
}

export function combineNaively(
  input: Elements,
  op: "sum" | "min" | "max",
  before: number,
  element: number,
): number {
  if (op === "sum") {
    if (input instanceof Float32Array) return before + element;
    const sum = BigInt(before) + BigInt(element);
    return Number(input instanceof Int32Array ? BigInt.asIntN(32, sum) : BigInt.asUintN(32, sum));
  }
  if (Number.isNaN(element)) return before;
  if (Number.isNaN(before)) return element;
  return op === "min" ? Math.min(before, element) : Math.max(before, element); // both put -0 before +0
}

function nothing(input: Elements, op: "sum" | "min" | "max"): number {
  if (op === "sum") return 0;
  if (input instanceof Float32Array) return NaN;
  const [low, high] = input instanceof Int32Array ? [-(2 ** 31), 2 ** 31 - 1] : [0, 2 ** 32 - 1];
  return op === "min" ? high : low;
}
