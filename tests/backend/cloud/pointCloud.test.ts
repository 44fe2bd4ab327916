/** `PointCloud` on each backend, against a float64 brute force: any difference of a row or a bit fails. */
import { describe, expect, it } from "vitest";
import { NO_NEIGHBOR, PointCloud } from "../../../dist/node.js";
import type { PointCloudOptions } from "../../../dist/node.js";
import { bruteForce } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { clouds, inputOf, type Rows } from "../clouds.ts";
import { expectSame, onEachBackend, oneIn, openBeside } from "../helpers.ts";

const seed = printedSeed();
const tree = { tree: true };

describe("the nearest points", () => {
  onEachBackend((device, backend) => {
    it.each(Object.keys(clouds))("of points that are %s", async (name) => {
      const random = new Random(seed);
      const metric = random.pick(["euclidean", "sqeuclidean"] as const);
      const { train, queries } = inputOf(name, 500, 3, random, random.pick([true, false]));
      using cloud = await PointCloud.create(train, { metric, device: device(), tiles: tree });
      expect([cloud.points, cloud.columns]).toEqual([500, 3]);
      for (const k of [1, 2, 8, 64]) {
        expectSame(await cloud.nearest(queries, { k }), bruteForce(train, queries, { metric, k }), k);
      }
      expectSame(await cloud.nearest(queries), bruteForce(train, queries, { metric, k: 1 }), 1);
    });

    const names = Object.keys(clouds);
    it.each(backend === "gpu" ? oneIn(2, names, seed) : names)(
      "by any grid, of points that are %s",
      async (name) => {
        const random = new Random(seed + 5);
        const cols = random.int(1, 4);
        const { train, queries } = inputOf(name, 300, cols, random, random.pick([true, false]));
        const expected = [1, 9].map((k) => bruteForce(train, queries, { k }));
        for (const cells of [1, 2, random.int(3, 30), undefined]) {
          using cloud = await PointCloud.create(train, { device: device(), technique: "grid", cells });
          const nearest = await cloud.nearest(queries);
          expectSame(nearest, expected[0], 1);
          expect(nearest.explanation.technique).toMatch(/along a tree of \d+ leaves/);
          expectSame(await cloud.nearest(queries, { k: 9 }), expected[1], 9);
        }
      },
    );

    it("are found among fewer than 1,000 of 8,192 uniform ones", async () => {
      const random = new Random(seed + 12);
      const rows = 2 ** 13;
      const uniform = () => Float32Array.from({ length: 3 * rows }, () => random.uniform());
      const [train, queries] = [uniform(), uniform()].map((data) => ({ data, rows, cols: 3 }));
      using cloud = await PointCloud.create(train, { device: device() });
      const { explanation } = await cloud.nearest(queries);
      expect(explanation.pairs / rows).toBeLessThan(1000);
    });

    // A GPU looks at the values of these itself; a sample of 256 rows misses row 1,101 of them.
    describe("of points and queries that nobody looks at before", () => {
      const rows = 1250;
      const odd = 3 * 1101 + 1;
      const tiles = { tree: true, assumeFrom: 0, assumeQueriesFrom: 0 };
      const random = new Random(seed + 13);
      const uniform = (cols: number) => {
        const data = Float32Array.from({ length: cols * rows }, () => random.uniform());
        return { data, rows, cols };
      };
      const [train, queries] = [uniform(3), uniform(3)];
      const changed = (value: number) => {
        const data = queries.data.slice();
        data[odd] = value;
        return { ...queries, data };
      };

      it.each([0.5, 1e6, -3e19])("with %d far from the others", async (value) => {
        using cloud = await PointCloud.create(train, { device: device(), tiles });
        const asked = changed(value);
        for (const k of [1, 4])
          expectSame(await cloud.nearest(asked, { k }), bruteForce(train, asked, { k }), k);
        const some = { ...queries, data: Float64Array.from(asked.data) };
        expectSame(await cloud.nearest(some), bruteForce(train, some, { k: 1 }), 1);
      });

      it.each([1, 2])("of %i columns", async (cols) => {
        const [some, asked] = [uniform(cols), uniform(cols)];
        using cloud = await PointCloud.create(some, { device: device(), tiles });
        expectSame(await cloud.nearest(asked, { k: 3 }), bruteForce(some, asked, { k: 3 }), 3);
      });

      it.each([NaN, Infinity, -Infinity])("names %d among the queries", async (value) => {
        using cloud = await PointCloud.create(train, { device: device(), tiles });
        await expect(cloud.nearest(changed(value))).rejects.toThrow(
          `queries row 1101, column 1 is ${value}; a matrix must be finite`,
        );
        const first = queries.data.slice();
        first[0] = value; // in the sample
        await expect(cloud.nearest({ ...queries, data: first })).rejects.toThrow("queries row 0, column 0");
        expectSame(await cloud.nearest(queries), bruteForce(train, queries, { k: 1 }), 1);
      });
    });

    it("refuses techniques and cells that it does not have", async () => {
      const create = (options: object) => PointCloud.create([[0]], { device: device(), ...options });
      await expect(create({ technique: "octree" })).rejects.toThrow(
        /technique is "octree"; expected auto or grid/,
      );
      await expect(create({ cells: 4 })).rejects.toThrow(/cells is 4, but the technique is "auto"/);
      for (const cells of [0, 257, 1.5])
        await expect(create({ technique: "grid", cells })).rejects.toThrow(
          /expected a whole number from 1 to 256/,
        );
    });

    it.each([1, 2, 3])("of %i points in all, k of them", async (rows) => {
      const { train, queries } = inputOf("uniform", rows, 2, new Random(seed + rows));
      using cloud = await PointCloud.create(train, { device: device(), tiles: tree });
      expectSame(await cloud.nearest(queries, { k: rows }), bruteForce(train, queries, { k: rows }), rows);
    });

    it("for k of all points", async () => {
      const { train, queries } = inputOf("on the corners of a grid", 300, 3, new Random(seed + 8));
      using cloud = await PointCloud.create(train, { device: device() });
      expectSame(await cloud.nearest(queries, { k: 300 }), bruteForce(train, queries, { k: 300 }), 300);
    });

    it("leave a point out of its own, and keep those that coincide with it", async () => {
      const { train } = inputOf("all equal but one", 70, 3, new Random(seed));
      using cloud = await PointCloud.create(train, { device: device(), tiles: tree });
      const { indices, distances } = await cloud.nearest(train, { k: 2, excludeSelf: true });
      expect([...indices.subarray(0, 6)]).toEqual([1, 2, 0, 2, 0, 1]);
      expect([...indices.subarray(22, 24)]).toEqual([0, 1]);
      expect(distances[22]).toBe(Math.sqrt(0.9 * 0.9 + 0.9 * 0.9 + 0.9 * 0.9));
    });

    it.each([0, 0.2])("within a radius of %d", async (radius) => {
      const { train, queries } = inputOf("a crowded part", 400, 3, new Random(seed + 3));
      using cloud = await PointCloud.create(train, { device: device(), tiles: tree });
      const { indices, distances } = bruteForce(train, queries, { k: 400 });
      const within = (query: number) =>
        distances.subarray(query * 400, query * 400 + 400).filter((distance) => distance <= radius).length;
      const found = await cloud.radiusNeighbors(queries, { radius });
      const nearest = await cloud.nearest(queries, { k: 5, radius });
      for (let query = 0; query < queries.rows; query++) {
        const count = within(query);
        const [begin, end] = found.offsets.subarray(query, query + 2);
        const expected = [...indices.subarray(query * 400, query * 400 + count)];
        expect([...found.indices.subarray(begin, end)]).toEqual(expected);
        const few = Math.min(count, 5);
        expect(nearest.counts![query]).toBe(few);
        const five = [
          ...indices.subarray(query * 400, query * 400 + few),
          ...Array<number>(5).fill(NO_NEIGHBOR),
        ];
        expect([...nearest.indices.subarray(query * 5, query * 5 + 5)]).toEqual(five.slice(0, 5));
      }
    });

    it("go along a tree that is built once, whatever the queries", async () => {
      const { train, queries } = inputOf("uniform", 5000, 3, new Random(seed + 4), true);
      using cloud = await PointCloud.create(train, { device: device() });
      await cloud.nearest(queries);
      const before = { ...device().counters };
      const { explanation } = await cloud.nearest(inputOf("uniform", 9, 3, new Random(seed + 5)).queries);
      expect(explanation.technique).toMatch(/along a tree of \d+ leaves/);
      expect(explanation.pairs).toBeLessThan(41 * 500);
      expect(device().counters.uploadedBytes - before.uploadedBytes).toBeLessThan(5000);
    });

    it("leave the tree where it is while k is too large for one on a GPU", async () => {
      const { train, queries } = inputOf("uniform", 5000, 3, new Random(seed + 7), true);
      using cloud = await PointCloud.create(train, { device: device() });
      const found = await cloud.nearest(queries, { k: 90 });
      if (backend === "gpu") expect(found.explanation.technique).not.toContain("tree");
      expectSame(found, bruteForce(train, queries, { k: 90 }), 90);
      const before = { ...device().counters };
      for (const k of [1, 90, 2]) {
        expectSame(await cloud.nearest(queries, { k }), bruteForce(train, queries, { k }), k);
      }
      expect(device().counters.uploadedBytes - before.uploadedBytes).toBeLessThan(8000);
    });

    it("are those of the points at the time a search begins, disposed of or not", async () => {
      const own = await openBeside(device().info.kind);
      const { train, queries } = inputOf("uniform", 3000, 3, new Random(seed + 6));
      const cloud = await PointCloud.create(train, { device: own, tiles: tree });
      const search = cloud.nearest(queries, { k: 3 });
      cloud.dispose();
      cloud.dispose();
      expectSame(await search, bruteForce(train, queries, { k: 3 }), 3);
      await expect(cloud.nearest(queries)).rejects.toThrow("this PointCloud was disposed of");
      await expect(cloud.radiusNeighbors(queries, { radius: 1 })).rejects.toThrow("disposed of");
      using another = await PointCloud.create(train, { device: own });
      expect((await another.nearest(queries)).queries).toBe(41);
      own.dispose();
    });

    it("are not searched for once the signal is aborted", async () => {
      const { train, queries } = inputOf("uniform", 100, 3, new Random(seed));
      using cloud = await PointCloud.create(train, { device: device() });
      const signal = AbortSignal.abort(new Error("enough"));
      await expect(cloud.nearest(queries, { signal })).rejects.toThrow("enough");
      await expect(PointCloud.create(train, { device: device(), signal })).rejects.toThrow("enough");
    });
  });
});

describe("a cloud refuses", () => {
  const points: Rows = { data: Float64Array.of(0, 1, 2, 3, 4, 5), rows: 2, cols: 3 };
  const refused: readonly (readonly [string, () => Promise<unknown>, RegExp])[] = [
    [
      "other metrics",
      () =>
        PointCloud.create(points, { metric: "manhattan", backend: "cpu" } as unknown as PointCloudOptions),
      /metric is "manhattan"; a PointCloud measures by euclidean or sqeuclidean; kneighbors/,
    ],
    [
      "more columns",
      () => PointCloud.create([[1, 2, 3, 4]], { backend: "cpu" }),
      /4 columns; .* at most 3; kneighbors/,
    ],
    [
      "NaN, without naming an option that it does not have",
      () => PointCloud.create([[1, NaN]], { backend: "cpu" }),
      /is NaN; a matrix must be finite: remove or fill such rows first$/,
    ],
    [
      "gaps",
      () =>
        PointCloud.create(
          { data: Float64Array.of(1, NaN), rows: 1, cols: 2, gaps: true },
          { backend: "cpu" },
        ),
      /is NaN/,
    ],
    [
      "infinity",
      () =>
        PointCloud.create(
          [
            [1, 2],
            [Infinity, 0],
          ],
          { backend: "cpu" },
        ),
      /row 1/,
    ],
  ];
  it.each(refused)("%s", async (_, make, message) => {
    await expect(make()).rejects.toThrow(message);
  });

  it("queries, k and radius that cannot be used", async () => {
    using cloud = await PointCloud.create(points, { backend: "cpu" });
    await expect(cloud.nearest([[1, 2]])).rejects.toThrow(/columns/);
    await expect(cloud.nearest([[1, NaN, 2]])).rejects.toThrow(/NaN/);
    await expect(cloud.nearest(points, { k: "2" as unknown as number })).rejects.toThrow(
      /k is "2"; expected/,
    );
    await expect(cloud.nearest(points, { k: 3 })).rejects.toThrow(/k is 3, but train has only 2 rows/);
    await expect(cloud.nearest(points, { k: 2, excludeSelf: true })).rejects.toThrow(/only 1 other;/);
    await expect(cloud.radiusNeighbors(points, { radius: -1 })).rejects.toThrow(/radius is -1/);
  });
});
