/**
 * Processes of RapidMiner, from the .rmp file to the predictions: all outputs of its own classes that are
 * kept as a fixture, through import and run, on every backend.
 */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { checkProcess, importRapidMiner, runProcess } from "../../../dist/graph/index.js";
import { textSource } from "../../../dist/node.js";
import type { Device, Table } from "../../../dist/node.js";
import { onEachBackend } from "../helpers.ts";
import { readCsv, rmp } from "./rapidminerProcess.ts";

/** Numbers as the file writes them; text stands for NaN and infinities. */
type Num = number | string;

interface Golden {
  readonly task: "classification" | "regression";
  readonly k: number;
  readonly weighted_vote: boolean;
  readonly measure_types: string;
  readonly measure: string;
  readonly train: readonly (readonly Num[])[];
  readonly label: readonly Num[];
  readonly query: readonly (readonly Num[])[];
  readonly prediction: readonly Num[];
  readonly confidence?: readonly (readonly Num[])[];
}

const fixture = new URL("../../fixtures/rapidminer-knn.json", import.meta.url);
const { predict } = JSON.parse(readFileSync(fixture, "utf8")) as { readonly predict: readonly Golden[] };

/** Three rows before the others put the classes into the file's order; Split Data takes them out again. */
const FIRST = 3;

onEachBackend((device) => {
  it("give RapidMiner's own predictions and confidences, all 45 of them", async () => {
    expect(predict).toHaveLength(45);
    for (const golden of predict) {
      const found = await predictions(golden, device());
      expect(found, JSON.stringify(golden)).toEqual({
        prediction: golden.prediction.map(close),
        confidence: golden.confidence?.map((row) => row.map(close)),
      });
    }
  });
});

async function predictions(golden: Golden, device: Device) {
  const { task, label, train, query } = golden;
  const isClass = task === "classification";
  const names = train[0].map((_, at) => `a${at}`);
  const filler = ["c0", "c1", "c2"].map((name) => [...names.map(() => "0"), name]);
  const labels = label.map((each) => (each === "NaN" ? "" : isClass ? `c${each}` : String(each)));
  const rows = train.map((row, at) => [...row.map(cell), labels[at]]);
  const files: Readonly<Record<string, string>> = {
    "train.csv": csv([[...names, "label"], ...(isClass ? filler : []), ...rows]),
    "test.csv": csv([names, ...query.map((row) => row.map(cell))]),
  };
  const { process, left } = await importRapidMiner(textOf(golden, names));
  expect(left).toEqual([]);
  expect(checkProcess(process)).toEqual([]);
  const result = await runProcess(process, { device, open: (path) => textSource(files[path], path) });
  const last = result.nodes.find(({ node }) => node === "applyModel")!;
  if (last.error) throw last.error;
  const { table } = last.outputs;
  if (table.type !== "Table") throw new Error(`a ${table.type} is no table`);
  const found = table.value.table;
  const classes = isClass ? ["c0", "c1", "c2"] : [];
  const confidences = classes.map((name) => numbersOf(found, `confidence(${name})`));
  const given = {
    prediction: numbersOf(found, "prediction(label)"),
    confidence: isClass ? query.map((_, row) => confidences.map((of) => of[row])) : undefined,
  };
  result.dispose();
  return given;
}

const measures: Readonly<Record<string, string>> = {
  MixedMeasures: "mixed_measure",
  NumericalMeasures: "numerical_measure",
};

function textOf(golden: Golden, names: readonly string[]): string {
  const { task, k, weighted_vote, measure_types, measure, train } = golden;
  const isClass = task === "classification";
  const features = Object.fromEntries(names.map((name) => [name, "real.attribute"]));
  const total = FIRST + train.length;
  const ratios = [FIRST / total, train.length / total];
  const split = {
    name: "Split Data",
    key: "split_data",
    parameters: { sampling_type: "linear sampling" },
    lists: { partitions: ratios.map((ratio) => ["ratio", String(ratio)] as const) },
  };
  const knn = {
    name: "k-NN",
    key: "k_nn",
    parameters: { k, weighted_vote, measure_types, [measures[measure_types]]: measure },
  };
  const label = isClass ? "polynominal.label" : "real.label";
  return rmp(
    [
      readCsv("Read CSV", "train.csv", { ...features, label }),
      readCsv("Read CSV (2)", "test.csv", features),
      ...(isClass ? [split] : []),
      knn,
      { name: "Apply Model", key: "apply_model" },
    ],
    [
      ...(isClass
        ? ["Read CSV, output -> Split Data, example set", "Split Data, partition 2 -> k-NN, training set"]
        : ["Read CSV, output -> k-NN, training set"]),
      "k-NN, model -> Apply Model, model",
      "Read CSV (2), output -> Apply Model, unlabelled data",
      "Apply Model, labelled data -> result 1",
    ],
  );
}

/** The numbers of a column; of classes those behind the c. */
function numbersOf(table: Table, name: string): number[] {
  const column = table.column(name);
  if (column.kind === "numeric") return Array.from(column.values, (value) => value + 0);
  return Array.from(column.codes, (code) => Number((column.dictionary.values[code] ?? "cNaN").slice(1)));
}

function cell(value: Num): string {
  return value === "NaN" ? "" : String(value);
}

function csv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.join(",")}\n`).join("");
}

/** Equal to 12 digits, or the same NaN, infinity or zero. */
function close(value: Num): unknown {
  const expected = Number(value);
  return Number.isFinite(expected) && expected !== 0
    ? expect.closeTo(expected, 12 - Math.ceil(Math.log10(Math.abs(expected))))
    : expected + 0;
}
