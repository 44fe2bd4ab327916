/** Top Scores gives the first numbers of rows in order. */
import { InvalidInputError } from "../../../core/errors.ts";
import type { NumericArray } from "../../../core/matrix.ts";
import { input, operator, output } from "../../catalogue/operator.ts";
import type { OperatorContext } from "../../catalogue/operator.ts";
import { exactElements, keysOf, likeFile, shapeOf } from "../../elements.ts";
import { selectParameters } from "../../parameters/arrays.ts";
import { plural } from "../../../core/plural.ts";

export const select = operator({
  id: "select",
  version: 1,
  title: "Top Scores",
  group: "Arrays",
  says: "Takes the k largest or smallest numbers of each row, or of a single column, in their order; NaN come last.",
  inputs: { matrix: input("Matrix", "the rows") },
  outputs: {
    matrix: output("Matrix", "k numbers for each row, with their bits"),
    order: output("Matrix", "where each comes from: its place in its row, from 0; the lowest of equal ones"),
  },
  parameters: selectParameters,
  check: ({ matrix: { rows, cols, prepared } }, { k }, report) => {
    const most = cols === 1 ? rows : cols;
    if (most !== undefined && k > most)
      report(`is ${k}, but there are ${plural(most, "number")}; give a smaller k`, { parameter: "k" });
    const facts = { rows: cols === 1 ? 1 : rows, cols: k, prepared: [] };
    return { matrix: { ...facts, prepared }, order: facts };
  },
  run: async ({ matrix: { matrix } }, { k, largest }, context) => {
    const { data } = matrix;
    const { rows, cols } = shapeOf(matrix);
    if (k > cols)
      throw new InvalidInputError(`k is ${k}, but a row has ${plural(cols, "number")}; give a smaller k`);
    const { values, indices } = await selected(data, rows, cols, k, largest, context);
    return {
      matrix: { matrix: { data: values, rows, cols: k } },
      order: { matrix: { data: indices, rows, cols: k } },
    };
  },
});

/** Selects elements of 32 bits, and sorts others: both have one order. */
async function selected(
  data: NumericArray,
  rows: number,
  cols: number,
  k: number,
  largest: boolean,
  { device, signal, onProgress }: OperatorContext,
) {
  const elements = exactElements(data);
  const run = { device, signal, onProgress, rows };
  if (elements !== undefined) {
    const { select: first } = await import("../../../ops/select/index.ts");
    const { values, indices } = await first(elements, { ...run, k, largest });
    return { values: likeFile(values, data), indices };
  }
  const { sortPairs } = await import("../../../ops/sort/index.ts");
  const places = Uint32Array.from({ length: data.length }, (_, at) => at % cols);
  const { keys, values } = await sortPairs(keysOf(data), places, { ...run, descending: largest });
  const isFirst = (_: unknown, at: number) => at % cols < k;
  return { values: likeFile(keys, data).filter(isFirst) as NumericArray, indices: values.filter(isFirst) };
}
