/** The regressor from rows to numbers, on the CPU, against brute force and the oracle's mean. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KNeighborsRegressor, Table } from "../../../dist/node.js";
import type { Device, Weights } from "../../../dist/node.js";
import { bruteForce } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { meanOf } from "../../oracle/vote.ts";
import { openDevice } from "../helpers.ts";
import { matrix } from "../inputs.ts";

const random = new Random(printedSeed());

let device: Device;
beforeAll(async () => {
  device = await openDevice("cpu");
});
afterAll(() => device.dispose());

describe("the regressor", () => {
  const train = matrix(200, 3, () => random.int(0, 4));
  const targets = Float64Array.from({ length: 200 }, () => random.normal());
  const queries = matrix(40, 3, () => random.int(0, 4));

  it.each<[Weights, number]>([
    ["uniform", 1],
    ["uniform", 4],
    ["distance", 4],
    ["distance", 9],
  ])("averages as defined with %s weights, k = %i", async (weights, k) => {
    const model = await new KNeighborsRegressor({ nNeighbors: k, weights, device }).fit(train, targets);
    const { indices, distances } = bruteForce(train, queries, { k });
    const expected = Array.from({ length: 40 }, (_, q) => {
      const own = Array.from({ length: k }, (_, i) => q * k + i);
      return meanOf(
        own.map((at) => ({ label: targets[indices[at]], distance: distances[at] })),
        weights,
      );
    });
    const found = await model.regress(queries);
    expect([...found.predictions]).toEqual(expected);
    expect(found.neighbors.indices).toEqual(indices);
    expect(await model.predict(queries)).toEqual(found.predictions);
    expect((await model.kneighbors(queries, { nNeighbors: 2 })).k).toBe(2);
    model.dispose();
  });

  it("takes a table and the name of its label column, and queries that lack it", async () => {
    const table = Table.fromColumns({ x: [0, 1, 5], price: [10, 20, 60], y: [0, 0, 0] });
    const model = await new KNeighborsRegressor({ nNeighbors: 2, device }).fit(table, "price");
    expect([...(await model.predict(Table.fromColumns({ y: [0, 0], x: [0.4, 4] })))]).toEqual([15, 40]);
    model.dispose();
  });

  it("scores R2: 1 for the labels themselves, 0 for their mean, below 0 for worse", async () => {
    const model = await new KNeighborsRegressor({ nNeighbors: 1, device }).fit([[0], [1], [2]], [1, 2, 6]);
    expect(await model.score([[0], [1], [2]], [1, 2, 6])).toBe(1);
    expect(await model.score([[0], [2], [1]], [1, 2, 6])).toBeCloseTo(1 - 32 / 14, 12);
    expect(await model.score([[1], [1]], [1, 3])).toBe(0);
    expect(await model.score([[1], [1]], [2, 2])).toBe(1);
    expect(await model.score([[1], [0]], [2, 2])).toBe(0);
    expect(await model.score([[1]], [2])).toBeNaN();
    await expect(model.score([[1]], [2, 2])).rejects.toThrow("2 true labels for 1 predictions");
    model.dispose();
  });

  it("scores a table by the name of its label column", async () => {
    const table = Table.fromColumns({ x: [0, 1, 2], y: [1, 2, 6], kind: ["a", "b", "c"] });
    const model = await new KNeighborsRegressor({ nNeighbors: 1, features: ["x"], device }).fit(table, "y");
    expect(await model.score(table, "y")).toBe(1);
    await expect(model.score(table, "kind")).rejects.toThrow("the label is nominal");
    model.dispose();
  });
});

describe("the regressor refuses", () => {
  const fit = (train: number[][] | Table, labels: ArrayLike<number> | string) =>
    new KNeighborsRegressor({ backend: "cpu", threads: 1 }).fit(train, labels);

  it.each<[string, number[][] | Table, ArrayLike<number> | string, string]>([
    ["as many labels as there are not rows", [[1], [2]], [1], "1 label for 2 rows of train"],
    [
      "a label that is missing",
      [[1], [2]],
      [1, NaN],
      "label of row 1 is NaN; regression needs a finite number",
    ],
    ["a label that is infinite", [[1]], [Infinity], "label of row 0 is Infinity"],
    ["labels that are text", [[1]], ["7"] as unknown as number[], "label of row 0 is 7; regression needs"],
    ["a column of a matrix", [[1]], "y", 'label "y" names a column, but train is not a table; pass labels'],
    [
      "a nominal column",
      Table.fromColumns({ x: [1], y: ["a"] }),
      "y",
      'column "y": the label is nominal, and regression needs numbers; correct the cell, or classify instead',
    ],
    [
      "a column with a gap",
      Table.fromColumns({ x: [1, 2], y: [1, null] }),
      "y",
      'column "y": the label of row 1 (from 0) is missing; fill it in or remove the row',
    ],
  ])("%s", async (_, train, labels, message) => {
    await expect(fit(train, labels)).rejects.toThrow(message);
  });

  it("a radius, which may leave nothing to predict from", async () => {
    const model = await fit([[1], [2], [3], [4], [5]], [1, 2, 3, 4, 5]);
    await expect(model.predict([[1]], { radius: 1 })).rejects.toThrow(
      "a radius of 1 may leave a query without",
    );
    model.dispose();
  });

  it("predictions before it is fitted", async () => {
    await expect(new KNeighborsRegressor().predict([[1]])).rejects.toThrow("not fitted yet; call fit");
  });

  it("distance weights with distances below 0, and unknown weights", () => {
    expect(() => new KNeighborsRegressor({ metric: "inner_product", weights: "distance" })).toThrow(
      "inner_product can be negative",
    );
    expect(() => new KNeighborsRegressor({ weights: "rank" as Weights })).toThrow('unknown weights "rank"');
  });
});
