/** Sort Order and Sort Pairs give the order that sorting finds, alone or with values that move along. */
import { InvalidInputError } from "../../../core/errors.ts";
import { input, operator, output } from "../../catalogue/operator.ts";
import { keysOf, likeFile, shapeOf } from "../../elements.ts";
import { sortParameters } from "../../parameters/arrays.ts";

export const argsort = operator({
  id: "argsort",
  version: 1,
  title: "Sort Order",
  group: "Arrays",
  says: "Says for each row, or for a single column, where its numbers come from once they are sorted, stably.",
  inputs: { matrix: input("Matrix", "the rows") },
  outputs: {
    order: output("Matrix", "the places in the row, from 0: that of the first number, of the next ..."),
  },
  parameters: sortParameters,
  check: ({ matrix }) => ({ order: { ...matrix, prepared: [] } }),
  run: async ({ matrix: { matrix } }, { descending }, { device, signal, onProgress }) => {
    const { argsort: orderOf } = await import("../../../ops/sort/index.ts");
    const { rows } = shapeOf(matrix);
    const order = await orderOf(keysOf(matrix.data), { device, signal, onProgress, descending, rows });
    return { order: { matrix: { ...matrix, data: order } } };
  },
});

export const sortPairs = operator({
  id: "sortPairs",
  version: 1,
  title: "Sort Pairs",
  group: "Arrays",
  says: "Sorts the numbers of each row, or of a single column, stably, and moves another matrix along with them.",
  inputs: {
    matrix: input("Matrix", "the rows to sort; NaN come last"),
    values: input("Matrix", "a number for each of theirs, such as its weight"),
  },
  outputs: {
    matrix: output("Matrix", "the same numbers in order, with their bits"),
    values: output("Matrix", "the numbers that belong to them, in the same order"),
  },
  parameters: sortParameters,
  check: ({ matrix, values }, _, report) => {
    const differs = (["rows", "cols"] as const).find(
      (each) => matrix[each] !== undefined && values[each] !== undefined && matrix[each] !== values[each],
    );
    if (differs !== undefined) report(unlike(matrix, values), { input: "values" });
    return { matrix, values };
  },
  run: async ({ matrix: { matrix }, values: { matrix: values } }, { descending }, context) => {
    if (matrix.rows !== values.rows || matrix.cols !== values.cols)
      throw new InvalidInputError(`values ${unlike(matrix, values)}`);
    const { sortPairs: sorted } = await import("../../../ops/sort/index.ts");
    const { device, signal, onProgress } = context;
    const options = { device, signal, onProgress, descending, rows: shapeOf(matrix).rows };
    const pairs = await sorted(keysOf(matrix.data), values.data, options);
    return {
      matrix: { matrix: { ...matrix, data: likeFile(pairs.keys, matrix.data) } },
      values: { matrix: { ...values, data: pairs.values } },
    };
  },
});

interface Size {
  readonly rows?: number | undefined;
  readonly cols?: number | undefined;
}

function unlike(matrix: Size, values: Size): string {
  const size = ({ rows, cols }: Size) => `${rows ?? "?"} x ${cols ?? "?"}`;
  return `are ${size(values)}, but the numbers to sort ${size(matrix)}; expected one for each`;
}
