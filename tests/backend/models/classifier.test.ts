/** The classifier from rows to labels on the CPU, against brute force and the oracle's vote. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KNeighborsClassifier, Table, confusion } from "../../../dist/node.js";
import type { Device, Weights } from "../../../dist/node.js";
import { bruteForce } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { sortedClasses, voteOf } from "../../oracle/vote.ts";
import { openDevice } from "../helpers.ts";
import { matrix } from "../inputs.ts";

const random = new Random(printedSeed());
let device: Device;
beforeAll(async () => {
  device = await openDevice("cpu");
});
afterAll(() => device.dispose());

describe("the classifier", () => {
  const train = matrix(200, 3, () => random.int(0, 4));
  const labels = Array.from({ length: 200 }, () => random.pick(["rot", "grün", "blau", "Weiß"]));
  const queries = matrix(40, 3, () => random.int(0, 4));
  const classes = sortedClasses(labels);

  it.each<[Weights, number]>([
    ["uniform", 1],
    ["uniform", 4],
    ["distance", 4],
    ["distance", 9],
  ])("votes as defined with %s weights, k = %i", async (weights, k) => {
    const model = await new KNeighborsClassifier({ nNeighbors: k, weights, device }).fit(train, labels);
    const { indices, distances } = bruteForce(train, queries, { k });
    const expected = Array.from({ length: 40 }, (_, q) => {
      const own = Array.from({ length: k }, (_, i) => q * k + i);
      return voteOf(
        own.map((at) => ({ label: labels[indices[at]], distance: distances[at] })),
        classes,
        weights,
      );
    });
    const found = await model.classify(queries);
    expect(model.classes).toEqual(classes);
    expect(found.labels).toEqual(expected.map(({ winner }) => winner));
    expect([...found.probabilities]).toEqual(expected.flatMap(({ probabilities }) => probabilities));
    expect(await model.predict(queries)).toEqual(found.labels);
    expect(await model.predictProba(queries)).toEqual(found.probabilities);
    model.dispose();
  });

  it("scores the share of right answers, as the confusion matrix does", async () => {
    const model = await new KNeighborsClassifier({ nNeighbors: 3, device }).fit(train, labels);
    const truth = Array.from({ length: 40 }, () => random.pick(classes));
    const predicted = await model.predict(queries);
    expect(await model.score(queries, truth)).toBe(confusion(truth, predicted).accuracy);
    await expect(model.score(queries, truth.slice(1))).rejects.toThrow(/39 true labels for 40 predictions/);
    model.dispose();
  });

  it("scores a table by the name of its label column, and never takes the name for labels", async () => {
    const table = Table.fromColumns({ x: [0, 1, 5, 6], ab: ["a", "b", null, "b"] });
    const rows = Table.fromColumns({ x: [0, 5], kind: ["a", "b"] });
    const model = await new KNeighborsClassifier({ nNeighbors: 1, device }).fit(rows, "kind");
    expect(await model.score(table, "ab")).toBe(2 / 3);
    await expect(model.score(table, "none")).rejects.toThrow('there is no column "none"');
    model.dispose();
    const plain = await new KNeighborsClassifier({ nNeighbors: 1, device }).fit([[0], [5]], ["a", "b"]);
    // Two letters are no labels of two rows.
    await expect(plain.score([[0], [5]], "ab")).rejects.toThrow(
      'label "ab" names a column, but queries are not a table; pass labels',
    );
    plain.dispose();
  });

  it("may be fitted again with other rows and labels", async () => {
    const model = await new KNeighborsClassifier({ nNeighbors: 1, device }).fit([[0], [1]], ["a", "b"]);
    expect(await model.predict([[0.9]])).toEqual(["b"]);
    await model.fit([[0], [1], [2]], [7, 8, 9]);
    expect(await model.predict([[1.8]])).toEqual([9]);
    model.dispose();
  });

  it("leaves a device that it was given open, and closes one it opened", async () => {
    const own = await new KNeighborsClassifier({ backend: "cpu", threads: 1 }).fit([[0]], ["a"]);
    own.dispose();
    own.dispose();
    await expect(own.predict([[0]])).rejects.toThrow(/not fitted/);
    const lent = await new KNeighborsClassifier({ nNeighbors: 1, device }).fit([[0]], ["a"]);
    lent.dispose();
    const next = await new KNeighborsClassifier({ nNeighbors: 1, device }).fit([[0]], ["b"]);
    expect(await next.predict([[0]])).toEqual(["b"]);
  });
});
