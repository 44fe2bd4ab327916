/**
 * Nearest rows by float64 alone beside a GPU: by workers of the CPU backend, or by the main thread where
 * there are none or they fail.
 */
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { UnavailableError } from "../../../dist/core/errors.js";
import { currentPlatform, installPlatform } from "../../../dist/core/platform.js";
import type { WorkerHandle } from "../../../dist/core/platform.js";
import { kneighbors } from "../../../dist/node.js";
import type { Device } from "../../../dist/node.js";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame, isAbsent, openDevice } from "../helpers.ts";
import { matrix } from "../inputs.ts";

const random = new Random(printedSeed());
const k = 3;
/** The problem has 64 queries, so that there are enough steps to share out. */
const train = matrix(8192, 8, () => random.int(0, 9));
const queries = matrix(64, 8, () => random.int(0, 9));

const platform = currentPlatform();
afterEach(() => installPlatform(platform));

async function search(device: Device, rows = queries) {
  try {
    return await kneighbors(train, rows, { k, metric: "canberra", device });
  } finally {
    device.dispose();
  }
}

/** @returns how many workers were started since */
function countWorkers(spawn: () => WorkerHandle): () => number {
  let started = 0;
  installPlatform({
    ...platform,
    spawnWorker: () => {
      started++;
      return spawn();
    },
  });
  return () => started;
}

/** A worker that evaluates nothing: it gives the reply instead, or ends where there is none. */
function spawnFailing(replyTo: (id: number) => unknown): WorkerHandle {
  const worker = platform.spawnWorker();
  let listen: (message: unknown) => void;
  return {
    ...worker,
    onMessage: (listener) => worker.onMessage((listen = listener)),
    post(message, transfer) {
      const { id, kind } = message as { id: number; kind: string };
      if (kind !== "distance.nearest") return worker.post(message, transfer);
      const reply = replyTo(id);
      if (reply === undefined) void worker.terminate();
      else queueMicrotask(() => listen(reply));
    },
  };
}

describe.skipIf(isAbsent("gpu"))("a measure without a filter on a GPU", () => {
  test("is evaluated by workers, which end with the device", async () => {
    const expected = await search(await openDevice("cpu", { threads: 1 }));
    const running = new Set<WorkerHandle>();
    const started = countWorkers(() => {
      const worker = platform.spawnWorker();
      running.add(worker);
      return { ...worker, terminate: () => worker.terminate().finally(() => running.delete(worker)) };
    });
    const found = await search(await openDevice("gpu"));
    expectSame(found, expected, k);
    expect(started()).toBe(2);
    expect(found.explanation.technique).toBe("float64 throughout");
    while (running.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  test("is evaluated by the main thread where no worker may be started, and where it is little", async () => {
    const expected = await search(await openDevice("cpu", { threads: 1 }));
    const refused = countWorkers(() => {
      throw new UnavailableError("workers are refused");
    });
    expectSame(await search(await openDevice("gpu")), expected, k);
    expect(refused()).toBeGreaterThan(0);
    const few = { ...queries, rows: 2, data: queries.data.subarray(0, 16) };
    const started = countWorkers(() => platform.spawnWorker());
    const { indices } = await search(await openDevice("gpu"), few);
    expect([...indices]).toEqual([...expected.indices.subarray(0, 2 * k)]);
    expect(started()).toBe(0);
  });

  test("opens no CPU backend for one thread, which is the main thread", async () => {
    const expected = await search(await openDevice("cpu", { threads: 1 }));
    const { compile } = WebAssembly;
    onTestFinished(() => void (WebAssembly.compile = compile));
    let compiled = 0;
    WebAssembly.compile = (bytes) => {
      compiled++;
      return compile(bytes);
    };
    expectSame(await search(await openDevice("gpu", { threads: 1 })), expected, k);
    expect(compiled).toBe(0);
  });

  test.each([
    ["run out of memory", (id: number) => ({ id, error: { message: "full", tag: "OutOfMemory", bytes: 9 } })],
    ["die", () => undefined],
  ])("is evaluated by the main thread where workers %s", async (_, replyTo) => {
    const expected = await search(await openDevice("cpu", { threads: 1 }));
    const failed = countWorkers(() => spawnFailing(replyTo));
    expectSame(await search(await openDevice("gpu", { threads: 2 })), expected, k);
    expect(failed()).toBeGreaterThan(0);
  });

  test("ends when the device is disposed of, and says that", async () => {
    const device = await openDevice("gpu", { threads: 2 });
    countWorkers(() => spawnFailing(() => device.dispose()));
    await expect(search(device)).rejects.toMatchObject({
      tag: "Unavailable",
      message: "the device was disposed; create another one",
    });
  });
});
