/**
 * Quantiles finds where shares of numbers or distances lie, from their counts by bins, by distanceQuantile.
 */
import { input, operator, output } from "../../catalogue/operator.ts";
import { optionalNumbers } from "../../catalogue/parameters.ts";
import { plainFacts } from "../../facts.ts";
import { edgesOf, plainTable } from "../../values.ts";
import type { HistogramValue } from "../../values.ts";

const QUARTILES = [0.25, 0.5, 0.75];
const NAMES = ["row", "share", "bin", "from", "to", "value"];

export const quantiles = operator({
  id: "quantiles",
  version: 1,
  title: "Quantiles",
  group: "Arrays",
  says: "Says in which bin the number lies below which a share of all is, exactly, and about where within it.",
  inputs: { histogram: input("Histogram", "counts of numbers or of distances; NaN do not count") },
  outputs: {
    table: output(
      "Table",
      "a row for each row and share: the bin from 0, its edges, and the number as if a bin's were spread evenly; " +
        "bin -1 and the number of bins are outside the edges",
    ),
  },
  parameters: {
    shares: optionalNumbers({
      least: 1,
      says: "shares of the numbers, from 0 to 1",
      otherwise: QUARTILES.join(", "),
    }),
  },
  check: (_, { shares }, report) => {
    const wrong = shares?.find((share) => share < 0 || share > 1);
    if (wrong !== undefined) report(`has ${wrong}; expected numbers from 0 to 1`, { parameter: "shares" });
    return { table: plainFacts(NAMES) };
  },
  run: async ({ histogram: { histogram } }, { shares = QUARTILES }) => {
    const { distanceQuantile } = await import("../../../ops/distances/index.ts");
    const counts = { ...histogram, edges: (row: number) => edgesOf(histogram, row) };
    const found = Array.from({ length: histogram.rows }, (_, row) =>
      shares.map((share) => {
        if (isEmpty(histogram, row)) return [row, share];
        const { bin, low, high, value } = distanceQuantile(counts, row, share);
        return [row, share, bin, low, high, value];
      }),
    ).flat();
    // A number outside the edges is infinite, which no cell can be.
    const columns = NAMES.map((name, at): [string, Float64Array] => [
      name,
      Float64Array.from(found, (each) => (Number.isFinite(each[at]) ? each[at] : NaN)),
    ]);
    return { table: plainTable(Object.fromEntries(columns)) };
  },
});

function isEmpty({ counts, bins, below, above }: HistogramValue["histogram"], row: number): boolean {
  const isNone = counts.subarray(row * bins, (row + 1) * bins).every((count) => count === 0);
  return isNone && below[row] === 0 && above[row] === 0;
}
