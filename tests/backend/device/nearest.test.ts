/** Nearest rows by float64 alone beside a GPU: by workers of the CPU backend, or by the main thread where there are none. */
import { afterEach, describe, expect, test } from "vitest";
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
/** Of 64 queries, so that there are enough steps to share out. */
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
});
