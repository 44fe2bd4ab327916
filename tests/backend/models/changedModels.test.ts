/**
 * Models whose rows changed: labels go with their rows, errors change nothing, model files keep what is left,
 * and what runs meanwhile ends on the rows that it began with.
 */
import { expect, it } from "vitest";
import {
  KNeighborsClassifier,
  KNeighborsRegressor,
  NearestNeighbors,
  Normalize,
  Pipeline,
  Table,
  loadModel,
  saveModel,
} from "../../../dist/node.js";
import type { Device } from "../../../dist/node.js";
import { changesPolicy } from "../../../dist/ops/knn/changes/numberedRows.js";
import { KnnIndex } from "../../../dist/ops/knn/knnIndex.js";
import { Random, printedSeed } from "../../oracle/random.ts";
import { onEachBackend } from "../helpers.ts";

const seed = printedSeed();

onEachBackend((device) => {
  it("classes and probabilities are those of a fresh fit", async () => {
    const random = new Random(seed);
    const options = { device: device(), nNeighbors: 3 };
    const made = (count: number, classes: readonly string[]) => ({
      rows: Array.from({ length: count }, () => [random.int(0, 9), random.int(0, 9)]),
      labels: Array.from({ length: count }, () => random.pick(classes)),
    });
    const first = made(20, ["m", "t"]);
    const model = await new KNeighborsClassifier(options).fit(first.rows, first.labels);
    const second = made(15, ["a", "t", "z"]);
    await model.add(second.rows, second.labels);
    const all = [...first.rows, ...second.rows];
    const labels = [...first.labels, ...second.labels];
    const gone = labels.flatMap((label, id) => (label === "m" || id % 5 === 0 ? [id] : []));
    await model.remove(gone);
    const left = all.map((_, id) => id).filter((id) => !gone.includes(id));
    const fresh = await new KNeighborsClassifier(options).fit(
      left.map((id) => all[id]),
      left.map((id) => labels[id]),
    );
    expect(model.classes).toEqual(fresh.classes);
    expect([...model.ids]).toEqual(left);
    const queries = made(12, ["a"]).rows;
    expect(await model.predict(queries)).toEqual(await fresh.predict(queries));
    expect(await model.predictProba(queries)).toEqual(await fresh.predictProba(queries));
    expect(model.trained.labels).toEqual(fresh.trained.labels);
    model.dispose();
    fresh.dispose();
  });

  it("a model file keeps the rows and the labels that are left", async () => {
    const table = Table.fromColumns({
      kind: ["a", null, "b", "b"],
      x: [1, 2, null, 8],
      y: [1, 2, 3, 4],
      note: ["p", "q", "r", "s"],
    });
    const model = new KNeighborsRegressor({ device: device(), nNeighbors: 1, features: ["x", "kind"] });
    await model.fit(table, "y");
    await model.add(Table.fromColumns({ x: [9, 3], kind: ["new", "a"] }), [70, 80]);
    await model.remove([3, 0]);
    const queries = Table.fromColumns({ x: [9, 9, 1, null], kind: ["new", "b", "a", "b"] });
    expect([...(await model.predict(queries))]).toEqual([70, 3, 2, 3]);
    const loaded = await loadModel(saveModel(model), { device: device() });
    expect([...((await loaded.pipeline.predict(queries)) as Float64Array)]).toEqual([70, 3, 2, 3]);
    expect([...(loaded.pipeline.model as KNeighborsRegressor).ids]).toEqual([0, 1, 2, 3]);
    loaded.pipeline.dispose();
    model.dispose();
  });

  it("prepared rows are added behind a pipeline", async () => {
    const table = Table.fromColumns({ x: [0, 10], label: ["low", "high"] });
    const chain = new Pipeline(
      [new Normalize()],
      new KNeighborsClassifier({ device: device(), nNeighbors: 1 }),
    );
    await chain.fit(table, "label");
    await chain.model.add(chain.prepare(Table.fromColumns({ x: [5], label: ["middle"] })), "label");
    const queries = Table.fromColumns({ x: [6, 9] });
    expect(await chain.predict(queries)).toEqual(["middle", "high"]);
    chain.dispose();
  });

  it("wrong changes say what is wrong and change nothing", async () => {
    const model = await fitted(device());
    const wrong: readonly [change: () => Promise<unknown>, message: string][] = [
      [() => model.add([[1]]), "the rows to add have 1 column, but train has 2"],
      [() => model.add([[1, NaN]]), "addition row 0, column 1 is NaN; a matrix must be finite"],
      [() => model.add([]), "addition has no rows"],
      [() => model.add({ data: new Float64Array(), rows: 0, cols: 2 }), "addition has no rows"],
      [() => model.add([[1, 2], [3]]), "addition row 1 has 1 value, but row 0 has 2"],
      [() => model.add(Table.fromColumns({ x: [1] })), "the rows to add are a table, but the estimator"],
      [() => model.remove([3]), "row 3 is not there: rows are numbered from 0 to 2"],
      [() => model.remove([1, 1]), "row 1 is not there: it was removed already"],
      [() => model.remove([0.5]), "row 0.5 is not there"],
      [() => model.remove(["1"] as never), "row 1 is not there: it is of type string, rows are numbered"],
      [() => model.remove([1n] as never), "row 1 is not there: it is of type bigint, rows are numbered"],
      [() => model.remove(1 as never), "remove takes a list of numbers of rows, not 1"],
    ];
    for (const [change, message] of wrong) await expect(change()).rejects.toThrow(message);
    expect([...model.ids]).toEqual([0, 1, 2]);
    expect([...(await model.kneighbors([[4, 4]], { nNeighbors: 3 })).indices]).toEqual([2, 1, 0]);
    const compat = await new NearestNeighbors({ device: device(), compat: "rapidminer" }).fit([[1]]);
    await expect(compat.add([[1]])).rejects.toThrow(
      'rows cannot be added or removed with compat "rapidminer"',
    );
    const texts = await new KNeighborsClassifier({ device: device() }).fit([[1]], ["a"]);
    await expect(texts.add([[1]], [7])).rejects.toThrow(
      "the labels to add are numbers, but those of the model are",
    );
    await expect(texts.add([[1]], ["a", "b"])).rejects.toThrow("2 labels for 1 row");
    const named = await new NearestNeighbors({ device: device(), missing: "error" }).fit(
      Table.fromColumns({ x: [1, 2], y: [3, 4] }),
    );
    await expect(named.add(Table.fromColumns({ x: [1] }))).rejects.toThrow(
      'the rows to add: there is no column "y", a feature of the training table; there are "x"',
    );
    await expect(named.add(Table.fromColumns({ x: [1], y: [null] }))).rejects.toThrow(
      'the rows to add, column "y": the cell of row 0',
    );
    for (const each of [model, compat, texts, named]) each.dispose();
    await expect(model.add([[1, 2]])).rejects.toThrow("not fitted yet");
  });

  it("changes are made in their order, and searches end on the rows they began with", async () => {
    const model = await fitted(device());
    const before = model.kneighbors([[9, 9]], { nNeighbors: 1 });
    const changes = [
      model.add([[9, 9]]),
      model.add([
        [8, 8],
        [7, 7],
      ]),
      model.remove([3]),
    ];
    const ids = await Promise.all(changes);
    expect(ids.slice(0, 2).map((each) => [...each!])).toEqual([[3], [4, 5]]);
    expect([...(await before).indices]).toEqual([2]);
    expect([...(await model.kneighbors([[9, 9]], { nNeighbors: 2 })).indices]).toEqual([4, 5]);
    const late = model.add([[1, 1]]);
    await model.fit([[0, 0]]);
    await expect(late).rejects.toThrow("fitted again or disposed of while rows were added");
    expect([...model.ids]).toEqual([0]);
    model.dispose();
  });

  it("an index is freed once, with the last change that has its rows", async () => {
    const { create } = KnnIndex;
    const { dispose } = KnnIndex.prototype;
    const [made, freed]: KnnIndex[][] = [[], []];
    KnnIndex.create = async (...given) => {
      const index = await create.apply(KnnIndex, given);
      made.push(index);
      return index;
    };
    KnnIndex.prototype.dispose = function () {
      freed.push(this);
      dispose.call(this);
    };
    const { smallRows } = changesPolicy;
    changesPolicy.smallRows = 40;
    try {
      const data = Float64Array.from({ length: 44 }, (_, row) => row);
      const model = new NearestNeighbors({ device: device(), nNeighbors: 1 });
      await model.fit({ data, rows: 44, cols: 1 });
      await model.add([[0.25]]);
      await model.remove([7]);
      const others = data.filter((row) => row !== 7);
      const queries = { data: Float64Array.of(...others, 0.25), rows: 44, cols: 1 };
      expect((await model.kneighbors(queries, { excludeSelf: true })).indices[0]).toBe(44);
      await model.add([[0.125]]);
      expect((await model.kneighbors([[0.126]])).indices[0]).toBe(45);
      expect(freed).not.toContain(made[0]); // 43 of the rows are in it
      model.dispose();
      await new Promise((done) => setTimeout(done));
    } finally {
      changesPolicy.smallRows = smallRows;
      KnnIndex.create = create;
      KnnIndex.prototype.dispose = dispose;
    }
    expect(made).toHaveLength(4);
    expect(new Set(freed)).toEqual(new Set(made));
    expect(freed).toHaveLength(4);
  });
});

function fitted(device: Device): Promise<NearestNeighbors> {
  return new NearestNeighbors({ device }).fit([
    [0, 0],
    [1, 1],
    [5, 5],
  ]);
}
