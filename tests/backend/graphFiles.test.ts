/**
 * Files of processes: models that are written and read again, on every backend, and when nothing is written.
 */
import { describe, expect, it } from "vitest";
import { planProcess, runProcess } from "../../dist/graph/index.js";
import type { ProcessNode, ProcessResult } from "../../dist/graph/index.js";
import { bytesSource, textSource } from "../../dist/node.js";
import type { Device } from "../../dist/node.js";
import { onEachBackend, openDevice } from "./helpers.ts";

const csv = "x,y,kind\n1,5,near\n2,4,near\n3,,far\n8,1,far\n9,2,far\n";
const node = (operator: string, inputs: object, parameters: object = {}): ProcessNode => ({
  operator,
  inputs: inputs as Record<string, string>,
  parameters: parameters as Record<string, number>,
});
const read = node("readTable", {}, { file: "a.csv" });
const roles = node("setRole", { table: "read.table" }, { label: "kind" });

async function run(
  device: Device,
  nodes: Record<string, ProcessNode>,
  files: Record<string, Uint8Array> = {},
) {
  const written: Record<string, Uint8Array> = {};
  const result = await runProcess(
    { nearfield: 1, nodes },
    {
      device,
      open: (path) => (path in files ? bytesSource(files[path], path) : textSource(csv, path)),
      write: async (path, pieces) => {
        const parts: BlobPart[] = [];
        for await (const piece of pieces) parts.push(piece);
        written[path] = new Uint8Array(await new Blob(parts).arrayBuffer());
      },
    },
  );
  result.dispose();
  return { written, result };
}

function outcomeOf({ nodes }: ProcessResult, id: string) {
  const { state, reason, error, outputs } = nodes.find((each) => each.node === id)!;
  const fingerprints = Object.values(outputs).map(({ fingerprint }) => fingerprint);
  return { state, reason, error: error?.message, fingerprints };
}

onEachBackend((device) => {
  it.each<[string, ProcessNode, object]>([
    ["an estimator", node("knn", { train: "roles.table" }, { k: 2, weights: "distance" }), {}],
    [
      "an estimator with preparation",
      node("knn", { train: "roles.table", preparation: "scale.learner" }, { k: 2 }),
      {},
    ],
    ["preparation alone", node("normalize", { table: "roles.table" }, { method: "range" }), {}],
    [
      "an estimator of the device's own distances",
      node("knn", { train: "roles.table" }, { k: 2, float32: true }),
      { float32: true },
    ],
  ])("%s that was written and read again does what it did", async (_, model, parameters) => {
    const scale = node("normalize", {});
    const apply = node("applyModel", { model: "model.model", table: "read.table" });
    const write = node("writeModel", { model: "model.model" }, { file: "a.nfm" });
    const saved = await run(device(), { scale, read, roles, model, apply, write });
    const loaded = node("readModel", {}, { file: "a.nfm", ...parameters });
    const again = await run(device(), { read, model: loaded, apply }, saved.written);
    expect(outcomeOf(again.result, "apply").error).toBeUndefined();
    expect(outcomeOf(again.result, "apply").fingerprints).toEqual(
      outcomeOf(saved.result, "apply").fingerprints,
    );
  });
});

describe("on the CPU", () => {
  it("a model of float32 is read only where that is said, which puts the device into the keys", async () => {
    const device = await openDevice("cpu");
    const knn = node("knn", { train: "roles.table" }, { k: 2, float32: true });
    const write = node("writeModel", { model: "knn.model" }, { file: "a.nfm" });
    const { written } = await run(device, { read, roles, knn, write });
    const apply = node("applyModel", { model: "model.model", table: "read.table" });
    const nodesWith = (parameters: object) => ({
      read,
      model: node("readModel", {}, { file: "a.nfm", ...parameters }),
      apply,
    });
    const { result } = await run(device, nodesWith({}), written);
    expect(outcomeOf(result, "model").error).toBe(
      "node model (Read Model): a.nfm: was saved with float32, so that its results are of one device alone; set float32 here too",
    );
    const keys = (parameters: object) =>
      ["one", "two"].map((name) => {
        const plan = planProcess({ nearfield: 1, nodes: nodesWith(parameters) }, { device: name });
        return plan.find((each) => each.node === "apply")!.key;
      });
    expect(new Set(keys({})).size).toBe(1);
    expect(new Set(keys({ float32: true })).size).toBe(2);
    device.dispose();
  });

  it("nothing is written where a node has failed, whichever it is", async () => {
    const device = await openDevice("cpu");
    const early = node("writeTable", { table: "read.table" }, { file: "early.csv" });
    const near = node("nearestNeighbours", { train: "numbers.table" }, { k: 50 });
    const numbers = node("selectColumns", { table: "read.table" }, { columns: ["x"] });
    const { written, result } = await run(device, { early, read, numbers, near });
    expect(outcomeOf(result, "near").error).toContain("k is 50");
    expect(written).toEqual({});
    expect(outcomeOf(result, "early")).toMatchObject({
      state: "skipped",
      reason: "near failed, so nothing is written",
    });
    const sound = await run(device, { early, read, numbers, near: { ...near, parameters: { k: 2 } } });
    expect(Object.keys(sound.written)).toEqual(["early.csv"]);
    device.dispose();
  });
});
