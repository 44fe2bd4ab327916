/**
 * Votes among more classes than there is memory for probabilities of (issue 19): winners alone, the same as
 * with probabilities.
 */
import { describe, expect, it } from "vitest";
import { confusion } from "../../../src/models/confusion.ts";
import { rapidminerVote } from "../../../src/models/rapidminer/vote.ts";
import { checkProbabilities } from "../../../src/models/tally.ts";
import { classificationPerformance } from "../../../src/models/validation/performance.ts";
import { vote } from "../../../src/models/vote.ts";
import { weightNames } from "../../../src/models/weights.ts";
import { NO_CLASS } from "../../../src/table/classes.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const random = new Random(printedSeed());

/** The first class of the largest sum, by looking at all of them. */
function firstLargest(sums: Float64Array): number {
  const largest = Math.max(...[...sums].filter((sum) => !Number.isNaN(sum)));
  const winner = sums.indexOf(largest);
  return winner < 0 ? NO_CLASS : winner;
}

function neighborsOf(queries: number, k: number, distance: () => number) {
  return {
    indices: Uint32Array.from({ length: queries * k }, () => random.int(0, 50)),
    distances: Float64Array.from({ length: queries * k }, distance),
    queries,
    k,
  };
}

describe.each([1, 3, 64, 65, 1000])("the winners among %d classes", (classes) => {
  const codes = Uint32Array.from({ length: 50 }, () => random.int(0, classes));
  codes.set(Array.from({ length: 20 }, () => random.int(0, Math.min(classes, 4))));

  it.each(weightNames)("with %s weights are those of the probabilities", (weights) => {
    const neighbors = neighborsOf(200, 7, () => random.pick([0, 0.5, 1, 2, random.uniform(), Infinity, NaN]));
    const { probabilities, winners, tops } = vote(neighbors, codes, classes, weights);
    const rows = Array.from(winners, (_, q) => probabilities.subarray(q * classes, (q + 1) * classes));
    expect([...winners]).toEqual(rows.map(firstLargest));
    expect([...tops]).toEqual(rows.map((row, q) => row[winners[q]]));
    const alone = vote(neighbors, codes, classes, weights, true);
    expect(alone.winners).toEqual(winners);
    expect(alone.tops).toEqual(tops);
    expect(alone.probabilities).toHaveLength(0);
  });

  it.each(weightNames)("with RapidMiner's %s weights, negative and NaN ones too", (weights) => {
    const neighbors = neighborsOf(300, 4, () => random.pick([0, 1, -1, 5, -2.5, NaN, random.normal()]));
    const { probabilities, winners, tops } = rapidminerVote(neighbors, codes, classes, weights, 4);
    const rows = Array.from(winners, (_, q) => probabilities.subarray(q * classes, (q + 1) * classes));
    expect([...winners]).toEqual(rows.map(firstLargest));
    expect([...tops]).toEqual(rows.map((row, q) => row[winners[q]] ?? NaN));
    const alone = rapidminerVote(neighbors, codes, classes, weights, 4, true);
    expect([alone.winners, alone.tops]).toEqual([winners, tops]);
  });
});

describe("100,000 classes", () => {
  const classes = Array.from({ length: 100_000 }, (_, code) => code);

  it("are voted on for as many queries without memory for all probabilities", () => {
    const neighbors = {
      indices: Uint32Array.from(classes),
      distances: new Float64Array(classes.length),
      queries: classes.length,
      k: 1,
    };
    const { winners } = vote(neighbors, Uint32Array.from(classes), classes.length, "distance", true);
    expect(winners).toEqual(Uint32Array.from(classes));
  });

  it("have no probabilities beyond a budget, and the message says what helps", () => {
    expect(() => checkProbabilities(100_000, 100_000, { memory: 2 ** 34 })).toThrow(
      "100000 queries x 100000 classes are 10000000000 probabilities of 8 bytes, more than the 17179869184 bytes of main " +
        "memory that may be used; call predict, which needs none, or pass fewer queries at a time",
    );
    expect(() => checkProbabilities(5000, 5000, { memory: 2e8 })).not.toThrow();
    expect(() => checkProbabilities(5000, 5001, { memory: 2e8 })).toThrow("25005000 probabilities");
  });

  it("have an accuracy and a kappa, and no confusion matrix", () => {
    const found = classificationPerformance(
      classes,
      classes.map((code) => code ^ 1),
    );
    expect(found).toMatchObject({ accuracy: 0, rows: 100_000 });
    expect(found.recall.every((recall) => recall === 0)).toBe(true);
    expect(() => found.confusion.counts).toThrow(
      "100000 classes make a confusion matrix of 10000000000 counts, and at most 268435456 are kept",
    );
    expect(confusion(classes, classes).accuracy).toBe(1);
  });
});
