/** All points within a radius, on each backend, against a float64 brute force: any other row or bit fails. */
import { describe, expect, it } from "vitest";
import { PointCloud, radiusNeighbors } from "../../../dist/node.js";
import type { PointCloudOptions, RadiusResult } from "../../../dist/node.js";
import { bruteForce } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { clouds, inputOf, type Rows } from "../clouds.ts";
import { onEachBackend } from "../helpers.ts";

const seed = printedSeed();
const ROWS = 200;

describe("points within a radius", () => {
  onEachBackend((device, backend) => {
    async function search(
      train: Rows,
      queries: Rows,
      radius: number,
      tiles: PointCloudOptions["tiles"] = {},
    ) {
      using cloud = await PointCloud.create(train, { device: device(), tiles: { tree: true, ...tiles } });
      return cloud.radiusNeighbors(queries, { radius });
    }

    it.each(Object.keys(clouds))("of points that are %s", async (name) => {
      const random = new Random(seed);
      const cols = random.int(1, 4);
      // A GPU evaluates float32 itself; its host evaluates float64.
      for (const isSingle of [true, false]) {
        const { train, queries } = inputOf(name, ROWS, cols, random, isSingle);
        const asked = isSingle ? { ...queries, data: Float32Array.from(queries.data) } : queries;
        const all = bruteForce(train, asked, { k: ROWS });
        // This distance occurs, and is the largest that counts.
        const radius = all.distances[random.int(1, 41) * ROWS + random.int(0, ROWS)];
        for (const each of [0, radius, Infinity]) expectWithin(await search(train, asked, each), all, each);
      }
    });

    it("in as many jobs and dispatches as there is room and time for", async () => {
      const { train, queries } = inputOf("a crowded part", ROWS, 3, new Random(seed + 1), true);
      const asked = { ...queries, data: Float32Array.from(queries.data) };
      const all = bruteForce(train, asked, { k: ROWS });
      for (const tiles of [{ references: 3 }, { queries: 7 }, { references: 400 }]) {
        const found = await search(train, asked, 0.01, tiles);
        expectWithin(found, all, 0.01);
        if (backend === "gpu") expect(found.explanation.jobs).toBeGreaterThan(3);
      }
    });

    it("in lists that take more dispatches than a search has at first", async () => {
      const { train, queries } = inputOf("uniform", ROWS, 3, new Random(seed + 5), true);
      const asked = { ...queries, data: Float32Array.from(queries.data) };
      // A dispatch looks at one node for each query, and ends after one leaf.
      const found = await search(train, asked, 0.1, { references: 1 });
      expectWithin(found, bruteForce(train, asked, { k: ROWS }), 0.1);
      expect(found.offsets[queries.rows]).toBeGreaterThan(0);
    });

    // A sample of 256 queries misses this one, which a GPU looks at.
    it.each([1e6, NaN])("of queries of which one is %d, which nobody looks at before", async (value) => {
      const { train } = inputOf("uniform", ROWS, 3, new Random(seed + 3), true);
      const asked = { data: new Float32Array(3 * 1250).fill(0.5), rows: 1250, cols: 3 };
      asked.data[3 * 1101 + 1] = value;
      const within = search(train, asked, 0.3, { assumeFrom: 0, assumeQueriesFrom: 0 });
      if (value === 1e6) expectWithin(await within, bruteForce(train, asked, { k: ROWS }), 0.3);
      else await expect(within).rejects.toThrow("queries row 1101, column 1 is NaN; a matrix must be finite");
    });

    it("by a metric that has a tree and no intervals of its own", async () => {
      const { train, queries } = inputOf("uniform", ROWS, 3, new Random(seed + 4), true);
      const metric = "rapidminer:KernelEuclideanDistance";
      const seen: { readonly done: number; readonly total: number }[] = [];
      const onProgress = (progress: (typeof seen)[number]) => seen.push(progress);
      const options = { radius: 10, metric, device: device(), tiles: { tree: true }, onProgress } as const;
      const { offsets } = await radiusNeighbors(train, queries, options);
      expect(offsets[queries.rows]).toBe(train.rows * queries.rows);
      // On a GPU this begins anew, which its progress does not show.
      const done = seen.map((progress) => progress.done);
      expect(done).toEqual([...new Set(done)].sort((a, b) => a - b));
      expect(done.at(-1)).toBe(queries.rows);
      expect(new Set(seen.map(({ total }) => total))).toEqual(new Set([queries.rows]));
    });

    it("along a tree, and where none has room", async () => {
      const { train, queries } = inputOf("uniform", ROWS, 3, new Random(seed + 2), true);
      const all = bruteForce(train, queries, { k: ROWS });
      for (const budget of [undefined, 2 ** 14]) {
        const found = await search(train, queries, 0.4, { budget });
        expectWithin(found, all, 0.4);
        const isAlong = found.explanation.technique.includes("along a tree");
        if (backend === "gpu") expect(isAlong).toBe(budget === undefined);
      }
    });
  });
});

function expectWithin(found: RadiusResult, all: ReturnType<typeof bruteForce>, radius: number): void {
  for (let query = 0; query < found.queries; query++) {
    const [begin, end] = found.offsets.subarray(query, query + 2);
    const nearest = all.distances.subarray(query * ROWS, (query + 1) * ROWS);
    const count = nearest.filter((distance) => distance <= radius).length;
    expect([...found.distances.subarray(begin, end)]).toEqual([...nearest.subarray(0, count)]);
    const rows = all.indices.subarray(query * ROWS, query * ROWS + count);
    expect([...found.indices.subarray(begin, end)]).toEqual([...rows]);
  }
}
