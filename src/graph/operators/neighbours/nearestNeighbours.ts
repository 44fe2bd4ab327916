/** Nearest Neighbours finds the k nearest rows of each row, by the library's NearestNeighbors. */
import { NearestNeighbors } from "../../../models/nearestNeighbors.ts";
import { input, operator, optionalInput, output } from "../../catalogue/operator.ts";
import { featureNames } from "../../features.ts";
import { neighbourParameters } from "../../parameters/measure.ts";
import { checkMeasure, checkRows, measureOptions } from "./measure.ts";
import { checkQueries, rowsOf, tableFacts } from "./queries.ts";

export const nearestNeighbours = operator({
  id: "nearestNeighbours",
  version: 1,
  title: "Nearest Neighbours",
  group: "Neighbours",
  says: "Finds the k nearest rows of every query; without queries the nearest other rows of every row.",
  inputs: {
    train: input(["Table", "Matrix"], "the rows to search among"),
    queries: optionalInput(["Table", "Matrix"], "the rows to search for"),
  },
  outputs: { neighbours: output("Neighbours", "indices from 0 and distances, the nearest first") },
  parameters: neighbourParameters,
  check: ({ train: given, queries }, parameters, report) => {
    const train = tableFacts(given);
    checkMeasure(parameters, report, train);
    const others = queries === undefined && train.rows !== undefined ? train.rows - 1 : train.rows;
    checkRows(parameters.k, others, queries === undefined ? "other rows" : "rows to search among", report);
    checkQueries(given, queries, parameters, report);
    return { neighbours: {} };
  },
  run: async ({ train, queries }, parameters, { device, signal, onProgress }) => {
    const features = "table" in train ? { features: featureNames(train) } : {};
    const search = new NearestNeighbors({ ...measureOptions(parameters), ...features, device });
    try {
      await search.fit(rowsOf(train));
      const { radius } = parameters;
      const excludeSelf = queries === undefined && parameters.excludeSelf;
      const options = { excludeSelf, signal, onProgress, ...(radius === undefined ? {} : { radius }) };
      return { neighbours: { result: await search.kneighbors(rowsOf(queries ?? train), options) } };
    } finally {
      search.dispose();
    }
  },
});
