/** A worker's memory, and how a `knn.filter` is cut so that its tasks fit into it. */
import { describe, expect, test } from "vitest";
import type { KnnFilterParams } from "../../../src/ops/knn/contract/filter.ts";
import { cutsOf } from "../../../dist/ops/knn/cpu/filter.js";
import { WorkerMemory } from "../../../dist/runtime/cpu/memory.js";
import { knnTuning } from "../../../dist/ops/knn/cpu/tuning.js";

describe("a worker's memory", () => {
  test("gives out arrays that do not overlap, grows, and starts again after a reset", () => {
    const memory = new WorkerMemory(2 ** 20);
    memory.reserve(1000);
    const sizes = [1, 16, 100_000, 12, 200_000];
    const addresses = sizes.map((bytes) => memory.take(bytes));
    addresses.forEach((address, i) => {
      expect(address % 16).toBe(0);
      expect(address).toBeGreaterThanOrEqual(i === 0 ? 1000 : addresses[i - 1] + sizes[i - 1]);
    });
    expect(memory.memory.buffer.byteLength).toBeGreaterThanOrEqual(addresses[4] + 200_000);
    expect(memory.memory.buffer.byteLength).toBeLessThan(2 ** 19);
    memory.reset();
    expect(memory.take(4)).toBe(addresses[0]);
  });

  test("refuses to grow beyond its limit, with the numbers", () => {
    const memory = new WorkerMemory(2 ** 17);
    memory.take(2 ** 17);
    memory.reset();
    const refusal = {
      tag: "OutOfMemory",
      bytes: 2 ** 17 + 1,
      message: expect.stringContaining("131072") as string,
    };
    expect(() => memory.take(2 ** 17 + 1)).toThrow(expect.objectContaining(refusal) as Error);
    expect(memory.memory.buffer.byteLength).toBe(2 ** 17);
  });
});

describe("cutting a step into tasks", () => {
  const step: KnnFilterParams = {
    core: "dot",
    p: 2,
    weight: -2,
    slack: 0,
    cut: false,
    k: 10,
    capacity: 50,
    dims: 784,
    stride: 784,
    queryRows: 10_000,
    refBegin: 0,
    refRows: 60_000,
    refOffset: 0,
  };
  const cut = (change: Partial<KnnFilterParams>, threads = 2, shared = true) =>
    cutsOf({ ...step, ...change }, { threads, shared, tuning: knnTuning });
  const work = ({ queryRows, refRows }: { queryRows: number; refRows: number }, dims = 784): number =>
    queryRows * refRows * dims;

  test("tasks are large enough to pack references once for many queries, and well under a second", () => {
    const cuts = cut({});
    expect(cuts.queryRows).toBeGreaterThanOrEqual(100);
    expect(work(cuts)).toBeGreaterThan(2e8);
    expect(work(cuts)).toBeLessThan(2e9);
    expect(work(cut({ core: "lp" }))).toBeLessThan(work(cuts) / 20);
  });

  test("every worker gets a block or a part of one, however few queries there are", () => {
    for (const queryRows of [1, 4, 17, 100]) {
      const { queryRows: block, parts } = cut({ queryRows }, 4);
      expect(Math.ceil(queryRows / block) * parts).toBeGreaterThanOrEqual(4);
    }
    expect(cut({ queryRows: 1 }).queryRows).toBe(1);
  });

  test("long lists and long rows make small blocks", () => {
    expect(cut({ k: 60_000, capacity: 60_000 }).queryRows * 60_001 * 12).toBeLessThan(
      2 * knnTuning.listBytes,
    );
    expect(cut({ dims: 10 ** 6, stride: 10 ** 6 }).queryRows * 4e6).toBeLessThanOrEqual(knnTuning.queryBytes);
    expect(cut({ dims: 10 ** 7, stride: 10 ** 7 }).queryRows).toBe(1);
  });

  test("where references are copied, a task copies few of them", () => {
    const cuts = cut({ queryRows: 4 }, 2, false);
    expect(cuts.refRows * 784 * 4).toBeLessThanOrEqual(knnTuning.copyBytes);
    expect(cut({ queryRows: 4 }).refRows).toBeGreaterThan(2 * cuts.refRows);
  });
});
