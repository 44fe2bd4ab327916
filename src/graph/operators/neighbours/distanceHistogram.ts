/**
 * Distance Histogram counts how the distances of each query are spread, by the library's distanceHistogram.
 */
import { Features } from "../../../models/features.ts";
import { input, operator, optionalInput, output } from "../../catalogue/operator.ts";
import { featureNames } from "../../features.ts";
import { distanceParameters } from "../../parameters/measure.ts";
import type { HistogramValue } from "../../values.ts";
import { checkBins } from "../arrays/arrays.ts";
import { checkMeasure, measureOptions } from "./measure.ts";
import { checkQueries, rowsOf, tableFacts } from "./queries.ts";

export const distanceHistogram = operator({
  id: "distanceHistogram",
  version: 1,
  title: "Distance Histogram",
  group: "Neighbours",
  says: "Counts the distances of every query to all rows by bins; without queries those of every row to the others.",
  inputs: {
    train: input(["Table", "Matrix"], "the rows that distances are measured to"),
    queries: optionalInput(["Table", "Matrix"], "the rows that they are measured from"),
  },
  outputs: { histogram: output("Histogram", "edges and counts, a row for each query") },
  parameters: distanceParameters,
  check: ({ train, queries }, parameters, report) => {
    checkMeasure({ ...parameters, k: 1 }, report, tableFacts(train));
    checkBins(parameters, report);
    const { together, edges, range } = parameters;
    if (together && (edges ?? range) !== undefined)
      report("chooses a range, which is given; leave one of them out", { parameter: "together" });
    checkQueries(train, queries, parameters, report);
    return { histogram: {} };
  },
  run: async ({ train, queries }, parameters, { device, signal, onProgress }) => {
    const { distanceHistogram: count } = await import("../../../ops/distances/index.ts");
    const { bins, edges, range, together, excludeSelf } = parameters;
    const { nNeighbors: _, ...measure } = measureOptions({ ...parameters, k: 1 });
    const features = "table" in train ? { features: featureNames(train) } : {};
    const columns = new Features(rowsOf(train), { ...features, metric: measure.metric });
    const rows = await columns.trainMatrix(rowsOf(train));
    const asked = queries === undefined ? rows : await columns.queryMatrix(rowsOf(queries), signal);
    const counted = await count(rows, asked, {
      ...{ ...measure, device, signal, onProgress, bins, edges },
      range: together ? "all" : (range as [number, number] | undefined),
      excludeSelf: queries === undefined && excludeSelf,
    });
    return { histogram: { histogram: asHistogram(counted, (range ?? edges) !== undefined || together) } };
  },
});

type CountedByBins = Awaited<
  ReturnType<(typeof import("../../../ops/distances/index.ts"))["distanceHistogram"]>
>;

/** @param oneRange whether all queries have the same edges */
function asHistogram(counted: CountedByBins, oneRange: boolean): HistogramValue["histogram"] {
  const { counts, bins, queries, below, above, nan, constant } = counted;
  const distinct = oneRange ? Math.min(1, queries) : queries;
  const edges = new Float64Array(distinct * (bins + 1));
  for (let query = 0; query < distinct; query++) edges.set(counted.edges(query), query * (bins + 1));
  return { counts, edges, bins, rows: queries, below, above, nan, constant };
}
