/**
 * Splits and folds against their oracle, the generator against published numbers, measures of performance by
 * hand.
 */
import { describe, expect, it } from "vitest";
import { DEFAULT_SEED, partition } from "../../../src/models/validation/partition.ts";
import type { Sampling } from "../../../src/models/validation/partition.ts";
import {
  classificationPerformance,
  regressionPerformance,
} from "../../../src/models/validation/performance.ts";
import { SeededRandom } from "../../../src/models/validation/random.ts";
import { splitTable } from "../../../src/models/validation/split.ts";
import { cellOf } from "../../../src/table/column.ts";
import { Table } from "../../../src/table/table.ts";
import { JavaRandom, shuffled, stratified } from "../../oracle/crossValidation.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const random = new Random(printedSeed());

describe("the seeded generator", () => {
  it("is java.util.Random: its first numbers for the seed 42 are those published", () => {
    // nextInt() gives -1170105035, 234785527, -1360544799, 205897768: next(31) is their upper 31 bits.
    const bits = [-1170105035, 234785527, -1360544799, 205897768].map((word) => word >>> 1);
    const any = new SeededRandom(42);
    expect(bits.map(() => any.below(100))).toEqual(bits.map((word) => word % 100));
    const powers = new SeededRandom(42);
    expect(bits.map(() => powers.below(2 ** 30))).toEqual(bits.map((word) => word >>> 1));
  });

  it("equals its oracle for any seed and bound, those that reject often among them", () => {
    for (let run = 0; run < 300; run++) {
      const seed = random.pick([0, 1, 2001, 2 ** 24, 2 ** 48 - 1, random.int(0, 2 ** 31) * 2 ** 17]);
      const [mine, oracle] = [new SeededRandom(seed), new JavaRandom(seed)];
      for (let i = 0; i < 20; i++) {
        const bound = random.pick([1, 2, 3, 64, 1000, 2 ** 30 + 1, 2 ** 31 - 1]);
        expect(mine.below(bound)).toBe(oracle.nextInt(bound));
      }
    }
  });
});

describe("a partition", () => {
  const names = Array.from({ length: 97 }, () => random.pick(["b", "a", "c", "Z"]));
  const equal = (parts: number) => new Array<number>(parts).fill(1);

  it("into equal parts equals its oracle, shuffled and stratified", () => {
    for (const parts of [2, 3, 10, 97]) {
      for (const seed of [0, DEFAULT_SEED, random.int(0, 2 ** 31)]) {
        expect([...partition(97, equal(parts), names, { sampling: "shuffled", seed })]).toEqual(
          shuffled(97, parts, seed),
        );
        expect([...partition(97, equal(parts), names, { sampling: "stratified", seed })]).toEqual(
          stratified(names, parts, seed),
        );
      }
    }
  });

  it("puts each class into equal parts as evenly as it goes", () => {
    const parts = partition(97, equal(5), names, { sampling: "stratified", seed: 1 });
    for (const name of new Set(names)) {
      const sizes = equal(5).map(
        (_, part) => names.filter((own, row) => own === name && parts[row] === part).length,
      );
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(2);
    }
  });

  it("into unequal parts cuts each class at round(rows * ratio)", () => {
    const classes = ["a", "a", "b", "a", "a", "b", "a", "b", "a", "b", "a", "a", "a"];
    const parts = partition(13, [3, 1], classes, { sampling: "stratified", seed: 5 });
    const inSecond = (name: string) => classes.filter((own, row) => own === name && parts[row] === 1).length;
    expect([inSecond("a"), inSecond("b")]).toEqual([9 - Math.round(9 * 0.75), 1]);
  });

  it("in a line keeps rows together and rounds half up", () => {
    expect([...partition(5, [0.5, 0.5], [], { sampling: "linear", seed: 0 })]).toEqual([0, 0, 0, 1, 1]);
    expect([...partition(4, [1, 2, 1], [], { sampling: "linear", seed: 0 })]).toEqual([0, 1, 1, 2]);
  });

  it("depends on the seed alone", () => {
    const draw = (seed: number) => partition(97, [1, 1], names, { sampling: "stratified", seed });
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  it.each<[readonly number[], Sampling, number, string]>([
    [[], "linear", 0, "the ratios are missing; expected numbers above 0"],
    [[1, 0], "linear", 0, "the ratios are 1, 0; expected numbers above 0"],
    [[1, 1], "random" as Sampling, 0, 'unknown sampling "random"; expected linear, shuffled or stratified'],
    [[1, 1], "shuffled", -1, "the seed is -1; expected a whole number from 0 to 2^48 - 1"],
    [[1, 1], "shuffled", 0.5, "the seed is 0.5"],
  ])("of ratios %j, %s, with seed %d is refused", (ratios, sampling, seed, message) => {
    expect(() => partition(3, ratios, [], { sampling, seed })).toThrow(message);
  });
});

describe("a split table", () => {
  const table = Table.fromColumns({
    x: Float64Array.from({ length: 10 }, (_, i) => i),
    y: [..."aababbabab"],
  });
  const xs = (part: Table) =>
    Array.from({ length: part.rows }, (_, row) => Number(cellOf(part.column("x"), row)));

  it("has every row in one part, in its order", () => {
    const parts = splitTable(table, { ratios: [0.7, 0.3], label: "y" }).map(xs);
    expect(parts.map(({ length }) => length)).toEqual([8, 2]);
    for (const part of parts) expect(part).toEqual([...part].sort((a, b) => a - b));
    expect(parts.flat().sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it("is stratified for a nominal label, shuffled otherwise, linear when asked", () => {
    const parts = (sampling: Sampling) => partition(10, [1, 1], [..."aababbabab"], { sampling, seed: 3 });
    const first = (options: object) => xs(splitTable(table, { ratios: [1, 1], seed: 3, ...options })[0]);
    const rowsOf = (sampling: Sampling) =>
      [...parts(sampling).keys()].filter((row) => parts(sampling)[row] === 0);
    expect(first({ label: "y" })).toEqual(rowsOf("stratified"));
    expect(first({ label: "x" })).toEqual(rowsOf("shuffled"));
    expect(first({})).toEqual(rowsOf("shuffled"));
    expect(first({ sampling: "linear" })).toEqual([0, 1, 2, 3, 4]);
    expect(() => first({ sampling: "stratified" })).toThrow("stratified sampling needs a label");
  });
});

describe("the performance of a classification", () => {
  it("has accuracy, kappa, precision and recall", () => {
    const truth = ["a", "a", "a", "b", "b", "c", null];
    const found = ["a", "a", "b", "b", "c", null, "a"];
    const { rows, leftOut, accuracy, kappa, precision, recall, confusion } = classificationPerformance(
      truth,
      found,
    );
    expect([rows, leftOut, accuracy]).toEqual([5, 2, 0.6]);
    expect(confusion.classes).toEqual(["a", "b", "c"]);
    const chance = (3 * 2 + 2 * 2 + 0 * 1) / 25;
    expect(kappa).toBeCloseTo((0.6 - chance) / (1 - chance), 14);
    expect([...precision]).toEqual([1, 0.5, 0]);
    expect([...recall]).toEqual([2 / 3, 0.5, NaN]);
  });

  it("is not defined where it divides by nothing", () => {
    expect(classificationPerformance([1, 1], [1, 1])).toMatchObject({ accuracy: 1, kappa: NaN });
    expect(classificationPerformance([], [])).toMatchObject({ rows: 0, accuracy: NaN });
  });
});

describe("the performance of a regression", () => {
  it("has errors, correlation and R2", () => {
    const found = regressionPerformance([1, 2, 3, NaN, 5], [1, 3, 5, 1, NaN]);
    expect(found).toEqual({
      rows: 3,
      leftOut: 2,
      rmse: Math.sqrt(5 / 3),
      mae: 1,
      correlation: expect.closeTo(1, 14) as number,
      r2: 1 - 5 / 2,
    });
  });

  it("clamps the correlation in compat only", () => {
    const against = [
      [1, 2, 3],
      [3, 2, 1],
    ] as const;
    expect(regressionPerformance(...against).correlation).toBeCloseTo(-1, 14);
    expect(regressionPerformance(...against, { compat: "rapidminer" }).correlation).toBe(0);
    expect(regressionPerformance([1, 2], [3, 3]).correlation).toBeNaN();
    expect(regressionPerformance([1, 2], [3, 3], { compat: "rapidminer" }).correlation).toBe(0);
  });

  it("needs a prediction for each label", () => {
    expect(() => regressionPerformance([1, 2], [1])).toThrow("2 true labels for 1 predictions");
  });
});
