/**
 * Nearest rows by float64 in workers: the same as by one thread, whatever the tasks; aborts; dying workers.
 */
import { describe, expect, it, test } from "vitest";
import type { CpuBackend } from "../../../dist/runtime/cpu/backend.js";
import { kneighbors } from "../../../dist/node.js";
import type { KneighborsOptions } from "../../../dist/node.js";
import type { AllPairs } from "../../../src/distance/exact/allPairs.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame, openDevice } from "../helpers.ts";
import { matrix } from "../inputs.ts";
import { backendWith, spawnDying } from "./helpers.ts";
import type { NearestTask } from "../../../src/distance/exact/contract.ts";
import { evaluateByWorkers } from "../../../dist/distance/exact/nearest.js";

const seed = printedSeed();

const small = { fewestExact: 0, exactTask: 700, exactQueries: 3 };

/** Of points on a line: row i is at i, and so is query i. */
function onALine(rows: number, found: AllPairs["found"], signal?: AbortSignal): AllPairs {
  const line = { data: Float64Array.from({ length: rows }, (_, i) => i), rows, cols: 1 };
  const options = { metric: "canberra" } as const;
  const shape = { k: 2, withoutSelf: false, rows: Uint32Array.of(rows - 1, 3, 0, 7) };
  return { options, fitted: {}, train: line, queries: line, ...shape, found, signal };
}

/** The two nearest of each place: itself, and the next that canberra prefers. */
function nearestOf(found: readonly (readonly [place: number, key: number, row: number])[], place: number) {
  const own = found.filter(([each]) => each === place).sort((a, b) => a[1] - b[1] || a[2] - b[2]);
  return own.slice(0, 2).map(([, , row]) => row);
}

/**
 * Where float64 evaluates all pairs: no filter, distances that are not numbers, ranks whose root ties, rows
 * made ready.
 */
const searches: readonly (readonly [string, KneighborsOptions, (random: Random) => number])[] = [
  ["small whole numbers, which tie", { metric: "canberra" }, (random) => random.int(0, 4)],
  ["no distances", { metric: "rapidminer:CamberraDistance" }, (random) => random.int(0, 3)],
  ["steep powers", { metric: "minkowski", p: 100 }, (random) => random.int(0, 9)],
  [
    "no self, and blocks smaller than k",
    { metric: "braycurtis", excludeSelf: true, k: 300 },
    (random) => random.int(0, 5),
  ],
  [
    "weights and gaps",
    { metric: "euclidean", missing: "rescale", columnWeights: [1, 2, 0, 5, 1, 1, 3, 1] },
    (random) => (random.uniform() < 0.2 ? NaN : random.int(0, 5)),
  ],
  [
    "gaps in rows that are made ready",
    { metric: "cosine", missing: "skip" },
    (random) => (random.uniform() < 0.2 ? NaN : random.normal()),
  ],
  ["many neighbours", { metric: "canberra", k: 500 }, (random) => random.int(0, 4)],
];

/** @returns how many pairs its workers have been given to evaluate so far */
function watchEvaluation({ workers }: CpuBackend): () => number {
  let pairs = 0;
  const run = workers.pool.run.bind(workers.pool);
  const watched: typeof run = (task, prepare, ...signals) =>
    run(
      task,
      () => {
        const prepared = prepare();
        if (task.name === "distance.nearest") {
          const { train, queries } = prepared.request as NearestTask;
          pairs += train.rows * queries.rows;
        }
        return prepared;
      },
      ...signals,
    );
  Object.assign(workers.pool, { run: watched });
  return () => pairs;
}

const evaluateAll = (all: AllPairs, { workers }: CpuBackend) => evaluateByWorkers(all, workers);

describe("all pairs in float64", () => {
  it.each(searches)("are the same by several workers as by one thread: %s", async (_, options, value) => {
    const random = new Random(seed);
    const [rows, cols] = options.excludeSelf ? [520, 32] : [2100, 8];
    const train = matrix(rows, cols, () => value(random));
    const queries = options.excludeSelf ? train : matrix(256, cols, () => value(random));
    const [one, several] = await Promise.all([1, 3].map((threads) => openDevice("cpu", { threads })));
    const { k = 7 } = options;
    const evaluated = watchEvaluation(several.backend as CpuBackend);
    const expected = await kneighbors(train, queries, { ...options, k, device: one });
    const found = await kneighbors(train, queries, { ...options, k, device: several });
    expectSame(found, expected, k);
    const { exhaustiveQueries, refinedPairs } = found.explanation;
    expect({ exhaustiveQueries, refinedPairs }).toEqual({
      exhaustiveQueries: expected.explanation.exhaustiveQueries,
      refinedPairs: expected.explanation.refinedPairs,
    });
    expect(evaluated()).toBe(Math.floor(queries.rows / 256) * 256 * rows);
    for (const device of [one, several]) device.dispose();
  });

  it.each([1, 2, 5])("are looked at once each, by %i threads", async (threads) => {
    const backend = await backendWith({ threads, tuning: small });
    const found: [number, number, number][] = [];
    const pairs = await evaluateAll(
      onALine(1000, (...each) => found.push(each)),
      backend,
    );
    if (threads === 1) return expect(pairs).toBeUndefined();
    expect(pairs).toBe(4000);
    expect([0, 1, 2, 3].map((place) => nearestOf(found, place))).toEqual([
      [999, 998],
      [3, 4],
      [0, 1],
      [7, 8],
    ]);
    expect(new Set(found.map(([place, , row]) => `${place} ${row}`)).size).toBe(found.length);
  });

  it("are left to the caller where they are few", async () => {
    const backend = await backendWith({ tuning: { fewestExact: 4001 } });
    expect(
      await evaluateAll(
        onALine(1000, () => expect.unreachable()),
        backend,
      ),
    ).toBeUndefined();
  });
});

test("an abort ends the evaluation of all pairs with its reason", async () => {
  const backend = await backendWith({ tuning: small });
  const controller = new AbortController();
  const reason = new Error("enough");
  const evaluated = evaluateAll(
    onALine(1000, () => controller.abort(reason), controller.signal),
    backend,
  );
  await expect(evaluated).rejects.toBe(reason);
});

test("what a dying worker was to evaluate is evaluated by its successor", async () => {
  let kills = 2;
  const killing = () => spawnDying("distance.nearest", () => kills-- > 0);
  const backend = await backendWith({ spawn: killing, tuning: small });
  const found: [number, number, number][] = [];
  expect(
    await evaluateAll(
      onALine(1000, (...each) => found.push(each)),
      backend,
    ),
  ).toBe(4000);
  expect(nearestOf(found, 1)).toEqual([3, 4]);
  expect(kills).toBeLessThan(0);
});

test("workers that always die are an error", async () => {
  const dying = () => spawnDying("distance.nearest", () => true);
  const backend = await backendWith({ spawn: dying, tuning: small });
  await expect(
    evaluateAll(
      onALine(1000, () => {}),
      backend,
    ),
  ).rejects.toMatchObject({
    tag: "DeviceLost",
    message: expect.stringMatching(/a task was begun 3 times and lost each time/) as string,
  });
});
