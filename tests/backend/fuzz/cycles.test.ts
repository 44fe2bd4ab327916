/**
 * Devices, models and searches made and disposed of again and again: what they took is given back, whether it
 * is buffers, workers, threads, listeners or memory. Forty cycles, and 2,000 in the long run.
 */
import { getEventListeners } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { currentPlatform } from "../../../dist/core/platform.js";
import { NearestNeighbors, kneighbors } from "../../../dist/node.js";
import type { Device } from "../../../dist/node.js";
import { bruteForce } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame, isAbsent, onEachBackend, openDevice } from "../helpers.ts";
import type { BackendName } from "../helpers.ts";
import { matrix } from "../inputs.ts";

const CYCLES = process.env.NEARFIELD_LONG ? 2000 : 40;
/** The number of cycles after which everything that is kept for later is there. */
const WARM = 20;

/**
 * The bytes that a cycle may leave on the heap; a model of these rows leaves some 10,000 where it is not
 * freed.
 */
const HEAP_PER_CYCLE = 1000;
/** The bytes by which the heap moves, whatever happens. */
const HEAP_NOISE = 3e6;

const random = new Random(printedSeed());
const [train, queries] = [matrix(150, 8, () => random.normal()), matrix(5, 8, () => random.normal())];
const k = 3;
const expected = bruteForce(train, queries, { k });

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

async function heapBytes(): Promise<number> {
  // What is freed by one collection may free more in the next turn.
  for (let turn = 0; turn < 3; turn++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Counts the threads of this process, where the system tells. */
function threads(): number {
  const tasks = "/proc/self/task";
  return existsSync(tasks) ? readdirSync(tasks).length : 0;
}

/** Returns a function that counts the buffers of a GPU that were made and not destroyed. */
function countBuffers(device: Device): () => number {
  const { device: gpu } = device.backend as unknown as { device?: GPUDevice };
  let live = 0;
  const create = gpu?.createBuffer.bind(gpu);
  if (gpu && create) {
    gpu.createBuffer = (descriptor) => {
      const buffer = create(descriptor);
      const destroy = buffer.destroy.bind(buffer);
      live++;
      buffer.destroy = () => {
        live--;
        buffer.destroy = destroy;
        destroy();
        return undefined;
      };
      return buffer;
    };
  }
  return () => live;
}

async function repeat(cycle: () => Promise<void>, counts: () => readonly number[]): Promise<void> {
  for (let done = 0; done < WARM; done++) await cycle();
  const before = counts();
  const heap = await heapBytes();
  for (let done = 0; done < CYCLES; done++) await cycle();
  // Threads of files that ran before in this process may end meanwhile.
  for (const [at, count] of counts().entries()) expect(count).toBeLessThanOrEqual(before[at]);
  expect((await heapBytes()) - heap).toBeLessThan(HEAP_NOISE + HEAP_PER_CYCLE * CYCLES);
}

describe("models made and disposed of on one device", () => {
  onEachBackend((_, backend) => {
    it("leave no buffer, thread, listener or memory behind", async () => {
      using device = await openDevice(backend);
      const buffers = countBuffers(device);
      const { signal } = new AbortController();
      const listeners = () => getEventListeners(signal, "abort").length;
      const cycle = async () => {
        using model = await new NearestNeighbors({ nNeighbors: k, device }).fit(train);
        expectSame(await model.kneighbors(queries, { signal }), expected, k);
      };
      await repeat(cycle, () => [buffers(), listeners(), threads()]);
    });
  });
});

describe("devices opened and disposed of", () => {
  const { spawnWorker } = currentPlatform();
  let workers = 0;
  Object.assign(currentPlatform(), {
    spawnWorker() {
      const worker = spawnWorker();
      const terminate = worker.terminate.bind(worker);
      workers++;
      worker.terminate = () => {
        workers--;
        worker.terminate = terminate;
        return terminate();
      };
      return worker;
    },
  });

  /** A software GPU would compile for a second in each cycle, so that it is only opened. */
  const use: Readonly<Record<BackendName, (device: Device) => Promise<void>>> = {
    cpu: async (device) => expectSame(await kneighbors(train, queries, { k, device }), expected, k),
    gpu: () => Promise.resolve(),
  };

  it.each(["cpu", "gpu"] as const)("leave no worker or memory behind: %s", async (backend) => {
    if (isAbsent(backend)) return;
    const cycle = async () => {
      using device = await openDevice(backend, { threads: 1 });
      await use[backend](device);
    };
    await repeat(cycle, () => [workers]);
  });
});
