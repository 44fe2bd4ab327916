/** Counts equal those of plain loops on every backend: any bins, and rows on which rounding goes wrong. */
import { describe, expect, it } from "vitest";
import { binned, binnedInOrder, edgesBetween } from "../../oracle/distances.ts";
import type { Question } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { onEachBackend, oneIn } from "../helpers.ts";
import { inputs, matrix, type Flat } from "../inputs.ts";
import { distancesOf, expectExact, type Options } from "./expected.ts";

const seed = printedSeed();
const line = (...values: number[]): Flat => ({
  data: Float64Array.from(values),
  rows: values.length,
  cols: 1,
});
const float32 = ({ data, rows, cols }: Flat): Flat => {
  return { data: Float32Array.from(data as Float64Array), rows, cols };
};

describe("distances counted by bins", () => {
  onEachBackend((device, backend) => {
    const random = new Random(seed);
    /** Compares the counts, which workers make even where there is little to do. */
    const check = async (train: Flat, queries: Flat, options: Options & Pick<Question, "metric">) => {
      const all = distancesOf(train, queries, { metric: options.metric });
      await expectExact(all, train, queries, { ...options, device: device(), tuning: { fewest: 0 } });
    };

    it.each([1, 2, 5, 63, 64, 65, 1000, 1024, 5000, 65_536])("by %i bins", async (bins) => {
      const value = () => random.uniform();
      const [train, queries] = [matrix(103, 9, value), matrix(5, 9, value)];
      await check(train, queries, { bins });
      await check(float32(train), float32(queries), { bins, range: "all" });
    });

    it.each(backend === "gpu" ? oneIn(2, inputs, seed) : inputs)("of $name", async ({ make }) => {
      const { train, queries } = make(random, random.int(1, 21));
      for (const metric of ["euclidean", "sqeuclidean", "manhattan", "cosine", "inner_product"] as const)
        await check(train, queries, { metric, bins: random.pick([3, 100, 4097]) });
    });

    it("of one row, and of a query that is a reference", async () => {
      const train = float32(matrix(40, 7, () => random.uniform()));
      const one = { ...train, data: (train.data as Float32Array).slice(0, 7), rows: 1 };
      for (const bins of [1, 10]) {
        await check(one, train, { bins });
        await check(train, one, { bins });
        await check(one, one, { bins });
      }
    });

    it("that are all equal, or one unit in the last place apart", async () => {
      const zero = line(0);
      const next = 1 + 2 ** -52;
      for (const bins of [1, 2, 5, 65_536]) {
        await check(line(3, 3, -3, 3, 3, 3, 3), zero, { bins });
        await check(line(1, next, 1, next, next, 1, 1, 1, next), zero, { bins });
        await check(line(1, next, 1, 1, next), zero, { bins, range: [1, next] });
      }
    });

    it("where references lie on edges, and the floor formula fails", async () => {
      const rows = line(...Array.from({ length: 1001 }, (_, i) => i / 10));
      for (const bins of [7, 10, 49, 1000, 5000]) await check(rows, line(0, 50), { bins });
      const distances = Array.from(rows.data as Float64Array);
      const right = binned(distances, edgesBetween(0, 100, 1000)).counts;
      const floors = new Array<number>(1000).fill(0);
      for (const distance of distances) floors[Math.min(999, Math.floor(distance / (100 / 1000)))]++;
      expect(floors).not.toEqual(right);
      expect(binnedInOrder(distances, edgesBetween(0, 100, 1000)).counts).toEqual(right);
    });

    it("of rows far from the origin", async () => {
      for (const offset of [1e6, 2 ** 40]) {
        const value = () => offset + random.int(0, 9) / 16;
        for (const metric of ["euclidean", "manhattan", "chebyshev", "inner_product"] as const)
          await check(matrix(101, 3, value), matrix(6, 3, value), { metric, bins: 1000 });
      }
    });

    it("that are NaN or infinite", async () => {
      const rows = line(1e200, 0, 3, -1e200, 1e-320, 5);
      await check(rows, line(1e200, 1, 0), { metric: "sqeuclidean", bins: 4 });
      const wide = { data: Float64Array.of(1e200, -1e200, 1, 1), rows: 2, cols: 2 };
      const same = { data: Float64Array.of(1e200, 1e200), rows: 1, cols: 2 };
      await check(wide, same, { metric: "inner_product", bins: 3 });
      await check(wide, same, { metric: "inner_product", bins: 3, range: [-1, 1] });
    });

    it("in bins so narrow that their edges are alike, or subnormal", async () => {
      const rows = line(...Array.from({ length: 300 }, (_, i) => i * 5e-324), 1e-310);
      for (const bins of [3, 1000]) await check(rows, line(0), { metric: "chebyshev", bins });
      const close = line(...Array.from({ length: 60 }, (_, i) => 2 ** 30 + (i % 9) * 2 ** -22));
      for (const bins of [7, 65_536]) await check(close, line(0), { bins });
    });
  });
});
