/**
 * Selections from one row in shared memory, which shares of the row answer, and array primitives while a
 * search has all workers.
 */
import { describe, expect, test } from "vitest";
import type { CpuBackend } from "../../../dist/runtime/cpu/backend.js";
import { UnavailableError } from "../../../dist/core/errors.js";
import { currentPlatform } from "../../../dist/core/platform.js";
import { Device, histogram, reduce } from "../../../dist/node.js";
import type { InPlaceOptions } from "../../../src/runtime/backend.ts";
import type { FilterTask } from "../../../src/ops/knn/cpu/filterRequest.ts";
import type { RunStep } from "../../../src/runtime/primitive.ts";
import { filterTask } from "../../../dist/ops/knn/cpu/filterRequest.js";
import { reducePrimitive } from "../../../dist/ops/reduce/primitive.js";
import { scanPrimitive } from "../../../dist/ops/scan/primitive.js";
import { selectPrimitive } from "../../../dist/ops/select/primitive.js";
import type { WorkerHandle } from "../../../src/core/platform.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { elementsOf } from "../arrays/elements.ts";
import { filter, generator, rowsOf, spawn, type Problem } from "./helpers.ts";
import { bitsOf, empty, share, small, workersWith, type Words } from "./sharing.ts";

const seed = printedSeed();

describe("a selection from one row", () => {
  const cols = 100_000;
  const input = share(elementsOf("u32", "random", cols, new Random(seed))) as Uint32Array;
  const ascending = input.slice().sort();

  function select(backend: CpuBackend, k: number, options: InPlaceOptions = {}): Promise<number> {
    const params = { type: "u32", largest: false, rows: 1, cols, k };
    const bindings = { input: "input", values: "values", indices: "indices" };
    const step = { kind: "run", primitive: selectPrimitive, params, bindings, cost: 1 } satisfies RunStep;
    return backend.runInPlace(step, { input, values, indices: empty(k) }, options);
  }
  let values = empty(0);

  test.each([
    [10, 20],
    [150, 3],
    [390, 2],
    [391, 0],
    [cols, 0],
  ])("of %i entries has %i shares, none of which is a small multiple of that", async (k, shares) => {
    const widths: number[] = [];
    const recording = (): WorkerHandle => {
      const worker = spawn();
      const post: WorkerHandle["post"] = (message, transfer) => {
        const { kind, request } = message as { kind: string; request: { params: { cols: number } } };
        if (kind === "select") widths.push(request.params.cols);
        worker.post(message, transfer);
      };
      return { ...worker, post };
    };
    values = empty(k);
    await select(await workersWith({ spawn: recording }), k);
    expect(values).toEqual(ascending.subarray(0, k));
    expect(widths.length).toBe(shares);
    for (const width of widths.slice(0, -1)) expect(width).toBeGreaterThanOrEqual(256 * k);
  });

  test("hears an abort while the lists of its shares are joined", async () => {
    const backend = await workersWith();
    const stop = new AbortController();
    let done = 0;
    const onCost = (work: number): void => void (done += work);
    // A clock by which other events are always due, the abort among them once all shares are done.
    let ms = 0;
    const now = (): number => {
      if (done > 1 - 1e-9) stop.abort(new Error("enough"));
      return (ms += 1000);
    };
    Object.assign(performance, { now });
    try {
      values = empty(10);
      await expect(select(backend, 10, { signal: stop.signal, onCost })).rejects.toThrow("enough");
    } finally {
      Reflect.deleteProperty(performance, "now");
    }
  });
});

test("an operator starts workers on a device that it is given, and none on one of its own", async () => {
  const platform = currentPlatform();
  const { spawnWorker } = platform;
  let started = 0;
  Object.assign(platform, { spawnWorker: () => (started++, spawnWorker()) });
  try {
    const input = share(new Uint32Array(2 ** 22).fill(1)) as Uint32Array;
    expect([...(await reduce(input, { backend: "cpu", threads: 2 }))]).toEqual([2 ** 22]);
    await histogram(input, { bins: 3, backend: "cpu", threads: 2 });
    expect(started).toBe(0);
    const device = await Device.create({ backend: "cpu", threads: 2 });
    expect([...(await reduce(input, { device }))]).toEqual([2 ** 22]);
    expect(started).toBe(2);
    device.dispose();
  } finally {
    Object.assign(platform, { spawnWorker });
  }
});

test("an abort between two shares rejects with its reason and leaves the backend usable", async () => {
  const backend = await workersWith({ threads: 2 });
  const input = share(elementsOf("u32", "random", 200_000, new Random(seed)));
  const stop = new AbortController();
  let tasks = 0;
  const onCost = (): void => {
    if (++tasks === 3) stop.abort(new Error("enough"));
  };
  const params = { type: "u32", op: "sum", exclusive: false, count: input.length, initial: 0 };
  const bindings = { input: "input", output: "output", scratch: "scratch" };
  const step = { kind: "run", primitive: scanPrimitive, params, bindings, cost: 1 } satisfies RunStep;
  const arrays = { input, output: share(empty(input.length)), scratch: empty(1) };
  await expect(backend.runInPlace(step, arrays, { signal: stop.signal, onCost })).rejects.toThrow("enough");
  expect(tasks).toBeLessThanOrEqual(3 + 2);
  await backend.runInPlace(step, arrays);
  expect(new Uint32Array(arrays.scratch.buffer, 0, 1)[0]).toBe(
    (input as Uint32Array).reduce((a, b) => (a + b) >>> 0, 0),
  );
});

describe("while a search has all workers", () => {
  /** A backend whose workers never come to the end of a search, and what they were told to do. */
  async function searching(
    onTask = (_: string): void => {},
  ): Promise<{ backend: CpuBackend; kinds: string[] }> {
    const kinds: string[] = [];
    const neverending = (): WorkerHandle => {
      const worker = spawn();
      const post: WorkerHandle["post"] = (message, transfer) => {
        const { kind } = message as { kind: string };
        kinds.push(kind);
        onTask(kind);
        if (kind !== "knn.filter") worker.post(message, transfer);
      };
      return { ...worker, post };
    };
    return { backend: await workersWith({ threads: 2, spawn: neverending }), kinds };
  }

  const rows = (count: number) => rowsOf(count, 8, generator(seed), () => [0, 0, 0, 0]);
  const problem: Problem = {
    params: { core: "l2", p: 2, weight: 0, slack: 0, cut: true, k: 4, capacity: 4, dims: 8 },
    queries: rows(8),
    refs: rows(60),
  };

  const input = elementsOf("u32", "random", 5 * 65_536, new Random(seed)) as Uint32Array;
  let sum = 0;
  const sums = input.map((value) => (sum = (sum + value) >>> 0));

  function scanOf(backend: CpuBackend, output: Words): Promise<number> {
    const params = { type: "u32", op: "sum", exclusive: false, count: input.length, initial: 0 };
    const bindings = { input: "input", output: "output", scratch: "scratch" };
    const step = { kind: "run", primitive: scanPrimitive, params, bindings, cost: 1 } satisfies RunStep;
    return backend.runInPlace(step, { input: share(input), output, scratch: empty(1) });
  }

  const count = (kinds: readonly string[], wanted: string) => kinds.filter((kind) => kind === wanted).length;

  test("arrays in shared memory are done by the main thread", async () => {
    const { backend, kinds } = await searching();
    const search = filter(backend, problem);
    const outcome = expect(search).rejects.toMatchObject({ tag: "DeviceLost" });
    while (count(kinds, "knn.filter") < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    const output = share(empty(input.length));
    await scanOf(backend, output);
    expect(Buffer.compare(bitsOf(output), bitsOf(sums))).toBe(0);
    expect(kinds.filter((kind) => kind.startsWith("scan"))).toEqual([]);
    backend.dispose();
    await outcome;
  });

  test("that takes them between two passes, the main thread does the second one", async () => {
    const search: Promise<void>[] = [];
    const { backend, kinds } = await searching((kind) => {
      if (kind !== "scan.totals" || search.length > 0) return;
      for (let i = 0; i < 2; i++) {
        const task = backend.workers.pool.run(filterTask, () => ({ request: {} as FilterTask }));
        search.push(expect(task).rejects.toMatchObject({ tag: "DeviceLost" }));
      }
    });
    const output = share(empty(input.length));
    await scanOf(backend, output);
    expect(Buffer.compare(bitsOf(output), bitsOf(sums))).toBe(0);
    expect(count(kinds, "scan.totals")).toBe(4);
    expect(count(kinds, "knn.filter")).toBe(2);
    expect(count(kinds, "scan.write")).toBe(0);
    backend.dispose();
    await Promise.all(search);
  });
});

test.each(["when they are started", "when they are loaded"])(
  "workers that are refused %s leave the work to the main thread",
  async (when) => {
    let asked = 0;
    const backend = await workersWith({
      spawn: () => {
        asked++;
        if (when === "when they are started") throw new Error("not here");
        const refused = new UnavailableError("the worker could not be loaded");
        return { ...spawn(), onError: (listener) => queueMicrotask(() => listener(refused)) };
      },
    });
    const input = share(new Uint32Array(200_000).fill(3));
    const output = new Uint32Array(1);
    const params = { type: "u32", op: "sum", rows: 1, cols: input.length };
    const bindings = { input: "input", output: "output", scratch: "scratch" };
    const step = { kind: "run", primitive: reducePrimitive, params, bindings, cost: 1 } satisfies RunStep;
    for (let i = 0; i < 2; i++) {
      await backend.runInPlace(step, { input, output: output.fill(0), scratch: empty(1) });
      expect([...output]).toEqual([600_000]);
    }
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThanOrEqual(6);
    const rows = rowsOf(2, 8, generator(seed), () => [0, 0, 0, 0]);
    const search = { core: "l2", p: 2, weight: 0, slack: 0, cut: true, k: 1, capacity: 1, dims: 8 } as const;
    await expect(filter(backend, { params: search, queries: rows, refs: rows })).rejects.toMatchObject({
      tag: "Unavailable",
      message: expect.stringMatching(/not here|could not be loaded/) as string,
    });
  },
);

test("a module that could not be compiled once is compiled when it is needed again", async () => {
  const backend = await workersWith({ tuning: { ...small, sharedWindows: true } });
  const { compile } = WebAssembly;
  Object.assign(WebAssembly, { compile: () => Promise.reject(new Error("not now")) });
  const params = { type: "u32", op: "sum", exclusive: false, count: 3, initial: 0 };
  const bindings = { input: "input", output: "output", scratch: "scratch" };
  const step = { kind: "run", primitive: scanPrimitive, params, bindings, cost: 1 } satisfies RunStep;
  const arrays = { input: Uint32Array.of(1, 2, 3), output: empty(3), scratch: empty(1) };
  try {
    await expect(backend.runInPlace(step, arrays)).rejects.toMatchObject({ tag: "Unavailable" });
  } finally {
    Object.assign(WebAssembly, { compile });
  }
  await backend.runInPlace(step, arrays);
  expect([...arrays.output]).toEqual([1, 3, 6]);
});
