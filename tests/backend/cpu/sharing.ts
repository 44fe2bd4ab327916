/** What the tests of arrays in shared memory share: arrays between guards, and one thread beside workers. */
import { expect } from "vitest";
import type { CpuBackend, CpuOptions } from "../../../dist/runtime/cpu/backend.js";
import type { RunStep } from "../../../src/runtime/primitive.ts";
import { backendWith, open } from "./helpers.ts";

/** Shares so small that few elements make many. */
export const small = {
  sharedElements: 1,
  fewestShareElements: 1000,
  mostShareElements: 3001,
  workersForTwoPasses: 2,
};

export const workersWith = (options: Partial<CpuOptions> = {}) => backendWith({ tuning: small, ...options });

/**
 * Workers for all tests of a file that leave them as they are, which take longer to start than most steps.
 * @returns functions that open them, when they are first asked for, and dispose of them
 */
export function workersOfFile() {
  let workers: Promise<CpuBackend> | undefined;
  return {
    workers: () => (workers ??= open({ tuning: small })),
    async dispose() {
      const backend = await workers;
      if (!backend) return;
      const singles = (await singlesOf.get(backend)) ?? [];
      for (const each of [backend, ...singles]) each.dispose();
    },
  };
}

export type Words = Uint32Array | Int32Array | Float32Array | Uint8Array;
export type Arrays = Readonly<Record<string, Words>>;

/** Bytes around an array in shared memory, which nobody may write. */
const FRINGE = 20;

export function share(array: Words): Words {
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

export const bitsOf = ({ buffer, byteOffset, byteLength }: Words) =>
  new Uint8Array(buffer, byteOffset, byteLength).slice();

const singlesOf = new WeakMap<CpuBackend, Promise<readonly CpuBackend[]>>();

/**
 * One thread, in its own memory and through shared one, for all that is compared with the workers of a file:
 * to open them takes longer than most steps.
 */
function singlesBeside(backend: CpuBackend): Promise<readonly CpuBackend[]> {
  const known = singlesOf.get(backend);
  const both =
    known ?? Promise.all([false, true].map((sharedWindows) => open({ tuning: { sharedWindows } })));
  singlesOf.set(backend, both);
  return both;
}

/** What a step leaves in its arrays: by one thread, in its own memory and in shared one, and by workers. */
export async function expectSame(
  backend: CpuBackend,
  primitive: RunStep["primitive"],
  params: object,
  inputs: Arrays,
  outputs: Arrays,
): Promise<void> {
  const names = Object.keys({ ...inputs, ...outputs });
  const bindings = Object.fromEntries(names.map((name) => [name, name]));
  const step = { kind: "run", primitive, params, bindings, cost: 1 } satisfies RunStep;
  const plain = (): Arrays =>
    Object.fromEntries(
      Object.entries({ ...inputs, ...outputs }).map(([name, array]) => [name, array.slice()]),
    );
  const shared: Arrays = Object.fromEntries(
    Object.entries({ ...inputs, ...outputs }).map(([name, array]) => [name, share(array)]),
  );
  const alone = plain();
  const through = plain();
  const [own, windows] = await singlesBeside(backend);
  await own.runInPlace(step, alone);
  await windows.runInPlace(step, through);
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
    expect(
      Buffer.compare(bitsOf(through[name]), bitsOf(alone[name])),
      `${name} through shared memory, ${JSON.stringify(params)}`,
    ).toBe(0);
    expectFringe(shared[name]);
  }
}

export const empty = (length: number) => new Uint32Array(length).fill(0xdeadbeef);
