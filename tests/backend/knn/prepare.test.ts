/**
 * Rows that a GPU prepares itself, and looks at while it does: the same answers as brute force for float32
 * and small whole numbers, whatever is left to the device; rows that violate what a sample says; values that
 * are not finite.
 */
import { describe, expect, it } from "vitest";
import { NearestNeighbors, kneighbors } from "../../../dist/node.js";
import type { Progress } from "../../../dist/node.js";
import { KnnIndex } from "../../../dist/ops/knn/knnIndex.js";
import { bruteForce } from "../../oracle/knn.ts";
import type { ClassicMetric } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame, isAbsent, onEachBackend, oneIn, openBeside } from "../helpers.ts";
import { inputs, matrix } from "../inputs.ts";
import type { Flat } from "../inputs.ts";

const seed = printedSeed();
const metrics: ClassicMetric[] = ["euclidean", "inner_product", "manhattan", "chebyshev"];

/** As float32, where values beyond its range become the largest. */
function asSingle({ data, rows, cols }: Flat): Flat & { data: Float32Array } {
  const most = (2 - 2 ** -23) * 2 ** 127;
  return {
    data: Float32Array.from(data as Float64Array, (x) => Math.max(-most, Math.min(most, x))),
    rows,
    cols,
  };
}

describe("rows of float32 that the device prepares equal brute force", () => {
  onEachBackend((device, backend) => {
    const chosen = backend === "cpu" ? inputs : oneIn(3, inputs, seed);
    it.each(chosen.map(({ name }, i) => [name, i] as const))("for %s", async (_, i) => {
      const random = new Random(seed + i);
      for (const [m, metric] of metrics.entries()) {
        const { train, queries } = chosen[i].make(random, m === 0 ? 14 : 5);
        const [from, asked] = [asSingle(train), asSingle(queries)];
        const tiles = { assumeFrom: m % 2 === 0 ? 0 : undefined, chunk: m > 1 ? 7 : undefined };
        const found = await kneighbors(from, asked, { k: 4, metric, tiles, device: device() });
        expectSame(found, bruteForce(from, asked, { k: 4, metric }), 4);
      }
    });

    it("for whole numbers of one and two bytes, with queries in float64", async () => {
      const random = new Random(seed);
      const train = matrix(203, 17, () => random.int(-128, 127));
      const queries = matrix(7, 17, () => random.int(-128, 127) + 0.25);
      for (const kind of [Int8Array, Int16Array, Float32Array]) {
        const from = { ...train, data: kind.from(train.data as Float64Array) };
        const found = await kneighbors(from, queries, { k: 5, tiles: { assumeFrom: 0 }, device: device() });
        expectSame(found, bruteForce(from, queries, { k: 5 }), 5);
      }
    });
  });
});

describe.skipIf(isAbsent("gpu"))("the check of rows on the GPU", () => {
  const random = new Random(seed + 1);
  const train = asSingle(matrix(5000, 16, () => random.normal()));
  const queries = asSingle(matrix(40, 16, () => random.normal()));
  const changed = (row: number, value: number) => {
    const data = train.data.slice();
    data[row * 16 + 3] = value;
    return { ...train, data };
  };
  // Resident, and streamed through a device that holds less than the rows.
  const memories = [2 ** 28, 2 ** 18];

  it.each(memories)("lets a far row cost a second start, no neighbour, in %i bytes", async (deviceMemory) => {
    const far = changed(4322, 1e6);
    const device = await openBeside("gpu", { deviceMemory });
    try {
      const seen: Progress[] = [];
      const onProgress = (progress: Progress) => seen.push(progress);
      const found = await kneighbors(far, queries, { k: 3, tiles: { assumeFrom: 0 }, device, onProgress });
      expectSame(found, bruteForce(far, queries, { k: 3 }), 3);
      expect(device.counters.uploadedBytes).toBeGreaterThan(2 * far.data.byteLength);
      const done = seen.map((progress) => progress.done);
      expect(done).toEqual(done.toSorted((a, b) => a - b));
      expect(seen.at(-1)).toMatchObject({ done: 40, total: 40 });
    } finally {
      device.dispose();
    }
  });

  it.each(memories)(
    "assumes by what the device saw, or looks where no device prepares rows, in %i bytes",
    async (deviceMemory) => {
      const device = await openBeside("gpu", { deviceMemory });
      try {
        for (const [value, isAssumed] of [
          [1e6, true],
          [-1e30, true],
          [2e38, false],
        ] as const) {
          const far = changed(4322, value);
          const index = await KnnIndex.create(device, far, { tiles: { assumeFrom: 0 } });
          const found = await index.search(queries, 3);
          expectSame(found, bruteForce(far, queries, { k: 3 }), 3);
          const { largest, assumed = false } = index.rows.problemOf(queries).train;
          expect(assumed).toBe(isAssumed);
          expect(largest / Math.abs(value)).toBeCloseTo(1);
          // What it saw says nothing of the rows of other chunks.
          expect(index.rows.assumed).toBeUndefined();
          index.dispose();
        }
      } finally {
        device.dispose();
      }
    },
  );

  it("starts a third time where a job's queries are larger than those that the device saw before", async () => {
    const device = await openBeside("gpu");
    // A sample of 256 of 600 queries misses these.
    const some = asSingle(matrix(600, 16, () => random.normal()));
    const asked = (values: Readonly<Record<number, number>>) => {
      const data = some.data.slice();
      for (const [row, value] of Object.entries(values)) data[Number(row) * 16] = value;
      return { ...some, data };
    };
    const tiles = { assumeFrom: 0, assumeQueriesFrom: 0, queries: 200 };
    const starts: number[] = [];
    try {
      for (const values of [{}, { 101: 1e4 }, { 101: 1e4, 401: 1e6 }]) {
        const before = device.counters.uploadedBytes;
        const found = await kneighbors(train, asked(values), { k: 3, tiles, device });
        expectSame(found, bruteForce(train, asked(values), { k: 3 }), 3);
        starts.push(Math.floor((device.counters.uploadedBytes - before) / train.data.byteLength));
      }
      expect(starts).toEqual([1, 2, 3]);
    } finally {
      device.dispose();
    }
  });

  it("looks at queries of other sizes where plans were made for those that a GPU checks", async () => {
    const device = await openBeside("gpu");
    const metric = "inner_product";
    const tiles = { assumeFrom: 0, assumeQueriesFrom: 0 };
    const index = await KnnIndex.create(device, train, { metric, tiles });
    const sized = (exponent: number) => {
      const data = train.data.slice(0, 4 * 16).map((x) => x * 2 ** exponent);
      return { data, rows: 4, cols: 16 };
    };
    try {
      for (const exponent of [-50, -54, -50, -46]) {
        const asked = sized(exponent);
        expectSame(await index.search(asked, 3), bruteForce(train, asked, { k: 3, metric }), 3);
      }
      const bad = sized(-54);
      bad.data[3 * 16 + 5] = NaN;
      await expect(index.search(bad, 3)).rejects.toThrow("queries row 3, column 5 is NaN");
    } finally {
      index.dispose();
      device.dispose();
    }
  });

  it.each(memories)("names a value that is not finite, in %i bytes", async (deviceMemory) => {
    const device = await openBeside("gpu", { deviceMemory });
    try {
      for (const value of [NaN, Infinity, -Infinity]) {
        const bad = changed(4322, value);
        await expect(kneighbors(bad, queries, { k: 3, tiles: { assumeFrom: 0 }, device })).rejects.toThrow(
          `train row 4322, column 3 is ${value}`,
        );
      }
      const found = await kneighbors(train, queries, { k: 3, tiles: { assumeFrom: 0 }, device });
      expectSame(found, bruteForce(train, queries, { k: 3 }), 3);
    } finally {
      device.dispose();
    }
  });

  it("comes before queries with gaps, which no GPU prepares rows for", async () => {
    const device = await openBeside("gpu");
    const gaps = { ...queries, data: queries.data.map((value, at) => (at === 5 ? NaN : value)), gaps: true };
    try {
      for (const value of [NaN, Infinity]) {
        const bad = changed(4322, value);
        await expect(kneighbors(bad, gaps, { k: 3, tiles: { assumeFrom: 0 }, device })).rejects.toThrow(
          `train row 4322, column 3 is ${value}`,
        );
      }
    } finally {
      device.dispose();
    }
  });

  it("comes before a matrix is given away as a model, and before RapidMiner's rules are followed", async () => {
    const device = await openBeside("gpu");
    const bad = changed(4999, NaN);
    const options = { device, tiles: { assumeFrom: 0 } };
    try {
      const plain = await new NearestNeighbors(options).fit(bad);
      expect(() => plain.trained).toThrow("train row 4999, column 3 is NaN");
      const compat = await new NearestNeighbors({ ...options, compat: "rapidminer" }).fit(bad);
      await expect(compat.kneighbors(queries)).rejects.toThrow("train row 4999, column 3 is NaN");
    } finally {
      device.dispose();
    }
  });
});
