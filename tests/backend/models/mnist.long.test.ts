/**
 * All 10,000 MNIST test digits: the accuracies that the contract names, and the neighbours of every twentieth
 * by brute force.
 */
import { describe, expect, it } from "vitest";
import { KNeighborsClassifier } from "../../../dist/node.js";
import { expectSame, openDevice } from "../helpers.ts";
import { bruteForceDigits, mnist, pickRows } from "./helpers.mnist.ts";
import { voteOf } from "../../oracle/vote.ts";

const { train, test } = mnist();
const classes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

describe("MNIST, 60,000 digits against 10,000, on the CPU", () => {
  it("is classified with the accuracies known for k = 1, 3 and 5, from neighbours that equal brute force", async () => {
    const device = await openDevice("cpu");
    const model = await new KNeighborsClassifier({ nNeighbors: 5, device }).fit(train, train.labels);
    const { neighbors, labels } = await model.classify(test);
    device.dispose();
    const accuracy = (k: number) => {
      const predicted = Array.from(test.labels, (_, q) => {
        const own = Array.from({ length: k }, (_, rank) => 5 * q + rank);
        const voters = own.map((at) => ({ label: train.labels[neighbors.indices[at]], distance: 1 }));
        return voteOf(voters, classes, "uniform").winner;
      });
      if (k === 5) expect(labels).toEqual(predicted);
      return predicted.filter((label, q) => label === test.labels[q]).length / 10_000;
    };
    expect([1, 3, 5].map(accuracy)).toEqual([0.9691, 0.9705, 0.9688]);
    const rows = Array.from({ length: 500 }, (_, i) => 20 * i);
    const first5 = (all: Uint32Array | Float64Array) =>
      rows.flatMap((row) => [...all.subarray(5 * row, 5 * row + 5)]);
    const sample = {
      indices: Uint32Array.from(first5(neighbors.indices)),
      distances: Float64Array.from(first5(neighbors.distances)),
    };
    expectSame(sample, bruteForceDigits(train, pickRows(test, rows), 5), 5);
  });
});
