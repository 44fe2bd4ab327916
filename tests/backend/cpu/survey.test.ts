/** Surveys by a worker: what the caller's thread would find, but for the order of sums. */
import { expect, it, test } from "vitest";
import { surveyByWorker } from "../../../dist/ops/knn/cpu/survey.js";
import type { Workers } from "../../../src/runtime/cpu/workers.ts";
import { survey } from "../../../src/ops/knn/plan/survey.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { backendWith, spawn } from "./helpers.ts";

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

test("is left to the caller where all workers have other tasks, or none can be started", async () => {
  const sample = sampleOf(new Random(seed), 64, 32);
  const offer = () => Promise.resolve(undefined);
  const { workers } = await backendWith({ threads: 1 });
  const busy: Workers = { ...workers, pool: { ...workers.pool, offer } };
  expect(await surveyByWorker(busy, sample)).toBeUndefined();
});

test("is made again where a worker dies at it", async () => {
  let kills = 1;
  const { workers } = await backendWith({
    threads: 1,
    spawn: () => {
      const worker = spawn();
      const asked = new Set<number>();
      const post: typeof worker.post = (message, transfer) => {
        const { id, kind } = message as { id: number; kind: string };
        if (kind === "knn.survey") asked.add(id);
        worker.post(message, transfer);
      };
      // It dies with its work done, before it could tell so.
      const onMessage: typeof worker.onMessage = (listener) =>
        worker.onMessage((reply) => {
          if (asked.has((reply as { id: number }).id) && kills-- > 0) void worker.terminate();
          else listener(reply);
        });
      return { ...worker, post, onMessage };
    },
  });
  const sample = sampleOf(new Random(seed), 64, 32);
  expect((await surveyByWorker(workers, sample))?.sampled).toBe(64);
  expect(kills).toBeLessThan(1);
});
