/** Apply Model predicts rows with a trained chain, or changes them by preparation alone. */
import { InvalidInputError } from "../../../core/errors.ts";
import { KNeighborsClassifier } from "../../../models/classifier.ts";
import type { Label } from "../../../models/labels.ts";
import type { KneighborsCallOptions } from "../../../models/nearestNeighbors.ts";
import type { Pipeline } from "../../../models/pipeline.ts";
import { Table } from "../../../table/index.ts";
import { quote } from "../../document/json.ts";
import { input, operator, output } from "../../catalogue/operator.ts";
import { checkAlike, checkColumn } from "../../facts.ts";
import type { ModelFacts, Report, TableFacts } from "../../facts.ts";
import { predictionParameters } from "../../parameters/learning.ts";
import type { ColumnRole, TableValue } from "../../values.ts";

export const applyModel = operator({
  id: "applyModel",
  version: 1,
  title: "Apply Model",
  group: "Neighbours",
  says: "Predicts every row, in a column prediction(LABEL) and one confidence(CLASS) per class; of preparation it changes the rows.",
  inputs: { model: input("Model", "what to apply"), table: input("Table", "the rows") },
  outputs: { table: output("Table", "the rows with what was predicted, or changed") },
  parameters: predictionParameters,
  check: ({ model, table }, _, report) => ({ table: appliedFacts(model, table, report) }),
  run: async ({ model, table: value }, { confidences }, { signal, onProgress }) => {
    if (model.kind === "preparation") {
      const table = model.steps.reduce((made, step) => step.transform(made), value.table);
      return { table: { table, roles: value.roles } };
    }
    const { pipeline, label } = model;
    const added = await predicted(pipeline, value.table, label, confidences, { signal, onProgress });
    return { table: withColumns(value, label, added) };
  },
});

type Added = Readonly<Record<string, Float64Array | (Label | null)[]>>;

async function predicted(
  pipeline: Pipeline,
  rows: Table,
  label: string,
  wanted: boolean,
  options: KneighborsCallOptions,
): Promise<Added> {
  const { model } = pipeline;
  const name = `prediction(${label})`;
  const prepared = pipeline.prepare(rows);
  if (!(model instanceof KNeighborsClassifier)) return { [name]: await model.predict(prepared, options) };
  const { labels, probabilities } = await model.classify(prepared, { ...options, probabilities: wanted });
  const { classes } = model;
  const shares = (code: number) =>
    Float64Array.from(labels, (_, row) => probabilities[row * classes.length + code]);
  const confidences = wanted
    ? classes.map((each, code) => [`confidence(${each})`, shares(code)] as const)
    : [];
  return { [name]: labels, ...Object.fromEntries(confidences) };
}

function withColumns({ table, roles }: TableValue, label: string, added: Added): TableValue {
  const taken = Object.keys(added).find((name) => table.has(name));
  if (taken !== undefined) {
    throw new InvalidInputError(
      "the result adds a column of this name; rename it in the file or leave it out",
      {
        ...(table.origin === undefined ? {} : { file: table.origin.file }),
        column: taken,
      },
    );
  }
  const own = Object.keys(added).map((name, at): [string, ColumnRole] => [
    name,
    at === 0 ? "prediction" : "confidence",
  ]);
  const isLabel: [string, ColumnRole][] = table.has(label) ? [[label, "label"]] : [];
  const others = [...roles].filter(([, role]) => role === "ignored");
  const columns = [...table.columns, ...columnsOf(added)];
  return { table: new Table(columns, table.origin), roles: new Map([...others, ...isLabel, ...own]) };
}

function columnsOf(added: Added) {
  return Table.fromColumns(added).columns;
}

function appliedFacts(model: ModelFacts, table: TableFacts, report: Report): TableFacts {
  if (model.kind === "file") return { ...table, columns: undefined, isUnknown: true };
  if (model.kind === "preparation") {
    const before = model.prepared.slice(0, -1);
    checkAlike(table, before, "those that the model learnt from", report, "table");
    return { ...table, prepared: model.prepared };
  }
  for (const name of model.features ?? []) checkColumn(name, table, report, { input: "table" });
  checkAlike(table, model.prepared, "the training rows", report, "table");
  if (table.predicted !== undefined)
    report(`these rows have predictions of ${quote(table.predicted)} already; wire rows without`, {
      input: "table",
    });
  const roles = new Map([...table.roles].filter(([, role]) => role === "ignored"));
  const hasLabel = table.columns === undefined || table.columns.some(({ name }) => name === model.label);
  if (hasLabel) roles.set(model.label, "label");
  return { ...table, columns: undefined, roles, predicted: model.label };
}
