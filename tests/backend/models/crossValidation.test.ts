/** Cross-validation and pipelines on the CPU: equal, row for row, to a float64 script that shares no code. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  KNeighborsClassifier,
  KNeighborsRegressor,
  Normalize,
  Pipeline,
  ReplaceMissingValues,
  Table,
  classificationPerformance,
  crossValidate,
  regressionPerformance,
} from "../../../dist/node.js";
import type { Device } from "../../../dist/node.js";
import { crossValidated } from "../../oracle/crossValidation.ts";
import type { Row } from "../../oracle/crossValidation.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { openDevice } from "../helpers.ts";

const random = new Random(printedSeed());
let device: Device;
beforeAll(async () => {
  device = await openDevice("cpu");
});
afterAll(() => device.dispose());

/** Some rows have no label. */
function blobs(rows: number): Row[] {
  return Array.from({ length: rows }, () => {
    const x = random.normal();
    const y = random.normal() + 2 * x;
    const known = random.uniform() < 0.95;
    return {
      x,
      y,
      z: random.int(0, 1000),
      kind: known ? (y > 1 ? "high" : y < -1 ? "low" : "mid") : null,
      size: known ? y : null,
    };
  });
}

describe("cross-validation", () => {
  const rows = blobs(83);
  const table = Table.fromRows(rows);
  const features = ["x", "z"];

  it.each([2, 7, 10])("of a classifier in %d folds equals the script, row for row", async (folds) => {
    const model = new Pipeline(
      [new Normalize()],
      new KNeighborsClassifier({ features, nNeighbors: 3, device }),
    );
    const found = await crossValidate(model, table, "kind", { folds, seed: 5 });
    const expected = crossValidated({ rows, label: "kind", features, k: 3, folds, seed: 5 });
    expect(found.predictions).toEqual(expected.predictions);
    expect(Array.from(found.foldOf, (fold) => fold | 0)).toEqual(expected.foldOf);
    expect(found.unlabelled).toBe(rows.filter(({ kind }) => kind === null).length);
    model.dispose();
  });

  it("of a regressor equals the script, and shuffles", async () => {
    const model = new Pipeline(
      [new Normalize()],
      new KNeighborsRegressor({ features, nNeighbors: 3, device }),
    );
    const found = await crossValidate(model, table, "size");
    const expected = crossValidated({ rows, label: "size", features, k: 3, folds: 10, seed: 2001 });
    expect(Array.from(found.predictions, (p) => (Number.isNaN(p) ? null : p))).toEqual(expected.predictions);
    expect(Array.from(found.foldOf, (fold) => fold | 0)).toEqual(expected.foldOf);
    model.dispose();
  });

  it("reports each fold, their mean and deviation, and all rows at once", async () => {
    const model = new KNeighborsClassifier({ features, device });
    const { folds, macro, micro, foldOf, predictions } = await crossValidate(model, table, "kind", {
      folds: 4,
    });
    const truth = rows.map(({ kind }) => kind as string | null);
    const inFold = <T>(values: readonly T[], fold: number) => values.filter((_, row) => foldOf[row] === fold);
    expect(folds).toEqual(
      [0, 1, 2, 3].map((fold) => classificationPerformance(inFold(truth, fold), inFold(predictions, fold))),
    );
    const labelled = truth.flatMap((label, row) => (label === null ? [] : [row]));
    expect(micro).toEqual(
      classificationPerformance(
        labelled.map((row) => truth[row]),
        labelled.map((row) => predictions[row]),
      ),
    );
    for (const measure of ["accuracy", "kappa"] as const) {
      const values = folds.map((fold) => fold[measure]);
      const mean = values.reduce((a, b) => a + b) / 4;
      const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 3);
      expect(macro[measure]).toEqual({
        mean: expect.closeTo(mean, 12) as number,
        deviation: expect.closeTo(deviation, 12) as number,
      });
    }
    model.dispose();
  });

  it("of a regressor reports errors of each fold and of all rows", async () => {
    const model = new KNeighborsRegressor({ features, device });
    const { folds, macro, micro, foldOf, predictions } = await crossValidate(model, table, "size", {
      folds: 3,
    });
    const labelled = rows.flatMap((row, at) => (row.size === null ? [] : [at]));
    const performanceOf = (chosen: number[]) =>
      regressionPerformance(
        chosen.map((row) => Number(rows[row].size)),
        chosen.map((row) => predictions[row]),
      );
    expect(micro).toEqual(performanceOf(labelled));
    expect(folds).toEqual(
      [0, 1, 2].map((fold) => performanceOf(labelled.filter((row) => foldOf[row] === fold))),
    );
    expect(macro.rmse.mean).toBeCloseTo((folds[0].rmse + folds[1].rmse + folds[2].rmse) / 3, 12);
    model.dispose();
  });

  it.each(["kind", "size"])("keeps the neighbours of each row among other folds, of %s", async (label) => {
    const options = { features, nNeighbors: 4, device };
    const model = label === "kind" ? new KNeighborsClassifier(options) : new KNeighborsRegressor(options);
    const { neighbors, foldOf } = await crossValidate(model, table, label, { folds: 5, neighbors: true });
    const { indices, distances, k } = neighbors!;
    expect(k).toBe(4);
    const isTested = (row: number) => foldOf[row] !== 0xffffffff;
    const all = rows.map((_, row) => row);
    const [x, z] = features.map((name) => rows.map((row) => Number(row[name])));
    for (const row of all) {
      const others = isTested(row) ? all.filter((at) => isTested(at) && foldOf[at] !== foldOf[row]) : [];
      const expected = others
        .map((at) => ({
          at,
          d: Math.sqrt((x[at] - x[row]) ** 2 + (z[at] - z[row]) ** 2),
        }))
        .sort((a, b) => a.d - b.d || a.at - b.at);
      const places = [0, 1, 2, 3].map((at) => row * k + at);
      expect(places.map((at) => indices[at])).toEqual(
        isTested(row) ? expected.slice(0, k).map(({ at }) => at) : [-1, -1, -1, -1].map((none) => none >>> 0),
      );
      expect(places.map((at) => distances[at])).toEqual(
        isTested(row) ? expected.slice(0, k).map(({ d }) => d) : [NaN, NaN, NaN, NaN],
      );
    }
    model.dispose();
  });

  it("keeps all neighbours where RapidMiner's later folds have more rows to choose from", async () => {
    const line = Table.fromColumns({ x: [0, 1, 2, 3, 4], y: [0, 1, 2, 3, 4] });
    const model = new KNeighborsRegressor({ compat: "rapidminer", nNeighbors: 4, device });
    const options = { folds: 2, sampling: "linear", neighbors: true } as const;
    const { foldOf, neighbors } = await crossValidate(model, line, "y", options);
    const { indices, distances, k } = neighbors!;
    expect(k).toBe(3);
    const none = 0xffffffff;
    for (const row of [0, 1, 2, 3, 4]) {
      const others = [0, 1, 2, 3, 4].filter((at) => foldOf[at] !== foldOf[row]);
      const own = (values: ArrayLike<number>) => [0, 1, 2].map((at) => values[row * k + at]);
      const gap = others.length === 2 ? [none] : [];
      expect(own(indices).sort((a, b) => a - b)).toEqual([...others, ...gap]);
      expect(own(distances)).toEqual(own(indices).map((at) => (at === none ? NaN : Math.abs(at - row))));
    }
    model.dispose();
  });

  it("numbers compat's classes as the whole table has them", async () => {
    const shared = Table.fromColumns({ x: [0, 1, 2, 3], y: ["c", "b", "a", "a"] });
    const model = new KNeighborsClassifier({ compat: "rapidminer", nNeighbors: 1, device });
    await crossValidate(model, shared, "y", { folds: 4, sampling: "linear" });
    expect(model.classes).toEqual(["c", "b", "a"]);
    model.dispose();
  });

  it("refuses folds that cannot be, and may be aborted", async () => {
    const model = new KNeighborsClassifier({ features, nNeighbors: 1, device });
    const small = Table.fromColumns({ x: [1, 2, 3], z: [1, 2, 3], kind: ["a", "b", null] });
    for (const folds of [1, 3, 2.5]) {
      await expect(crossValidate(model, small, "kind", { folds })).rejects.toThrow(
        `${folds} folds of 2 rows with a label; expected a whole number from 2 to the number of rows`,
      );
    }
    await expect(crossValidate(model, small, "kine", {})).rejects.toThrow('did you mean "kind"?');
    const reason = new Error("enough");
    const controller = new AbortController();
    const seen: number[] = [];
    const onProgress = ({ done }: { done: number }) => {
      seen.push(done);
      if (done === 1) controller.abort(reason);
    };
    const run = crossValidate(model, table, "kind", { signal: controller.signal, onProgress });
    await expect(run).rejects.toBe(reason);
    expect(seen).toEqual([0, 1]);
    model.dispose();
  });
});

describe("a pipeline", () => {
  it("fits its steps on the features of train alone, one on what the other made", async () => {
    const train = Table.fromColumns({ id: [1, 2, 3], x: [0, null, 10], price: [100, 200, 300] });
    const model = new KNeighborsRegressor({ nNeighbors: 1, roles: { id: "id" }, device });
    const pipeline = await new Pipeline(
      [new ReplaceMissingValues(), new Normalize({ method: "range" })],
      model,
    ).fit(train, "price");
    const test = Table.fromColumns({ x: [0.4, 6, null, 40] });
    expect([...(pipeline.prepare(test).column("x") as { values: Float64Array }).values]).toEqual([
      0.04, 0.6, 0.5, 4,
    ]);
    expect([...(await pipeline.predict(test))]).toEqual([100, 200, 200, 300]);
    pipeline.dispose();
  });
});
