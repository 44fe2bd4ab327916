/**
 * What is compiled for later searches of an index on a GPU, and when. The GPU is made of paper: it notes the
 * shaders that it is asked for, and runs none.
 */
import { expect, it } from "vitest";
import { NearestNeighbors } from "../../../src/models/nearestNeighbors.ts";
import type { Backend, BackendInfo, Segment } from "../../../src/runtime/backend.ts";
import type { Device } from "../../../src/runtime/device.ts";
import { kernelOf, loadKernels } from "../../../src/runtime/gpu/kernels.ts";

const [ROWS, COLS] = [20_000, 64];
const train = {
  data: Float32Array.from({ length: ROWS * COLS }, (_, i) => (i * 7919) % 1009),
  rows: ROWS,
  cols: COLS,
};
const some = (rows: number) => ({ data: train.data.slice(0, rows * COLS), rows, cols: COLS });
/** Those of a card, which has room for the largest tiles. */
const limits = { workgroupsPerDimension: 65_535, workgroupBytes: 49_152, workgroupThreads: 1024 };
const turns = async (count = 20) => {
  for (let turn = 0; turn < count; turn++) await new Promise((done) => setTimeout(done, 2));
};

async function shadersOf({ steps }: Segment): Promise<string[]> {
  await loadKernels(steps);
  return steps.flatMap((step) =>
    step.kind === "run"
      ? kernelOf(step.primitive)
          .passes(step.params, limits)
          .map(({ code }) => code)
      : [],
  );
}

/** A GPU on which every job of queries ends as `ends` does. */
function paperGpu(ends: () => Promise<never>, software = false) {
  const ahead: string[][] = [];
  const asked: string[][] = [];
  const info = {
    kind: "gpu",
    budgetBytes: 2 ** 34,
    bufferBytes: 2 ** 31,
    software,
    initialRate: 2e10,
    threads: 1,
  };
  const run = async (segment: Segment) => {
    const nothing = { downloads: new Map<string, ArrayBuffer>(), ms: 1, dispatches: 0, work: 0 };
    if (segment.label === "train") return nothing;
    asked.push(await shadersOf(segment));
    return ends();
  };
  const backend: Partial<Backend> = {
    open: () => Promise.resolve({ run, dispose: () => undefined }),
    compileAhead(segment) {
      if (segment.label === "train") return { begun: Promise.resolve(), done: Promise.resolve() };
      const done = shadersOf(segment).then((codes) => void ahead.push(codes));
      return { begun: done, done };
    },
  };
  const device = {
    info: info as BackendInfo,
    backend,
    rates: new Map<string, number>(),
    takeStages: () => undefined,
    workerThreads: 1,
    dispose: () => undefined,
  } as unknown as Device;
  return { ahead, asked, device };
}

const stopped = () => Promise.reject(new Error("stopped"));

it.each([10, 100])(
  "has the shaders of searches of any number of queries before the first (k = %d)",
  async (k) => {
    const { ahead, asked, device } = paperGpu(stopped);
    const model = await new NearestNeighbors({ device, nNeighbors: k }).fit(train);
    await expect.poll(() => ahead.length, { timeout: 5000 }).toBe(8);
    const ready = new Set(ahead.flat());
    Object.assign(device.rates, { get: () => 2 ** 42 });
    for (const count of [1, 3, 4, 8, 16, 17, 31, 32, 33, 64, 65, 127, 128, 129, 256, 500, 1024, 3000]) {
      await expect(model.kneighbors(some(count))).rejects.toThrow("stopped");
      expect(asked.pop()!.filter((code) => !ready.has(code))).toEqual([]);
    }
    model.dispose();
  },
);

it.each([
  [1023, false],
  [1024, true],
])("of %i queries a GPU sorts the neighbours: %s", async (count, sorts) => {
  const { asked, device } = paperGpu(stopped);
  const model = await new NearestNeighbors({ device, nNeighbors: 10 }).fit(train);
  Object.assign(device.rates, { get: () => 2 ** 42 });
  await expect(model.kneighbors(some(count))).rejects.toThrow("stopped");
  expect(asked.pop()!.some((code) => code.includes("nearDistances"))).toBe(sorts);
  model.dispose();
});

it("has those of references in parts too, once a search was timed", async () => {
  const { ahead, asked, device } = paperGpu(stopped);
  const model = await new NearestNeighbors({ device, nNeighbors: 10 }).fit(train);
  await expect.poll(() => ahead.length, { timeout: 5000 }).toBe(8);
  // A dispatch then has 65 queries and 16,000 of the 20,000 references.
  Object.assign(device.rates, { get: () => 16_000 * 65 * COLS * 4 });
  await expect(model.kneighbors(some(1))).rejects.toThrow("stopped");
  await expect.poll(() => ahead.length, { timeout: 5000 }).toBe(17);
  const ready = new Set(ahead.flat());
  await expect(model.kneighbors(some(65))).rejects.toThrow("stopped");
  expect(asked.pop()!.filter((code) => !ready.has(code))).toEqual([]);
  model.dispose();
});

it("begins nothing while a search runs, and goes on after it", async () => {
  let end: (error: Error) => void = () => undefined;
  const { ahead, device } = paperGpu(() => new Promise((_, reject) => (end = reject)));
  const model = await new NearestNeighbors({ device, nNeighbors: 10 }).fit(train);
  const search = model.kneighbors(some(2));
  await turns();
  expect(ahead).toHaveLength(1); // that of the search itself
  end(new Error("stopped"));
  await expect(search).rejects.toThrow("stopped");
  await expect.poll(() => ahead.length, { timeout: 5000 }).toBe(9);
  model.dispose();
});

it("begins nothing more once the estimator is disposed of, and fails in silence", async () => {
  const { ahead, device } = paperGpu(stopped);
  const model = await new NearestNeighbors({ device }).fit(train);
  model.dispose();
  await turns();
  expect(ahead).toEqual([]);
  const lost = () => {
    throw new Error("lost");
  };
  Object.assign(device.backend, { compileAhead: lost });
  const other = await new NearestNeighbors({ device }).fit(train);
  await turns();
  other.dispose();
});

it("leaves small rows and GPUs in software alone", async () => {
  const [software, card] = [paperGpu(stopped, true), paperGpu(stopped)];
  const models = [
    await new NearestNeighbors({ device: software.device }).fit(train),
    await new NearestNeighbors({ device: card.device }).fit(some(5000)),
  ];
  await turns();
  expect([...software.ahead, ...card.ahead]).toEqual([]);
  for (const model of models) model.dispose();
});
