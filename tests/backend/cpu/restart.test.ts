/**
 * Searches whose workers fail for a passing reason: the answer is right, or the error counts the attempts,
 * and the device works on.
 */
import { afterEach, beforeEach, expect, test } from "vitest";
import { kneighbors } from "../../../dist/node.js";
import type { Device } from "../../../dist/node.js";
import { currentPlatform } from "../../../dist/core/platform.js";
import type { WorkerHandle } from "../../../dist/core/platform.js";
import { bruteForce } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame, openDevice } from "../helpers.ts";

const random = new Random(printedSeed());
const k = 3;
const cols = 6;
const matrixOf = (rows: number) => ({
  data: Float64Array.from({ length: rows * cols }, () => random.uniform()),
  rows,
  cols,
});
const [train, queries] = [matrixOf(5000), matrixOf(200)];
const expected = bruteForce(train, queries, { k });

const platform = currentPlatform();
const { spawnWorker } = platform;
let device: Device;
beforeEach(async () => {
  device = await openDevice("cpu", { threads: 2 });
});
afterEach(() => {
  device.dispose();
  Object.assign(platform, { spawnWorker });
});

type Message = { readonly id: number; readonly kind: string };

/** A thing that happens to a message instead of its worker being sent it; returns false where it is sent. */
type Happening = (
  message: Message,
  worker: WorkerHandle & { readonly started: Promise<void> },
  answer: (reply: unknown) => void,
) => boolean;

/** Lets something else happen to messages from now on. */
function intercept(happens: Happening) {
  Object.assign(platform, {
    spawnWorker(): WorkerHandle {
      const worker = spawnWorker();
      let answer: (reply: unknown) => void = () => undefined;
      let start: () => void;
      const started = new Promise<void>((resolve) => (start = resolve));
      return {
        ...worker,
        onMessage(listener) {
          answer = listener;
          worker.onMessage((message) => {
            listener(message);
            start();
          });
        },
        post(message, transfer) {
          if (!happens(message as Message, { ...worker, started }, (reply) => answer(reply)))
            worker.post(message, transfer);
        },
      };
    },
  });
}

/** Kills the worker when it is to do such a task, so many times. */
function killing(times: number, kind = "knn.filter") {
  const seen = { killed: 0 };
  intercept((message, worker) => {
    if (message.kind !== kind || seen.killed >= times) return false;
    seen.killed++;
    void worker.started.then(() => worker.terminate());
    return true;
  });
  return seen;
}

const search = (options = {}) =>
  kneighbors(train, queries, { k, device, tiles: { tree: false }, ...options });

async function expectUsable() {
  Object.assign(platform, { spawnWorker });
  expectSame(await search(), expected, k);
}

test("a worker that is killed in the middle of a task is replaced, and the search ends", async () => {
  const seen = killing(1);
  expectSame(await search(), expected, k);
  expect([seen.killed, device.counters.reopened]).toEqual([1, 1]);
});

test("workers that are killed again and again are an error that counts, and the device works on", async () => {
  killing(Infinity);
  await expect(search()).rejects.toMatchObject({
    tag: "DeviceLost",
    message: expect.stringMatching(
      /a CPU worker died: .*code 1; the device was opened again 3 times/,
    ) as string,
  });
  await expectUsable();
});

test("so are those that evaluate all pairs", async () => {
  const seen = killing(Infinity, "distance.nearest");
  const all = { metric: "canberra", k } as const;
  await expect(search(all)).rejects.toMatchObject({
    tag: "DeviceLost",
    message: expect.stringMatching(
      /a CPU worker died: .*; a task was begun 3 times and lost each time/,
    ) as string,
  });
  expect(seen.killed).toBeGreaterThanOrEqual(3);
  await expectUsable();
});

test("workers that cannot be started are an error that counts, and the device works on", async () => {
  let asked = 0;
  Object.assign(platform, {
    spawnWorker() {
      throw new Error(`no threads left ${++asked}`);
    },
  });
  await expect(search()).rejects.toMatchObject({
    tag: "Unavailable",
    message: expect.stringMatching(
      /3 times in a row; the last time: no threads left 3\. Try again/,
    ) as string,
  });
  expect(asked).toBe(3);
  await new Promise((resolve) => setTimeout(resolve, 1050));
  await expectUsable();
});

test("a worker that runs out of memory once is given less", async () => {
  let times = 0;
  intercept(({ id, kind }, _, answer) => {
    if (kind !== "knn.filter" || times++ > 0) return false;
    const error = { message: "no memory", stack: "", tag: "OutOfMemory", bytes: 1 };
    queueMicrotask(() => answer({ id, error }));
    return true;
  });
  expectSame(await search(), expected, k);
  expect([times > 1, device.counters.reopened]).toEqual([true, 0]);
  await expectUsable();
});
