/**
 * Array primitives on arrays in shared memory, which workers share: the same bits as by one thread, whoever
 * did which part, and as far as possible proof that workers did it. That one thread is right is said by the
 * oracles of tests/backend/.
 */
import { describe, expect, test } from "vitest";
import type { CpuBackend, CpuOptions } from "../../../dist/runtime/cpu/backend.js";
import { UnavailableError } from "../../../dist/core/errors.js";
import { currentPlatform } from "../../../dist/core/platform.js";
import { Device, histogram, reduce } from "../../../dist/node.js";
import { binKeys, evenEdges } from "../../../dist/ops/histogram/bins.js";
import type { InPlaceOptions } from "../../../src/runtime/backend.ts";
import type { RunStep } from "../../../src/runtime/primitive.ts";
import {
  compactPrimitive,
  runLengthPrimitive,
  uniquePrimitive,
} from "../../../dist/ops/compact/primitive.js";
import { histogramPrimitive } from "../../../dist/ops/histogram/primitive.js";
import { reducePrimitive } from "../../../dist/ops/reduce/primitive.js";
import { scanPrimitive } from "../../../dist/ops/scan/primitive.js";
import { selectPrimitive } from "../../../dist/ops/select/primitive.js";
import { identityBits } from "../../../src/runtime/element.ts";
import type { WorkerHandle } from "../../../src/core/platform.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { elementsOf, typeNames, type TypeName } from "../arrays/elements.ts";
import { runInputs } from "../runs.ts";
import { backendWith, filter, generator, rowsOf, spawn, type Problem } from "./helpers.ts";

const seed = printedSeed();

/** Shares so small that few elements make many. */
const small = {
  sharedElements: 1,
  fewestShareElements: 1000,
  mostShareElements: 3001,
  workersForTwoPasses: 2,
};

const workersWith = (options: Partial<CpuOptions> = {}) => backendWith({ tuning: small, ...options });

type Words = Uint32Array | Int32Array | Float32Array | Uint8Array;
type Arrays = Readonly<Record<string, Words>>;

/** Bytes around an array in shared memory, which nobody may write. */
const FRINGE = 20;

function share(array: Words): Words {
  const bytes = new Uint8Array(new SharedArrayBuffer(array.byteLength + 2 * FRINGE)).fill(0xa5);
  bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), FRINGE);
  return new (array.constructor as new (buffer: ArrayBufferLike, at: number, length: number) => Words)(
    bytes.buffer,
    FRINGE,
    array.length,
  );
}

function expectFringe({ buffer, byteLength }: Words): void {
  const bytes = new Uint8Array(buffer);
  const around = [...bytes.subarray(0, FRINGE), ...bytes.subarray(FRINGE + byteLength)];
  expect(new Set(around)).toEqual(new Set([0xa5]));
}

const bitsOf = ({ buffer, byteOffset, byteLength }: Words) =>
  new Uint8Array(buffer, byteOffset, byteLength).slice();

/** What a step leaves in its arrays: by one thread, and by workers. */
async function expectSame(
  backend: CpuBackend,
  primitive: RunStep["primitive"],
  params: object,
  inputs: Arrays,
  outputs: Arrays,
): Promise<void> {
  const names = Object.keys({ ...inputs, ...outputs });
  const bindings = Object.fromEntries(names.map((name) => [name, name]));
  const step = { kind: "run", primitive, params, bindings, cost: 1 } satisfies RunStep;
  const alone: Arrays = Object.fromEntries(
    Object.entries({ ...inputs, ...outputs }).map(([name, array]) => [name, array.slice()]),
  );
  const shared: Arrays = Object.fromEntries(
    Object.entries({ ...inputs, ...outputs }).map(([name, array]) => [name, share(array)]),
  );
  await backend.runInPlace(step, alone);
  const before = backend.counters.dispatches;
  let work = 0;
  await backend.runInPlace(step, shared, { onCost: (more) => (work += more) });
  expect(backend.counters.dispatches - before, "tasks").toBeGreaterThan(3);
  expect(work).toBeCloseTo(1, 6);
  for (const name of names) {
    expect(
      Buffer.compare(bitsOf(shared[name]), bitsOf(alone[name])),
      `${name}, ${JSON.stringify(params)}`,
    ).toBe(0);
    expectFringe(shared[name]);
  }
}

const empty = (length: number) => new Uint32Array(length).fill(0xdeadbeef);

describe.each(typeNames)("of %s", (type: TypeName) => {
  test.each(["random", "hard", "equal"] as const)("scans and reductions of %s elements", async (kind) => {
    const backend = await workersWith();
    const input = elementsOf(type, kind, 4 * 65_536 + 4097, new Random(seed));
    const count = input.length;
    for (const op of ["sum", "min", "max"] as const) {
      for (const exclusive of [false, true]) {
        const params = { type, op, exclusive, count, initial: identityBits(op) };
        await expectSame(
          backend,
          scanPrimitive,
          params,
          { input },
          { output: empty(count), scratch: empty(1) },
        );
      }
    }
    for (const op of ["sum", "min", "max", "argmin", "argmax"] as const) {
      for (const [rows, cols] of [
        [1, count],
        [3, 80_001],
        [77, 2500],
        [40_000, 5],
      ]) {
        await expectSame(
          backend,
          reducePrimitive,
          { type, op, rows, cols },
          { input },
          { output: empty(rows) },
        );
      }
    }
  });

  test("scans that begin with something", async () => {
    const backend = await workersWith();
    const input = elementsOf(type, "random", 3 * 65_536, new Random(seed));
    for (const [op, initial] of [
      ["sum", 7],
      ["min", 0x80000005],
      ["max", 0x90000000],
    ] as const) {
      const params = { type, op, exclusive: true, count: input.length, initial };
      const outputs = { output: empty(input.length), scratch: empty(1) };
      await expectSame(backend, scanPrimitive, params, { input }, outputs);
    }
  });

  test.each([1, 5, 4097])("histograms of %i bins, whole and by rows", async (bins) => {
    const backend = await workersWith();
    const rows = 7;
    const input = elementsOf(type, "random", rows * 3001, new Random(seed));
    for (const [perRow, shape] of [
      [false, { rows: 1, cols: rows * 3001 }],
      [false, { rows, cols: 3001 }],
      [true, { rows, cols: 3001 }],
      [true, { rows: 601, cols: rows }],
    ] as const) {
      const sets = perRow ? shape.rows : 1;
      const edges = new Float64Array(sets * (bins + 1));
      for (let set = 0; set < sets; set++) {
        evenEdges(-3 * (set + 1), 5, bins, edges.subarray(set * (bins + 1), (set + 1) * (bins + 1)));
      }
      const keys = binKeys(edges, bins, type, true);
      // Counted on top of what is there.
      const outputs = {
        counts: new Uint32Array(shape.rows * bins).fill(3),
        outside: new Uint32Array(3 * shape.rows),
      };
      await expectSame(
        backend,
        histogramPrimitive,
        { type, bins, perRow, ...shape },
        { input, ...keys },
        outputs,
      );
    }
  });

  test.each(["random", "hard"] as const)("selections among %s elements, whole and by rows", async (kind) => {
    const backend = await workersWith();
    const input = elementsOf(type, kind, 21_007, new Random(seed));
    for (const [rows, cols] of [
      [1, 21_007],
      [5, 4001],
      [1000, 21],
    ]) {
      for (const k of [1, 10, ...(rows > 1 ? [cols] : [])]) {
        const params = { type, largest: k === 10, rows, cols, k };
        const outputs = { values: empty(rows * k), indices: empty(rows * k) };
        await expectSame(backend, selectPrimitive, params, { input }, outputs);
      }
    }
  });
});

test.each(["u8", "u32"] as const)("what flags of %s keep, however much room there is", async (flags) => {
  const backend = await workersWith();
  const random = new Random(seed);
  const count = 10_007;
  const input = elementsOf("u32", "random", count, random);
  for (const part of [0, 0.01, 0.5, 1]) {
    const drawn = Uint32Array.from({ length: count }, () =>
      random.uniform() < part ? random.int(1, 255) : 0,
    );
    const set = flags === "u8" ? Uint8Array.from(drawn) : drawn;
    for (const capacity of [count, 4000, 3, 0]) {
      const params = { count, flags, values: true, indices: true, capacity, firstIndex: 5 };
      const outputs = { values: empty(capacity), indices: empty(capacity), found: empty(1) };
      await expectSame(backend, compactPrimitive, params, { input, flags: set }, outputs);
      const places = { ...params, values: false };
      await expectSame(
        backend,
        compactPrimitive,
        places,
        { flags: set },
        { indices: empty(capacity), found: empty(1) },
      );
    }
  }
});

test.each(runInputs)("runs of $name, however much room there is", async ({ make }) => {
  const backend = await workersWith();
  const input = make(new Random(seed), 10_007);
  const type = input instanceof Float32Array ? "f32" : input instanceof Int32Array ? "i32" : "u32";
  for (const continued of [false, true]) {
    for (const capacity of [input.length, 100, 1]) {
      const params = { type, count: input.length, continued, capacity, firstIndex: 9 };
      const outputs = {
        values: empty(capacity),
        counts: empty(capacity),
        offsets: empty(capacity),
        found: empty(1),
      };
      await expectSame(backend, runLengthPrimitive, params, { input }, outputs);
      await expectSame(
        backend,
        uniquePrimitive,
        params,
        { input },
        { values: empty(capacity), found: empty(1) },
      );
    }
  }
});

test("sums of floats have the same bits for any number of workers and any shares", async () => {
  const input = elementsOf("f32", "random", 5 * 65_536 + 11, new Random(seed));
  const count = input.length;
  const found = new Set<string>();
  for (const threads of [1, 2, 3]) {
    for (const fewestShareElements of [1, 65_536, 2 ** 20]) {
      const tuning = { ...small, fewestShareElements, mostShareElements: 2 ** 20 };
      const backend = await workersWith({ threads, tuning });
      const [from, output, total] = [share(input), share(empty(count)), empty(1)];
      const bindings = { input: "input", output: "output", scratch: "scratch" };
      const run = (primitive: RunStep["primitive"], params: object, arrays: Arrays) =>
        backend.runInPlace({ kind: "run", primitive, params, bindings, cost: 1 } as never, arrays);
      const arrays = { input: from, output, scratch: total };
      await run(scanPrimitive, { type: "f32", op: "sum", exclusive: false, count, initial: 0 }, arrays);
      const sum = new Float32Array(1);
      await run(
        reducePrimitive,
        { type: "f32", op: "sum", rows: 1, cols: count },
        { ...arrays, output: sum },
      );
      found.add(
        [bitsOf(output), bitsOf(total), bitsOf(sum)].map((bits) => Buffer.from(bits).toString("hex")).join(),
      );
    }
  }
  expect(found.size).toBe(1);
});

test("workers share arrays in shared memory that are so long that it pays", async () => {
  let told = 0;
  const counting = (): WorkerHandle => {
    const worker = spawn();
    const post: WorkerHandle["post"] = (message, transfer) => {
      if ((message as { kind: string }).kind !== "start") told++;
      worker.post(message, transfer);
    };
    return { ...worker, post };
  };
  const tuning = { ...small, sharedElements: 5000, startElements: 10_000 };
  const open = () => workersWith({ spawn: counting, tuning });
  /** Tasks that workers are told to do. */
  const tasks = async (backend: CpuBackend, input: Words, workers?: InPlaceOptions["workers"]) => {
    const params = { type: "u32", op: "sum", rows: 1, cols: input.length };
    const bindings = { input: "input", output: "output", scratch: "scratch" };
    const step = { kind: "run", primitive: reducePrimitive, params, bindings, cost: 1 } satisfies RunStep;
    told = 0;
    await backend.runInPlace(step, { input, output: empty(1), scratch: empty(1) }, { workers });
    return told;
  };
  const backend = await open();
  expect(await tasks(backend, empty(20_000))).toBe(0);
  expect(await tasks(backend, share(empty(4999)))).toBe(0);
  expect(await tasks(backend, share(empty(9999)), "brief")).toBe(0);
  expect(await tasks(backend, share(empty(20_000)), "none")).toBe(0);
  expect(await tasks(backend, share(empty(5000)))).toBe(1);
  expect(await tasks(backend, share(empty(5000)), "brief")).toBe(1);
  expect(await tasks(backend, share(empty(4999)), "brief")).toBe(0);
  expect(await tasks(await open(), share(empty(10_000)), "brief")).toBe(1);
});

test("histograms are added as workers count, within the memory that there is", async () => {
  const sent: number[] = [];
  const recording = (): WorkerHandle => {
    const worker = spawn();
    const post: WorkerHandle["post"] = (message, transfer) => {
      const { kind, request } = message as { kind: string; request: { edges: Uint32Array } };
      if (kind === "histogram") sent.push(request.edges.length);
      worker.post(message, transfer);
    };
    return { ...worker, post };
  };
  const [rows, cols, bins] = [64, 200, 1000];
  const input = share(elementsOf("f32", "random", rows * cols, new Random(seed)));
  const edges = new Float64Array(rows * (bins + 1));
  for (let row = 0; row < rows; row++) {
    evenEdges(-3, 3, bins, edges.subarray(row * (bins + 1), (row + 1) * (bins + 1)));
  }
  const params = { type: "f32", bins, perRow: true, rows, cols };
  const names = ["input", "edges", "ranges", "counts", "outside"];
  const bindings = Object.fromEntries(names.map((name) => [name, name]));
  const step: RunStep = { kind: "run", primitive: histogramPrimitive, params, bindings, cost: rows * cols };
  const results = [];
  for (const memoryBytes of [2 ** 17, 2 ** 14]) {
    const backend = await workersWith({ threads: 2, memoryBytes, spawn: recording });
    const arrays = { input, counts: new Uint32Array(rows * bins), outside: new Uint32Array(3 * rows) };
    let done = 0;
    const onCost = (work: number): void => {
      done += work;
      const counted = [...arrays.counts, ...arrays.outside].reduce((sum, count) => sum + count, 0);
      expect(counted).toBeCloseTo(done, 6);
    };
    const keys = binKeys(edges, bins, "f32", true);
    await backend.runInPlace(step, { ...arrays, ...keys }, { onCost });
    expect(done).toBeCloseTo(rows * cols, 6);
    results.push([...arrays.counts, ...arrays.outside]);
    expect(backend.counters.peakBytes).toBeLessThanOrEqual(memoryBytes);
    if (sent.length > 0) expect(backend.counters.peakBytes).toBeGreaterThan(2 ** 16);
    const rowsSent = sent.splice(0).map((keys) => keys / bins);
    expect(rowsSent).toEqual(memoryBytes === 2 ** 17 ? new Array(16).fill(4) : []);
  }
  expect(results[0]).toEqual(results[1]);
});

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
  async function searching(): Promise<{ backend: CpuBackend; kinds: string[] }> {
    const kinds: string[] = [];
    const neverending = (): WorkerHandle => {
      const worker = spawn();
      const post: WorkerHandle["post"] = (message, transfer) => {
        const { kind } = message as { kind: string };
        kinds.push(kind);
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
    const { backend, kinds } = await searching();
    const output = share(empty(input.length));
    const scan = scanOf(backend, output);
    const search = filter(backend, problem);
    const outcome = expect(search).rejects.toMatchObject({ tag: "DeviceLost" });
    await scan;
    expect(Buffer.compare(bitsOf(output), bitsOf(sums))).toBe(0);
    expect(count(kinds, "scan.totals")).toBe(4);
    expect(count(kinds, "scan.write")).toBe(0);
    backend.dispose();
    await outcome;
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
  const backend = await workersWith();
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
