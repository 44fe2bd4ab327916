/**
 * Array primitives on arrays in shared memory, which workers share: the same bits as by one thread, whoever did which part, and as
 * far as possible proof that workers did it. That one thread is right is said by the oracles of tests/backend/.
 */
import { afterEach, describe, expect, test } from "vitest";
import type { CpuBackend, CpuOptions } from "../../../dist/cpu/backend.js";
import { binKeys, evenEdges } from "../../../dist/core/bins.js";
import type { PrimitiveStep } from "../../../src/core/primitives.ts";
import { scanIdentity } from "../../../src/core/primitives.ts";
import type { WorkerHandle } from "../../../src/core/platform.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { elementsOf, typeNames, type TypeName } from "../elements.ts";
import { runInputs } from "../runs.ts";
import { open, spawn } from "./helpers.ts";

const seed = printedSeed();
const opened: CpuBackend[] = [];
afterEach(() => opened.splice(0).forEach((backend) => backend.dispose()));

/** Shares so small that few elements make many. */
const small = {
  sharedElements: 1,
  fewestShareElements: 1000,
  mostShareElements: 3001,
  workersForTwoPasses: 2,
};

async function workersWith(options: Partial<CpuOptions> = {}): Promise<CpuBackend> {
  const backend = await open({ tuning: small, ...options });
  opened.push(backend);
  return backend;
}

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
  primitive: PrimitiveStep["primitive"],
  params: object,
  inputs: Arrays,
  outputs: Arrays,
): Promise<void> {
  const names = Object.keys({ ...inputs, ...outputs });
  const bindings = Object.fromEntries(names.map((name) => [name, name]));
  const step = { kind: "run", primitive, params, bindings, work: 1 } as unknown as PrimitiveStep;
  const alone: Arrays = Object.fromEntries(
    Object.entries({ ...inputs, ...outputs }).map(([name, array]) => [name, array.slice()]),
  );
  const shared: Arrays = Object.fromEntries(
    Object.entries({ ...inputs, ...outputs }).map(([name, array]) => [name, share(array)]),
  );
  await backend.runInPlace(step, alone);
  const before = backend.counters.dispatches;
  let work = 0;
  await backend.runInPlace(step, shared, { onWork: (more) => (work += more) });
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
        const params = { type, op, exclusive, count, initial: scanIdentity(op) };
        await expectSame(backend, "scan", params, { input }, { output: empty(count), scratch: empty(1) });
      }
    }
    for (const op of ["sum", "min", "max", "argmin", "argmax"] as const) {
      for (const [rows, cols] of [
        [1, count],
        [3, 80_001],
        [77, 2500],
        [40_000, 5],
      ]) {
        await expectSame(backend, "reduce", { type, op, rows, cols }, { input }, { output: empty(rows) });
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
      await expectSame(backend, "scan", params, { input }, outputs);
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
      await expectSame(backend, "histogram", { type, bins, perRow, ...shape }, { input, ...keys }, outputs);
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
      for (const k of [1, 10, cols]) {
        const params = { type, largest: k === 10, rows, cols, k };
        const outputs = { values: empty(rows * k), indices: empty(rows * k) };
        await expectSame(backend, "select", params, { input }, outputs);
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
      await expectSame(backend, "compact", params, { input, flags: set }, outputs);
      const places = { ...params, values: false };
      await expectSame(
        backend,
        "compact",
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
      await expectSame(backend, "runLength", params, { input }, outputs);
      await expectSame(backend, "unique", params, { input }, { values: empty(capacity), found: empty(1) });
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
      const run = (primitive: string, params: object, arrays: Arrays) =>
        backend.runInPlace({ kind: "run", primitive, params, bindings, work: 1 } as never, arrays);
      const arrays = { input: from, output, scratch: total };
      await run("scan", { type: "f32", op: "sum", exclusive: false, count, initial: 0 }, arrays);
      const sum = new Float32Array(1);
      await run("reduce", { type: "f32", op: "sum", rows: 1, cols: count }, { ...arrays, output: sum });
      found.add(
        [bitsOf(output), bitsOf(total), bitsOf(sum)].map((bits) => Buffer.from(bits).toString("hex")).join(),
      );
    }
  }
  expect(found.size).toBe(1);
});

test("arrays that are not in shared memory, and short ones, stay with one thread", async () => {
  let started = 0;
  const counted = (): WorkerHandle => (started++, spawn());
  const backend = await workersWith({ spawn: counted, tuning: { ...small, sharedElements: 5000 } });
  const run = (input: Words) => {
    const params = { type: "u32", op: "sum", rows: 1, cols: input.length };
    const bindings = { input: "input", output: "output", scratch: "scratch" };
    const step = { kind: "run", primitive: "reduce", params, bindings, work: 1 } as unknown as PrimitiveStep;
    return backend.runInPlace(step, { input, output: empty(1), scratch: empty(1) });
  };
  await run(empty(20_000));
  await run(share(empty(4999)));
  expect(started).toBe(0);
  await run(share(empty(5000)));
  expect(started).toBeGreaterThan(0);
});

test("an abort between two shares rejects with its reason and leaves the backend usable", async () => {
  const backend = await workersWith({ threads: 2 });
  const input = share(elementsOf("u32", "random", 200_000, new Random(seed)));
  const stop = new AbortController();
  let tasks = 0;
  const onWork = (): void => {
    if (++tasks === 3) stop.abort(new Error("enough"));
  };
  const params = { type: "u32", op: "sum", exclusive: false, count: input.length, initial: 0 };
  const bindings = { input: "input", output: "output", scratch: "scratch" };
  const step = { kind: "run", primitive: "scan", params, bindings, work: 1 } as unknown as PrimitiveStep;
  const arrays = { input, output: share(empty(input.length)), scratch: empty(1) };
  await expect(backend.runInPlace(step, arrays, { signal: stop.signal, onWork })).rejects.toThrow("enough");
  expect(tasks).toBeLessThanOrEqual(3 + 2);
  await backend.runInPlace(step, arrays);
  expect(new Uint32Array(arrays.scratch.buffer, 0, 1)[0]).toBe(
    (input as Uint32Array).reduce((a, b) => (a + b) >>> 0, 0),
  );
});
