/**
 * The passes of trees on a GPU over buffers full of garbage: the tree is valid, lists leave out only what is
 * certainly too far, whoever goes down the tree, and what is put in order equals float64 to the bit.
 */
import { beforeAll, describe, expect, it } from "vitest";
import {
  COUNTER_WORDS,
  LEAF_POINTS,
  leavesOf,
  TREE_COUNTERS,
  type KnnTreeFilterParams,
  type KnnTreeParams,
} from "../../../dist/ops/knn/contract/tree.js";
import { treeRuns } from "../../../dist/ops/knn/contract/treeRuns.js";
import { spans } from "../../../dist/core/math.js";
import { knnOrderKernel } from "../../../dist/ops/knn/gpu/order/order.js";
import { knnTreeFilterKernel, knnTreeKernel, unpack } from "../../../dist/ops/knn/gpu/tree/kernels.js";
import { knnTreePolicy } from "../../../dist/ops/knn/gpu/tree/policy.js";
import type { KernelLimits } from "../../../dist/runtime/gpu/passes/pass.js";
import { Random, printedSeed } from "../../oracle/random.ts";
import { clouds } from "../clouds.ts";
import { hasSubgroups, oneIn } from "../helpers.ts";
import { callersGpu, hasGpu } from "./gpu.ts";
import { PassRunner } from "./passRunner.ts";

const seed = printedSeed();
const NO_ROW = 0xffffffff;
const variants = [false, ...(hasSubgroups ? [true] : [])];

type Words = Uint32Array<ArrayBuffer>;

/** Points of float32 in fours, the last of which is 0. */
function pointsOf(name: string, rows: number, random: Random): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: rows * 4 }, (_, at) =>
    at % 4 === 3 ? 0 : clouds[name](random, at >> 2, at % 4),
  );
}

const bitsOf = (values: Float32Array<ArrayBuffer>) => new Uint32Array(values.buffer);
/** Margins of rows that stay as they are. */
const metasOf = (rows: number) =>
  bitsOf(Float32Array.from({ length: rows * 4 }, (_, at) => (at % 4 === 2 ? 3e-15 : 0)));

/** Lets packets go down so many levels at a time. */
async function withWidth<T>(width: number, work: () => Promise<T>): Promise<T> {
  const policy: { width: number } = knnTreePolicy;
  const before = policy.width;
  policy.width = width;
  try {
    return await work();
  } finally {
    policy.width = before;
  }
}

function squareOf(a: Float32Array, i: number, b: Float32Array, j: number): number {
  let sum = 0;
  for (let c = 0; c < 3; c++) sum += (a[4 * i + c] - b[4 * j + c]) ** 2;
  return sum;
}

describe.skipIf(!hasGpu)("a tree on a GPU", () => {
  let runner: PassRunner;
  beforeAll(async () => {
    await unpack();
    const requiredFeatures: GPUFeatureName[] = hasSubgroups ? ["subgroups"] : [];
    runner = new PassRunner(await callersGpu(requiredFeatures));
  });

  const limitsWith = (subgroups: boolean): KernelLimits => ({
    workgroupsPerDimension: 65_535,
    traits: { forwardProgress: false, subgroups },
    subgroupSize: runner.device.adapterInfo.subgroupMinSize,
  });
  const limits: KernelLimits = { workgroupsPerDimension: 65_535 };

  function wordsOf(bytes: Readonly<Record<string, number>>): Record<string, number> {
    return Object.fromEntries(
      Object.entries(bytes).flatMap(([name, size]) => (size ? [[name, size / 4]] : [])),
    );
  }

  async function build(
    train: Float32Array<ArrayBuffer>,
    rows: number,
    cells?: number,
    refMeta = metasOf(rows),
  ) {
    const levels = Math.max(0, Math.ceil(Math.log2(rows / LEAF_POINTS)));
    const tree: KnnTreeParams = { rows, cols: 3, stride: 4, levels, onGpu: true, ...(cells && { cells }) };
    const given = { refs: bitsOf(train), refMeta };
    const buffers = { ...wordsOf(knnTreeKernel.bytes(tree, limits)), ...given };
    const { points, boxes } = await runner.run(knnTreeKernel.passes(tree, limits), buffers);
    return { tree, points, boxes };
  }

  /** Returns which points a leaf has: runs of leaves begin where the words behind the points say. */
  function leafOf(tree: KnnTreeParams, points: Uint32Array, leaf: number) {
    const leaves = 2 ** treeRuns(tree).runLevels;
    const run = Math.floor(leaf / leaves);
    const [from, to] = [run, run + 1].map((each) => points[4 * tree.rows + each]);
    const [begin, end] = [leaf % leaves, (leaf % leaves) + 1].map(
      (each) => from + Math.floor((each * (to - from)) / leaves),
    );
    return { begin, end };
  }

  it.each(["uniform", "two clusters far apart", "all equal", "clusters of clusters"])(
    "has each point once, in boxes that hold it, of points that are %s",
    async (name) => {
      for (const rows of oneIn(2, [1, 16, 19, 20, 21, 40, 41, 511, 513, 1280, 1281], seed + name.length)) {
        const train = pointsOf(name, rows, new Random(seed + rows));
        const { tree, points, boxes } = await build(train, rows);
        const order = Array.from({ length: rows }, (_, at) => points[4 * at + 3]);
        expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: rows }, (_, row) => row));
        const bits = bitsOf(train);
        const floats = new Float32Array(boxes.buffer);
        for (let leaf = 0; leaf < leavesOf(tree); leaf++) {
          const { begin, end } = leafOf(tree, points, leaf);
          expect(begin).toBe(leaf === 0 ? 0 : leafOf(tree, points, leaf - 1).end);
          if (leaf === leavesOf(tree) - 1) expect(end).toBe(rows);
          expect(end - begin).toBeGreaterThan(0);
          expect(end - begin).toBeLessThanOrEqual(treeRuns(tree).leafPlaces);
          for (let at = begin; at < end; at++) {
            for (let c = 0; c < 3; c++) {
              expect(points[4 * at + c]).toBe(bits[4 * order[at] + c]);
              for (let node = 2 ** tree.levels + leaf; node > 0; node >>= 1) {
                const value = train[4 * order[at] + c];
                expect(value >= floats[8 * node + c] && value <= floats[8 * node + 4 + c]).toBe(true);
              }
            }
          }
        }
      }
    },
  );

  it("has boxes of leaves and runs that hardly overlap, of points in a box of volume 1", async () => {
    for (const rows of [512, 3000, 20_000]) {
      const { tree, boxes } = await build(pointsOf("uniform", rows, new Random(seed + rows)), rows);
      const floats = new Float32Array(boxes.buffer);
      const volumeOf = (first: number) => {
        let volume = 0;
        for (let node = first; node < 2 * first; node++) {
          const [x, y, z] = [0, 1, 2].map((c) => floats[8 * node + 4 + c] - floats[8 * node + c]);
          volume += x * y * z;
        }
        return volume;
      };
      expect(volumeOf(leavesOf(tree))).toBeLessThan(1);
      expect(volumeOf(treeRuns(tree).runs)).toBeLessThan(1.05);
    }
  });

  it.each([1, 2, 7, 20])("has the order of a grid of %i cells a side", async (cells) => {
    for (const rows of [17, 600, 1100]) {
      const random = new Random(seed + rows + cells);
      const side = () => (random.int(0, cells) + 0.5) / cells;
      const train = Float32Array.from({ length: rows * 4 }, (_, at) => {
        if (at < 8) return at < 3 ? 0 : at > 3 && at < 7 ? 1 : 0;
        return at % 4 === 3 ? 0 : side();
      });
      const { points } = await build(train, rows, cells);
      const order = Array.from({ length: rows }, (_, at) => points[4 * at + 3]);
      expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: rows }, (_, row) => row));
      const cellOf = order.map((row) => {
        const [x, y, z] = [0, 1, 2].map((j) => Math.min(cells - 1, Math.floor(cells * train[4 * row + j])));
        return x + cells * (y + cells * z);
      });
      expect(cellOf).toEqual([...cellOf].sort((a, b) => a - b));
    }
  });

  describe.each(variants)("searched by packets, with subgroups: %s", (subgroups) => {
    it.each(["uniform", "a crowded part", "collinear", "on the corners of a grid", "all equal"])(
      "lists the nearest of points that are %s",
      async (name) => {
        for (const [rows, queryRows, k] of [
          [700, 333, 1],
          [300, 65, 5],
          [900, 31, 33],
        ]) {
          const random = new Random(seed + k);
          const train = pointsOf(name, rows, random);
          const queries = pointsOf(name, queryRows, random);
          const { tree, points, boxes } = await build(train, rows);
          const capacity = k + 40;
          const params = { core: "l2", slack: 2e-6, k, capacity, stride: 4, queryRows, tree } as const;
          const got = await searched(params, { points, boxes }, queries, subgroups);
          let entries = 0;
          let overflowed = 0;
          for (let query = 0; query < queryRows; query++) {
            const keys = Array.from({ length: rows }, (_, row) => squareOf(queries, query, train, row));
            const kth = [...keys].sort((a, b) => a - b)[k - 1];
            const count = got.heads[2 * query];
            if (count > capacity) {
              overflowed++;
              continue;
            }
            const list = [...got.candidates.subarray(query * capacity, query * capacity + count)];
            entries += count;
            expect(new Set(list).size).toBe(count);
            expect(keys.flatMap((key, row) => (key <= kth && !list.includes(row) ? [row] : []))).toEqual([]);
          }
          expect([got.listed, got.unlisted]).toEqual([entries, overflowed]);
          if (name === "uniform") expect(overflowed).toBe(0);
          expect(got.visited).toBeGreaterThan(k * queryRows);
        }
      },
    );

    it("leaves out nothing by what keys of long lists round", async () => {
      // Of a query's 36 points 34 may be among the 32 nearest, and the 34th of some has a key that is larger
      // by more than their slack.
      const [places, near, k, slack, capacity] = [300, 36, 32, 1e-6, 40];
      const train = Float32Array.from({ length: 4 * places * near }, (_, at) => {
        const row = at >> 2;
        const place = Math.floor(row / near);
        return [1000 * place, Math.sqrt(1 + place / (4 * places) + 0.9e-6 * (row % near)), 0, 0][at % 4];
      });
      const [rows, queryRows] = [places * near, 2 * places];
      const queries = Float32Array.from({ length: 4 * queryRows }, (_, at) =>
        at % 4 === 0 ? 1000 * (at >> 3) : 0,
      );
      const { tree, points, boxes } = await build(train, rows);
      const params = { core: "l2", slack, k, capacity, stride: 4, queryRows, tree } as const;
      const got = await searched(params, { points, boxes }, queries, subgroups);
      expect(got.unlisted).toBe(0);
      for (let query = 0; query < queryRows; query++) {
        // The points of other places are a thousand times as far.
        const first = (query >> 1) * near;
        const keys = Array.from({ length: near }, (_, at) => squareOf(queries, query, train, first + at));
        const high = (1 + slack) * [...keys].sort((a, b) => a - b)[k - 1];
        const list = got.candidates.subarray(query * capacity, query * capacity + got.heads[2 * query]);
        const missing = keys.flatMap((key, at) =>
          (1 - 0.9 * slack) * key <= high && !list.includes(first + at) ? [first + at] : [],
        );
        expect(missing).toEqual([]);
      }
    });

    it("lists rows whose high ends are the largest numbers", async () => {
      const [rows, queryRows, k, capacity] = [70, 40, 64, 80];
      const far = Math.sqrt((1 - 1e-6) * (2 - 2 ** -23) * 2 ** 127);
      const train = Float32Array.from({ length: 4 * rows }, (_, at) => (at % 4 === 0 ? far : 0));
      const { tree, points, boxes } = await build(train, rows);
      const params = { core: "l2", slack: 1e-6, k, capacity, stride: 4, queryRows, tree } as const;
      const queries = new Float32Array(4 * queryRows);
      const got = await searched(params, { points, boxes }, queries, subgroups);
      expect([got.listed, got.unlisted]).toEqual([rows * queryRows, 0]);
    });

    // A level at a time, even packets of four lanes have two parts.
    it.each([knnTreePolicy.width, 1])(
      "tells packets of one workgroup apart, far from each other, %i levels at a time",
      async (width) => {
        const [places, near, asked, capacity] = [16, 60, 32, 40];
        const random = new Random(seed + width);
        // Places do not lie in the order of their numbers.
        const cloud = (each: number) =>
          Float32Array.from({ length: 4 * places * each }, (_, at) => {
            const place = (at >> 2) % places;
            return at % 4 === 3 ? 0 : 100 * ((place >> (at % 4)) & 3) + random.uniform();
          });
        const [train, queries] = [cloud(near), cloud(asked)];
        const [rows, queryRows] = [places * near, places * asked];
        const { tree, points, boxes } = await build(train, rows);
        for (const k of [1, 9]) {
          const params = { core: "l2", slack: 2e-6, k, capacity, stride: 4, queryRows, tree } as const;
          const got = await withWidth(width, () => searched(params, { points, boxes }, queries, subgroups));
          expect([got.left, got.unlisted]).toEqual([0, 0]);
          for (let query = 0; query < queryRows; query++) {
            const keys = Array.from({ length: rows }, (_, row) => squareOf(queries, query, train, row));
            const kth = [...keys].sort((a, b) => a - b)[k - 1];
            const list = got.candidates.subarray(query * capacity, query * capacity + got.heads[2 * query]);
            expect(keys.flatMap((key, row) => (key <= kth && !list.includes(row) ? [row] : []))).toEqual([]);
          }
          // No packet visits all of two places.
          expect(got.visited / queryRows).toBeLessThan(2 * near);
        }
      },
    );

    it.each([
      [0.07, 2e-6],
      [0, 0.25],
    ])("looks into boxes that only margins of %d, and a slack of %d, let be near", async (margin, slack) => {
      // All 32 queries of a place lie 0.45 from one point and 0.55 from the next one, often of another leaf.
      // The square 0.3025 is above the high end of 0.2025, and its low end is not.
      const [rows, asked, capacity] = [300, 32, 8];
      const queryRows = rows * asked;
      const train = Float32Array.from({ length: 4 * rows }, (_, at) => (at % 4 === 0 ? at >> 2 : 0));
      const queries = Float32Array.from({ length: 4 * queryRows }, (_, at) =>
        at % 4 === 0 ? ((at >> 2) % rows) + 0.45 : 0,
      );
      const refMeta = Float32Array.from({ length: 4 * rows }, (_, at) => (at % 4 === 2 ? margin : 0));
      const { tree, points, boxes } = await build(train, rows, undefined, bitsOf(refMeta));
      const params = { core: "l2", slack, k: 1, capacity, stride: 4, queryRows, tree } as const;
      const got = await searched(params, { points, boxes }, queries, subgroups);
      expect([got.left, got.unlisted]).toEqual([0, 0]);
      for (let query = 0; query < queryRows; query++) {
        const list = got.candidates.subarray(query * capacity, query * capacity + got.heads[2 * query]);
        const row = query % rows;
        expect([...list].sort((a, b) => a - b)).toEqual(row + 1 < rows ? [row, row + 1] : [row]);
      }
    });
  });

  it("makes packets of subgroups only where those have a known size of four lanes or more", async () => {
    const { tree } = await build(pointsOf("uniform", 100, new Random(seed)), 100);
    const params = { core: "l2", slack: 0, k: 1, capacity: 4, stride: 4, queryRows: 50, tree } as const;
    const codeFor = (changes: Partial<KernelLimits>) =>
      knnTreeFilterKernel
        .passes(params, { ...limitsWith(true), ...changes })
        .find(({ label }) => label === "knn.treeFilter.packets")!.code;
    const widthOf = (code: string) => /const WIDTH: u32 = (\d)u/.exec(code)![1];
    const sizes = [undefined, 1, 2, 4, 8, 16, 32, 64, 128];
    const codes = sizes.map((subgroupSize) => codeFor({ subgroupSize }));
    expect(codes.map((code) => code.includes("subgroupOr"))).toEqual(sizes.map((size = 0) => size >= 4));
    expect(codes.map(widthOf)).toEqual(["3", "3", "3", "2", "3", "3", "3", "3", "3"]);
    expect(codeFor({ traits: { forwardProgress: false, subgroups: false } })).not.toContain("subgroupOr");
  });

  // Leaves have 10 points, and in the second row 17. Even points take some 179 and 231 each, and a crowded
  // part 1100. They take 337 and 5517 where runs and queries are not put in the order of a k-d tree.
  it.each([
    ["uniform", 21_000, 200],
    ["uniform", 17_000, 260],
    ["a crowded part", 21_000, 1200],
  ])("visits few of many points that are %s, %i of them", async (name, rows, most) => {
    const random = new Random(seed);
    const train = pointsOf(name, rows, random);
    const queries = pointsOf(name, rows, random);
    const { tree, points, boxes } = await build(train, rows);
    const sizes = { k: 1, capacity: 8, stride: 4, queryRows: rows } as const;
    const params = { core: "l2", slack: 2e-6, ...sizes, tree } as const;
    const { visited } = await searched(params, { points, boxes }, queries, false);
    expect(visited / rows).toBeLessThan(most);
  });

  it("knows from packets how far those need to look that they leave", async () => {
    const [places, ties, queryRows] = [100, 34, 2000];
    const rows = places * ties;
    const random = new Random(seed);
    const each = pointsOf("uniform", places, random);
    const train = Float32Array.from({ length: 4 * rows }, (_, at) => each[at % each.length]);
    const { tree, points, boxes } = await build(train, rows);
    const params = { core: "l2", slack: 2e-6, k: 32, capacity: 200, stride: 4, queryRows, tree } as const;
    const queries = pointsOf("uniform", queryRows, random);
    const got = await searched(params, { points, boxes }, queries, false);
    // Thirty-four tie, which packets of k = 32 leave.
    expect([got.left, got.unlisted, got.listed]).toEqual([queryRows, 0, ties * queryRows]);
    const forget = (code: string) =>
      code.replace(/bound ?= ?bitcast<f32>\(heads\[\w+\]\.y\)/, "bound=0x1p127");
    const without = await searched(params, { points, boxes }, queries, false, forget);
    expect(without.listed).toBe(got.listed);
    // Some 360 each, and 400 without what packets know.
    expect(got.visited).toBeLessThan(0.95 * without.visited);
  });

  it("begins no more packets once all together have visited enough, and goes on alone", async () => {
    const rows = 2000;
    const random = new Random(seed);
    const train = pointsOf("uniform", rows, random);
    const queries = pointsOf("uniform", rows, random);
    const { tree, points, boxes } = await build(train, rows);
    const params = { core: "l2", slack: 2e-6, k: 3, capacity: 8, stride: 4, queryRows: rows, tree } as const;
    const whole = await searched(params, { points, boxes }, queries, false);
    expect(whole.left).toBeLessThan(rows / 10);
    const soon = (code: string) => code.replace("params.total", "1.0");
    const few = await searched(params, { points, boxes }, queries, false, soon);
    expect(few.left).toBeGreaterThan(rows / 2);
    expect(few.unlisted).toBe(0);
    for (let query = 0; query < rows; query += 7) {
      const keys = Array.from({ length: rows }, (_, row) => squareOf(queries, query, train, row));
      const kth = [...keys].sort((a, b) => a - b)[2];
      const list = few.candidates.subarray(query * 8, query * 8 + few.heads[2 * query]);
      expect(keys.flatMap((key, row) => (key <= kth && !list.includes(row) ? [row] : []))).toEqual([]);
    }
  });

  it("gives up queries that may visit too little, and counts them", async () => {
    const train = pointsOf("uniform", 300, new Random(seed));
    const { tree, points, boxes } = await build(train, 300);
    const params = {
      core: "l2",
      slack: 2e-6,
      k: 3,
      capacity: 6,
      stride: 4,
      queryRows: 150,
      tree,
      most: 1,
    } as const;
    const got = await searched(params, { points, boxes }, train.slice(0, 600), false);
    const unfinished = Array.from({ length: 150 }, (_, query) => got.heads[2 * query] === NO_ROW);
    expect(got.unlisted).toBe(unfinished.filter(Boolean).length);
    expect(got.unlisted).toBeGreaterThan(10);
  });

  it.each([64, 200])("goes on with points of one cell, %i of a query in a dispatch", async (most) => {
    const [rows, queryRows] = [1100, 50];
    const train = pointsOf("all equal", rows, new Random(seed));
    const { tree, points, boxes } = await build(train, rows);
    const sizes = { k: 3, capacity: rows, stride: 4, queryRows } as const;
    const params = { core: "l2", slack: 2e-6, ...sizes, tree, most } as const;
    const got = await searched(params, { points, boxes }, train.slice(0, 4 * queryRows), false);
    const dispatches = knnTreePolicy.passes;
    // All points tie, and a list has them all; unless the dispatches are too few to visit them.
    const isEnough = dispatches * most > 2 * rows;
    expect(got.unlisted).toBe(isEnough ? 0 : queryRows);
    expect(got.listed).toBe(isEnough ? queryRows * rows : 0);
    expect(got.visited).toBeLessThanOrEqual(queryRows * dispatches * (most + treeRuns(tree).leafPlaces));
    expect(got.visited).toBeGreaterThan((queryRows * Math.min(rows, dispatches * most)) / 2);
  });

  async function searched(
    params: KnnTreeFilterParams,
    tree: Readonly<Record<"points" | "boxes", Words>>,
    queries: Float32Array<ArrayBuffer>,
    subgroups: boolean,
    changed = (code: string) => code,
  ) {
    const given = { ...tree, queries: bitsOf(queries), queryMeta: metasOf(params.queryRows) };
    const buffers = { ...wordsOf(knnTreeFilterKernel.bytes(params, limits)), ...given };
    const passes = knnTreeFilterKernel.passes(params, limitsWith(subgroups));
    expect(passes.map(({ label }) => label)).toContain("knn.treeFilter.packets");
    const run = passes.map((pass) => ({ ...pass, code: changed(pass.code) }));
    const { heads, candidates, scratch } = await runner.run(run, buffers);
    const [unlisted, listed, low, high] = scratch.subarray(TREE_COUNTERS, COUNTER_WORDS);
    const left = scratch[1];
    return { heads, candidates, unlisted, listed, left, visited: low + high * 2 ** 32 };
  }

  it.each([true, false])("puts lists in order by (distance, row), with roots: %s", async (root) => {
    const random = new Random(seed + 9);
    const [queryRows, capacity, k] = [300, 9, 4];
    const keys = Float64Array.from({ length: queryRows * capacity }, () =>
      random.pick([0, 1, 4, random.uniform(), 2 ** random.int(-298, 250) * (1 + random.uniform())]),
    );
    const candidates = Uint32Array.from(keys, (_, at) => ((at % capacity) * 7) % capacity);
    const counts = Array.from({ length: queryRows }, () => random.pick([k, capacity, capacity + 1, NO_ROW]));
    const heads = Uint32Array.from({ length: 2 * queryRows }, (_, at) =>
      at % 2 === 0 ? counts[at >> 1] : 7,
    );
    const buffers = { heads, candidates, keys: new Uint32Array(keys.slice().buffer) };
    const parts = spans(queryRows, 170).map(({ begin, end }) => {
      return { capacity, queryBegin: begin, queryRows: end - begin, k, root };
    });
    const passes = parts.flatMap((params) => knnOrderKernel.passes(params, limits));
    const got = await runner.run(passes, {
      ...wordsOf(knnOrderKernel.bytes(parts[1], limits)),
      ...buffers,
    });
    const distances = new Float64Array(got["nearDistances"].buffer);
    for (let query = 0; query < queryRows; query++) {
      if (counts[query] > capacity) {
        expect(got["nearRows"][query * k]).toBe(NO_ROW);
        expect(got["nearDistances"][2 * query * k]).toBe(counts[query]);
        continue;
      }
      const list = Array.from({ length: counts[query] }, (_, i) => query * capacity + i).map((at) => ({
        row: candidates[at],
        distance: root ? Math.sqrt(keys[at]) : keys[at],
      }));
      list.sort((a, b) => a.distance - b.distance || a.row - b.row);
      const nearest = list.slice(0, k);
      const at = query * k;
      expect([...got["nearRows"].subarray(at, at + k)]).toEqual(nearest.map(({ row }) => row));
      expect([...distances.subarray(at, at + k)]).toEqual(nearest.map(({ distance }) => distance));
    }
  });
});
