/**
 * The CPU backend apart from its kernels: steps, memory, abort, dying workers, concurrency, and processes
 * that end by themselves.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { UnavailableError } from "../../../dist/core/errors.js";
import type { Step } from "../../../src/runtime/backend.ts";
import type { HostSource } from "../../../src/runtime/source.ts";
import type { WorkerHandle } from "../../../src/core/platform.ts";
import {
  backendWith,
  backendUrl,
  filter,
  generator,
  type Problem,
  rowsOf,
  spawn,
  spawnDying,
  tiny,
  workerUrl,
} from "./helpers.ts";
import { naiveFilter } from "./naive.ts";

function problemOf(queries: number, refs: number, dims = 8, seed = 1): Problem {
  const random = generator(seed);
  const value = (): number => Math.floor(random() * 9);
  const meta = (): number[] => [0, 0, 0, 0];
  return {
    params: { core: "l2", p: 2, weight: 0, slack: 0, cut: true, k: 4, capacity: 4, dims },
    queries: rowsOf(queries, dims, value, meta),
    refs: rowsOf(refs, dims, value, meta),
  };
}

/** Source of rows of four bytes that count from 0. */
function counting(rows: number): HostSource {
  return {
    rows,
    rowBytes: () => 4,
    fill(_part, set, target) {
      const out = new Uint32Array(target.buffer, target.byteOffset, target.byteLength / 4);
      for (let i = 0; i < out.length; i++) out[i] = "begin" in set ? set.begin + i : set[i];
    },
  };
}

describe.each([true, false])("shared: %s", (shared) => {
  test("uploads ranges and picked rows, clears, and downloads the first bytes", async () => {
    const backend = await backendWith({ shared });
    const session = await backend.open([{ name: "kept", bytes: 16 }]);
    const steps: Step[] = [
      { kind: "upload", to: "kept", source: "s", part: "", rows: { begin: 5, end: 9 } },
      { kind: "upload", to: "own", source: "s", part: "", rows: Uint32Array.of(7, 1) },
      { kind: "clear", buffer: "cleared" },
      { kind: "download", from: "own", bytes: 8 },
      { kind: "download", from: "cleared", bytes: 4 },
    ];
    const buffers = [
      { name: "own", bytes: 12 },
      { name: "cleared", bytes: 4 },
    ];
    const first = await session.run({ label: "first", buffers, steps }, { s: counting(100) });
    expect([...new Uint32Array(first.downloads.get("own")!)]).toEqual([7, 1]);
    expect([...new Uint32Array(first.downloads.get("cleared")!)]).toEqual([0]);
    expect(first.ms).toBeGreaterThanOrEqual(0);
    const second = await session.run(
      { label: "second", buffers: [], steps: [{ kind: "download", from: "kept", bytes: 16 }] },
      {},
    );
    expect([...new Uint32Array(second.downloads.get("kept")!)]).toEqual([5, 6, 7, 8]);
    const room = new Uint32Array(4).fill(9);
    const target = { name: "room", at: 4 };
    const third = await session.run(
      {
        label: "third",
        buffers: [],
        steps: [{ kind: "download", from: "kept", begin: 4, bytes: 8, target }],
      },
      {},
      { targets: { room } },
    );
    expect([...room]).toEqual([9, 6, 7, 9]);
    expect([...third.downloads.keys(), ...third.placed!.keys()]).toEqual(["kept"]);
    expect(backend.counters).toMatchObject({
      uploadedBytes: 24,
      downloadedBytes: 36,
      peakBytes: 32,
      dispatches: 0,
    });
  });

  test("counts tasks and pairs, and reports the work of every task", async () => {
    const backend = await backendWith({ shared, tuning: tiny });
    const reports: number[] = [];
    await filter(backend, problemOf(20, 60), { options: { onCost: (work) => reports.push(work) } });
    expect(backend.counters.work).toBe(20 * 60);
    expect(backend.counters.dispatches).toBe(reports.length);
    expect(reports.length).toBeGreaterThan(4);
    expect(reports.reduce((sum, work) => sum + work)).toBeCloseTo(20 * 60 * 8, 6);
    expect(Math.min(...reports)).toBeGreaterThan(0);
  });

  test("runs at the same time do not disturb each other", async () => {
    const backend = await backendWith({ shared, tuning: tiny });
    const problems = Array.from({ length: 6 }, (_, seed) => problemOf(11, 50 + seed, 6 + seed, seed));
    const results = await Promise.all(problems.map((problem) => filter(backend, problem)));
    expect(results).toEqual(problems.map((problem) => naiveFilter(problem)));
  });

  test("an abort during a run rejects with its reason, soon, and leaves the backend usable", async () => {
    const backend = await backendWith({ shared, threads: 1, tuning: { ...tiny, taskCost: 1 } });
    const controller = new AbortController();
    let tasks = 0;
    const onCost = (): void => {
      if (++tasks === 3) controller.abort(new Error("enough"));
    };
    const problem = problemOf(40, 60);
    const run = filter(backend, problem, { options: { signal: controller.signal, onCost } });
    await expect(run).rejects.toThrow("enough");
    expect(tasks).toBeLessThanOrEqual(4);
    expect(await filter(backend, problem)).toEqual(naiveFilter(problem));
  });
});

test("an aborted signal starts nothing", async () => {
  const backend = await backendWith();
  const run = filter(backend, problemOf(2, 2), { options: { signal: AbortSignal.abort("no") } });
  await expect(run).rejects.toBe("no");
  expect(backend.counters.uploadedBytes).toBe(0);
});

test("an abort is seen during a long upload", async () => {
  const backend = await backendWith();
  const session = await backend.open([{ name: "b", bytes: 2 ** 26 }]);
  const controller = new AbortController();
  let fills = 0;
  const fill = () => {
    fills++;
    for (const until = performance.now() + 2; performance.now() < until;);
  };
  const source: HostSource = { rows: 2 ** 20, rowBytes: () => 64, fill };
  const rows = { begin: 0, end: 2 ** 20 };
  setTimeout(() => controller.abort(new Error("stop")), 0);
  const steps: Step[] = [{ kind: "upload", to: "b", source: "s", part: "", rows }];
  const run = session.run({ label: "", buffers: [], steps }, { s: source }, { signal: controller.signal });
  await expect(run).rejects.toThrow("stop");
  expect(fills).toBeGreaterThan(0);
  expect(fills).toBeLessThan(2 ** 26 / 2 ** 18);
});

test("memory beyond the limit is an error with the numbers, and is given back", async () => {
  const backend = await backendWith({ memoryBytes: 1000 });
  const session = await backend.open([{ name: "a", bytes: 600 }]);
  const over = { tag: "OutOfMemory", bytes: 404, message: expect.stringMatching(/404.*600.*1000/) as string };
  await expect(backend.open([{ name: "b", bytes: 404 }])).rejects.toMatchObject(over);
  const segment = (bytes: number) => ({ label: "", buffers: [{ name: "c", bytes }], steps: [] });
  await expect(session.run(segment(404), {})).rejects.toMatchObject(over);
  await session.run(segment(400), {});
  await session.run(segment(400), {});
  session.dispose();
  session.dispose();
  await expect(backend.open([{ name: "d", bytes: 1004 }])).rejects.toMatchObject({ bytes: 1004 });
  await backend.open([{ name: "d", bytes: 1000 }]);
});

test("a dying worker rejects what it was doing, and the next run gets a new one", async () => {
  const handles: WorkerHandle[] = [];
  let kill = true;
  const killing = (): WorkerHandle => {
    const handle = spawnDying("knn.filter", () => kill);
    handles.push(handle);
    return handle;
  };
  const backend = await backendWith({ spawn: killing, threads: 2, tuning: tiny });
  const problem = problemOf(20, 60);
  await expect(filter(backend, problem)).rejects.toMatchObject({
    tag: "DeviceLost",
    message: expect.stringMatching(/worker died.*exited/) as string,
  });
  kill = false;
  const before = handles.length;
  expect(await filter(backend, problem)).toEqual(naiveFilter(problem));
  expect(handles.length).toBeGreaterThan(before);
});

test("a worker that cannot start is an error, not a wait", async () => {
  const backend = await backendWith({ spawn: () => spawn(new URL("missing.js", workerUrl)) });
  await expect(filter(backend, problemOf(2, 2))).rejects.toMatchObject({
    tag: "Unavailable",
    message: expect.stringMatching(/3 times in a row; the last time: .*missing\.js/) as string,
  });
});

test.each(["throws while it starts", "cannot be loaded", "is refused", "is killed while it starts"])(
  "a worker that once %s is started anew, and the search ends",
  async (how) => {
    let asked = 0;
    const failing = (): WorkerHandle => {
      if (asked++ > 0) return spawn();
      if (how === "is refused") throw new Error("no threads left");
      if (how === "throws while it starts") return spawn(new URL("data:text/javascript,throw Error()"));
      if (how === "cannot be loaded") return spawn(new URL("missing.js", workerUrl));
      const handle = spawn();
      // Not before the pool listens, since Deno tells of the end at once.
      queueMicrotask(() => void handle.terminate());
      return handle;
    };
    const backend = await backendWith({ spawn: failing, threads: 1 });
    const problem = problemOf(20, 60);
    expect(await filter(backend, problem)).toEqual(naiveFilter(problem));
    expect(asked).toBe(2);
  },
);

test("an error inside a worker becomes the run's error", async () => {
  const spoiling = (): WorkerHandle => {
    const handle = spawn();
    return {
      ...handle,
      post(message, transfer) {
        const { kind, request } = message as { kind: string; request: object };
        const spoilt = { ...(message as object), request: { ...request, refs: undefined } };
        handle.post(kind === "knn.filter" ? spoilt : message, transfer);
      },
    };
  };
  const backend = await backendWith({ spawn: spoiling });
  await expect(filter(backend, problemOf(2, 2))).rejects.toMatchObject({
    tag: "Device",
    message: expect.stringContaining("undefined") as string,
  });
});

test("workers start with the first work, and not more than there is work for", async () => {
  let started = 0;
  const counted = (): WorkerHandle => {
    started++;
    return spawn();
  };
  const backend = await backendWith({ spawn: counted, threads: 8 });
  expect(started).toBe(0);
  await filter(backend, problemOf(1, 5));
  expect(started).toBe(1);
});

test("a worker that can never be loaded fails the work, instead of as a device that was lost", async () => {
  const missing = new UnavailableError("the worker could not be loaded");
  const backend = await backendWith({
    spawn: () => ({ ...spawn(), onError: (listener) => queueMicrotask(() => listener(missing)) }),
  });
  await expect(filter(backend, problemOf(20, 200))).rejects.toMatchObject({
    tag: "Unavailable",
    cause: missing,
  });
});

test("a worker that may not be started fails the work, and so does the next one", async () => {
  const refused = new UnavailableError("workers are refused");
  const backend = await backendWith({
    spawn: () => {
      throw refused;
    },
  });
  const failure = { tag: "Unavailable", cause: refused };
  await expect(filter(backend, problemOf(20, 200))).rejects.toMatchObject(failure);
  await expect(filter(backend, problemOf(2, 2))).rejects.toMatchObject(failure);
});

test("disposing rejects what is under way", async () => {
  const backend = await backendWith();
  const run = filter(backend, problemOf(50, 500, 64));
  const outcome = expect(run).rejects.toMatchObject({
    tag: "DeviceLost",
    message: expect.stringContaining("disposed") as string,
  });
  await new Promise((resolve) => setTimeout(resolve, 5));
  backend.dispose();
  await outcome;
  await expect(filter(backend, problemOf(2, 2))).rejects.toMatchObject({ tag: "DeviceLost" });
});

test.each(["", "backend.dispose();"])("a process ends by itself after its work: %j", async (ending) => {
  const script = `
    import { Worker } from "node:worker_threads";
    import { openCpu } from ${JSON.stringify(backendUrl.href)};
    import { knnFilter } from ${JSON.stringify(new URL("../../ops/knn/primitives.js", backendUrl).href)};
    const spawn = () => {
      const worker = new Worker(new URL(${JSON.stringify(workerUrl.href)}), { execArgv: [] });
      return {
        post: (message, transfer) => worker.postMessage(message, transfer),
        onMessage: (listener) => worker.on("message", listener),
        onError: (listener) => worker.on("error", listener),
        keepAlive: (alive) => (alive ? worker.ref() : worker.unref()),
        terminate: () => worker.terminate(),
      };
    };
    const backend = await openCpu({ spawn, threads: 2, memoryBytes: 2 ** 20 });
    const names = ["queries", "queryMeta", "refs", "refMeta", "heads", "candidates", "intervals"];
    const session = await backend.open(names.map((name) => ({ name, bytes: 1024 })));
    const bindings = Object.fromEntries(names.map((name) => [name, name]));
    const params = { core: "l2", p: 2, weight: 0, slack: 0, cut: true, k: 1, capacity: 1, dims: 4, stride: 4,
      queryRows: 9, refBegin: 0, refRows: 9, refOffset: 0 };
    const steps = [{ kind: "clear", buffer: "heads" }, { kind: "run", primitive: knnFilter, params, bindings, cost: 1 },
      { kind: "download", from: "heads", bytes: 4 }];
    const { downloads } = await session.run({ label: "", buffers: [], steps }, {});
    console.log("count", new Uint32Array(downloads.get("heads"))[0]);
    ${ending}
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    timeout: 10_000,
  });
  expect(stdout.trim()).toBe("count 1");
});
