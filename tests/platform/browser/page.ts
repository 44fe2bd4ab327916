/** The module that the test page loads: it holds devices open and searches on them when the test calls. */
import { Device, kneighbors } from "../../../dist/index.js";
import type { KnnCase } from "../../backend/knn/cases.ts";

const devices = new Map<string, Device>();

const page = {
  async open(backend: "auto" | "cpu" | "gpu") {
    const device = await Device.create({ backend, threads: 2 });
    devices.set(backend, device);
    return { info: device.info, note: device.note, isolated: crossOriginIsolated };
  },

  async search({ train, queries, options }: KnnCase, backend: "cpu" | "gpu") {
    const device = devices.get(backend)!;
    const { indices, distances, explanation } = await kneighbors(train, queries, { ...options, device });
    return { indices, distances, explanation };
  },
};

export type TestPage = typeof page;

Object.assign(globalThis, { page });
