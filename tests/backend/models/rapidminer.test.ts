/**
 * Estimators with `compat: "rapidminer"`, against outputs of RapidMiner 9.10's own classes and against the
 * oracle.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors, Table } from "../../../dist/node.js";
import type { Device, MetricName } from "../../../dist/node.js";
import { bruteForce } from "../../oracle/knn.ts";
import { heapOrder, votes } from "../../oracle/rapidminer.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { onEachBackend } from "../helpers.ts";
import { matrix } from "../inputs.ts";

const random = new Random(printedSeed());

/** Numbers as the file writes them; text stands for NaN and infinities. */
type Num = number | string;

interface Process {
  readonly task: "classification" | "regression";
  readonly k: number;
  readonly weighted_vote: boolean;
  readonly measure: string;
  readonly train: readonly (readonly Num[])[];
  readonly label: readonly Num[];
  readonly query: readonly (readonly Num[])[];
  readonly prediction: readonly Num[];
  readonly confidence?: readonly (readonly Num[])[];
}

const fixture = new URL("../../fixtures/rapidminer-knn.json", import.meta.url);
/** Distances in training order, and the rows that RapidMiner keeps, in its order. */
interface TopK {
  readonly k: number;
  readonly d: readonly Num[];
  readonly order: readonly number[];
}

const golden = JSON.parse(readFileSync(fixture, "utf8")) as {
  readonly predict: readonly Process[];
  readonly topk: readonly TopK[];
};

onEachBackend((device) => {
  describe("RapidMiner's own outputs", () => {
    it("are reproduced in all 60 neighbour lists", async () => {
      expect(golden.topk).toHaveLength(60);
      const before = device().counters.work;
      let filtered = 0;
      for (const { k, d, order } of golden.topk) {
        const expected = order.map((row) => (d[row] === "-0" ? -0 : Number(d[row])));
        // A list with -0 is of no sum of differences: its distances are given.
        const given = d.includes("-0");
        const values = d.map((each) => (each === "-0" ? -0 : Number(each)));
        const rows = values.map((value) => [given ? 0 : value]);
        const nn = await new NearestNeighbors({
          metric: given ? "precomputed" : "rapidminer:ManhattanDistance",
          missing: "skip",
          compat: "rapidminer",
          device: device(),
        }).fit(rows);
        const found = await nn.kneighbors(given ? [values] : [[0]], { nNeighbors: k });
        nn.dispose();
        expect([...found.indices], JSON.stringify({ k, d })).toEqual(order);
        expect([...found.distances]).toEqual(expected);
        if (!given) filtered += d.length;
      }
      expect(filtered).toBeGreaterThan(700);
      expect(device().counters.work - before).toBeGreaterThanOrEqual(filtered);
    });

    it("are reproduced in all 45 processes", async () => {
      expect(golden.predict).toHaveLength(45);
      const before = device().counters.work;
      for (const process of golden.predict) {
        const found = await (process.task === "classification" ? classify : regress)(process, device());
        expect(found, JSON.stringify(process)).toEqual({
          prediction: process.prediction.map(close),
          confidence: process.confidence?.flat().map(close),
        });
      }
      // The device looked at the pairs of every process whose measure has a filter.
      const pairs = ({ measure, train, query }: Process) =>
        measure === "MixedEuclideanDistance" ? train.length * query.length : 0;
      const least = golden.predict.reduce((sum, process) => sum + pairs(process), 0);
      expect(least).toBeGreaterThan(0);
      expect(device().counters.work - before).toBeGreaterThanOrEqual(least);
    });
  });

  describe("with compat", () => {
    it("neighbours are those of the replayed heap, in its order, among many ties", async () => {
      const train = matrix(300, 2, () => random.int(0, 5));
      const queries = matrix(20, 2, () => random.int(0, 5));
      const nn = await new NearestNeighbors({ compat: "rapidminer", device: device() }).fit(train);
      for (const nNeighbors of [1, 2, 7, 40, 300]) {
        const { indices, distances, k } = await nn.kneighbors(queries, { nNeighbors });
        const all = distancesByRow(train, queries);
        const expected = all.flatMap((row) => heapOrder(row, nNeighbors));
        expect(k).toBe(nNeighbors);
        expect([...indices]).toEqual(expected);
        expect([...distances]).toEqual(expected.map((row, at) => all[Math.floor(at / k)][row]));
      }
      nn.dispose();
    });

    it.each([true, false])("votes equal the oracle's, weighted: %s", async (weighted) => {
      const train = matrix(60, 2, () => random.int(0, 4));
      const queries = matrix(30, 2, () => random.int(0, 4));
      const labels = Array.from({ length: 60 }, () => random.pick(["z", "a", "m"]));
      const classes = [...new Set(labels)];
      const weights = weighted ? "distance" : "uniform";
      for (const nNeighbors of [1, 2, 5, 70]) {
        const model = new KNeighborsClassifier({
          nNeighbors,
          weights,
          compat: "rapidminer",
          device: device(),
        });
        const found = await (await model.fit(train, labels)).classify(queries);
        const expected = distancesByRow(train, queries).map((row) => {
          const neighbors = heapOrder(row, nNeighbors).map((at) => ({
            distance: row[at],
            code: classes.indexOf(labels[at]),
          }));
          return votes(neighbors, classes.length, nNeighbors, weighted);
        });
        expect(model.classes).toEqual(classes);
        expect([...found.probabilities]).toEqual(expected.flatMap(({ confidences }) => confidences));
        expect(found.labels).toEqual(
          expected.map(({ winner }) => (winner === undefined ? null : classes[winner])),
        );
        model.dispose();
      }
    });
  });
});

describe("with compat", () => {
  const search = { compat: "rapidminer", backend: "cpu", threads: 1 } as const;
  const settings = { ...search, weights: "distance" } as const;

  it("an exact match does not win by itself", async () => {
    const model = await new KNeighborsClassifier({ ...settings, nNeighbors: 3 }).fit(
      [[0], [1], [1]],
      ["a", "b", "b"],
    );
    expect([...(await model.predictProba([[0]]))]).toEqual([0.5, 0.5]);
    expect(await model.predict([[0]])).toEqual(["a"]);
    model.dispose();
  });

  it("one row against k = 5 has no confidence in anything but predicts the first class", async () => {
    const table = Table.fromColumns({ x: [9, 9, 1], y: ["first", "second", "second"] }).take([2]);
    const model = await new KNeighborsClassifier({ ...settings, nNeighbors: 5 }).fit(table, "y");
    const { labels, probabilities } = await model.classify(Table.fromColumns({ x: [4] }));
    expect(model.classes).toEqual(["first", "second"]);
    expect([labels, [...probabilities]]).toEqual([["first"], [0, 0]]);
    model.dispose();
  });

  it("a missing label counts as the first class", async () => {
    const options = { ...settings, weights: "uniform", nNeighbors: 1 } as const;
    const nominal = Table.fromColumns({ x: [0, 1, 2], y: ["b", null, "a"] });
    const numeric = Table.fromColumns({ x: [0, 1, 2], y: [7, null, 3] });
    const predictions = async (model: Promise<KNeighborsClassifier>, queries: Table | number[][]) => {
      const labels = await (await model).predict(queries);
      (await model).dispose();
      return labels;
    };
    const queries = Table.fromColumns({ x: [1, 2] });
    expect(await predictions(new KNeighborsClassifier(options).fit(nominal, "y"), queries)).toEqual([
      "b",
      "a",
    ]);
    expect(await predictions(new KNeighborsClassifier(options).fit(numeric, "y"), queries)).toEqual([7, 3]);
    const byArray = new KNeighborsClassifier(options).fit([[0], [1], [2]], [null, 3, 7]);
    expect(await predictions(byArray, [[0], [2]])).toEqual([3, 7]);
  });

  it("labels that are all missing are refused", async () => {
    const fit = (labels: string | null[], train: Table | number[][]) =>
      new KNeighborsClassifier(settings).fit(train, labels);
    await expect(fit([null], [[1]])).rejects.toThrow("every label is missing; give at least one");
    await expect(fit("y", Table.fromColumns({ x: [1], y: [null] }))).rejects.toThrow(
      'column "y": every label is missing; give at least one row a label',
    );
  });

  it("weighted regression with k = 1 predicts 0 unless the distance is 0", async () => {
    const model = await new KNeighborsRegressor({ ...settings, nNeighbors: 1 }).fit([[0], [4]], [10, 20]);
    expect([...(await model.predict([[1], [4]]))]).toEqual([0, 20]);
    model.dispose();
  });

  it("plain regression divides by k although there are fewer rows", async () => {
    const options = { ...settings, weights: "uniform", nNeighbors: 4 } as const;
    const model = await new KNeighborsRegressor(options).fit([[0], [4]], [10, 20]);
    expect([...(await model.predict([[1]]))]).toEqual([7.5]);
    model.dispose();
  });

  it("a missing label of a neighbour makes a regression NaN, and of another row nothing", async () => {
    const model = await new KNeighborsRegressor({ ...settings, nNeighbors: 2 }).fit(
      [[0], [1], [9], [9]],
      [NaN, 1, 2, 4],
    );
    expect([...(await model.predict([[0], [9]]))]).toEqual([NaN, 3]);
    model.dispose();
  });

  it("similarities vote inverted instead of being refused", async () => {
    const options = { ...settings, nNeighbors: 2, metric: "inner_product" } as const;
    const model = await new KNeighborsClassifier(options).fit([[9], [1]], ["far", "near"]);
    const [far, near] = await model.predictProba([[0.1]]);
    expect(far).toBeCloseTo(0.1, 12);
    expect(near).toBeCloseTo(0.9, 12);
    model.dispose();
  });

  it("unknown names, float32 and k = 0 are refused", async () => {
    expect(() => new KNeighborsClassifier({ compat: "weka" as "rapidminer" })).toThrow(
      'unknown compat "weka"',
    );
    expect(() => new KNeighborsClassifier({ ...settings, precision: "float32" })).toThrow(
      "needs float64 distances",
    );
    expect(() => new KNeighborsRegressor({ ...settings, weights: "rank" as "distance" })).toThrow(
      "unknown weights",
    );
    const nn = await new NearestNeighbors(search).fit([[0]]);
    await expect(nn.kneighbors([[0]], { nNeighbors: 0 })).rejects.toThrow("nNeighbors is 0");
    await expect(nn.kneighbors([[0]], { radius: 1 })).rejects.toThrow(
      'compat "rapidminer" does not support radius',
    );
    await expect(nn.kneighbors([[0]], { excludeSelf: true })).rejects.toThrow("does not support excludeSelf");
    await expect(nn.kneighbors([[0, 1]])).rejects.toThrow("queries have 2 columns, but train has 1");
    nn.dispose();
  });

  it("a search can be aborted, and reports its progress", async () => {
    const nn = await new NearestNeighbors(search).fit([[0], [1]]);
    const seen: number[] = [];
    await nn.kneighbors([[0], [1], [2]], { onProgress: ({ done, total }) => seen.push(done / total) });
    expect(seen).toEqual([0, 1]);
    const reason = new Error("enough");
    await expect(nn.kneighbors([[0]], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    nn.dispose();
  });
});

/** Equal to 12 digits, or the same NaN, infinity or zero. */
function close(value: Num): unknown {
  const expected = Number(value);
  return Number.isFinite(expected) && expected !== 0
    ? expect.closeTo(expected, 12 - Math.ceil(Math.log10(Math.abs(expected))))
    : expected + 0;
}

const options = ({ k, weighted_vote, measure }: Process, device: Device) =>
  ({
    nNeighbors: k,
    weights: weighted_vote ? "distance" : "uniform",
    metric: `rapidminer:${measure}` as MetricName,
    missing: "skip",
    compat: "rapidminer",
    device,
  }) as const;

/** Three rows before the training rows put the classes into the file's order; they are taken out again. */
async function classify(process: Process, device: Device) {
  const names = process.train[0].map((_, j) => `a${j}`);
  const table = (rows: Process["train"]) =>
    Object.fromEntries(names.map((name, j) => [name, rows.map((row) => Number(row[j]))]));
  const first = names.map(() => 0);
  const rows = Table.fromColumns({
    ...table([first, first, first, ...process.train]),
    label: ["c0", "c1", "c2", ...process.label.map((code) => (code === "NaN" ? null : `c${code}`))],
  });
  const train = rows.take(process.train.map((_, row) => row + 3));
  const model = await new KNeighborsClassifier(options(process, device)).fit(train, "label");
  const { labels, probabilities } = await model.classify(Table.fromColumns(table(process.query)));
  model.dispose();
  return {
    prediction: labels.map((label) => (label === null ? NaN : Number(String(label).slice(1)))),
    confidence: Array.from(probabilities, (confidence) => confidence + 0),
  };
}

async function regress(process: Process, device: Device) {
  const numbers = (rows: Process["train"]) => rows.map((row) => row.map(Number));
  const model = await new KNeighborsRegressor(options(process, device)).fit(
    numbers(process.train),
    process.label.map(Number),
  );
  const prediction = Array.from(await model.predict(numbers(process.query)), (value) => value + 0);
  model.dispose();
  return { prediction, confidence: undefined };
}

/** Distances of every query to every row, in training order. */
function distancesByRow(train: ReturnType<typeof matrix>, queries: ReturnType<typeof matrix>): number[][] {
  const { indices, distances } = bruteForce(train, queries, { k: train.rows });
  return Array.from({ length: queries.rows }, (_, q) => {
    const byRow = new Array<number>(train.rows);
    for (let at = q * train.rows; at < (q + 1) * train.rows; at++) byRow[indices[at]] = distances[at];
    return byRow;
  });
}
