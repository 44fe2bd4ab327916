/**
 * Searches whose device fails on the way: lost, out of memory, aborted. The answer is right, or the error
 * says why not.
 */
import { afterEach, describe, expect, it } from "vitest";
import { currentPlatform } from "../../dist/core/platform.js";
import type { Platform, WorkerHandle } from "../../dist/core/platform.js";
import { NearestNeighbors, OutOfMemoryError, histogram, kneighbors, scan } from "../../dist/node.js";
import type { Device, DeviceOptions } from "../../dist/node.js";
import { bruteForce } from "../oracle/knn.ts";
import { Random, printedSeed } from "../oracle/random.ts";
import { expectSame, isAbsent, openBeside, openDevice, sharedGpuDevice } from "./helpers.ts";
import type { BackendName } from "./helpers.ts";
import { matrix } from "./inputs.ts";
import { limitMemory } from "./limitMemory.ts";

const random = new Random(printedSeed());
const train = matrix(700, 12, () => random.normal());
const queries = matrix(40, 12, () => random.normal());
const k = 4;
const expected = bruteForce(train, queries, { k });
/** Four jobs, so that there is a middle. */
const tiles = { queries: 10, references: 128 };

const opened: Device[] = [];
const workers: WorkerHandle[] = [];

/** How often a GPU was asked for. */
let gpusOpened = 0;

/** Keeps track of workers, so that a test can kill them, and of GPUs. */
function track(platform: Platform): void {
  const { spawnWorker, gpu } = platform;
  Object.assign(platform, {
    spawnWorker() {
      const worker = spawnWorker();
      workers.push(worker);
      return worker;
    },
    gpu() {
      gpusOpened++;
      return gpu();
    },
  });
}

track(currentPlatform());

async function open(backend: BackendName, options: DeviceOptions = {}): Promise<Device> {
  const device = await openDevice(backend, options);
  opened.push(device);
  gpusOpened = 0;
  return device;
}

afterEach(() => {
  for (const device of opened.splice(0)) device.dispose();
  workers.length = 0;
});

/** For tests that leave the GPU where it is. */
async function beside(backend: BackendName): Promise<Device> {
  const device = await openBeside(backend);
  opened.push(device);
  return device;
}

/** Takes the device away: destroys the GPU device, or kills every worker. */
function lose(device: Device): void {
  if (device.info.kind === "gpu") (device.backend as unknown as { device: GPUDevice }).device.destroy();
  else for (const worker of workers.splice(0)) void worker.terminate();
}

for (const backend of ["cpu", "gpu"] as const) {
  describe.skipIf(isAbsent(backend))(`on the ${backend}`, () => {
    it("a device lost in the middle is opened again and the answer is right", async () => {
      const device = await open(backend);
      let left = 1;
      const onProgress = ({ done }: { done: number }) => {
        if (done >= 10 && left-- > 0) lose(device);
      };
      const found = await kneighbors(train, queries, { k, tiles, device, onProgress });
      expectSame(found, expected, k);
      expect(found.explanation.timesDeviceLost).toBe(1);
      expect(device.counters.reopened).toBe(1);
      expect(found.explanation.pairs).toBeLessThan(2 * 700 * 40);
    });

    it("a device lost between two searches is opened again, and only once", async () => {
      const device = await open(backend);
      const index = await new NearestNeighbors({ nNeighbors: k, tiles, device }).fit(train);
      expectSame(await index.kneighbors(queries), expected, k);
      lose(device);
      expectSame(await index.kneighbors(queries), expected, k);
      expectSame(await index.kneighbors(queries), expected, k);
      // Whether a CPU worker that dies takes a task with it is a matter of luck.
      if (backend === "gpu") expect(device.counters.reopened).toBe(1);
      else expect(device.counters.reopened).toBeLessThanOrEqual(1);
    });

    it("two indexes of one lost device open it again once between them", async () => {
      const device = await open(backend);
      const models = [0, 1].map(() => new NearestNeighbors({ nNeighbors: k, tiles, device }));
      await Promise.all(models.map((model) => model.fit(train)));
      await Promise.all(models.map((model) => model.kneighbors(queries)));
      lose(device);
      for (const found of await Promise.all(models.map((model) => model.kneighbors(queries))))
        expectSame(found, expected, k);
      for (const model of models) expectSame(await model.kneighbors(queries), expected, k);
      expect(gpusOpened).toBeLessThanOrEqual(1);
      expect(device.counters.reopened).toBeLessThanOrEqual(1);
    });

    it("out of memory halves what is asked until it fits, and the answer is right", async () => {
      const device = await beside(backend);
      limitMemory(device, 50_000);
      const found = await kneighbors(train, queries, { k, device });
      expectSame(found, expected, k);
      expect(found.explanation.timesMemoryHalved).toBeGreaterThanOrEqual(1);
      expect(found.explanation.references).toMatch(/streamed/);
    });

    it("out of memory without end is an error that says what was tried", async () => {
      const device = await beside(backend);
      limitMemory(device, 10);
      const failed = kneighbors(train, queries, { k, device });
      await expect(failed).rejects.toThrow(OutOfMemoryError);
      await expect(failed).rejects.toThrow(/bytes are too many; tiles were halved \d+ times/);
    });

    it("an abort in the middle rejects with the signal's reason, and the device works on", async () => {
      const device = await beside(backend);
      const controller = new AbortController();
      const reason = new Error("the user pressed a key");
      const onProgress = ({ done }: { done: number }) => done >= 10 && controller.abort(reason);
      const { signal } = controller;
      await expect(kneighbors(train, queries, { k, tiles, device, onProgress, signal })).rejects.toBe(reason);
      expectSame(await kneighbors(train, queries, { k, tiles, device }), expected, k);
      expect(device.counters.reopened).toBe(0);
    });

    it("an abort within a long job is heard soon", async () => {
      const device = await beside(backend);
      // One job of seconds. In Deno no timer runs while a GPU works: the abort comes before its first job.
      const inDeno = "Deno" in globalThis;
      const slow = device.info.software && !inDeno;
      const rows = backend === "cpu" ? 100_000 : slow ? 1000 : 20_000;
      const many = matrix(rows, 64, () => random.uniform());
      const controller = new AbortController();
      const reason = new Error("the user pressed a key");
      let aborted = 0;
      const abort = () => {
        aborted = performance.now();
        controller.abort(reason);
      };
      const begun = setInterval(() => {
        if (device.counters.dispatches === 0 && !inDeno) return;
        clearInterval(begun);
        setTimeout(abort, 100);
      }, 5);
      const { signal } = controller;
      await expect(kneighbors(many, many, { k, device, signal })).rejects.toBe(reason);
      expect(performance.now() - aborted).toBeLessThan(3000);
      if (!slow) return;
      // The GPU was at the job still, for which others would wait.
      const done = (await sharedGpuDevice()).queue.onSubmittedWorkDone();
      const soon = new Promise((resolve) => setTimeout(resolve, 50, "busy"));
      expect(await Promise.race([done, soon])).toBe("busy");
      await done;
    });

    it("an abort before the start rejects at once", async () => {
      const device = await beside(backend);
      const signal = AbortSignal.abort("too late");
      await expect(kneighbors(train, queries, { k, device, signal })).rejects.toBe("too late");
      expect(device.counters.dispatches).toBe(0);
    });
  });
}

describe.skipIf(isAbsent("gpu"))("a GPU that refuses large buffers", () => {
  it("is asked for smaller ones, and the answer is right", async () => {
    const device = await open("gpu");
    const gpu = (device.backend as unknown as { device: GPUDevice }).device;
    const { createBuffer, pushErrorScope, popErrorScope } = gpu;
    const scopes: GPUErrorFilter[] = [];
    let refused = 0;
    let pending = false;
    Object.assign(gpu, {
      createBuffer(descriptor: GPUBufferDescriptor) {
        pending ||= descriptor.size > 60_000;
        return createBuffer.call(gpu, descriptor);
      },
      pushErrorScope(filter: GPUErrorFilter) {
        scopes.push(filter);
        return pushErrorScope.call(gpu, filter);
      },
      async popErrorScope() {
        const refuse = scopes.pop() === "out-of-memory" && pending;
        if (refuse) pending = false;
        const error = await popErrorScope.call(gpu);
        if (!refuse) return error;
        refused++;
        return new GPUOutOfMemoryError("the test refuses this buffer");
      },
    });
    const found = await kneighbors(train, queries, { k, device });
    expectSame(found, expected, k);
    expect(refused).toBeGreaterThanOrEqual(1);
    expect(found.explanation.timesMemoryHalved).toBeGreaterThanOrEqual(1);
  });
});

it.each([
  [3, "knn.nearest"],
  [4, "knn.treeFilter"],
])(
  "an abort ends the tasks of a search of %i columns in a tree, which may take seconds",
  async (cols, kind) => {
    const device = await open("cpu", { threads: 2 });
    const controller = new AbortController();
    const reason = new Error("the user pressed a key");
    const platform = currentPlatform();
    const { spawnWorker } = platform;
    let ended = 0;
    // Tasks that never end; an abort comes when both workers are at one.
    let searching = 0;
    Object.assign(platform, {
      spawnWorker(): WorkerHandle {
        const worker = spawnWorker();
        return {
          ...worker,
          post(message, transfer) {
            if ((message as { kind: string }).kind !== kind) worker.post(message, transfer);
            else if (++searching === 2) setTimeout(() => controller.abort(reason), 0);
          },
          terminate() {
            ended++;
            return worker.terminate();
          },
        };
      },
    });
    try {
      const points = matrix(10_000, cols, () => random.uniform());
      const { signal } = controller;
      await expect(kneighbors(points, points, { k, device, signal })).rejects.toBe(reason);
      expect(ended).toBe(2);
    } finally {
      Object.assign(platform, { spawnWorker });
    }
    expectSame(await kneighbors(train, queries, { k, device }), expected, k);
  },
);

describe("array primitives on shared memory whose workers die", () => {
  const count = 2 ** 22;
  const input = new Float32Array(new SharedArrayBuffer(count * 4)).map(() => random.int(0, 9));
  const shared = new Float32Array(new SharedArrayBuffer(count * 4));
  shared.set(input);

  /** Kills the workers when something is done, so many times. */
  const killing = (device: Device, times: number) => {
    let [left, seen] = [times, 0];
    return ({ done }: { done: number }): void => {
      expect(done).toBeGreaterThanOrEqual(seen);
      seen = done;
      if (done > 0 && done < count && left-- > 0) lose(device);
    };
  };

  it("scan and count again from the beginning, on new workers", async () => {
    const device = await open("cpu");
    const out = new Float32Array(new SharedArrayBuffer(count * 4));
    await scan(shared, { out, device, onProgress: killing(device, 1) });
    const alone = await scan(input, { device });
    expect(out.findIndex((sum, at) => sum !== alone[at])).toBe(-1);
    expect(device.counters.reopened).toBe(1);
    const { counts } = await histogram(shared, {
      bins: 9,
      range: [0, 9],
      device,
      onProgress: killing(device, 1),
    });
    expect(counts).toEqual((await histogram(input, { bins: 9, range: [0, 9], device })).counts);
    expect(device.counters.reopened).toBe(2);
  });

  /** Workers that are never told to start, and end; then such that start, are told no more, and end. */
  it.each([
    ["before they have started", 0],
    ["as soon as they have", 3],
  ] as const)("are done without workers when these always die %s", async (_, reopened) => {
    const device: Device = await open("cpu");
    const dying = currentPlatform();
    const { spawnWorker } = dying;
    Object.assign(dying, {
      spawnWorker(): WorkerHandle {
        const worker = spawnWorker();
        // A turn later, since Deno tells of the end at once, before the pool has heard of the start.
        const end = (): void => void setTimeout(() => void worker.terminate(), 1);
        let isTold = reopened === 0;
        if (isTold) end();
        else worker.onMessage(end);
        return {
          ...worker,
          post(message, transfer) {
            if (!isTold) worker.post(message, transfer);
            isTold = true;
          },
        };
      },
    });
    try {
      const { counts } = await histogram(shared, { bins: 9, range: [0, 9], device });
      expect(counts).toEqual((await histogram(input, { bins: 9, range: [0, 9], device })).counts);
      expect(device.counters.reopened).toBe(reopened);
    } finally {
      Object.assign(dying, { spawnWorker });
    }
  });
});
