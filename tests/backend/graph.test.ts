/**
 * Processes on every device: the same results as the library's own calls, the same fingerprints everywhere,
 * nothing done twice, and errors at their nodes.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KeptResults, parseProcess, runProcess, setParameter } from "../../dist/graph/index.js";
import type { NodeOutput, ProcessDocument, RunOptions } from "../../dist/graph/index.js";
import {
  KNeighborsClassifier,
  KNeighborsRegressor,
  NearestNeighbors,
  Normalize,
  Pipeline,
  ReplaceMissingValues,
  bytesSource,
  classificationPerformance,
  crossValidate,
  readTable,
  regressionPerformance,
  splitTable,
  textSource,
} from "../../dist/node.js";
import type { Device, Table } from "../../dist/node.js";
import { fileSource } from "../../dist/node/index.js";
import { penguins } from "../unit/graph/penguins.ts";
import { onEachBackend, openDevice } from "./helpers.ts";

const csv = gunzipSync(
  readFileSync(fileURLToPath(new URL("../../examples/penguins.csv.gz", import.meta.url))),
);
const open = (path: string) => bytesSource(csv, path);
const measured = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"];

const short = parseProcess(penguins);

/** All operators of the catalogue but the one that writes. */
const process: ProcessDocument = {
  ...short,
  nodes: {
    ...short.nodes,
    filled: { operator: "replaceMissing" },
    both: { operator: "normalize", inputs: { before: "filled.learner" }, parameters: { method: "range" } },
    weighted: {
      operator: "knn",
      inputs: { preparation: "both.learner" },
      parameters: { weights: "distance" },
    },
    folds: {
      operator: "crossValidation",
      inputs: { table: "roles.table", learner: "weighted.learner" },
      parameters: { folds: 3 },
    },
    numbers: { operator: "readTable", parameters: { file: "penguins.csv", columns: measured } },
    complete: { operator: "replaceMissing", inputs: { table: "numbers.table" } },
    near: {
      operator: "nearestNeighbours",
      inputs: { train: "complete.table" },
      parameters: { k: 3, metric: "manhattan" },
    },
    target: {
      operator: "setRole",
      inputs: { table: "complete.table" },
      parameters: { label: "body_mass_g" },
    },
    halves: { operator: "splitData", inputs: { table: "target.table" }, parameters: { ratios: [1, 1] } },
    scaled: { operator: "normalize", inputs: { table: "halves.part1" } },
    others: { operator: "applyModel", inputs: { model: "scaled.model", table: "halves.part2" } },
    mass: { operator: "knn", inputs: { train: "scaled.table" } },
    predicted: { operator: "applyModel", inputs: { model: "mass.model", table: "others.table" } },
    errors: { operator: "performance", inputs: { table: "predicted.table" } },
  },
};

/** Equal on every device and every machine; another one needs a higher version of its operator. */
const fingerprints: Readonly<Record<string, string>> = {
  "apply.table": "cb7a24aa6cac7198",
  "both.learner": "a382407380bbf7af",
  "complete.learner": "b0d149e1619b0f09",
  "complete.model": "72924840404c2e27",
  "complete.table": "883b4163c3d92cdf",
  "errors.performance": "5279b4e2fe26563a",
  "filled.learner": "b0d149e1619b0f09",
  "folds.performance": "de2665855b8eb2cd",
  "halves.part1": "cd00ba99b8d6d26c",
  "halves.part2": "50b4a11566fe0b82",
  "knn.learner": "6139917e2048b091",
  "knn.model": "3d0b33b0fd980c01",
  "mass.learner": "dc083fba64e71a01",
  "mass.model": "51d25e2ad06209fa",
  "near.neighbours": "47f162621cf10d1f",
  "normalize.learner": "7e59726d7cec4439",
  "numbers.table": "527b1b541e81541e",
  "others.table": "67bb85a1bbf3e21a",
  "performance.performance": "209cc7e06f605e3e",
  "predicted.table": "2dceaea1c50a2524",
  "read.table": "7e1d40c08ce8f6dc",
  "roles.table": "a9096f29bf0cb69d",
  "scaled.learner": "7e59726d7cec4439",
  "scaled.model": "e71a7dff7cd4dce0",
  "scaled.table": "d4791af7528cd817",
  "split.part1": "bf2602ce304b567f",
  "split.part2": "333418ca21e9580a",
  "target.table": "efb3ea26069685d3",
  "weighted.learner": "af792ae2482bec82",
};

async function run(document: ProcessDocument, options: RunOptions) {
  const result = await runProcess(document, { open, ...options });
  const nodeOf = (id: string) => {
    const found = result.nodes.find(({ node }) => node === id);
    if (found === undefined) throw new Error(`${id} did not run`);
    return found;
  };
  return { ...result, nodeOf };
}

function tableOf(output: NodeOutput): Table {
  if (output.type !== "Table") throw new Error(`a ${output.type} is no table`);
  return output.value.table;
}

function cellsOf(table: Table, name: string): unknown[] {
  const column = table.column(name);
  return Array.from({ length: table.rows }, (_, row) =>
    column.kind === "numeric" ? column.values[row] : column.dictionary.values[column.codes[row]],
  );
}

onEachBackend((device) => {
  it("gives the predictions and measures of the library's own calls", async () => {
    const { nodeOf, dispose } = await run(short, { device: device() });
    const [train, test] = splitTable(await readTable(open("penguins.csv")), {
      ratios: [0.7, 0.3],
      label: "species",
    });
    const model = new KNeighborsClassifier({ nNeighbors: 5, device: device() });
    const pipeline = await new Pipeline([new Normalize()], model).fit(train, "species");
    const found = await model.classify(pipeline.prepare(test));
    const table = tableOf(nodeOf("apply").outputs.table);
    expect(cellsOf(table, "prediction(species)")).toEqual(found.labels);
    for (const [code, name] of ["Adelie", "Chinstrap", "Gentoo"].entries()) {
      const shares = found.labels.map((_, row) => found.probabilities[row * 3 + code]);
      expect(cellsOf(table, `confidence(${name})`)).toEqual(shares);
    }
    expect(table.names.slice(0, 7)).toEqual(test.names);
    expect(nodeOf("performance").outputs.performance.value).toEqual({
      kind: "classification",
      label: "species",
      measures: classificationPerformance(cellsOf(test, "species") as string[], found.labels),
    });
    pipeline.dispose();
    dispose();
  });

  it("gives fingerprints that are the same on every device", async () => {
    const { nodes, dispose } = await run(process, { device: device() });
    const found = nodes.flatMap(({ node, outputs }) =>
      Object.entries(outputs).map(([name, { fingerprint }]) => [`${node}.${name}`, fingerprint] as const),
    );
    expect(found.filter(([, fingerprint]) => !/^[0-9a-f]{64}$/.test(fingerprint))).toEqual([]);
    const begins = found.map(([name, fingerprint]) => [name, fingerprint.slice(0, 16)] as const);
    expect(Object.fromEntries(begins)).toEqual(fingerprints);
    dispose();
  });
});

describe("on the CPU", () => {
  let device: Device;
  beforeAll(async () => {
    device = await openDevice("cpu");
  });
  afterAll(() => device.dispose());

  it("folds, neighbours and numbers are those of the library's own calls", async () => {
    const { nodeOf, dispose } = await run(process, { device });
    const table = await readTable(open("penguins.csv"));
    const steps = [new ReplaceMissingValues(), new Normalize({ method: "range" })];
    const chain = new Pipeline(steps, new KNeighborsClassifier({ weights: "distance", device }));
    const { hints: _, ...measures } = await crossValidate(chain, table, "species", { folds: 3 });
    const validation = { kind: "validation", label: "species", seed: 2001, measures };
    expect(nodeOf("folds").outputs.performance.value).toEqual(validation);

    const numbers = table.select(measured);
    const complete = new ReplaceMissingValues().fit(numbers).transform(numbers);
    const search = new NearestNeighbors({ nNeighbors: 3, metric: "manhattan", device });
    const { indices, distances } = await (
      await search.fit(complete)
    ).kneighbors(complete, { excludeSelf: true });
    expect(nodeOf("near").outputs.neighbours.value).toMatchObject({ result: { indices, distances } });

    const features = measured.slice(0, 3);
    const [train, test] = splitTable(complete, { ratios: [1, 1] });
    const scale = new Normalize().fit(train, features);
    const model = new KNeighborsRegressor({ features, device });
    await model.fit(scale.transform(train), "body_mass_g");
    const predictions = await model.predict(scale.transform(test));
    expect(cellsOf(tableOf(nodeOf("predicted").outputs.table), "prediction(body_mass_g)")).toEqual([
      ...predictions,
    ]);
    const truth = test.column("body_mass_g");
    expect(nodeOf("errors").outputs.performance.value).toEqual({
      kind: "regression",
      label: "body_mass_g",
      measures: regressionPerformance(truth.kind === "numeric" ? truth.values : [], predictions),
    });
    for (const each of [chain, search, model, { dispose }]) each.dispose();
  });

  it("kept results are used again, and give what a fresh run gives", async () => {
    const kept = new KeptResults();
    const states = async (document: ProcessDocument, options: Partial<RunOptions> = {}) => {
      const { nodes } = await run(document, { device, kept, ...options });
      return nodes.map(({ node, state }) => `${node}: ${state}`);
    };
    const ids = ["normalize", "read", "roles", "split", "knn", "apply", "performance"];
    expect(await states(short)).toEqual(ids.map((id) => `${id}: done`));
    expect(await states(short)).toEqual(ids.map((id) => `${id}: kept`));
    const seven = setParameter(short, "knn.k", "7");
    expect(await states(seven)).toEqual(ids.map((id, at) => `${id}: ${at < 4 ? "kept" : "done"}`));
    expect(await states(short)).toEqual(ids.map((id) => `${id}: kept`));
    const [again, fresh] = [await run(seven, { device, kept }), await run(seven, { device })];
    const made = ({ nodes }: typeof fresh) =>
      nodes.map(({ key, outputs }) => [key, Object.values(outputs).map(({ fingerprint }) => fingerprint)]);
    expect(made(again)).toEqual(made(fresh));
    const shorter = (path: string) =>
      bytesSource(csv.subarray(0, csv.lastIndexOf("\n", csv.length - 2) + 1), path);
    expect((await states(short, { open: shorter }))[1]).toBe("read: done");
    fresh.dispose();
    kept.dispose();
    expect(await states(short)).toEqual(ids.map((id) => `${id}: done`));
    kept.dispose();
  });

  it("a model is made anew on another device, and nothing else is", async () => {
    const kept = new KeptResults();
    const other = await openDevice("cpu");
    await run(short, { device: other, kept });
    other.dispose();
    const changed = setParameter(short, "apply.confidences", "false");
    const { nodes } = await run(changed, { device, kept });
    expect(nodes.map(({ node, state }) => `${node}: ${state}`)).toEqual([
      ...["normalize: kept", "read: kept", "roles: kept", "split: kept"],
      ...["knn: done", "apply: done", "performance: done"],
    ]);
    kept.dispose();
  });

  it("models are freed at the end of a block that declares the result with using", async () => {
    const trained = async () => {
      using result = await runProcess(short, { device, open });
      return result.nodes.find(({ node }) => node === "knn")!.outputs.model;
    };
    const { type, value } = await trained();
    if (type !== "Model" || value.kind !== "estimator") throw new Error(`the ${type} predicts nothing`);
    const rows = await readTable(open("penguins.csv"));
    await expect(value.pipeline.predict(rows)).rejects.toThrow("is not fitted");
  });

  it("two nodes that do the same to the same share a result", async () => {
    const nodes = {
      a: { operator: "readTable", parameters: { file: "a.csv" } },
      b: { operator: "readTable", parameters: { file: "b.csv" } },
    };
    const { nodes: found } = await run({ nearfield: 1, nodes }, { device });
    expect(found.map(({ state, reason }) => `${state}: ${reason}`)).toEqual([
      "done: no result yet",
      "kept: another node did the same to the same",
    ]);
  });

  it("a node that fails stops what hangs on it, not its siblings, and its error has its name", async () => {
    const { nodes, nodeOf, dispose } = await run(setParameter(process, "knn.k", "500"), { device });
    const others = nodes.filter(({ state }) => state !== "done" && state !== "kept");
    expect(others.map(({ node, state, reason }) => [node, state, reason])).toEqual([
      ["apply", "failed", "no result yet"],
      ["performance", "skipped", "apply has no result"],
    ]);
    const { error } = nodeOf("apply");
    expect(error?.message).toMatch(/^node apply \(Apply Model\): k is 500, but train has only 241 rows/);
    expect(error?.tag).toBe("InvalidInput");
    dispose();
  });

  it("a node that failed has no result that was once kept", async () => {
    const kept = new KeptResults();
    const tooMany = setParameter(short, "knn.k", "500");
    for (let time = 0; time < 2; time++) {
      const { nodeOf } = await run(tooMany, { device, kept });
      expect(nodeOf("apply")).toMatchObject({ state: "failed", reason: "no result yet" });
    }
    kept.dispose();
  });

  it("a file that changes while a process runs is an error of its node", async () => {
    const folder = mkdtempSync(join(tmpdir(), "nearfield-graph-"));
    const path = join(folder, "penguins.csv");
    writeFileSync(path, csv);
    const onNode = ({ node }: { readonly node: string }) =>
      node === "normalize" && writeFileSync(path, csv.subarray(0, csv.length / 2));
    const { nodeOf, dispose } = await run(short, { device, onNode, open: () => fileSource(path) });
    expect(nodeOf("read").error?.message).toBe(
      `node read (Read Table): ${path}: was changed or replaced while it was read; run it again when nothing writes to it`,
    );
    expect(nodeOf("roles").state).toBe("skipped");
    dispose();
    rmSync(folder, { recursive: true });
  });

  it("a model is freed where an abort comes while it is trained", async () => {
    const { dispose } = Pipeline.prototype;
    let disposed = 0;
    Pipeline.prototype.dispose = function (this: Pipeline) {
      disposed++;
      dispose.call(this);
    };
    const reason = new Error("enough");
    const controller = new AbortController();
    const onNode = ({ node }: { readonly node: string }) =>
      node === "split" && queueMicrotask(() => controller.abort(reason));
    await expect(run(short, { device, signal: controller.signal, onNode })).rejects.toBe(reason);
    expect(disposed).toBe(1);
    Pipeline.prototype.dispose = dispose;
  });

  it("nothing runs of a process that is wrong, or whose file cannot be opened", async () => {
    const done: string[] = [];
    const onNode = ({ node }: { readonly node: string }) => done.push(node);
    const wrong = { ...short, nodes: { ...short.nodes, knn: { operator: "knn", parameters: { k: 0 } } } };
    await expect(run(wrong, { device, onNode })).rejects.toThrow("nodes.knn.parameters.k: is 0");
    const missing = () => Promise.reject(new Error("no such file"));
    await expect(run(short, { device, onNode, open: missing })).rejects.toThrow(
      "node read (Read Table): internal error, please report it: Error: no such file",
    );
    await expect(run(short, { device, only: "aply" })).rejects.toThrow(
      'there is no node "aply" (did you mean "apply"?)',
    );
    expect(done).toEqual([]);
  });

  it("one node runs with what it needs alone, whatever is wrong elsewhere", async () => {
    const wrong = { ...short, nodes: { ...short.nodes, other: { operator: "future" } } };
    const { nodes, dispose } = await run(wrong, { device, only: "split" });
    expect(nodes.map(({ node }) => node)).toEqual(["read", "roles", "split"]);
    dispose();
  });

  it("an abort is heard before a node, within one, and while a file is waited for", async () => {
    const reason = new Error("enough");
    const before = new AbortController();
    const onNode = ({ node }: { readonly node: string }) => node === "split" && before.abort(reason);
    await expect(run(short, { device, signal: before.signal, onNode })).rejects.toBe(reason);
    const within = new AbortController();
    const onProgress = (node: string) => node === "folds" && within.abort(reason);
    await expect(run(process, { device, signal: within.signal, onProgress })).rejects.toBe(reason);
    const waiting = new AbortController();
    const endless = {
      name: "a.csv",
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) }),
    };
    const pending = run(short, { device, signal: waiting.signal, open: () => endless });
    waiting.abort(reason);
    await expect(pending).rejects.toBe(reason);
  });

  it("a file is written by what the caller hands in, in the format of its name", async () => {
    const written = new Map<string, string>();
    const write: RunOptions["write"] = async (path, pieces, node) => {
      let text = "";
      for await (const piece of pieces)
        text += typeof piece === "string" ? piece : new TextDecoder().decode(piece);
      written.set(`${node}: ${path}`, text);
    };
    const nodes = {
      read: { operator: "readTable", parameters: { file: "a.csv" } },
      near: { operator: "nearestNeighbours", inputs: { train: "read.table" }, parameters: { k: 1 } },
      rows: { operator: "writeTable", inputs: { table: "read.table" }, parameters: { file: "out/a.jsonl" } },
      pairs: { operator: "writeTable", inputs: { table: "near.neighbours" }, parameters: { file: "b.csv" } },
    };
    const a = (path: string) => textSource("x,y\n0,0\n3,4\n", path);
    const { nodes: done } = await run({ nearfield: 1, nodes }, { device, write, open: a });
    expect(done.map(({ node, outputs }) => [node, Object.keys(outputs)])).toEqual([
      ["read", ["table"]],
      ["near", ["neighbours"]],
      ["pairs", []],
      ["rows", []],
    ]);
    expect(Object.fromEntries(written)).toEqual({
      "rows: out/a.jsonl": '{"x":0,"y":0}\n{"x":3,"y":4}\n',
      "pairs: b.csv": "query,rank,index,distance\n0,0,1,5\n1,0,0,5\n",
    });
  });
});
