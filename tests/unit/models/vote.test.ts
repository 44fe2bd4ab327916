/** From neighbours to classes: the vote against its oracle, the numbering of labels, the confusion matrix. */
import { describe, expect, it } from "vitest";
import { resolveMetric } from "../../../src/distance/anyMetric.ts";
import { confusion } from "../../../src/models/confusion.ts";
import { encodeLabels, encodeLabelsByAppearance } from "../../../src/models/labels.ts";
import type { Label, Labels } from "../../../src/models/labels.ts";
import { vote } from "../../../src/models/vote.ts";
import { checkWeights, weightNames } from "../../../src/models/weights.ts";
import type { Weights } from "../../../src/models/weights.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { sortedClasses, voteOf } from "../../oracle/vote.ts";

const random = new Random(printedSeed());

describe("the vote equals its definition, bit for bit,", () => {
  it.each(weightNames)("with %s weights", (weights) => {
    for (let run = 0; run < 300; run++) {
      const k = random.int(1, 12);
      const labels = Array.from({ length: 20 }, () => random.pick(["ä", "b", "a", "B", "10", "9"]));
      const { classes, codes } = encodeLabels(labels);
      const distance = () => random.pick([0, 0.5, 1, 2, random.uniform(), 1e-310, 1e300]);
      const neighbors = Array.from({ length: k }, () => ({ index: random.int(0, 20), distance: distance() }));
      const found = vote(
        {
          indices: Uint32Array.from(neighbors, ({ index }) => index),
          distances: Float64Array.from(neighbors, (neighbor) => neighbor.distance),
          queries: 1,
          k,
        },
        codes,
        classes.length,
        weights,
      );
      const named = neighbors.map(({ index, ...rest }) => ({ label: labels[index], ...rest }));
      const expected = voteOf(named, sortedClasses(labels), weights);
      expect(classes[found.winners[0]]).toBe(expected.winner);
      expect([...found.probabilities]).toEqual(expected.probabilities);
    }
  });

  it("with neighbours that are all infinitely far, which then count alike", () => {
    const neighbors = {
      indices: Uint32Array.of(0, 1),
      distances: Float64Array.of(Infinity, Infinity),
      queries: 1,
      k: 2,
    };
    expect([...vote(neighbors, Uint32Array.of(1, 0), 2, "distance").probabilities]).toEqual([0.5, 0.5]);
  });

  it("with neighbours that have nothing in common with the query, which then count nothing", () => {
    const neighbors = (...distances: number[]) => ({
      indices: Uint32Array.of(0, 1, 2),
      distances: Float64Array.from(distances),
      queries: 1,
      k: 3,
    });
    const shares = (...distances: number[]) => [
      ...vote(neighbors(...distances), Uint32Array.of(0, 1, 2), 3, "distance").probabilities,
    ];
    expect(shares(2, 2, NaN)).toEqual([0.5, 0.5, 0]);
    expect(shares(2, Infinity, NaN)).toEqual([1, 0, 0]);
    expect(shares(0, 2, NaN)).toEqual([1, 0, 0]);
    expect(shares(1e-308, 1e-308, NaN)).toEqual([0.5, 0.5, 0]);
    expect(shares(NaN, NaN, NaN)).toEqual([1 / 3, 1 / 3, 1 / 3]);
  });
});

describe("weights", () => {
  it("by distance are refused for a metric that can be negative", () => {
    expect(() => checkWeights("distance", resolveMetric({ metric: "inner_product" }))).toThrow(
      /inner_product can be negative/,
    );
    expect(() => checkWeights("distance", resolveMetric({ metric: "cosine" }))).not.toThrow();
  });

  it("of an unknown name are refused with the names there are", () => {
    expect(() => checkWeights("gauss" as Weights, resolveMetric())).toThrow(
      'unknown weights "gauss"; expected uniform or distance',
    );
  });
});

describe("classes", () => {
  const classesOf = (labels: Labels) => encodeLabels(labels).classes;

  it("are numbers in ascending order, not in that of their text", () => {
    expect(classesOf([10, 9, -1, 9, 1.5])).toEqual([-1, 1.5, 9, 10]);
    expect(classesOf(Uint8Array.of(7, 3, 7))).toEqual([3, 7]);
  });

  it("are strings by code point, not by UTF-16 unit", () => {
    const labels = ["\u{10000}", "\uffff", "b", "B", "", "ab", "a"];
    expect(classesOf(labels)).toEqual(["", "B", "a", "ab", "b", "\uffff", "\u{10000}"]);
    expect(classesOf(labels)).toEqual(sortedClasses(labels));
  });

  it("number each row", () => {
    expect([...encodeLabels(["b", "a", "b"]).codes]).toEqual([1, 0, 1]);
  });

  it.each<[string, unknown[], RegExp]>([
    ["that mix strings and numbers", ["a", 1], /label of row 1 is 1 \(number\), but row 0 has a string/],
    ["that are NaN", [1, NaN], /label of row 1 is NaN/],
    ["that are missing", ["a", undefined], /label of row 1 is undefined/],
    ["of another kind", [true], /label of row 0 is true/],
  ])("%s are refused by row", (_, labels, pattern) => {
    expect(() => encodeLabels(labels as Label[])).toThrow(pattern);
  });
});

describe("classes for RapidMiner", () => {
  it("are numbered by first appearance, and a missing label is class 0", () => {
    const labels = [null, "b", "a", undefined, "b", "c"];
    expect(encodeLabelsByAppearance(labels)).toEqual({
      classes: ["b", "a", "c"],
      codes: Uint32Array.of(0, 0, 1, 0, 0, 2),
    });
    expect(encodeLabelsByAppearance(Float64Array.of(NaN, 7, -0, 0))).toEqual({
      classes: [7, 0],
      codes: Uint32Array.of(0, 0, 1, 1),
    });
  });

  it("are all strings or all numbers, and at least one", () => {
    expect(() => encodeLabelsByAppearance([null, "a", 1])).toThrow(
      "label of row 2 is 1 (number), but row 1 has a string",
    );
    expect(() => encodeLabelsByAppearance([null, NaN])).toThrow("every label is missing");
  });
});

describe("the vote of neighbours so near that 1/d overflows when added", () => {
  it("is still a probability", () => {
    const distances = Float64Array.of(1e-308, 1.1e-308, 1.2e-308);
    const neighbors = { indices: Uint32Array.of(0, 1, 2), distances, queries: 1, k: 3 };
    const { probabilities, winners } = vote(neighbors, Uint32Array.of(1, 0, 1), 2, "distance");
    const [far, near] = probabilities;
    expect(far + near).toBeCloseTo(1, 12);
    expect(near).toBeCloseTo((1 + 1 / 1.2) / (1 + 1 / 1.1 + 1 / 1.2), 12);
    expect(winners[0]).toBe(1);
  });
});

describe("the confusion matrix", () => {
  it("counts true classes by row and predicted ones by column", () => {
    const { classes, counts, accuracy } = confusion(["a", "b", "b", "c"], ["a", "a", "b", "b"]);
    expect(classes).toEqual(["a", "b", "c"]);
    expect([...counts]).toEqual([1, 0, 0, 1, 1, 0, 0, 1, 0]);
    expect(accuracy).toBe(0.5);
  });

  it("has a row and a column for classes of either side only", () => {
    expect(confusion([1, 1], [1, 3])).toMatchObject({ classes: [1, 3], accuracy: 0.5 });
  });

  it("refuses sides of different lengths, naming both", () => {
    expect(() => confusion([1, 2, 3], [1, 2])).toThrow(/3.*2/);
  });
});
