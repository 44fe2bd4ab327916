/**
 * `nearfield/graph` has processes of operators as data. A process is a JSON file that people read and git
 * merges; it is checked before it runs, runs only what has changed, and gives the same results, with the same
 * fingerprints, on every device.
 * @example
 * import { parseProcess, runProcess } from "nearfield/graph";
 *
 * const process = parseProcess(`{ "nearfield": 1, "nodes": {
 *   "read": { "operator": "readTable", "parameters": { "file": "plants.csv" } },
 *   "roles": { "operator": "setRole", "inputs": { "table": "read.table" }, "parameters": { "label": "kind" } },
 *   "knn": { "operator": "knn", "inputs": { "train": "roles.table" }, "parameters": { "k": 1 } },
 *   "apply": { "operator": "applyModel", "inputs": { "model": "knn.model", "table": "read.table" } }
 * } }`);
 * const device = await Device.create();
 * const open = (path: string) => textSource("height,kind\n91,thistle\n42,poppy\n", path);
 * const result = await runProcess(process, { device, open });
 * const { table } = result.nodes[3].outputs;
 * table.type === "Table" && table.value.table.names; // => ["height", "kind", "prediction(kind)", "confidence(poppy)", "confidence(thistle)"]
 * result.dispose();
 * device.dispose();
 *
 * @module
 */
export { operators } from "./catalogue/catalogue.ts";
export type { InputPort, NodeForm, Operator, OutputPort } from "./catalogue/operator.ts";
export type { Parameter } from "./catalogue/parameters.ts";
export { checkProcess } from "./check.ts";
export type { CheckOptions, Problem } from "./check.ts";
export { parseProcess } from "./document/document.ts";
export type { ParameterValue, ProcessDocument, ProcessNode } from "./document/document.ts";
export { printProcess } from "./document/print.ts";
export { setParameter } from "./document/set.ts";
export type { ColumnFacts, FileFacts } from "./facts.ts";
export type { Mend } from "./mend.ts";
export { inspectFiles } from "./inspect.ts";
export { planProcess } from "./plan.ts";
export type { PlanOptions, PlanStep } from "./plan.ts";
export { KeptResults } from "./results/kept.ts";
export type { NodeOutput } from "./results/kept.ts";
export { runProcess } from "./run.ts";
export type { NodeResult, ProcessResult, RunOptions } from "./run.ts";
export { importRapidMiner } from "./rapidminer/import.ts";
export type { ImportedProcess } from "./rapidminer/import.ts";
export type { LeftOut } from "./rapidminer/reader.ts";
export { processSchema } from "./schema.ts";
export type {
  ColumnRole,
  EstimatorSpec,
  HistogramValue,
  LearnerValue,
  MatrixValue,
  ModelValue,
  NeighboursValue,
  PerformanceValue,
  PointCloudValue,
  PortType,
  PortValues,
  SignalValue,
  StepSpec,
  TableValue,
} from "./values.ts";
