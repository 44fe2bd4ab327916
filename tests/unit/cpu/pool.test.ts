/** What the pool does with workers that never answer; the real ones are tests/backend/cpu/. */
import { describe, expect, it } from "vitest";
import type { WorkerHandle } from "../../../src/core/platform.ts";
import { Pool } from "../../../src/cpu/pool.ts";
import type { Request, StartRequest } from "../../../src/cpu/protocol.ts";

/** Workers that note what they are told, and answer nothing but when `answer` is called. */
function fakes() {
  const workers: { told: Request[]; ended: boolean; answer: (result: unknown) => void }[] = [];
  const spawn = (): WorkerHandle => {
    const told: Request[] = [];
    let listener: (message: unknown) => void = () => undefined;
    const worker = {
      told,
      ended: false,
      answer: (result: unknown) => listener({ id: told[told.length - 1].id, result }),
    };
    workers.push(worker);
    return {
      post: (message) => told.push(message as Request),
      onMessage: (heard) => (listener = heard),
      onError: () => undefined,
      keepAlive: () => undefined,
      terminate: () => (worker.ended = true),
    };
  };
  const pool = new Pool({ spawn, threads: 1, start: {} as StartRequest });
  return { workers, pool };
}

const prepare = () => ({ request: { any: "task" } as never });

describe("a task that may be ended", () => {
  it("rejects with the abort's reason at once, and its worker is replaced when there is work again", async () => {
    const { workers, pool } = fakes();
    const controller = new AbortController();
    const task = pool.runEndable("knn.tree", prepare, controller.signal);
    controller.abort(new Error("enough"));
    await expect(task).rejects.toThrow("enough");
    expect(workers.map(({ ended }) => ended)).toEqual([true]);
    const next = pool.run("knn.tree", prepare);
    workers[1].answer("done");
    expect(await next).toBe("done");
    expect(workers.map(({ ended, told }) => [ended, told.length])).toEqual([
      [true, 2],
      [false, 2],
    ]);
  });

  it("that waits for its turn ends no other's worker", async () => {
    const { workers, pool } = fakes();
    const controller = new AbortController();
    const first = pool.run("knn.tree", prepare);
    const second = pool.runEndable("knn.tree", () => prepare(), controller.signal);
    controller.abort(new Error("enough"));
    await expect(second).rejects.toThrow("enough");
    workers[0].answer("done");
    expect(await first).toBe("done");
    expect(workers.map(({ ended }) => ended)).toEqual([false]);
  });

  it("that has ended is left alone by a later abort", async () => {
    const { workers, pool } = fakes();
    const controller = new AbortController();
    const task = pool.runEndable("knn.tree", prepare, controller.signal);
    workers[0].answer("done");
    await task;
    controller.abort();
    expect(workers[0].ended).toBe(false);
  });
});
