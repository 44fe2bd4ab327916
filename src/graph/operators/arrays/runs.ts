/**
 * Distinct Values and Run Lengths count how often numbers occur, wherever they stand or one after the other.
 */
import type { NumericArray } from "../../../core/matrix.ts";
import { input, operator, output } from "../../catalogue/operator.ts";
import type { OperatorContext } from "../../catalogue/operator.ts";
import { exactElements, likeFile } from "../../elements.ts";

export const unique = operator({
  id: "unique",
  version: 1,
  title: "Distinct Values",
  group: "Arrays",
  says: "Counts how often each number of a matrix occurs, in ascending order; -0 and 0 differ, all NaN are one.",
  inputs: { matrix: input("Matrix", "the numbers") },
  outputs: {
    matrix: output("Matrix", "a column: each number once, with its type"),
    counts: output("Matrix", "a column: how often it occurs"),
  },
  parameters: {},
  check: () => {
    const facts = { cols: 1, prepared: [] };
    return { matrix: facts, counts: facts };
  },
  run: async ({ matrix: { matrix } }, _, context) => {
    const { sort } = await import("../../../ops/sort/index.ts");
    const { device, signal, onProgress } = context;
    const run = { device, signal, onProgress };
    const elements = exactElements(matrix.data);
    const sorted = await sort<Float64Array | NonNullable<typeof elements>>(
      elements ?? Float64Array.from(matrix.data),
      run,
    );
    const { values, counts } = await runsOf(sorted, context);
    return { matrix: column(likeFile(values, matrix.data)), counts: column(counts) };
  },
});

export const runLength = operator({
  id: "runLength",
  version: 1,
  title: "Run Lengths",
  group: "Arrays",
  says: "Finds runs of equal numbers that follow each other, row after row; -0 and 0 differ, all NaN are equal.",
  inputs: { matrix: input("Matrix", "the numbers") },
  outputs: {
    matrix: output("Matrix", "a column: the number of each run, with its type"),
    counts: output("Matrix", "a column: how long it is"),
    offsets: output("Matrix", "a column: where it begins, from 0"),
  },
  parameters: {},
  check: () => {
    const facts = { cols: 1, prepared: [] };
    return { matrix: facts, counts: facts, offsets: facts };
  },
  run: async ({ matrix: { matrix } }, _, context) => {
    const data = exactElements(matrix.data) ?? Float64Array.from(matrix.data);
    const { values, counts, offsets } = await runsOf(data, context);
    return {
      matrix: column(likeFile(values, matrix.data)),
      counts: column(counts),
      offsets: column(offsets),
    };
  },
});

function column(data: NumericArray) {
  return { matrix: { data, rows: data.length, cols: 1 } };
}

/** Finds runs on the device, whose elements have 32 bits, and those of float64 here. */
async function runsOf(
  data: NonNullable<ReturnType<typeof exactElements>> | Float64Array,
  { device, signal, onProgress }: OperatorContext,
) {
  if (!(data instanceof Float64Array)) {
    const room = await import("../../../ops/compact/index.ts");
    return room.runLength(data, { device, signal, onProgress });
  }
  const starts: number[] = [];
  data.forEach((value, at) => {
    if (at === 0 || !Object.is(value, data[at - 1])) starts.push(at);
  });
  const counts = Uint32Array.from(starts, (start, run) => (starts[run + 1] ?? data.length) - start);
  const values = Float64Array.from(starts, (start) => data[start]);
  return { values, counts, offsets: Uint32Array.from(starts) };
}
