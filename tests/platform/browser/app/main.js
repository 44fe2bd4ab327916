// A page as a user writes one: it imports the package by name and searches. The test calls what it puts on
// `app`.
import { Device, blobSource, kneighbors, readCsv, scan } from "nearfield";
import { watchMainThread } from "./mainThread.js";

const devices = new Map();

/** What went wrong, for the test to read. */
const failure = ({ name, tag, message }) => ({ error: { name, tag, message } });

async function opened(backend) {
  if (!devices.has(backend)) devices.set(backend, await Device.create({ backend, threads: 2 }));
  return devices.get(backend);
}

globalThis.app = {
  isolated: crossOriginIsolated,

  /** What opening the device gives, or the error. */
  async open(backend) {
    try {
      const { info, note } = await opened(backend);
      return { info, note };
    } catch (error) {
      return failure(error);
    }
  },

  async search({ train, queries, options }, backend) {
    try {
      const device = await opened(backend);
      const { indices, distances } = await kneighbors(train, queries, { ...options, device });
      return { indices, distances };
    } catch (error) {
      return failure(error);
    }
  },

  async prefixSums(values, backend) {
    return scan(values, { device: await opened(backend) });
  },

  async firstCells(csv) {
    const { columns } = await readCsv(blobSource(new Blob([csv])));
    return columns.map((column) =>
      column.kind === "numeric" ? column.values[0] : column.dictionary.values[0],
    );
  },

  /** A search of some seconds. @returns how long it took, and the longest task of the page meanwhile */
  async longSearch({ rows, cols, queries, k }, backend) {
    const device = await opened(backend);
    const train = { data: noise(rows * cols), rows, cols };
    const asked = { data: noise(queries * cols), rows: queries, cols };
    const stop = watchMainThread();
    await new Promise((resolve) => setTimeout(resolve, 0));
    const start = performance.now();
    await kneighbors(train, asked, { k, device });
    return { ms: performance.now() - start, ...(await stop()) };
  },

  /** Such a search in a worker of the page. @returns by which backend */
  async longSearchInWorker(size, backend) {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    const answer = await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => reject(new Error(event.message || "the worker could not be loaded"));
      worker.postMessage({ size, backend });
    });
    worker.terminate();
    return answer;
  },
};

function noise(length) {
  return Float32Array.from({ length }, () => Math.random());
}
