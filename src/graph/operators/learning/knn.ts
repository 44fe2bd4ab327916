/** k-NN gives a learner or, trained on rows, a model, by the library's estimators. */
import { KNeighborsClassifier } from "../../../models/classifier.ts";
import { Pipeline } from "../../../models/pipeline.ts";
import { KNeighborsRegressor } from "../../../models/regressor.ts";
import type { Device } from "../../../runtime/device.ts";
import { needs, operator, optionalInput, output } from "../../catalogue/operator.ts";
import { quote } from "../../document/json.ts";
import { featuresOf } from "../../facts.ts";
import { featureNames, labelOf } from "../../features.ts";
import { columnOf } from "../../values.ts";
import type { LearnerValue, TableValue } from "../../values.ts";
import { knnParameters } from "../../parameters/learning.ts";
import { checkMeasure, checkRows, measureOptions } from "../neighbours/measure.ts";
import { makeStep } from "./preparation.ts";

const NO_LABEL = "these rows have no label; send them through Set Role first, and name the column to predict";

export const knn = operator({
  id: "knn",
  version: 1,
  title: "k-NN",
  group: "Neighbours",
  says: "Predicts by the k nearest training rows: a class where the label is nominal, a number where it is numeric.",
  inputs: {
    train: optionalInput("Table", "the rows to learn from, with a label"),
    preparation: optionalInput("Learner", "preparation to learn from the training rows, and to apply to all"),
  },
  outputs: {
    model: output("Model", "the trained model, preparation included", needs("train")),
    learner: output("Learner", "the chain untrained, for Cross Validation"),
  },
  parameters: knnParameters,
  check: ({ train, preparation }, parameters, report) => {
    checkMeasure(parameters, report, train);
    if (preparation?.predicts === true)
      report("comes from a learner that predicts; expected preparation alone, such as normalize.learner", {
        input: "preparation",
      });
    // RapidMiner takes as many neighbours as there are.
    const learner = { predicts: true, ...(parameters.compat === "none" ? { least: parameters.k } : {}) };
    if (train === undefined) return { learner };
    if (parameters.compat === "none") checkRows(parameters.k, train.rows, "rows to learn from", report);
    const label = columnOf(train.roles, "label");
    if (label === undefined) report(NO_LABEL, { input: "train" });
    else checkTask(train.columns?.find(({ name }) => name === label)?.kind);
    return {
      model: {
        kind: "estimator",
        label: label ?? "",
        prepared: train.prepared,
        features: featuresOf(train)?.map(({ name }) => name),
      },
      learner,
    };

    function checkTask(kind: "numeric" | "nominal" | undefined): void {
      if (kind !== "nominal" || parameters.task !== "regress") return;
      report(
        `is regress, which needs numbers, but the label ${quote(label ?? "")} is nominal; classify instead`,
        {
          parameter: "task",
        },
      );
    }
  },
  run: async ({ train, preparation }, { weights, task, compat, ...measure }, { device, signal }) => {
    const options = { ...measureOptions(measure), weights, ...(compat === "none" ? {} : { compat }) };
    const learner: LearnerValue = { steps: preparation?.steps ?? [], estimator: { task, options } };
    if (train === undefined) return { learner };
    const pipeline = pipelineOf(learner, train, device);
    try {
      await pipeline.fit(train.table, labelOf(train));
      signal?.throwIfAborted();
      return { model: { kind: "estimator", pipeline, label: labelOf(train) }, learner };
    } catch (error) {
      pipeline.dispose();
      throw error;
    }
  },
});

/** Makes a chain that is to be trained on rows like these. */
export function pipelineOf({ steps, estimator }: LearnerValue, rows: TableValue, device: Device): Pipeline {
  const { task = "auto", options } = estimator ?? {};
  const settings = { ...options, features: featureNames(rows), device };
  const numeric = rows.table.column(labelOf(rows)).kind === "numeric";
  const regresses = task === "regress" || (task === "auto" && numeric);
  const model = regresses ? new KNeighborsRegressor(settings) : new KNeighborsClassifier(settings);
  return new Pipeline(steps.map(makeStep), model);
}
