/**
 * Estimators that are fitted again, or disposed of, while searches run: each ends on the rows, labels and
 * steps that it began with, and then their memory is free.
 */
import { describe, expect, it } from "vitest";
import {
  Device,
  KNeighborsClassifier,
  KNeighborsRegressor,
  NearestNeighbors,
  Normalize,
  Pipeline,
  Table,
  crossValidate,
  encode,
} from "../../../dist/node.js";
import type { Matrix, Preparation, PreparationState } from "../../../dist/node.js";
import { bruteForce } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame, onEachBackend, openBeside, openDevice } from "../helpers.ts";

const random = new Random(printedSeed());
const cols = 3;
const rows = 400;
const k = 4;
const matrixOf = (count: number, scale = 1): Matrix => ({
  data: Float32Array.from({ length: count * cols }, () => scale * random.uniform()),
  rows: count,
  cols,
});
const [first, second] = [matrixOf(rows), matrixOf(rows)];
const asked = Array.from({ length: 20 }, () => matrixOf(5));
const nearestTo = (train: Matrix, queries: Matrix) => bruteForce(train, queries, { k: 1 }).indices;

/** Returns the sessions of a device that are open, each of which holds the rows of an index. */
function sessionsOf(device: Device) {
  const { backend } = device;
  const open = backend.open.bind(backend);
  const sessions = new Set<unknown>();
  backend.open = async (...args) => {
    const session = await open(...args);
    const dispose = session.dispose.bind(session);
    sessions.add(session);
    session.dispose = () => {
      sessions.delete(session);
      dispose();
    };
    return session;
  };
  return sessions;
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

/**
 * Runs twelve searches, a fit, four searches while it runs, and four when it has ended.
 * @returns what each found
 */
async function around<Found>(search: (queries: Matrix) => Promise<Found>, refit: () => Promise<unknown>) {
  const started = asked.slice(0, 12).map(search);
  const fitting = refit();
  started.push(...asked.slice(12, 16).map(search));
  await fitting;
  started.push(...asked.slice(16).map(search));
  return Promise.all(started);
}

const rowsOf = (query: number) => (query < 16 ? first : second);

onEachBackend((device, backend) => {
  it.each(["that is ours", "that is the caller's"])(
    "twenty searches around a fit, on a device %s",
    async (whose) => {
      const used = whose === "that is ours" ? { backend } : { device: device() };
      const model = await new NearestNeighbors({ nNeighbors: k, ...used }).fit(first);
      const found = await around(
        (queries) => model.kneighbors(queries),
        () => model.fit(second),
      );
      found.forEach((each, query) => expectSame(each, bruteForce(rowsOf(query), asked[query], { k }), k));
      model.dispose();
    },
  );

  it("give back the memory of rows that nobody searches any more", async () => {
    const own = await openBeside(backend);
    const sessions = sessionsOf(own);
    const model = await new NearestNeighbors({ nNeighbors: k, device: own }).fit(first);
    const peaks: number[] = [];
    for (let round = 0; round < 6; round++) {
      await around(
        (queries) => model.kneighbors(queries),
        () => model.fit(round % 2 === 0 ? second : first),
      );
      await turn();
      expect(sessions.size).toBe(1);
      peaks.push(own.counters.peakBytes);
    }
    // How far a search and the next fit overlap is a matter of time; rows that stay would triple it.
    expect(peaks[5]).toBeLessThan(2 * peaks[1]);
    model.dispose();
    await turn();
    expect(sessions.size).toBe(0);
    own.dispose();
  });

  it("RapidMiner's heaps, classes and numbers around a fit", async () => {
    const options = { nNeighbors: 1, device: device() };
    const labels = (name: string) => Array.from({ length: rows }, (_, row) => `${name}${row}`);
    const numbers = (from: number) => Float64Array.from({ length: rows }, (_, row) => from + row);
    for (const compat of [undefined, "rapidminer"] as const) {
      const classifier = await new KNeighborsClassifier({ ...options, compat }).fit(first, labels("first "));
      const classes = await around(
        (queries) => classifier.predict(queries),
        () => classifier.fit(second, labels("second ")),
      );
      const regressor = await new KNeighborsRegressor({ ...options, compat }).fit(first, numbers(0));
      const predicted = await around(
        (queries) => regressor.predict(queries),
        () => regressor.fit(second, numbers(rows)),
      );
      asked.forEach((queries, query) => {
        const nearest = [...nearestTo(rowsOf(query), queries)];
        const [name, from] = query < 16 ? ["first", 0] : ["second", rows];
        expect(classes[query]).toEqual(nearest.map((row) => `${name} ${row}`));
        expect([...predicted[query]]).toEqual(nearest.map((row) => from + row));
      });
      for (const model of [classifier, regressor]) model.dispose();
    }
  });

  it("a search that runs ends when its estimator is disposed of, and then the device is closed", async () => {
    const model = await new NearestNeighbors({ nNeighbors: k, backend }).fit(first);
    let closed = 0;
    const { dispose } = Object.getOwnPropertyDescriptors(Device.prototype);
    Object.defineProperty(Device.prototype, "dispose", {
      ...dispose,
      value(this: Device) {
        closed++;
        (dispose.value as () => void).call(this);
      },
    });
    try {
      const found = asked.map((queries) => model.kneighbors(queries));
      model.dispose();
      expect(closed).toBe(0);
      await expect(model.kneighbors(asked[0])).rejects.toThrow("not fitted yet");
      (await Promise.all(found)).forEach((each, query) =>
        expectSame(each, bruteForce(first, asked[query], { k }), k),
      );
      await turn();
      expect(closed).toBe(1);
    } finally {
      Object.defineProperty(Device.prototype, "dispose", dispose);
    }
    await model.fit(second);
    expectSame(await model.kneighbors(asked[0]), bruteForce(second, asked[0], { k }), k);
    model.dispose();
  });

  it("a fit that runs is refused when its estimator is disposed of", async () => {
    const own = await openBeside(backend);
    const sessions = sessionsOf(own);
    for (const used of [{ device: own }, { backend }]) {
      const model = new NearestNeighbors({ nNeighbors: k, ...used });
      const fitting = model.fit(first);
      model.dispose();
      await expect(fitting).rejects.toThrow("this estimator was disposed of before it was fitted");
      await expect(model.kneighbors(asked[0])).rejects.toThrow("not fitted yet");
      model.dispose();
    }
    expect(sessions.size).toBe(0);
    own.dispose();
  });

  it("a search is refused when its device is disposed of while it runs", async () => {
    const own = await openDevice(backend);
    const model = await new NearestNeighbors({ nNeighbors: k, device: own }).fit(first);
    const found = asked.map((queries) => model.kneighbors(queries));
    own.dispose();
    for (const each of found) await expect(each).rejects.toThrow("the device was disposed");
    model.dispose();
  });
});

describe("what belongs together", () => {
  const tableOf = (scale: number, name: string) =>
    Table.fromColumns({
      x: Array.from({ length: 50 }, () => scale * random.uniform()),
      y: Array.from({ length: 50 }, () => random.uniform()),
      label: Array.from({ length: 50 }, (_, row) => `${name}${row}`),
    });
  const [small, large] = [tableOf(1, "small "), tableOf(1000, "large ")];
  const query = Table.fromColumns({ x: [0.3], y: [0.4] });

  it("is never seen apart, whenever a prediction begins: rows and labels, steps and model", async () => {
    const device = await openDevice("cpu");
    const make = (table: Table) =>
      new Pipeline([new Normalize()], new KNeighborsClassifier({ nNeighbors: 1, device })).fit(
        table,
        "label",
      );
    const known = await Promise.all(
      [small, large].map(async (table) => (await (await make(table)).predict(query))[0]),
    );
    expect(known).toEqual([expect.stringMatching(/^small/), expect.stringMatching(/^large/)]);
    const model = await make(small);
    let fitted = false;
    const fitting = model.fit(large, "label").then(() => (fitted = true));
    const begun: Promise<unknown>[] = [];
    for (let turns = 0; turns < 300; turns++) {
      begun.push(model.predict(query).then(([label]) => label));
      if (!fitted && turns > 200) await turn();
      else await Promise.resolve();
    }
    await fitting;
    const labels = await Promise.all(begun);
    const switched = labels.indexOf(known[1]);
    expect(switched).toBeGreaterThan(0);
    expect(labels).toEqual(labels.map((_, at) => known[at < switched ? 0 : 1]));
    device.dispose();
  });

  it("stays as it was when a fit fails", async () => {
    const device = await openDevice("cpu");
    const model = new Pipeline([new Normalize()], new KNeighborsClassifier({ nNeighbors: 1, device }));
    await model.fit(small, "label");
    const before = await model.predict(query);
    await expect(model.fit(large.select(["x", "y"]), "label")).rejects.toThrow();
    const gone = Table.fromColumns({ x: [1, 2000], y: [0, 1], label: [null, null] });
    await expect(model.fit(gone, "label")).rejects.toThrow();
    expect(await model.predict(query)).toEqual(before);
    device.dispose();
  });

  /** A step of a caller's own class, which learns the greatest number of each column. */
  class ByGreatest implements Preparation {
    greatest = new Map<string, number>();
    fit(table: Table, columns: readonly string[] = table.names): this {
      for (const name of columns) this.greatest.set(name, Math.max(...encode(table, [name]).data));
      return this;
    }
    transform(table: Table): Table {
      return new Table(
        table.columns.map((column) => {
          const by = this.greatest.get(column.name);
          if (by === undefined || column.kind !== "numeric") return column;
          return { ...column, values: column.values.map((x) => x / by) };
        }),
      );
    }
    toState(): PreparationState {
      return { step: "byGreatest", options: {}, columns: [...this.greatest] };
    }
  }
  class Copied extends ByGreatest {
    copy(): Copied {
      return Object.assign(new Copied(), { greatest: new Map(this.greatest) });
    }
  }
  class OfOurs extends Normalize {}

  /** Begins predictions before, while and after a model is fitted again, and says what each gave. */
  async function predictionsAround(step: () => Preparation, device: Device) {
    const make = (table: Table) =>
      new Pipeline([step()], new KNeighborsClassifier({ nNeighbors: 1, device })).fit(table, "label");
    const predict = async (model: Pipeline) => (await model.predict(query))[0];
    const known = [await predict(await make(small)), await predict(await make(large))];
    const model = await make(small);
    let fitted = false;
    const begun = [predict(model)];
    const fitting = model.fit(large, "label").then(() => (fitted = true));
    while (!fitted) {
      begun.push(
        Promise.resolve()
          .then(() => predict(model))
          .catch((error: Error) => error.message),
      );
      await turn();
    }
    await fitting;
    begun.push(predict(model));
    const labels = await Promise.all(begun);
    expect([labels[0], labels.at(-1)]).toEqual(known);
    return { known, between: labels.slice(1, -1) };
  }

  it("is kept of steps of other classes that have copies, and rows are refused where they have none", async () => {
    const device = await openDevice("cpu");
    const copied = await predictionsAround(() => new Copied(), device);
    expect(copied.between.length).toBeGreaterThan(0);
    for (const label of copied.between) expect(copied.known).toContain(label);
    expect(copied.between[0]).toBe(copied.known[0]);
    for (const step of [ByGreatest, OfOurs]) {
      const { known, between } = await predictionsAround(() => new step(), device);
      expect(between[0]).toMatch(
        new RegExp(`^the step ${step.name} has learnt for a fit that has not ended .* a method copy\\(\\)$`),
      );
      for (const label of between.slice(1)) expect([between[0], known[1]]).toContain(label);
    }
    device.dispose();
  });

  it("is not served by a step that has learnt for a fit that failed, or for another model", async () => {
    const device = await openDevice("cpu");
    const step = new ByGreatest();
    const model = new Pipeline([step], new KNeighborsClassifier({ nNeighbors: 1, device }));
    await model.fit(small, "label");
    const before = await model.predict(query);
    const gone = Table.fromColumns({ x: [1, 2000], y: [0, 1], label: [null, null] });
    await expect(model.fit(gone, "label")).rejects.toThrow("the label of row 0");
    expect(() => model.predict(query)).toThrow("has learnt for a fit that has not ended or that failed");
    await model.fit(small, "label");
    expect(await model.predict(query)).toEqual(before);
    const other = new Pipeline([step], new KNeighborsClassifier({ nNeighbors: 1, device }));
    await other.fit(large, "label");
    expect(() => model.predict(query)).toThrow("has learnt");
    const copied = new Copied();
    const [one, two] = [0, 1].map(
      () => new Pipeline([copied], new KNeighborsClassifier({ nNeighbors: 1, device })),
    );
    await one.fit(small, "label");
    await two.fit(large, "label");
    expect(await one.predict(query)).toEqual(before);
    device.dispose();
  });

  it("is tested fold by fold, though the same model is validated twice at once", async () => {
    const device = await openDevice("cpu");
    const table = Table.fromColumns({
      x: Array.from({ length: 40 }, () => random.uniform()),
      y: Array.from({ length: 40 }, () => random.uniform()),
      kind: Array.from({ length: 40 }, (_, row) => (row % 2 === 0 ? "a" : "b")),
    });
    const model = () => new Pipeline([new Normalize()], new KNeighborsClassifier({ nNeighbors: 1, device }));
    const seeds = [1, 2, 3];
    const alone = await Promise.all(
      seeds.map((seed) => crossValidate(model(), table, "kind", { folds: 8, seed })),
    );
    const shared = model();
    const together = await Promise.all(
      seeds.map((seed) => crossValidate(shared, table, "kind", { folds: 8, seed })),
    );
    together.forEach((found, at) => expect(found.predictions).toEqual(alone[at].predictions));
    const importance = { folds: 8, importance: { repeats: 2 } };
    const both = [1, 2].map((seed) => crossValidate(shared, table, "kind", { ...importance, seed }));
    const outcomes = await Promise.allSettled(both);
    const refused = outcomes.find(({ status }) => status === "rejected");
    expect(String(refused && "reason" in refused && refused.reason)).toContain("a model of its own");
    device.dispose();
  });
});
