/** Hubness and Local Dimension tell what nearest neighbours say of a set of points. */
import { input, operator, output } from "../../catalogue/operator.ts";
import { measuresFacts, plainFacts } from "../../facts.ts";
import { plainTable } from "../../values.ts";
import { rowsOf } from "./queries.ts";

const neighbours = input("Neighbours", "who is near whom");

export const hubness = operator({
  id: "hubness",
  version: 1,
  title: "Hubness",
  group: "Neighbours",
  says: "Counts how often each row is among the nearest of others: hubs are near many, and orphans near none.",
  inputs: {
    neighbours,
    train: input(["Table", "Matrix"], "the rows that were searched among"),
  },
  outputs: {
    table: output("Table", "occurrences, a row for each of theirs"),
    measures: output(
      "Table",
      "measure and value: the skewness of these counts, above 0 where there are hubs",
    ),
  },
  parameters: {},
  check: ({ train: { rows } }) => ({ table: plainFacts(["occurrences"], rows), measures: measuresFacts }),
  run: async ({ neighbours: { result }, train }) => {
    const { hubness: counted } = await import("../../../ops/distances/index.ts");
    const { counts, skewness } = counted(result, rowsOf(train).rows);
    return {
      table: plainTable({ occurrences: counts }),
      measures: plainTable({ measure: ["skewness"], value: [skewness] }),
    };
  },
});

export const localDimension = operator({
  id: "localDimension",
  version: 1,
  title: "Local Dimension",
  group: "Neighbours",
  says: "Estimates of how many dimensions the rows around each query are, by maximum likelihood from its distances.",
  inputs: { neighbours },
  outputs: { table: output("Table", "dimension, a row for each query; missing where distances are equal") },
  parameters: {},
  check: () => ({ table: plainFacts(["dimension"]) }),
  run: async ({ neighbours: { result } }) => {
    const { localIntrinsicDimension } = await import("../../../ops/distances/index.ts");
    const found = localIntrinsicDimension(result);
    const dimension = found.map((each) => (Number.isFinite(each) ? each : NaN));
    return { table: plainTable({ dimension }) };
  },
});
