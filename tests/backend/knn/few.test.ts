/**
 * Searches of few queries on one index, one after the other with other numbers of queries, against brute
 * force in float64: on a GPU they have kernels of their own.
 */
import { describe, expect, it, onTestFinished } from "vitest";
import { NearestNeighbors, kneighbors, type Progress } from "../../../dist/node.js";
import type { Segment } from "../../../src/runtime/backend.ts";
import { bruteForce, type ClassicMetric } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame, oneIn, onEachBackend } from "../helpers.ts";
import { matrix, type Flat } from "../inputs.ts";

const seed = printedSeed();
const random = new Random(seed);
const COUNTS = [1, 2, 3, 7, 8, 9, 63, 64, 65];
/** Past the edges of groups and workgroups, and enough that few queries have kernels of their own. */
const [ROWS, COLS, K] = [2601, 9, 5];

const normal = matrix(ROWS, COLS, () => Math.fround(random.normal()));
const inputs: Record<string, Flat> = {
  "normal rows": normal,
  "rows that tie by the hundred": matrix(ROWS, COLS, () => Math.floor(random.uniform() * 2)),
  "rows that follow each other in pairs": matrix(ROWS, COLS, (i, j) =>
    Number(normal.data[(i >> 1) * COLS + j]),
  ),
  "rows far from the origin": matrix(ROWS, COLS, () => Math.fround(1000 + random.uniform())),
  // Float32 does not tell the rows of a cluster apart.
  "two clusters far apart": matrix(ROWS, COLS, (i) =>
    Math.fround((i % 2 ? 1000 : -1000) + 0.1 * random.uniform()),
  ),
  "nearer and nearer rows": matrix(ROWS, COLS, (i, j) => (j === 0 ? 3000 - i : 1)),
};
const metrics: readonly ClassicMetric[] = ["euclidean", "manhattan", "cosine", "chebyshev", "inner_product"];

function rowsOf({ data, cols }: Flat, first: number, count: number): Flat {
  const begin = first * cols;
  return { data: (data as Float64Array).slice(begin, begin + count * cols), rows: count, cols };
}

describe("few queries", () => {
  onEachBackend((device, backend) => {
    const options = () => ({ device: device(), tiles: { few: true } });
    it.each(Object.entries(inputs))("find the nearest of %s, whatever their number", async (name, train) => {
      const model = await new NearestNeighbors({ ...options(), nNeighbors: K }).fit(train);
      const queries = rowsOf(train, ROWS - 65, 65);
      const expected = bruteForce(train, queries, { k: K });
      const turn = seed + Object.keys(inputs).indexOf(name);
      for (const count of train === normal || backend === "cpu" ? COUNTS : oneIn(3, COUNTS, turn)) {
        const found = await model.kneighbors(rowsOf(queries, 0, count));
        const asked = {
          indices: expected.indices.slice(0, count * K),
          distances: expected.distances.slice(0, count * K),
        };
        expectSame(found, asked, K);
        if (backend !== "gpu") continue;
        const { why, repeatedQueries, refinedPairs } = found.explanation;
        expect(why.includes("are read once")).toBe(count <= 64);
        // Lists that are too short, or too long, would be made up for.
        if (train !== normal) continue;
        expect(repeatedQueries).toBe(0);
        expect(refinedPairs).toBeLessThan(count * K * 2);
      }
      // They go on with the plan of the first three.
      const others = await model.kneighbors(rowsOf(queries, 20, 3));
      const [begin, end] = [20 * K, 23 * K];
      const nearest = {
        indices: expected.indices.slice(begin, end),
        distances: expected.distances.slice(begin, end),
      };
      expectSame(others, nearest, K);
      model.dispose();
    });

    if (backend === "gpu")
      it.each(["", "bytes", "few", "tree"])(
        'keep their plan while the rate "%s" of a device differs little',
        async (of) => {
          const { rates } = device();
          const own = Object.getOwnPropertyDescriptor(rates, "get");
          let asks = 0;
          const model = await new NearestNeighbors({ ...options(), nNeighbors: K }).fit(normal);
          const asksAt = async (factor: number) => {
            const get = (key: string) => (asks++, key.endsWith(` ${of}`) ? 1e9 * factor : 1e9);
            Object.assign(rates, { get });
            const before = asks;
            await model.kneighbors(rowsOf(normal, 0, 3));
            return asks - before;
          };
          await asksAt(1);
          await asksAt(1);
          const [kept, anew] = [await asksAt(1.03), await asksAt(4)];
          // To plan is to ask twice more.
          expect(kept).toBe(anew - 2);
          model.dispose();
          Reflect.deleteProperty(rates, "get");
          if (own) Object.defineProperty(rates, "get", own);
        },
      );

    if (backend === "gpu")
      it.each(["never", "after some jobs", "at once"])(
        "are what more are cut into until their kernels are compiled: %s",
        async (when) => {
          const used = device().backend;
          let end = () => {};
          const done = new Promise<void>((resolve) => (end = resolve));
          const begun = Promise.resolve();
          onTestFinished(() => {
            for (const each of ["compileAhead", "isCompiled"]) Reflect.deleteProperty(used, each);
          });
          const asked: string[] = [];
          Object.assign(used, {
            compileAhead: ({ label }: Segment) => (asked.push(label), { begun, done }),
            isCompiled: () => Promise.resolve(when === "at once"),
          });
          const train = rowsOf(inputs["rows that tie by the hundred"], 0, 300);
          // Other numbers of queries each time, since those that were searched for have their kernels.
          const count = { never: 387, "after some jobs": 1000, "at once": 132 }[when]!;
          const queries = matrix(count, COLS, () => Math.floor(random.uniform() * 2));
          const model = await new NearestNeighbors({ ...options(), nNeighbors: K }).fit(train);
          const onProgress = ({ done: searched }: Progress) => searched > 60 && when !== "never" && end();
          const found = await model.kneighbors(queries, { onProgress });
          expectSame(found, bruteForce(train, queries, { k: K }), K);
          const { jobs, why } = found.explanation;
          expect(why.includes("were read for")).toBe(when !== "at once");
          // Some lists overflow by ties, whose queries are searched again.
          const [least, most] = { never: [4, 10], "after some jobs": [3, 7], "at once": [1, 3] }[when]!;
          expect(jobs).toBeGreaterThanOrEqual(least);
          expect(jobs).toBeLessThanOrEqual(most);
          // Kernels for several queries and for one, before those for all of them.
          const sizes = asked.map((label) => parseInt(label)).filter((size) => size > 0);
          if (when !== "at once") expect([...sizes.slice(0, 2), sizes.at(-1)]).toEqual([128, 1, count]);
          model.dispose();
        },
      );

    if (backend === "gpu")
      it.each([
        [1, "the kernel for several", (segment: Segment) => JSON.stringify(segment).includes("asSeveral")],
        [20, "jobs of one", ({ label }: Segment) => label.startsWith("1 queries")],
        [65, "jobs of one", ({ label }: Segment) => label.startsWith("1 queries")],
      ])("begin by what is compiled: %i by %s", async (count, _, isThere) => {
        const used = device().backend;
        onTestFinished(() => void Reflect.deleteProperty(used, "isCompiled"));
        let asks = 0;
        Object.assign(used, {
          isCompiled: (segment: Segment) => (asks++, Promise.resolve(isThere(segment))),
        });
        const train = rowsOf(inputs["rows that tie by the hundred"], 0, 1300);
        const queries = matrix(count, COLS, () => Math.floor(random.uniform() * 2));
        const model = await new NearestNeighbors({ ...options(), nNeighbors: K }).fit(train);
        // The last way is taken, and not kept: the next search asks again.
        const ways = count > 32 ? 3 : 2;
        for (let turn = 1; turn <= 2; turn++) {
          const found = await model.kneighbors(queries);
          expectSame(found, bruteForce(train, queries, { k: K }), K);
          if (turn === 1 && count > 1) expect(found.explanation.jobs).toBeGreaterThan(2);
          expect(asks).toBe(turn * ways);
        }
        model.dispose();
      });

    it.each(oneIn(2, metrics, seed))("find the nearest by %s for any k, ties by row", async (metric) => {
      const train = rowsOf(inputs["rows that tie by the hundred"], 0, 700);
      const model = await new NearestNeighbors({ ...options(), metric }).fit(train);
      for (const k of [1, 2, 65, 100, 699, 700]) {
        const queries = rowsOf(normal, k, 2);
        const found = await model.kneighbors(queries, { nNeighbors: k });
        expectSame(found, bruteForce(train, queries, { metric, k }), k);
      }
      model.dispose();
    });

    it.each([
      ["fewer spans than k", 1793, 1, 8],
      ["enough spans for k", 33_345, 2, 65],
    ])("find the nearest among %s", async (_, rows, count, k) => {
      const train = matrix(rows, 3, () => Math.fround(random.normal()));
      const queries = matrix(count, 3, () => random.normal());
      const { tiles, ...rest } = options();
      const model = await new NearestNeighbors({ ...rest, tiles: { ...tiles, tree: false } }).fit(train);
      const found = await model.kneighbors(queries, { nNeighbors: k });
      expectSame(found, bruteForce(train, queries, { k }), k);
      if (backend === "gpu") expect(found.explanation).toMatchObject({ repeatedQueries: 0 });
      model.dispose();
    });

    it.each([8, 65])("find the nearest beside %i rows whose values are hardly known", async (k) => {
      // Their inner products are 0, give or take more than any other is.
      const isHuge = (row: number) => row % 500 === 7 && row < 500 * k;
      const train = matrix(33_345, 3, (i, j) => (isHuge(i) ? [0, 1e8, 0][j] : j ? 0 : random.uniform()));
      const queries = matrix(1, 3, (_, j) => Number(j === 0));
      const metric = "inner_product";
      const { tiles, ...rest } = options();
      const model = await new NearestNeighbors({ ...rest, metric, tiles: { ...tiles, tree: false } }).fit(
        train,
      );
      const found = await model.kneighbors(queries, { nNeighbors: k });
      expectSame(found, bruteForce(train, queries, { metric, k }), k);
      model.dispose();
    });

    it.each([1, 2])("find the nearest in more groups than a workgroup lists at a time: %i", async (count) => {
      const spans = 530;
      const isNear = (row: number) => row % 256 === 7;
      const train = matrix(256 * spans, 4, (i) => Math.fround(random.normal() + (isNear(i) ? 0 : 100)));
      const queries = matrix(count, 4, (i) => i / 8);
      const model = await new NearestNeighbors(options()).fit(train);
      // The limit is that of lanes, or of all groups.
      for (const k of [60, 520]) {
        const found = await model.kneighbors(queries, { nNeighbors: k });
        expectSame(found, bruteForce(train, queries, { k }), k);
      }
      model.dispose();
    });

    it("are searched for among references in pieces, and without themselves", async () => {
      const tiles = { few: true, references: 192, budget: 2 ** 22 };
      const train = rowsOf(normal, 0, 900);
      const { indices, explanation } = await kneighbors(train, rowsOf(train, 7, 3), {
        k: 4,
        device: device(),
        tiles,
      });
      expect([...indices]).toEqual([...bruteForce(train, rowsOf(train, 7, 3), { k: 4 }).indices]);
      if (backend === "gpu") expect(explanation.dispatches).toBeGreaterThanOrEqual(10);
      const few = rowsOf(train, 0, 40);
      const alone = await kneighbors(few, few, {
        k: 3,
        excludeSelf: true,
        device: device(),
        tiles: { few: true },
      });
      const all = bruteForce(few, few, { k: 4 }).indices;
      const others = Array.from({ length: 40 }, (_, q) =>
        [...all.slice(4 * q, 4 * q + 4)].filter((row) => row !== q).slice(0, 3),
      );
      expect([...alone.indices]).toEqual(others.flat());
    });
  });
});
