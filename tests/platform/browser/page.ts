/** The module that the test page loads: it holds devices open and searches on them when the test calls. */
import { parseProcess, runProcess } from "../../../dist/graph/index.js";
import { Device, bytesSource, kneighbors } from "../../../dist/index.js";
import type { KnnCase } from "../../backend/knn/cases.ts";

const devices = new Map<string, Device>();

const page = {
  async open(backend: "auto" | "cpu" | "gpu") {
    const device = await Device.create({ backend, threads: 2 });
    // As in tests/backend/helpers.ts.
    if (device.info.software) Object.assign(device.rates, { get: () => 1e9 });
    devices.set(backend, device);
    return { info: device.info, note: device.note, isolated: crossOriginIsolated };
  },

  async search({ train, queries, options }: KnnCase, backend: "cpu" | "gpu") {
    const device = devices.get(backend)!;
    const { indices, distances, explanation } = await kneighbors(train, queries, { ...options, device });
    return { indices, distances, explanation };
  },

  /** Runs a process on files that are handed in, and returns the fingerprints of its nodes. */
  async run(text: string, files: Readonly<Record<string, Uint8Array>>, backend: "cpu" | "gpu") {
    const device = devices.get(backend)!;
    const open = (path: string) => bytesSource(files[path], path);
    const result = await runProcess(parseProcess(text), { device, open });
    result.dispose();
    return result.nodes.map(({ node, error, outputs }) => {
      if (error) throw error;
      const names = Object.entries(outputs).map(([name, { fingerprint }]) => [name, { fingerprint }]);
      return { node, outputs: Object.fromEntries(names) as object };
    });
  },
};

export type TestPage = typeof page;

Object.assign(globalThis, { page });
