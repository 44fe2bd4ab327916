/** Performance and Cross Validation say how good predictions are, by the library's own measures. */
import { InvalidInputError } from "../../../core/errors.ts";
import {
  classificationPerformance,
  crossValidate,
  regressionPerformance,
} from "../../../models/validation/index.ts";
import { isClassification } from "../../../models/pipeline.ts";
import type { Pipeline } from "../../../models/pipeline.ts";
import type { KNeighborsRegressor } from "../../../models/regressor.ts";
import { cellOf } from "../../../table/index.ts";
import type { Column } from "../../../table/index.ts";
import { quote } from "../../document/json.ts";
import { input, operator, output } from "../../catalogue/operator.ts";
import { choice } from "../../catalogue/parameters.ts";
import { labelOf } from "../../features.ts";
import { validationParameters } from "../../parameters/learning.ts";
import { columnOf } from "../../values.ts";
import { pipelineOf } from "./knn.ts";
import { plural } from "../../../core/plural.ts";

export const performance = operator({
  id: "performance",
  version: 1,
  title: "Performance",
  group: "Evaluation",
  says: "Compares predictions with the label: accuracy, kappa and confusion matrix of classes, errors of numbers.",
  inputs: { table: input("Table", "rows with a label and predictions, from Apply Model") },
  outputs: { performance: output("Performance", "the measures") },
  parameters: {
    measures: choice(["auto", "classification", "regression"], {
      default: "auto",
      says: "which measures",
      otherwise: "by the label's kind",
    }),
  },
  check: ({ table }, _, report) => {
    if (table.isUnknown) return { performance: {} };
    if (table.predicted === undefined)
      report("these rows have no predictions; send them through Apply Model first", { input: "table" });
    else if (columnOf(table.roles, "label") === undefined)
      report(`these rows have no column ${quote(table.predicted)} to compare predictions with`, {
        input: "table",
      });
    return { performance: {} };
  },
  run: ({ table: value }, { measures }) => {
    const { table, roles } = value;
    const label = labelOf(value);
    const prediction = columnOf(roles, "prediction");
    if (prediction === undefined)
      throw new InvalidInputError("the rows have no predictions; send them through Apply Model first");
    const [truth, found] = [table.column(label), table.column(prediction)];
    checkKinds(truth, found);
    const kind =
      measures === "auto" ? (truth.kind === "nominal" ? "classification" : "regression") : measures;
    if (kind === "classification") {
      const own = classificationPerformance(cells(truth, table.rows), cells(found, table.rows));
      return Promise.resolve({ performance: { kind, label, measures: own } });
    }
    const own = regressionPerformance(numbersOf(truth, table.rows), numbersOf(found, table.rows));
    return Promise.resolve({ performance: { kind, label, measures: own } });
  },
});

export const crossValidation = operator({
  id: "crossValidation",
  version: 1,
  title: "Cross Validation",
  group: "Evaluation",
  says: "Tests every row once, with a model that learnt, preparation and all, from the rows of the other folds.",
  inputs: {
    table: input("Table", "the rows, with a label"),
    learner: input("Learner", "what to train, such as knn.learner"),
  },
  outputs: { performance: output("Performance", "the measures over folds and over all rows") },
  parameters: validationParameters,
  check: ({ table, learner }, { folds }, report) => {
    if (columnOf(table.roles, "label") === undefined)
      report("these rows have no label; send them through Set Role first", { input: "table" });
    const { rows } = table;
    if (rows !== undefined && folds > rows)
      report(`is ${folds}, but there are at most ${plural(rows, "row")}; take fewer folds`, {
        parameter: "folds",
      });
    else if (
      rows !== undefined &&
      learner.least !== undefined &&
      rows - Math.floor(rows / folds) < learner.least
    )
      report(
        `leaves at most ${plural(rows - Math.floor(rows / folds), "row")} to learn from, but k is ${learner.least}; ` +
          "take more folds or a smaller k",
        { parameter: "folds" },
      );
    if (!learner.predicts)
      report("is preparation alone; expected a learner that predicts, such as knn.learner", {
        input: "learner",
      });
    const [step] = table.prepared;
    if (step !== undefined) {
      report(
        `these rows went through ${step.title}, which learnt from all folds; wire its learner into k-NN instead`,
        {
          input: "table",
        },
      );
    }
    return { performance: {} };
  },
  run: async ({ table: value, learner }, { folds, sampling, seed }, { device, signal, onProgress }) => {
    const pipeline = pipelineOf(learner, value, device);
    const label = labelOf(value);
    const options = { folds, seed, signal, onProgress, ...(sampling === "auto" ? {} : { sampling }) };
    try {
      const { hints: _, ...measures } = isClassification(pipeline)
        ? await crossValidate(pipeline, value.table, label, options)
        : await crossValidate(pipeline as Pipeline<KNeighborsRegressor>, value.table, label, options);
      return { performance: { kind: "validation", label, seed, measures } };
    } finally {
      pipeline.dispose();
    }
  },
});

function cells(column: Column, rows: number): (number | string | null)[] {
  return Array.from({ length: rows }, (_, row) => cellOf(column, row));
}

function numbersOf(column: Column, rows: number): Float64Array {
  if (column.kind === "numeric") return column.values;
  if (cells(column, rows).every((cell) => cell === null)) return new Float64Array(rows).fill(NaN);
  throw new InvalidInputError("is nominal, but regression measures numbers; choose classification", {
    column: column.name,
  });
}

function checkKinds(truth: Column, found: Column): void {
  if (truth.kind === found.kind) return;
  throw new InvalidInputError(
    `is ${truth.kind}, but its predictions are ${found.kind}; read the label the same way in both files`,
    { column: truth.name },
  );
}
