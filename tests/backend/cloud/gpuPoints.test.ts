/**
 * GpuPrimitives.pointTree and nearestPoints on buffers and encoders of the caller, poisoned before: equal to
 * all pairs where float32 is exact, and as near as that everywhere else.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { GpuPrimitives, NO_NEIGHBOR } from "../../../dist/node.js";
import type { GpuNearestPointsParams } from "../../../dist/node.js";
import { TREE_COUNTERS } from "../../../dist/ops/knn/contract/tree.js";
import { knnTreePolicy } from "../../../dist/ops/knn/gpu/tree/policy.js";
import { assumeTraits } from "../../../dist/runtime/gpu/traits.js";
import { printedSeed, Random } from "../../oracle/random.ts";
import { clouds } from "../clouds.ts";
import { callersGpu, hasGpu } from "../device/gpu.ts";
import { PassRunner } from "../device/passRunner.ts";
import { hasSubgroups, oneIn } from "../helpers.ts";

type Rows = readonly (readonly number[])[];

const seed = printedSeed();

describe.skipIf(!hasGpu)("GpuPrimitives.nearestPoints", () => {
  describe.each(hasSubgroups ? [true, false] : [false])("subgroups: %s", (subgroups) => {
    let runner: PassRunner;
    let primitives: GpuPrimitives;
    beforeAll(async () => {
      const requiredFeatures: GPUFeatureName[] = subgroups ? ["subgroups"] : [];
      runner = new PassRunner(await callersGpu(requiredFeatures));
      // A software GPU would have no traits. Nobody else asks for those of a caller's GPU.
      assumeTraits(runner.device, { forwardProgress: false, subgroups });
      primitives = await GpuPrimitives.create(runner.device);
    });

    async function search(points: Rows, queries: Rows, options: Partial<GpuNearestPointsParams> = {}) {
      const params = { ...options, points: points.length, queries: queries.length };
      using build = await primitives.pointTree({ points: points.length });
      using find = await primitives.nearestPoints(params);
      const contents = (operation: { bytes: Readonly<Record<string, number>> }) =>
        Object.fromEntries(Object.entries(operation.bytes).map(([name, bytes]) => [name, bytes / 4]));
      const prefixed = (sizes: Record<string, number>, by: string) =>
        Object.fromEntries(
          Object.entries(sizes)
            .filter(([name]) => name.startsWith("scratch"))
            .map(([name, words]) => [by + name, words]),
        );
      const got = await runner.record(
        (encoder, bindings) => {
          const scratchOf = (by: string) =>
            Object.fromEntries(
              Object.entries(bindings)
                .filter(([name]) => name.startsWith(by))
                .map(([name, binding]) => [name.slice(by.length), binding]),
            );
          const { points, leaves, boxes, queries, distances, indices } = bindings;
          build.encode(encoder, { ...scratchOf("build."), points, leaves, boxes });
          find.encode(encoder, { ...scratchOf("find."), queries, leaves, boxes, distances, indices });
        },
        {
          ...prefixed(contents(build), "build."),
          ...prefixed(contents(find), "find."),
          ...{ points: bitsOf(points), queries: bitsOf(queries) },
          ...{ leaves: build.bytes.leaves / 4, boxes: build.bytes.boxes / 4 },
          ...{ distances: find.bytes.distances / 4, indices: find.bytes.indices / 4 },
        },
      );
      const scratch = got["find.scratch"];
      return {
        distances: [...new Float32Array(got["distances"].buffer)],
        indices: [...got["indices"]],
        /** So many queries were left by packets, and so many points visited by them. */
        left: scratch[1],
        visited: scratch[TREE_COUNTERS + 2],
      };
    }

    /** Points and queries of whole numbers, whose squares float32 holds as they are. */
    function wholeRows(random: Random, rows: number, cols: number, most: number): Rows {
      return Array.from({ length: rows }, () => [
        ...Array.from({ length: cols }, () => random.int(0, most)),
        ...Array.from({ length: 3 - cols }, () => 0),
      ]);
    }

    /** Each case runs with subgroups or without, by the seed: a software GPU compiles seconds for either. */
    const shared = <T>(cases: readonly T[]): readonly T[] =>
      hasSubgroups ? oneIn(2, cases, seed + Number(subgroups)) : cases;

    const { packets, packetThreads, searchThreads } = knnTreePolicy;
    // Queries alone and in packets; leaves of 16 points, one fewer and one more; ties everywhere.
    const sizes = [
      [1, 1, 1, 1],
      [15, 3, 2, 15],
      [16, 40, 3, 8],
      [17, packetThreads, 1, 3],
      [1000, packetThreads + 1, 3, 17],
      [1000, 1000, 3, 1],
      [packets * 2 + 1, 2, 2, 5],
      [3001, searchThreads + 1, 3, 64],
    ] as const;
    it.each(shared(sizes))(
      "equals all pairs: %d points, %d queries, %d columns, k = %d",
      async (points, queries, cols, k) => {
        const random = new Random(seed + points + k);
        for (const most of [3, 200]) {
          const train = wholeRows(random, points, cols, most);
          const asked = wholeRows(random, queries, cols, most + 3);
          const all = naive(train, asked, k);
          for (const metric of ["sqeuclidean", "euclidean"] as const)
            expectEqual(await search(train, asked, { k, metric }), all, metric);
        }
      },
    );

    // 3 queries go down the tree alone, 150 in packets.
    it.each([3, 150])("looks into boxes that are nearer by a hair: %d queries", async (queries) => {
      const random = new Random(seed);
      const facing = (sign: number) =>
        Array.from({ length: 60 }, (_, at) => [sign * (1000 + 3 * at + random.int(0, 3)), 0, 0]);
      const train = [...facing(1), ...facing(-1)];
      const asked = Array.from({ length: queries }, () => [0, random.int(0, 3), 0]);
      for (const k of [2, 3, 9]) {
        const got = await search(train, asked, { k, metric: "sqeuclidean" });
        expectEqual(got, naive(train, asked, k), "sqeuclidean");
      }
    });

    it("goes on with queries that a dispatch has no time for, until all are done", async () => {
      const random = new Random(seed);
      const train = wholeRows(random, 2500, 3, 9);
      for (const queries of [5, 300]) {
        const asked = wholeRows(random, queries, 3, 9);
        for (const visitsPerDispatch of [1, 900]) {
          const got = await search(train, asked, { k: 7, metric: "sqeuclidean", visitsPerDispatch });
          expectEqual(got, naive(train, asked, 7), "sqeuclidean");
        }
      }
    });

    // 3 queries go down the tree alone, 150 in packets; squares of whole numbers lie at the radius itself.
    it.each([3, 150])("finds none beyond a radius: %d queries", async (queries) => {
      const random = new Random(seed);
      const train = wholeRows(random, 700, 2, 60);
      const asked = wholeRows(random, queries, 2, 90);
      for (const radius of [0, 1, 5, 13, 1e30, Infinity]) {
        const k = 4;
        const within = { radius: radius * radius };
        expectEqual(await search(train, asked, { k, radius }), naive(train, asked, k, within), "euclidean");
        const squares = { k, radius: within.radius, metric: "sqeuclidean", visitsPerDispatch: 900 } as const;
        expectEqual(await search(train, asked, squares), naive(train, asked, k, within), "sqeuclidean");
      }
    });

    it.each([
      [2, 1, Infinity],
      [40, 8, Infinity],
      [17, 16, Infinity],
      [900, 3, 4],
    ])(
      "finds the others of points among themselves: %d points, k = %d, radius %d",
      async (points, k, radius) => {
        const random = new Random(seed + points);
        const options = { k, radius, excludeSelf: true, metric: "sqeuclidean" } as const;
        // Coinciding points too, of which each still finds the others.
        for (const most of [1, 3, 200]) {
          const train = wholeRows(random, points, 3, most);
          const all = naive(train, train, k, options);
          expectEqual(await search(train, train, options), all, "sqeuclidean");
          const alone = await aloneFirst(() => search(train, train, { ...options, visitsPerDispatch: 900 }));
          expectEqual(alone, all, "sqeuclidean");
        }
      },
    );

    it("searches one tree for several sets of queries", async () => {
      const train = wholeRows(new Random(seed), 500, 3, 50);
      const results = await Promise.all(
        [1, 2].map((by) => search(train, wholeRows(new Random(by), 60, 3, 50))),
      );
      results.forEach((got, i) =>
        expectEqual(got, naive(train, wholeRows(new Random(i + 1), 60, 3, 50), 1), "euclidean"),
      );
    });

    it.each(shared(Object.keys(clouds)))("finds points as near as float32 tells: %s", async (name) => {
      const random = new Random(seed);
      const coordinate = (row: number) => [0, 1, 2].map((j) => Math.fround(clouds[name](random, row, j)));
      const train = Array.from({ length: 700 }, (_, row) => coordinate(row));
      const asked = Array.from({ length: 150 }, (_, row) => (row % 3 === 0 ? train[row] : coordinate(row)));
      const k = 5;
      const { distances, indices } = await search(train, asked, { k, metric: "sqeuclidean" });
      const all = naive(train, asked, k);
      const least = name === "subnormal" ? 1e-37 : 0; // squares below are no float32 that a GPU must hold
      for (let at = 0; at < distances.length; at++) {
        const query = Math.floor(at / k);
        const own = squareOf(train[indices[at]], asked[query]);
        expect(Math.abs(distances[at] - own)).toBeLessThanOrEqual(2 ** -20 * own + least);
        expect(Math.abs(own - all.squares[at])).toBeLessThanOrEqual(2 ** -19 * all.squares[at] + least);
        const before = at % k === 0 ? undefined : at - 1;
        if (before === undefined) continue;
        expect(distances[before]).toBeLessThanOrEqual(distances[at]);
        if (distances[before] === distances[at]) expect(indices[before]).toBeLessThan(indices[at]);
      }
    });

    it("compares coinciding points with few queries only", async () => {
      // All pairs would be 8192 for each.
      const same = Array.from({ length: 2 ** 13 }, () => [0.5, 0.25, 0.125]);
      const { distances, indices, left, visited } = await search(same, same, { k: 2 });
      expect(distances.every((distance) => distance === 0)).toBe(true);
      expect(indices.every((row, at) => row === at % 2)).toBe(true);
      expect(left).toBe(0);
      // Some 64 each, a few hundred where rows lie in no order; all of them where only values are compared.
      expect(visited / same.length).toBeLessThan(2000);
    });

    it("refuses what it cannot do", async () => {
      const wrong = async (options: Partial<GpuNearestPointsParams>) =>
        primitives
          .nearestPoints({ points: 100, queries: 2, ...options })
          .then(String, (error: Error) => error.message);
      expect(await wrong({ k: 65 })).toBe("k is 65; expected a whole number from 1 to 64");
      expect(await wrong({ points: 3, k: 4 })).toBe("k is 4; expected a whole number from 1 to 3");
      expect(await wrong({ queries: 0 })).toBe("queries is 0; expected a whole number of at least 1");
      expect(await wrong({ radius: -1 })).toBe("radius is -1; expected a number of at least 0");
      expect(await wrong({ radius: NaN })).toBe("radius is NaN; expected a number of at least 0");
      expect(await wrong({ excludeSelf: true })).toBe(
        "excludeSelf is true, but queries is 2 and points is 100; expected as many of both",
      );
      expect(await wrong({ points: 2, k: 2, excludeSelf: true })).toBe(
        "k is 2; expected a whole number from 1 to 1",
      );
      expect(await wrong({ points: 1, queries: 1, excludeSelf: true })).toMatch(/^points is 1; expected/);
      expect(await wrong({ visitsPerDispatch: 0.5 })).toMatch(/^visitsPerDispatch is 0.5/);
      expect(await wrong({ metric: "manhattan" as "euclidean" })).toMatch(/^unknown metric "manhattan"/);
      await expect(primitives.pointTree({ points: 0 })).rejects.toThrow("points is 0");
      await expect(primitives.pointTree({ points: 2 ** 30 })).rejects.toThrow("binds at most");
    });
  });
});

function bitsOf(rows: Rows): Uint32Array<ArrayBuffer> {
  return new Uint32Array(Float32Array.from(rows.flatMap((row) => [...row, 0])).buffer);
}

function squareOf(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += (a[j] - b[j]) ** 2;
  return sum;
}

/** Searches without packets, as where queries are few, whatever the points and queries are. */
async function aloneFirst<T>(work: () => Promise<T>): Promise<T> {
  const policy: { packets: number } = knnTreePolicy;
  const { packets } = policy;
  policy.packets = 0;
  try {
    return await work();
  } finally {
    policy.packets = packets;
  }
}

const LARGEST_FLOAT = (2 - 2 ** -23) * 2 ** 127;

/** All pairs; `radius` is that of squares. */
function naive(points: Rows, queries: Rows, k: number, { radius = Infinity, excludeSelf = false } = {}) {
  const lists = queries.map((query, self) => {
    const squares = Float64Array.from(points, (point) => squareOf(point, query));
    // One more, since the query itself may be among them.
    const limit = squares.toSorted()[k] ?? Infinity;
    return points
      .flatMap((_, row) => (squares[row] <= limit ? [{ row, square: squares[row] }] : []))
      .filter(({ row, square }) => square <= radius && !(excludeSelf && row === self))
      .sort((a, b) => a.square - b.square || a.row - b.row)
      .concat(Array.from({ length: k }, () => ({ row: NO_NEIGHBOR, square: Infinity })))
      .slice(0, k);
  });
  const nearest = lists.flat();
  return { squares: nearest.map(({ square }) => square), indices: nearest.map(({ row }) => row) };
}

interface Found {
  readonly distances: readonly number[];
  readonly indices: readonly number[];
}

/** WGSL's root may be off by some of the last bits. */
function expectEqual(
  got: Found,
  { squares, indices }: ReturnType<typeof naive>,
  metric: "euclidean" | "sqeuclidean",
): void {
  expect(got.indices).toEqual(indices);
  const finite = (value: number) => (value === Infinity ? LARGEST_FLOAT : value);
  if (metric === "sqeuclidean") return expect(got.distances).toEqual(squares.map(finite));
  got.distances.forEach((distance, at) => {
    const root = finite(Math.sqrt(squares[at]));
    if (root === LARGEST_FLOAT) expect(distance).toBe(root);
    expect(Math.abs(distance - root)).toBeLessThanOrEqual(2 ** -20 * root);
  });
}
