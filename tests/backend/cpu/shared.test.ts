/**
 * Array primitives on arrays in shared memory, which workers share: the same bits as by one thread, whoever
 * did which part, and as far as possible proof that workers did it. That one thread is right is said by the
 * oracles of tests/backend/.
 */
import { afterAll, describe, expect, test } from "vitest";
import type { CpuBackend } from "../../../dist/runtime/cpu/backend.js";
import { binKeys, evenEdges } from "../../../dist/ops/histogram/bins.js";
import type { InPlaceOptions } from "../../../src/runtime/backend.ts";
import type { Pool } from "../../../src/runtime/cpu/pool.ts";
import type { Device } from "../../../src/runtime/device.ts";
import type { RunStep } from "../../../src/runtime/primitive.ts";
import {
  compactPrimitive,
  runLengthPrimitive,
  uniquePrimitive,
} from "../../../dist/ops/compact/primitive.js";
import { convolvePrimitive } from "../../../dist/ops/convolve/primitive.js";
import { histogramPrimitive } from "../../../dist/ops/histogram/primitive.js";
import { reducePrimitive } from "../../../dist/ops/reduce/primitive.js";
import { scanPrimitive } from "../../../dist/ops/scan/primitive.js";
import { mergeRuns } from "../../../dist/ops/sort/merge.js";
import { sortPrimitive } from "../../../dist/ops/sort/primitive.js";
import { selectPrimitive } from "../../../dist/ops/select/primitive.js";
import { identityBits } from "../../../src/runtime/element.ts";
import type { WorkerHandle } from "../../../src/core/platform.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { elementsOf, typeNames, type TypeName } from "../arrays/elements.ts";
import { keysOf } from "../arrays/keyInputs.ts";
import { runInputs } from "../runs.ts";
import { spawn } from "./helpers.ts";
import {
  small,
  type Arrays,
  bitsOf,
  empty,
  expectSame,
  share,
  workersOfFile,
  workersWith,
  type Words,
} from "./sharing.ts";

const seed = printedSeed();
const { workers, dispose } = workersOfFile();
afterAll(dispose);

describe.each(["f32", "u64"] as const)("sorts of %s", (type) => {
  test.each(["random", "hard"] as const)("%s keys, in buckets and in rows", async (kind) => {
    const backend = await workers();
    const random = new Random(seed);
    const count = 300_006;
    const keys = new Uint32Array(keysOf(type, kind, count, random).buffer);
    const all = { beginBit: 0, endBit: (32 * keys.length) / count, count };
    for (const [values, descending, rows] of [
      ["none", false, 1],
      ["given", true, 1],
      ["indices", false, 1],
      ["indices", true, 3],
      ["given", false, 100_002],
    ] as const) {
      const inputs = values === "given" ? { keys, values: keys.slice(0, count) } : { keys };
      const sortedValues = values === "none" ? {} : { sortedValues: empty(count) };
      const outputs = { sortedKeys: empty(keys.length), ...sortedValues };
      await expectSame(backend, sortPrimitive, { ...all, type, values, descending, rows }, inputs, outputs);
    }
  });
});

test("sorts keys that differ only between shares", async () => {
  const keys = new Uint32Array(300_006).fill(9).fill(7, 50 * small.mostShareElements);
  const params = { type: "u32", count: keys.length, rows: 1, descending: false, beginBit: 0, endBit: 32 };
  const outputs = { sortedKeys: empty(keys.length), sortedValues: empty(keys.length) };
  await expectSame(await workers(), sortPrimitive, { ...params, values: "indices" }, { keys }, outputs);
});

test("merges sorted runs", async () => {
  const backend = await workers();
  const runs = [7, 3, 50_000, 20_001].map((count) =>
    Uint32Array.from({ length: count }, (_, at) => 3 * at + (count % 4)),
  );
  const bounds = runs.reduce((all, run) => [...all, all.at(-1)! + run.length], [0]);
  const keys = Uint32Array.from(runs.flatMap((run) => [...run]));
  const values = keys.map((key, at) => key ^ at);
  const params = {
    type: "u32",
    count: keys.length,
    rows: 1,
    descending: false,
    beginBit: 0,
    endBit: 32,
  } as const;
  const all = { keys: keys.slice(), values: values.slice() };
  let tasks = 0;
  const offer: Pool["offer"] = (task, ...rest) => {
    tasks++;
    return backend.workers.pool.offer(task, ...rest);
  };
  const withWorkers: Device["withWorkers"] = (_, use) =>
    use({ ...backend.workers, pool: { ...backend.workers.pool, offer } });
  await mergeRuns({ withWorkers }, { ...params, values: "given" }, all, bounds, { keeps: true });
  const places = keys.map((_, at) => at).sort((a, b) => keys[a] - keys[b] || a - b);
  expect(all.keys).toEqual(keys.slice().sort());
  expect(all.values).toEqual(places.map((place) => values[place]));
  expect(tasks).toBeGreaterThan(40);
});

describe.each(typeNames)("of %s", (type: TypeName) => {
  test.each(["random", "hard", "equal"] as const)("scans and reductions of %s elements", async (kind) => {
    const backend = await workers();
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
    const backend = await workers();
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
    const backend = await workers();
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
    const backend = await workers();
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

test.each(["f32", "i32"] as const)("convolutions of %s, by rows, with several masks", async (type) => {
  const backend = await workers();
  const random = new Random(seed);
  const signal = elementsOf(type, "random", 3 * 7001, random);
  const mask = elementsOf(type, "random", 2 * 9, random);
  for (const [rows, count] of [
    [1, 21_003],
    [3, 7001],
    [7001, 3],
  ]) {
    const shape = { rows, count, masks: 2, taps: 9, before: 4, length: count };
    const params = { type, ...shape, flip: true, boundary: "wrap", fill: 0, technique: "tiled" } as const;
    const outputs = { output: empty(2 * rows * count), status: new Uint32Array(1) };
    await expectSame(backend, convolvePrimitive, params, { signal, mask }, outputs);
    if (type === "f32") {
      const spectra = { ...params, technique: "fft" };
      if (count > 3) await expectSame(backend, convolvePrimitive, spectra, { signal, mask }, outputs);
      continue;
    }
    const checked = { ...params, limit: 1 };
    await expectSame(backend, convolvePrimitive, checked, { signal, mask }, outputs);
  }
});

test.each(["u8", "u32"] as const)("what flags of %s keep, however much room there is", async (flags) => {
  const backend = await workers();
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
  const backend = await workers();
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
