/** Surveys by a worker: what the caller's thread would find, but for the order of sums. */
import { expect, it, test } from "vitest";
import { Device, DeviceLostError, kneighbors, OutOfMemoryError } from "../../../dist/node.js";
import { surveyByWorker, surveyHandler } from "../../../dist/ops/knn/cpu/survey.js";
import type { Workers } from "../../../src/runtime/cpu/workers.ts";
import { survey, type Survey } from "../../../src/ops/knn/plan/survey.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame } from "../helpers.ts";
import { backendWith } from "./helpers.ts";
import { countedWasm } from "./inProcess.ts";

const seed = printedSeed();

/** Rows that differ along few directions, one of which has most. */
function sampleOf(random: Random, count: number, cols: number) {
  const stride = 4 * Math.ceil(cols / 4);
  const rows = Float32Array.from({ length: count * stride }, (_, at) =>
    at % stride < cols ? (random.normal() * 8) / (1 + (at % stride)) : 0,
  );
  return { rows, stride, cols };
}

const closeTo = (expected: ArrayLike<number>) => Array.from(expected, (x) => expect.closeTo(x, 6) as number);

it.each([
  [1, 24],
  [2, 25],
  [67, 61],
  [131, 150],
  [384, 32],
])("finds what the caller would find, %i rows of %i columns", async (count, cols) => {
  const { workers } = await backendWith({ threads: 1 });
  const sample = sampleOf(new Random(seed + count), count, cols);
  const found = await surveyByWorker(workers, sample);
  const { pairs, basis, choices, ...rest } = survey(sample);
  expect(found).toMatchObject({ choices, stride: rest.stride, sampled: rest.sampled });
  expect(found?.basis.length).toBe(basis.length);
  expect(found?.defect).toBeLessThan(1e-11);
  found?.pairs.forEach((each, at) => {
    expect([...each.sorted]).toEqual(closeTo(pairs[at].sorted));
    // The last axes hold so little that rounding may choose others.
    for (const [choice, bounds] of each.bounds.entries()) {
      const sorted = pairs[at].bounds[choice];
      bounds.forEach((bound, other) => expect(bound).toBeCloseTo(sorted[other], 2));
    }
  });
});

test("is made of products that WASM adds up, in little memory whatever the columns", async () => {
  const limit = 2 ** 23;
  const { wasm, calls } = await countedWasm("multiplyRows", limit);
  for (const [count, cols] of [
    [64, 32],
    [5, 30_000],
  ]) {
    const before = calls();
    const sample = sampleOf(new Random(seed), count, cols);
    const { result } = surveyHandler.answer(sample, wasm) as { result: Survey };
    expect(calls()).toBeGreaterThan(before + 5);
    expect(result.basis).toHaveLength(survey(sample).basis.length);
  }
});

const failing = (error: Error) => () => Promise.reject(error);

test.each([
  ["none is free", () => Promise.resolve(undefined)],
  ["it dies", failing(new DeviceLostError("it died"))],
  ["it has too little memory", failing(new OutOfMemoryError("too little", 1))],
])("is left to the caller where %s", async (_, offer) => {
  const { workers } = await backendWith({ threads: 1 });
  const sample = sampleOf(new Random(seed), 64, 32);
  const without: Workers = { ...workers, pool: { ...workers.pool, offer } };
  expect(await surveyByWorker(without, sample)).toBeUndefined();
  // Its sketches are the same as those by a worker, so that the search finds as much by them.
  const train = { data: sample.rows, rows: 64, cols: 32 };
  const search = async (offer?: Workers["pool"]["offer"]) => {
    const device = await Device.create({ backend: "cpu", threads: 1 });
    if (offer) Object.assign(device.backend.workers!.pool, { offer });
    const found = await kneighbors(train, train, { k: 3, device, tiles: { axes: 4 } });
    expect(found.explanation.technique).toContain("after sketches along 4 axes");
    device.dispose();
    return found;
  };
  const [mine, byWorker] = [await search(offer), await search()];
  expectSame(mine, byWorker, 3);
});

test("leaves it to the search to say that the device was disposed", async () => {
  const device = await Device.create({ backend: "cpu", threads: 1 });
  const { rows, stride } = sampleOf(new Random(seed), 3000, 64);
  const train = { data: rows, rows: 3000, cols: stride };
  const searching = kneighbors(train, train, { k: 3, device, tiles: { axes: 4 } });
  const pool = device.backend.workers!.pool;
  const { offer } = pool;
  pool.offer = ((...asked: readonly [never, never]) => {
    device.dispose();
    return offer.call(pool, ...asked);
  }) as typeof offer;
  await expect(searching).rejects.toThrow("the device was disposed");
});

test("holds up no abort", async () => {
  const device = await Device.create({ backend: "cpu", threads: 1 });
  const stop = new AbortController();
  const offer = () => {
    stop.abort(new Error("enough"));
    return new Promise(() => undefined);
  };
  Object.assign(device.backend.workers!.pool, { offer });
  const { rows: data, cols } = sampleOf(new Random(seed), 64, 32);
  const train = { data, rows: 64, cols };
  const search = kneighbors(train, train, { k: 3, device, tiles: { axes: 4 }, signal: stop.signal });
  await expect(search).rejects.toThrow("enough");
  device.dispose();
});
