/**
 * What the pool does with workers that answer when they are told to; the real ones are tests/backend/cpu/.
 */
import { describe, expect, it, vi } from "vitest";
import { UnavailableError } from "../../../src/core/errors.ts";
import type { WorkerHandle } from "../../../src/core/platform.ts";
import { Pool } from "../../../src/runtime/cpu/pool.ts";
import type { Request, StartRequest } from "../../../src/runtime/cpu/protocol.ts";
import { task as taskOf } from "../../../src/runtime/cpu/task.ts";

interface Fake {
  readonly told: Request[];
  ended: boolean;
  readonly answer: (result: unknown) => void;
  readonly start: () => void;
  readonly die: () => void;
}

/**
 * Workers that note what they are told, and answer nothing but when `answer` is called.
 * @param ending what to wait for until one has ended
 */
function fakes(threads = 1, ending: Promise<void> = Promise.resolve(), onSpawn = () => {}) {
  const workers: Fake[] = [];
  const spawn = (): WorkerHandle => {
    onSpawn();
    const told: Request[] = [];
    let listener: (message: unknown) => void = () => undefined;
    let mourner: (error: Error) => void = () => undefined;
    const worker = {
      told,
      ended: false,
      start: () => listener({ id: told[0].id, result: undefined }),
      answer: (result: unknown) => listener({ id: told[told.length - 1].id, result }),
      die: () => mourner(new Error("it fell over")),
    };
    workers.push(worker);
    return {
      post: (message) => told.push(message as Request),
      onMessage: (heard) => (listener = heard),
      onError: (heard) => (mourner = heard),
      keepAlive: () => undefined,
      terminate: () => {
        worker.ended = true;
        return ending;
      },
    };
  };
  const pool = new Pool({ spawn, threads, start: {} as StartRequest });
  return { workers, pool };
}

const prepare = () => ({ request: { any: "task" } as never });

/** Whether a promise has settled, once everything that is due has happened. */
async function settled(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  promise.then(
    () => (done = true),
    () => (done = true),
  );
  await new Promise((resolve) => setTimeout(resolve, 0));
  return done;
}

const kinds = ({ told }: Fake) => told.slice(1).map(({ kind }) => kind);

describe("a task that may be ended", () => {
  it("rejects with the abort's reason at once, and its worker is replaced when there is work again", async () => {
    const { workers, pool } = fakes();
    const controller = new AbortController();
    const task = pool.runEndable(taskOf("knn.tree"), prepare, controller.signal);
    controller.abort(new Error("enough"));
    await expect(task).rejects.toThrow("enough");
    expect(workers.map(({ ended }) => ended)).toEqual([true]);
    const next = pool.run(taskOf("knn.tree"), prepare);
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
    const first = pool.run(taskOf("knn.tree"), prepare);
    const second = pool.runEndable(taskOf("knn.tree"), () => prepare(), controller.signal);
    controller.abort(new Error("enough"));
    await expect(second).rejects.toThrow("enough");
    workers[0].answer("done");
    expect(await first).toBe("done");
    expect(workers.map(({ ended }) => ended)).toEqual([false]);
  });

  it("that has ended is left alone by a later abort", async () => {
    const { workers, pool } = fakes();
    const controller = new AbortController();
    const task = pool.runEndable(taskOf("knn.tree"), prepare, controller.signal);
    workers[0].answer("done");
    await task;
    controller.abort();
    expect(workers[0].ended).toBe(false);
  });
});

describe("a task whose worker is ended", () => {
  it.each(["dispose", "abort", "death"] as const)(
    "is rejected only when the worker has ended: %s",
    async (how) => {
      let end = (): void => undefined;
      const { workers, pool } = fakes(1, new Promise((resolve) => (end = resolve)));
      const controller = new AbortController();
      const task = pool.runEndable(taskOf("knn.tree"), prepare, controller.signal);
      if (how === "dispose") pool.dispose();
      else if (how === "abort") controller.abort(new Error("enough"));
      else {
        workers[0].start();
        workers[0].die();
      }
      expect(workers[0].ended).toBe(true);
      expect(await settled(task)).toBe(false);
      end();
      await expect(task).rejects.toThrow(/disposed|enough|fell over/);
    },
  );
});

describe("a task that waits", () => {
  it("is rejected at once by the abort of any of its signals, and never begins", async () => {
    const { workers, pool } = fakes();
    const [own, other] = [new AbortController(), new AbortController()];
    const first = pool.run(taskOf("knn.filter"), prepare, other.signal);
    const second = pool.run(taskOf("knn.sketch"), prepare, own.signal, other.signal);
    const third = pool.offer(taskOf("scan.write"), prepare, own.signal);
    own.abort(new Error("enough"));
    await expect(second).rejects.toThrow("enough");
    expect(await third).toBe(undefined);
    expect(await settled(first)).toBe(false);
    workers[0].answer("done");
    expect(await first).toBe("done");
    expect(kinds(workers[0])).toEqual(["knn.filter"]);
  });

  it("leaves no listener behind on its signals, of which hundreds of tasks have one", async () => {
    const { workers, pool } = fakes();
    const { signal } = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    Object.assign(signal, {
      addEventListener: (...args: Parameters<typeof addEventListener>) => {
        listeners++;
        addEventListener.apply(signal, args);
      },
      removeEventListener: (...args: Parameters<typeof removeEventListener>) => {
        listeners--;
        removeEventListener.apply(signal, args);
      },
    });
    const tasks = Array.from({ length: 300 }, () => pool.run(taskOf("knn.filter"), prepare, signal));
    expect(listeners).toBe(1);
    for (let i = 0; i < 300; i++) workers[0].answer(i);
    expect((await Promise.all(tasks)).length).toBe(300);
    expect(listeners).toBe(0);
  });
});

describe("an offered task", () => {
  it("goes before those that were not offered", async () => {
    const { workers, pool } = fakes(2);
    const search = pool.run(taskOf("knn.filter"), prepare);
    const scan = pool.offer(taskOf("scan.totals"), prepare);
    const next = pool.run(taskOf("knn.filter"), prepare);
    const more = pool.offer(taskOf("scan.write"), prepare);
    expect(await settled(more)).toBe(false);
    workers[1].answer(1);
    workers[1].answer(2);
    expect(await scan).toEqual({ result: 1 });
    expect(await more).toEqual({ result: 2 });
    expect(kinds(workers[1])).toEqual(["scan.totals", "scan.write", "knn.filter"]);
    workers[0].answer("done");
    workers[1].answer("done");
    expect(await Promise.all([search, next])).toEqual(["done", "done"]);
  });

  it("is declined while all workers are at others, also where it waits already", async () => {
    const { workers, pool } = fakes();
    const scan = pool.offer(taskOf("scan.totals"), prepare);
    const search = pool.run(taskOf("knn.filter"), prepare);
    const waiting = Array.from({ length: 40 }, () => pool.offer(taskOf("scan.write"), prepare));
    expect(pool.declines).toBe(false);
    for (let i = 0; i <= 32; i++) workers[0].answer(i);
    expect(await scan).toEqual({ result: 0 });
    expect(kinds(workers[0]).at(-1)).toBe("knn.filter");
    const outcomes = await Promise.all(waiting);
    expect(outcomes.slice(0, 33)).toEqual([
      ...Array.from({ length: 32 }, (_, i) => ({ result: i + 1 })),
      undefined,
    ]);
    expect(outcomes.slice(33)).toEqual(new Array(7).fill(undefined));
    expect(pool.declines).toBe(true);
    expect(await pool.offer(taskOf("scan.totals"), prepare)).toBe(undefined);
    workers[0].answer("done");
    expect(await search).toBe("done");
    expect(pool.declines).toBe(false);
  });

  it("is declined where no worker can be started", async () => {
    const refused = new UnavailableError("workers are refused");
    const pool = new Pool({
      spawn: () => {
        throw refused;
      },
      threads: 2,
      start: {} as StartRequest,
    });
    expect(await pool.offer(taskOf("scan.totals"), prepare)).toBe(undefined);
    expect(pool.declines).toBe(true);
    await expect(pool.run(taskOf("knn.filter"), prepare)).rejects.toMatchObject({
      tag: "Unavailable",
      cause: refused,
    });
  });
});

describe("a worker that does not start", () => {
  /** Spawns workers of which the first `failing` fail, each in that way. */
  function failingWorkers(
    failing: number,
    how: "refused" | "dies" | "out of memory",
    { threads = 1, ending = 0 } = {},
  ) {
    let asked = 0;
    const told: string[] = [];
    const spawn = (): WorkerHandle => {
      const fails = asked++ < failing;
      const error = new Error(`passing reason ${asked}`);
      if (fails && how === "refused") throw error;
      let [answer, mourn] = [(_: unknown) => {}, (_: Error) => {}];
      return {
        post(message) {
          const { id, kind } = message as Request;
          setTimeout(() => {
            if (!fails) answer({ id, result: kind });
            else if (how === "dies") mourn(error);
            else
              answer({
                id,
                error: { message: error.message, stack: "", tag: undefined, bytes: undefined },
              });
          }, 1);
          if (!fails) told.push(kind);
        },
        onMessage: (heard) => (answer = heard),
        onError: (heard) => (mourn = heard),
        keepAlive: () => undefined,
        terminate: () => new Promise((resolve) => setTimeout(resolve, ending)),
      };
    };
    const pool = new Pool({ spawn, threads, start: {} as StartRequest });
    return { pool, told, asked: () => asked };
  }
  const ways = ["refused", "dies", "out of memory"] as const;

  it.each(ways)("once or twice is tried again, and its task done once: %s", async (how) => {
    for (const failing of [1, 2]) {
      const { pool, told, asked } = failingWorkers(failing, how);
      expect(await pool.run(taskOf("knn.filter"), prepare)).toBe("knn.filter");
      expect(told.filter((kind) => kind === "knn.filter")).toHaveLength(1);
      expect(asked()).toBe(failing + 1);
    }
  });

  it.each(ways)("three times in a row is said, and tried anew after a while: %s", async (how) => {
    const { pool, told, asked } = failingWorkers(3, how);
    const waiting = [1, 2].map(() => pool.run(taskOf("knn.filter"), prepare));
    const message = expect.stringMatching(
      /3 times in a row; the last time: .*passing reason 3\. Try again/,
    ) as string;
    const refused = {
      status: "rejected",
      reason: expect.objectContaining({ tag: "Unavailable", message }) as unknown,
    };
    expect(await Promise.allSettled(waiting)).toEqual([refused, refused]);
    expect(asked()).toBe(3);
    expect(pool.declines).toBe(true);
    await expect(pool.run(taskOf("knn.filter"), prepare)).rejects.toThrow("3 times in a row");
    expect(asked()).toBe(3);
    await new Promise((resolve) => setTimeout(resolve, 1050));
    expect(pool.declines).toBe(false);
    expect(await pool.run(taskOf("knn.filter"), prepare)).toBe("knn.filter");
    expect(told.filter((kind) => kind === "knn.filter")).toHaveLength(1);
  });

  it.each([1, 2, 3, 4, 5, 9])("is tried again where each look at the clock takes %d ms", async (step) => {
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += step));
    try {
      const { pool } = failingWorkers(1, "refused");
      expect(await pool.run(taskOf("knn.filter"), prepare)).toBe("knn.filter");
    } finally {
      clock.mockRestore();
    }
  });

  it("counts those that are started together as one", async () => {
    const { pool, asked } = failingWorkers(3, "dies", { threads: 3 });
    const tasks = Array.from({ length: 3 }, () => pool.run(taskOf("knn.filter"), prepare));
    expect(await Promise.all(tasks)).toEqual(Array(3).fill("knn.filter"));
    expect(asked()).toBeGreaterThan(3);
  });

  it("leaves its tasks to those that did", async () => {
    let refuses = false;
    const { workers, pool } = fakes(2, undefined, () => {
      if (refuses) throw new Error("too many threads");
    });
    const first = pool.run(taskOf("knn.filter"), prepare);
    workers[0].start();
    refuses = true;
    const second = pool.run(taskOf("knn.filter"), prepare);
    await new Promise((resolve) => setTimeout(resolve, 200));
    workers[0].answer("first");
    workers[0].answer("second");
    expect(await Promise.all([first, second])).toEqual(["first", "second"]);
  });

  it("three times in a row is tried anew after a while, though others run and none of them ends", async () => {
    let failing = 0;
    let asked = 0;
    const { workers, pool } = fakes(3, undefined, () => {
      asked++;
      if (failing-- > 0) throw new Error("too many threads");
    });
    const first = pool.run(taskOf("knn.filter"), prepare);
    workers[0].start();
    failing = 3;
    const others = [1, 2].map(() => pool.run(taskOf("knn.filter"), prepare));
    const patience = { interval: 5, timeout: 10_000 };
    await vi.waitFor(() => expect([asked, workers.length]).toEqual([4, 1]), patience);
    const paused = performance.now();
    await vi.waitFor(() => expect([asked, workers.length]).toEqual([6, 3]), patience);
    expect(performance.now() - paused).toBeGreaterThan(500);
    for (const worker of workers) worker.answer("done");
    expect(await Promise.all([first, ...others])).toEqual(["done", "done", "done"]);
  });

  it("is not waited for when nothing is left to do", async () => {
    const { pool } = failingWorkers(3, "refused");
    const timers = vi.spyOn(globalThis, "setTimeout");
    await expect(pool.run(taskOf("knn.filter"), prepare)).rejects.toThrow("3 times in a row");
    await expect(pool.run(taskOf("knn.filter"), prepare)).rejects.toThrow("3 times in a row");
    const delays = timers.mock.calls.map(([, ms = 0]) => ms);
    timers.mockRestore();
    expect(Math.max(...delays)).toBeLessThan(200);
  });

  it("holds up neither an abort nor an end, of tasks that wait for another", async () => {
    const { pool } = failingWorkers(2, "dies", { ending: 40 });
    const stop = new AbortController();
    const aborted = pool.run(taskOf("knn.filter"), prepare, stop.signal);
    setTimeout(() => stop.abort(new Error("enough")), 20); // while the first one ends
    await expect(aborted).rejects.toThrow("enough");
    const other = failingWorkers(2, "refused");
    const ended = other.pool.run(taskOf("knn.filter"), prepare);
    other.pool.dispose();
    await expect(ended).rejects.toThrow("disposed");
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(other.asked()).toBe(1);
  });

  it("takes no offers, which are done without it", async () => {
    // A machine that is slow lets the wait for the next try pass before the offer is looked at.
    const clock = vi.spyOn(performance, "now").mockReturnValue(1000);
    try {
      const { pool, asked } = failingWorkers(3, "dies");
      expect(await pool.offer(taskOf("scan.totals"), prepare)).toBe(undefined);
      expect(asked()).toBe(1);
    } finally {
      clock.mockRestore();
    }
  });
});
