/** Nearest Neighbours: the k nearest rows of each row, by the library's NearestNeighbors. */
import { NearestNeighbors } from "../../models/nearestNeighbors.ts";
import { input, operator, optionalInput, output } from "../catalogue/operator.ts";
import { checkAlike, checkColumn, featuresOf } from "../facts.ts";
import type { MatrixFacts, Report, TableFacts } from "../facts.ts";
import { featureNames } from "../features.ts";
import type { MatrixValue, TableValue } from "../values.ts";
import { neighbourParameters } from "../parameters/measure.ts";
import { checkMeasure, checkRows, measureOptions } from "./measure.ts";

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
  check: ({ train: given, queries: asked }, parameters, report) => {
    const [train, queries] = [tableFacts(given), asked && tableFacts(asked)];
    if (asked !== undefined && "roles" in given !== "roles" in asked)
      report("are rows of a table and of a matrix; send the table through Table to Matrix", {
        input: "queries",
      });
    checkMeasure(parameters, report, train);
    const others = queries === undefined && train.rows !== undefined ? train.rows - 1 : train.rows;
    checkRows(parameters.k, others, queries === undefined ? "other rows" : "rows to search among", report);
    if (queries !== undefined && !parameters.excludeSelf)
      report(
        "is about rows that are searched among themselves, but queries are wired; leave one of them out",
        {
          parameter: "excludeSelf",
        },
      );
    if (queries !== undefined) {
      if (asked !== undefined && "roles" in asked)
        for (const { name } of featuresOf(train) ?? [])
          checkColumn(name, queries, report, { input: "queries" });
      checkWidth(given, asked, report);
      checkAlike(queries, train.prepared, "the rows to search among", report, "queries");
    }
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

function rowsOf(value: TableValue | MatrixValue) {
  return "table" in value ? value.table : value.matrix;
}

/** Returns the facts of a matrix as those of a table: rows and preparation; it has no names or kinds. */
function tableFacts(facts: TableFacts | MatrixFacts): TableFacts {
  if ("roles" in facts) return facts;
  const { rows, prepared } = facts;
  return { columns: undefined, rows, roles: new Map(), prepared, predicted: undefined };
}

function checkWidth(
  train: TableFacts | MatrixFacts,
  queries: TableFacts | MatrixFacts | undefined,
  report: Report,
): void {
  if ("roles" in train || queries === undefined || "roles" in queries) return;
  if (train.cols === undefined || queries.cols === undefined || train.cols === queries.cols) return;
  report(`have ${queries.cols} columns, but the rows to search among ${train.cols}; expected as many`, {
    input: "queries",
  });
}
