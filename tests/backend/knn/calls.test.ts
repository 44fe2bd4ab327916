/**
 * How searches may be called, on every backend: concurrently, with arrays of the caller's own, with progress.
 */
import { describe, expect, it } from "vitest";
import { NearestNeighbors, kneighbors, scan } from "../../../dist/node.js";
import type { Device, NumericArray, Progress } from "../../../dist/node.js";
import { bruteForce } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame, onEachBackend, openBeside } from "../helpers.ts";
import { matrix } from "../inputs.ts";

const random = new Random(printedSeed());
const train = matrix(300, 10, () => random.normal());
const queries = matrix(21, 10, () => random.normal());
const k = 3;
const expected = bruteForce(train, queries, { k });
const tiles = { queries: 6 };

describe("searches", () => {
  onEachBackend((device) => {
    it("of one index may run at the same time, with different k and queries", async () => {
      const model = await new NearestNeighbors({ metric: "manhattan", tiles, device: device() }).fit(train);
      const asked = [1, 7, 299, 2].map((count) => ({
        count,
        queries: matrix(count % 20, 10, () => random.normal()),
      }));
      const found = await Promise.all(
        asked.map((each) => model.kneighbors(each.queries, { nNeighbors: each.count })),
      );
      for (const [i, { count, queries: own }] of asked.entries()) {
        expectSame(found[i], bruteForce(train, own, { metric: "manhattan", k: count }), count);
      }
      model.dispose();
    });

    it("of several indexes on one device may run at the same time", async () => {
      const metrics = ["euclidean", "cosine", "manhattan"] as const;
      const found = await Promise.all(
        metrics.map((metric) => kneighbors(train, queries, { k, metric, tiles, device: device() })),
      );
      for (const [i, metric] of metrics.entries())
        expectSame(found[i], bruteForce(train, queries, { k, metric }), k);
    });

    it("that run end in the right answer when their estimator is fitted anew and searched meanwhile", async () => {
      const other = matrix(300, 10, () => random.normal());
      const standing = await new NearestNeighbors({ nNeighbors: k, device: device() }).fit(train);
      await standing.kneighbors(queries);
      const model = await new NearestNeighbors({ nNeighbors: k, tiles, device: device() }).fit(train);
      let later: Promise<Awaited<ReturnType<typeof model.kneighbors>>> | undefined;
      const onProgress = ({ done }: Progress) => {
        if (done > 0) later ??= model.fit(other).then(() => model.kneighbors(queries));
      };
      expectSame(await model.kneighbors(queries, { onProgress }), expected, k);
      expectSame((await later)!, bruteForce(other, queries, { k }), k);
      standing.dispose();
      model.dispose();
    });

    it("on a device that was disposed are refused, of arrays too", async () => {
      const gone = await openBeside(device().info.kind);
      const model = await new NearestNeighbors({ device: gone }).fit(train);
      gone.dispose();
      await expect(model.kneighbors(queries)).rejects.toThrow("the device was disposed");
      await expect(scan(Uint32Array.of(1, 2), { op: "sum", device: gone })).rejects.toThrow(
        "the device was disposed",
      );
    });

    it("that run at the same time each explain their own work", async () => {
      const model = await new NearestNeighbors({ nNeighbors: k, device: device() }).fit(train);
      const counts = [21, 5, 13];
      const found = await Promise.all(
        counts.map((count) => model.kneighbors(matrix(count, 10, () => random.normal()))),
      );
      expect(found.map(({ explanation }) => explanation.pairs)).toEqual(counts.map((count) => 300 * count));
      for (const [i, { explanation }] of found.entries())
        expect(explanation.refinedPairs).toBeLessThanOrEqual(counts[i] * 4 * k);
      model.dispose();
    });

    it("of one index may follow each other with queries of very different size", async () => {
      const model = await new NearestNeighbors({ nNeighbors: k, device: device() }).fit(train);
      for (const factor of [1, 1e8, 1e-8, 0, 1]) {
        const scaled = matrix(9, 10, () => factor * random.normal());
        expectSame(await model.kneighbors(scaled), bruteForce(train, scaled, { k }), k);
      }
      model.dispose();
    });

    it("report progress that never goes back, from 0 to the number of queries", async () => {
      const calls: Progress[] = [];
      await kneighbors(train, queries, {
        k,
        tiles,
        device: device(),
        onProgress: (progress) => calls.push(progress),
      });
      const done = calls.map((call) => call.done);
      expect(done).toEqual(done.toSorted((a, b) => a - b));
      expect([done[0], done.at(-1)]).toEqual([0, 21]);
      expect(new Set(done).size).toBeGreaterThan(3);
      expect(calls.every(({ total, phase }) => total === 21 && phase === "search")).toBe(true);
    });

    it("write into the arrays given as out, and only there", async () => {
      const out = { indices: new Uint32Array(65).fill(7), distances: new Float64Array(64).fill(7) };
      const found = await kneighbors(train, queries, { k, device: device(), out });
      expect(found.indices).toBe(out.indices);
      expect(found.distances).toBe(out.distances);
      const written = { indices: out.indices.subarray(0, 63), distances: out.distances.subarray(0, 63) };
      expectSame(written, expected, k);
      expect([...out.indices.subarray(63), out.distances[63]]).toEqual([7, 7, 7]);
    });

    it("take views into larger arrays", async () => {
      const larger = new Float64Array(5 + 3000 + 5).fill(NaN);
      larger.set(train.data as Float64Array, 5);
      const view = { ...train, data: larger.subarray(5, 3005) };
      expectSame(await kneighbors(view, queries, { k, device: device() }), expected, k);
    });

    it("leave the caller's arrays as they were, attached and unchanged", async () => {
      const copies = [train, queries].map(({ data }) => data.slice());
      await kneighbors(train, queries, { k, device: device() });
      for (const [i, { data }] of [train, queries].entries()) {
        expect(data.buffer.byteLength).toBe(data.length * 8);
        expect(data).toEqual(copies[i]);
      }
    });

    it.each<[string, (length: number) => NumericArray]>([
      ["float64", (length) => new Float64Array(new SharedArrayBuffer(8 * length))],
      ["float32", (length) => new Float32Array(new SharedArrayBuffer(4 * length))],
      ["bytes", (length) => new Uint8ClampedArray(new SharedArrayBuffer(length))],
    ])("take shared memory of %s", async (_, allocate) => {
      const share = ({ data, rows, cols }: typeof train) => {
        const shared = allocate(data.length);
        for (let at = 0; at < data.length; at++) shared[at] = 9 * Number(data[at]);
        return { data: shared, rows, cols };
      };
      const [sharedTrain, sharedQueries] = [share(train), share(queries)];
      const copy = sharedTrain.data.slice();
      const found = await kneighbors(sharedTrain, sharedQueries, { k, device: device() });
      expectSame(found, bruteForce(sharedTrain, sharedQueries, { k }), k);
      expect(sharedTrain.data).toEqual(copy);
    });
  });
});

describe("a block that declares with using", () => {
  onEachBackend((_, backend) => {
    it("disposes of the device and the model at its end", async () => {
      const kept: { device?: Device; model?: NearestNeighbors } = {};
      {
        using device = await openBeside(backend);
        using model = await new NearestNeighbors({ device }).fit(train);
        Object.assign(kept, { device, model });
        expectSame(await model.kneighbors(queries, { nNeighbors: k }), expected, k);
      }
      await expect(scan(new Uint32Array(3), { device: kept.device })).rejects.toThrow("was disposed");
      await expect(kept.model!.kneighbors(queries)).rejects.toThrow("not fitted yet");
    });
  });
});
