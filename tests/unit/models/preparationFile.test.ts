/** Model files that hold preparation alone: they prepare as before, and are told from those that predict. */
import { describe, expect, it } from "vitest";
import {
  KNeighborsClassifier,
  Normalize,
  ReplaceMissingValues,
  Table,
  loadModel,
  loadPreparation,
  saveModel,
  savePreparation,
} from "../../../dist/node.js";
import { runProcess } from "../../../dist/graph/index.js";
import type { RunOptions } from "../../../dist/graph/index.js";
import { Device, bytesSource } from "../../../dist/node.js";

const train = Table.fromColumns({
  x: [-0, 4, null, 9],
  kind: ["a", null, "b", "a"],
  k: ["u", "v", "u", "v"],
});
const columns = ["x", "kind"];

function fittedSteps() {
  const filled = new ReplaceMissingValues().fit(train, columns);
  return [filled, new Normalize({ method: "range", min: -1 }).fit(filled.transform(train), ["x"])];
}

describe("a file of preparation alone", () => {
  it("gives back steps that change rows to the last bit as those that were saved", async () => {
    const steps = fittedSteps();
    const { steps: loaded, notes } = await loadPreparation(savePreparation(steps, { by: "me" }));
    expect(notes).toEqual({ by: "me" });
    const rows = Table.fromColumns({ x: [null, 1 / 3, 1e300], kind: ["b", null, "c"] });
    const prepared = (of: readonly { transform(table: Table): Table }[]) =>
      of.reduce((table, step) => step.transform(table), rows).columns;
    expect(prepared(loaded)).toEqual(prepared(steps));
    expect(loaded.map((step) => step.toState())).toEqual(steps.map((step) => step.toState()));
  });

  it("of no steps changes nothing", async () => {
    expect((await loadPreparation(savePreparation([]))).steps).toEqual([]);
  });

  it("is told from one that predicts, both ways", async () => {
    await expect(loadModel(savePreparation(fittedSteps()), { name: "a.nfm" })).rejects.toThrow(
      "a.nfm: holds preparation alone, which predicts nothing; load it with loadPreparation",
    );
    const model = await new KNeighborsClassifier({ nNeighbors: 1, backend: "cpu", threads: 1 }).fit(
      [[0]],
      ["a"],
    );
    const bytes = saveModel(model);
    model.dispose();
    await expect(loadPreparation(bytes, { name: "b.nfm" })).rejects.toThrow(
      "b.nfm: holds a classifier; load it with loadModel",
    );
  });

  it("is refused with a step that is not fitted, damaged, cut off, or hostile", async () => {
    expect(() => savePreparation([new Normalize()])).toThrow("fit");
    const bytes = savePreparation(fittedSteps());
    for (let at = 0; at < bytes.length; at += 3) {
      const broken = bytes.slice();
      broken[at] ^= 0x55;
      await expect(loadPreparation(broken)).rejects.toMatchObject({ tag: "InvalidInput" });
    }
    await expect(loadPreparation(bytes.subarray(0, -1))).rejects.toThrow("cut off");
    const foreign = { toState: () => ({ step: "own", options: {}, columns: [] }) };
    expect(() => savePreparation([foreign as unknown as Normalize])).toThrow(
      'unknown step of preparation "own"',
    );
  });
});

describe("Write Model and Read Model", () => {
  it("keep a model and preparation alone, which then do what they did", async () => {
    const device = await Device.create({ backend: "cpu", threads: 1 });
    const csv = new TextEncoder().encode("x,y,kind\n0,3,near\n1,1,near\n2,,far\n9,8,far\n8,7,far\n");
    const files = new Map<string, Uint8Array>([["a.csv", csv]]);
    const options: RunOptions = {
      device,
      open: (path) => bytesSource(files.get(path)!, path),
      write: async (path, pieces) => {
        const parts = [];
        for await (const piece of pieces) parts.push(piece);
        files.set(path, new Uint8Array(await new Blob(parts).arrayBuffer()));
      },
    };
    const first = {
      read: { operator: "readTable", parameters: { file: "a.csv" } },
      roles: { operator: "setRole", inputs: { table: "read.table" }, parameters: { label: "kind" } },
      scale: { operator: "normalize", inputs: { table: "roles.table" } },
      knn: { operator: "knn", inputs: { train: "scale.table" }, parameters: { k: 3, weights: "distance" } },
      apply: { operator: "applyModel", inputs: { model: "knn.model", table: "scale.table" } },
      one: { operator: "writeModel", inputs: { model: "knn.model" }, parameters: { file: "knn.nfm" } },
      two: { operator: "writeModel", inputs: { model: "scale.model" }, parameters: { file: "scale.nfm" } },
    };
    const second = {
      read: first.read,
      roles: first.roles,
      one: { operator: "readModel", parameters: { file: "knn.nfm" } },
      two: { operator: "readModel", parameters: { file: "scale.nfm" } },
      scale: { operator: "applyModel", inputs: { model: "two.model", table: "roles.table" } },
      apply: { operator: "applyModel", inputs: { model: "one.model", table: "scale.table" } },
      measure: { operator: "performance", inputs: { table: "apply.table" } },
    };
    const trained = await runProcess({ nearfield: 1, nodes: first }, options);
    const loaded = await runProcess({ nearfield: 1, nodes: second }, options);
    const print = ({ nodes }: typeof trained, id: string, output: string) => {
      const found = nodes.find(({ node }) => node === id);
      if (found?.error) throw found.error;
      return found?.outputs[output].fingerprint;
    };
    expect(print(loaded, "apply", "table")).toBe(print(trained, "apply", "table"));
    expect(print(loaded, "scale", "table")).toBe(print(trained, "scale", "table"));
    expect(print(loaded, "two", "model")).toBe(print(trained, "scale", "model"));
    expect(print(loaded, "one", "model")).toBe(print(trained, "knn", "model"));
    expect(print(loaded, "measure", "performance")).toMatch(/^[0-9a-f]{64}$/);
    for (const each of [trained, loaded, device]) each.dispose();
  });
});
