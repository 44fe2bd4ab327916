/**
 * Sort and Histogram put rows of numbers in order and count them, by the library's sortPairs and histogram.
 */
import { input, operator, output } from "../../catalogue/operator.ts";
import { elementsOf, keysOf, likeFile, shapeOf } from "../../elements.ts";
import type { Report } from "../../facts.ts";
import { histogramParameters, sortParameters } from "../../parameters/arrays.ts";

export const sort = operator({
  id: "sort",
  version: 1,
  title: "Sort",
  group: "Arrays",
  says: "Sorts the numbers of each row, or all of a single column, stably; NaN come last.",
  inputs: { matrix: input("Matrix", "the rows") },
  outputs: {
    matrix: output("Matrix", "the same numbers in order, with their bits"),
    order: output("Matrix", "where each comes from: its place in its row, from 0"),
  },
  parameters: sortParameters,
  check: ({ matrix }) => ({ matrix, order: { ...matrix, prepared: [] } }),
  run: async ({ matrix }, { descending }, { device, signal, onProgress }) => {
    const { sortPairs } = await import("../../../ops/sort/index.ts");
    const { data, rows: all, cols } = matrix.matrix;
    const { rows, cols: length } = shapeOf(matrix.matrix);
    const places = Uint32Array.from({ length: data.length }, (_, at) => at % length);
    const options = { device, signal, onProgress, descending, rows };
    const { keys, values } = await sortPairs(keysOf(data), places, options);
    return {
      matrix: { matrix: { ...matrix.matrix, data: likeFile(keys, data) } },
      order: { matrix: { data: values, rows: all, cols } },
    };
  },
});

export const histogram = operator({
  id: "histogram",
  version: 1,
  title: "Histogram",
  group: "Arrays",
  says: "Counts the numbers of each row, or all of a single column, by bins; those outside and NaN apart.",
  inputs: { matrix: input("Matrix", "the rows") },
  outputs: { histogram: output("Histogram", "edges and counts") },
  parameters: histogramParameters,
  check: (_, parameters, report) => {
    checkBins(parameters, report);
    return { histogram: {} };
  },
  run: async ({ matrix }, { bins, edges, range, float32 }, { device, signal, onProgress }) => {
    const { histogram: count } = await import("../../../ops/histogram/index.ts");
    const { data } = matrix.matrix;
    const counted = await count(elementsOf(data, float32, "float32"), {
      ...{ device, signal, onProgress, bins, edges },
      rows: shapeOf(matrix.matrix).rows,
      range: range as [number, number] | undefined,
    });
    return { histogram: { histogram: counted } };
  },
});

/** Reports what is wrong with the parameters that say which bins there are. */
export function checkBins(
  {
    bins,
    edges,
    range,
  }: {
    readonly bins: number | undefined;
    readonly edges: readonly number[] | undefined;
    readonly range: readonly number[] | undefined;
  },
  report: Report,
): void {
  if ((bins === undefined) === (edges === undefined))
    report(bins === undefined ? "is missing; give bins or edges" : "and edges are given; choose one", {
      parameter: "bins",
    });
  if (edges !== undefined && range !== undefined)
    report("is said by edges; leave it out", { parameter: "range" });
  else if (range !== undefined && (range.length !== 2 || range[0] > range[1]))
    report(`is [${range.join(", ")}]; expected two numbers, the smaller first`, { parameter: "range" });
  const wrong = edges?.findIndex((edge, at) => at > 0 && edge <= edges[at - 1]) ?? -1;
  if (wrong > 0)
    report(`has ${edges?.[wrong]} behind ${edges?.[wrong - 1]}; expected ascending numbers`, {
      parameter: "edges",
    });
}
