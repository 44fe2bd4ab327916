/** Imports processes of RapidMiner for tests, and holds the operators that these have in common. */
import { importRapidMiner } from "../../../dist/graph/index.js";
import type { LeftOut } from "../../../dist/graph/index.js";
import { readCsv, rmp } from "../../backend/models/rapidminerProcess.ts";
import type { RmpOperator } from "../../backend/models/rapidminerProcess.ts";

const lines = ({ operator, parameter, message, changesResults }: LeftOut) =>
  `${changesResults ? "" : "note: "}${operator}${parameter === undefined ? "" : `, ${parameter}`}: ${message}`;

export async function imported(
  operators: readonly RmpOperator[],
  wires: readonly string[] = [],
  context = "",
) {
  const { process, left } = await importRapidMiner(rmp(operators, wires, context), "old.rmp");
  return { process, nodes: process.nodes, left: left.map(lines) };
}

export const read = readCsv("Read CSV", "a.csv", {
  x: "real.attribute",
  town: "polynominal.attribute",
  y: "real.label",
});
export const knn: RmpOperator = { name: "k-NN", key: "k_nn" };
export const apply: RmpOperator = { name: "Apply Model", key: "apply_model" };
export const performance: RmpOperator = { name: "Performance", key: "performance_classification" };
export const seeded = { use_local_random_seed: true, local_random_seed: 7 };
