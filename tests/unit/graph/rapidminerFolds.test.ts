/** Cross Validation of RapidMiner, imported: which subprocesses come to a chain of steps. */
import { describe, expect, it } from "vitest";
import { checkProcess } from "../../../dist/graph/index.js";
import { subprocess } from "../../backend/models/rapidminerProcess.ts";
import type { RmpOperator } from "../../backend/models/rapidminerProcess.ts";

import { apply, imported, knn, performance, read, seeded } from "./rapidminerImports.ts";

describe("Cross Validation", () => {
  const fill: RmpOperator = { name: "Fill", key: "replace_missing_values" };
  const scale: RmpOperator = { name: "Scale", key: "normalize" };
  const again: RmpOperator = { name: "Prepare", key: "apply_model" };
  const group: RmpOperator = { name: "Group", key: "group_models" };
  const validation = (training: string, testing: string): RmpOperator => ({
    name: "Validation",
    key: "concurrency:cross_validation",
    parameters: { number_of_folds: 4, sampling_type: "shuffled sampling", leave_one_out: false, ...seeded },
    inner: [training, testing],
  });
  const wires = ["Read CSV, output -> Validation, example set", "Validation, performance 1 -> result 1"];
  const plainTraining = subprocess([knn], ["training set -> k-NN, training set", "k-NN, model -> model"]);
  const plainTesting = subprocess(
    [apply, performance],
    [
      "model -> Apply Model, model",
      "test set -> Apply Model, unlabelled data",
      "Apply Model, labelled data -> Performance, labelled data",
      "Performance, performance -> performance 1",
    ],
  );
  const folds = {
    operator: "crossValidation",
    inputs: { learner: "kNN.learner", table: "readCSVSetRole.table" },
    parameters: { folds: 4, sampling: "shuffled", seed: 7 },
  };

  it("of k-NN alone takes its learner", async () => {
    const { process, nodes, left } = await imported([read, validation(plainTraining, plainTesting)], wires);
    expect(left).toEqual([]);
    expect(nodes.validation).toEqual(folds);
    expect(nodes.kNN.inputs).toBeUndefined();
    expect(Object.keys(nodes)).toHaveLength(4);
    expect(checkProcess(process)).toEqual([]);
  });

  it("of k-NN whose model is used besides trains it on all rows", async () => {
    const { nodes } = await imported(
      [read, validation(plainTraining, plainTesting), { ...apply, name: "Use" }],
      [...wires, "Validation, model -> Use, model", "Validation, example set -> Use, unlabelled data"],
    );
    expect(nodes.kNN.inputs).toEqual({ train: "readCSVSetRole.table" });
    expect(nodes.use.inputs).toEqual({ model: "kNN.model", table: "readCSVSetRole.table" });
  });

  const chain = [
    "training set -> Fill, example set input",
    "Fill, example set output -> Scale, example set input",
    "Scale, example set output -> k-NN, training set",
  ];

  it("of preparation that is handed through takes the whole chain", async () => {
    const training = subprocess(
      [fill, scale, knn],
      [
        ...chain,
        "k-NN, model -> model",
        "Fill, preprocessing model -> through 2",
        "Scale, preprocessing model -> through 1",
      ],
    );
    const testing = (first: number, second: number) =>
      subprocess(
        [again, { ...again, name: "Prepare 2" }, apply, performance],
        [
          `through ${first} -> Prepare, model`,
          "test set -> Prepare, unlabelled data",
          `through ${second} -> Prepare 2, model`,
          "Prepare, labelled data -> Prepare 2, unlabelled data",
          "Prepare 2, labelled data -> Apply Model, unlabelled data",
          "model -> Apply Model, model",
          "Apply Model, labelled data -> Performance, labelled data",
          "Performance, performance -> performance 1",
        ],
      );
    const { process, nodes, left } = await imported([read, validation(training, testing(2, 1))], wires);
    expect(left).toEqual([]);
    expect(nodes.validation).toEqual(folds);
    expect([nodes.scale.inputs, nodes.kNN.inputs]).toEqual([
      { before: "fill.learner" },
      { preparation: "scale.learner" },
    ]);
    expect(checkProcess(process)).toEqual([]);
    const turned = await imported([read, validation(training, testing(1, 2))], wires);
    expect(turned.left[0]).toContain("does not prepare the rows it tests as those it trains with");
    expect(turned.nodes.validation.operator).toBe("rapidminer:concurrency:cross_validation");
  });

  it("of grouped models takes the whole chain", async () => {
    const training = subprocess(
      [fill, scale, knn, group],
      [
        ...chain,
        "k-NN, model -> Group, models in 3",
        "Scale, preprocessing model -> Group, models in 2",
        "Fill, preprocessing model -> Group, models in 1",
        "Group, model out -> model",
      ],
    );
    const { nodes, left } = await imported([read, validation(training, plainTesting)], wires);
    expect(left).toEqual([]);
    expect(nodes.kNN.inputs).toEqual({ preparation: "scale.learner" });
  });

  it.each<[string, string, string, string]>([
    [
      "does not prepare the rows it tests",
      subprocess([fill, scale, knn], [...chain, "k-NN, model -> model"]),
      plainTesting,
      "does not prepare the rows it tests as those it trains with",
    ],
    [
      "trains something else",
      subprocess([{ name: "Tree", key: "decision_tree" }], ["Tree, model -> model"]),
      plainTesting,
      "does not train k-NN",
    ],
    [
      "measures nothing",
      plainTraining,
      subprocess([apply], []),
      "does not measure with a Performance operator",
    ],
    [
      "has a sample in it",
      subprocess(
        [{ name: "Sample", key: "sample" }, knn],
        [
          "training set -> Sample, example set input",
          "Sample, example set output -> k-NN, training set",
          "k-NN, model -> model",
        ],
      ),
      plainTesting,
      "trains with rows of Sample, which is no preparation that is known here",
    ],
    [
      "logs besides",
      subprocess(
        [knn, { name: "Log", key: "log" }],
        ["training set -> k-NN, training set", "k-NN, model -> model"],
      ),
      plainTesting,
      "has Log within, which is no part of a chain",
    ],
  ])("that %s stays as it is", async (_, training, testing, message) => {
    const { nodes, left } = await imported([read, validation(training, testing)], wires);
    expect(left[0]).toContain(message);
    expect(nodes.validation.operator).toBe("rapidminer:concurrency:cross_validation");
  });
});
