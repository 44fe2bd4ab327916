/**
 * The passes that count distances by bins: thresholds against plain float64, and counts on a program's own
 * buffers, of rows of whole numbers, whose float32 distances are exact.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GpuPrimitives, InvalidInputError } from "../../../dist/node.js";
import { thresholdWords } from "../../../dist/ops/distances/deviceContract.js";
import { histogramKernel, thresholdsKernel, unpack } from "../../../dist/ops/distances/gpu/kernels.js";
import { sharedThresholds } from "../../../dist/ops/distances/plan/thresholds.js";
import { defaultKernelLimits } from "../../../dist/runtime/gpu/passes/pass.js";
import { binned, edgesBetween, finiteRange } from "../../oracle/distances.ts";
import { bruteForce } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { hasGpu, openSharedGpu } from "../device/gpu.ts";
import { PassRunner } from "../device/passRunner.ts";

const seed = printedSeed();
const NEVER = 0xffffffff;

/** The float64 next to a positive one. */
function neighbour(value: number, by: 1n | -1n): number {
  const bits = new BigUint64Array(Float64Array.of(value).buffer);
  bits[0] += by;
  return new Float64Array(bits.buffer)[0];
}

/** The float32 of a key of a number that is not negative, and the one before it. */
function floatsOf(key: number): [own: number, before: number] {
  const bits = Uint32Array.of(key & 0x7fffffff, (key & 0x7fffffff) - 1);
  const floats = new Float32Array(bits.buffer);
  return [floats[0], floats[1]];
}

/** Fails unless a threshold is the least rank, and the least float32 value, with that property. */
function expectLeast(rank: number, key: number, scale: number, holds: (rank: number) => boolean): void {
  expect(holds(rank), `rank ${rank}`).toBe(true);
  if (rank > 0) expect(holds(neighbour(rank, -1n)), `before rank ${rank}`).toBe(false);
  const [own, before] = floatsOf(key);
  expect(own * scale >= rank, `value ${own} of rank ${rank}`).toBe(true);
  if (key > 0x80000000) expect(before * scale < rank, `before value ${own} of rank ${rank}`).toBe(true);
}

describe.skipIf(!hasGpu)("distances as passes", () => {
  let runner: PassRunner;
  let primitives: GpuPrimitives;
  let close: () => void;
  beforeAll(async () => {
    await unpack();
    const backend = await openSharedGpu();
    runner = new PassRunner(backend.device);
    primitives = await GpuPrimitives.create(backend.device);
    close = () => backend.dispose();
  });
  afterAll(() => close());

  const random = new Random(seed);
  const ranges: [least: number, most: number][] = [
    [0, 0],
    [0, 3],
    [7, 7],
    [1, 1 + 2 ** -52],
    [4, 9],
    [1 / 3, 2 / 3],
    [2 ** -140, 2 ** 90],
    [2 ** 60, 2 ** 60 + 2 ** 9],
  ];
  for (let i = 0; i < 25; i++) {
    const least = random.uniform() * 2 ** random.int(-30, 30);
    ranges.push([least, least + random.uniform() * 2 ** random.int(-60, 40)]);
  }

  describe.each([true, false])("thresholds, with a root: %s", (root) => {
    it.each([1, 2, 3, 7, 100, 1000, 65_535, 65_536])("of %i bins", async (bins) => {
      const some = bins > 1000 ? ranges.slice(4, 7) : ranges;
      // The host's thresholds are compared with all of them.
      const step = Math.ceil(bins / 200);
      // Complements of the least rank, the largest rank, pairs evaluated; in two parts, one of them empty.
      const found = new Uint32Array(some.length * 10);
      some.forEach(([least, most], query) => {
        const own = new Uint32Array(Float64Array.of(least, most).buffer);
        found.set([~own[0] >>> 0, ~own[1] >>> 0, own[2], own[3], 3], query * 10 + 5);
      });
      const params = { queryRows: some.length, bins, parts: 2, rankExponent: 0, root };
      const { bounds, thresholds } = await runner.run(thresholdsKernel.passes(params, defaultKernelLimits), {
        found,
        bounds: some.length * 8,
        thresholds: some.length * thresholdWords(bins, true),
      });
      const distances = new Float64Array(bounds.buffer);
      some.forEach(([leastRank, mostRank], query) => {
        const [least, most] = root ? [Math.sqrt(leastRank), Math.sqrt(mostRank)] : [leastRank, mostRank];
        expect([...distances.subarray(query * 4, query * 4 + 3)]).toEqual([least, most, most - least]);
        expect([...bounds.subarray(query * 8 + 6, query * 8 + 8)]).toEqual([1, 3]);
        const words = thresholds.slice(query * thresholdWords(bins, true)).subarray(4);
        const ranks = new Float64Array(words.slice(bins + 1, 3 * (bins + 1)).buffer);
        const distanceOf = (rank: number) => (root ? Math.sqrt(rank) : rank);
        const edges = edgesBetween(least, most, bins);
        expectLeast(ranks[bins], words[bins], 1, (rank) => distanceOf(rank) > most);
        for (let i = 0; i < bins; i += step) {
          if (i > 0 && least === most) expect([ranks[i], words[i]]).toEqual([ranks[bins], words[bins]]);
          else expectLeast(ranks[i], words[i], 1, (rank) => distanceOf(rank) >= edges[i]);
        }
        const shared = sharedThresholds(Float64Array.from(edges), true, { root, rankExponent: 0 }, true);
        expect(
          Buffer.compare(Buffer.from(shared.buffer, 16), Buffer.from(words.slice(0, 3 * (bins + 1)).buffer)),
        ).toBe(0);
      });
    });

    it("of values that are scaled, and of a query without any", async () => {
      const bins = 50;
      for (const rankExponent of [-40, -2, 6, 120]) {
        const values = [0, 3, 1.5, 2 ** 20, 2 ** -100, 2 ** -99];
        const bits = new Uint32Array(Float32Array.from(values).buffer);
        const found = new Uint32Array(8);
        for (let query = 0; query < 3; query++) {
          found[2 * query] = ~(bits[2 * query] | 0x80000000) >>> 0;
          found[2 * query + 1] = (bits[2 * query + 1] | 0x80000000) >>> 0;
        }
        const params = { queryRows: 4, bins, parts: 0, rankExponent, root };
        const words = thresholdWords(bins, false);
        const { bounds, thresholds } = await runner.run(
          thresholdsKernel.passes(params, defaultKernelLimits),
          {
            found,
            bounds: 4 * 8,
            thresholds: 4 * words,
          },
        );
        const distances = new Float64Array(bounds.buffer);
        const distanceOf = (value: number) =>
          root ? Math.sqrt(value * 2 ** rankExponent) : value * 2 ** rankExponent;
        for (let query = 0; query < 3; query++) {
          const [least, most] = values.slice(2 * query, 2 * query + 2).map(distanceOf);
          expect([...distances.subarray(query * 4, query * 4 + 2)]).toEqual([least, most]);
          const edges = edgesBetween(least, most, bins);
          for (let i = 0; i <= bins; i++) {
            const [own, before] = floatsOf(thresholds[query * words + 4 + i]);
            const holds = (value: number) =>
              i === bins ? distanceOf(value) > most : distanceOf(value) >= edges[i];
            expect(holds(own), `edge ${i} of query ${query}`).toBe(true);
            if (own > 0) expect(holds(before), `edge ${i} of query ${query}`).toBe(false);
          }
        }
        expect(bounds[3 * 8 + 6]).toBe(0);
        expect([...thresholds.subarray(3 * words + 4)]).toEqual(new Array(bins + 1).fill(NEVER));
      }
    });
  });

  interface Sizes {
    readonly queries: number;
    readonly references: number;
    readonly columns: number;
    readonly bins: number;
  }

  it.each([
    ["euclidean", { queries: 70, references: 260, columns: 5, bins: 7 }, {}],
    ["euclidean", { queries: 70, references: 300, columns: 5, bins: 5000 }, { bindingBytes: 2 ** 17 }],
    ["sqeuclidean", { queries: 130, references: 700, columns: 9, bins: 65 }, { bindingBytes: 2 ** 16 }],
    ["manhattan", { queries: 3, references: 129, columns: 16, bins: 1000 }, {}],
    ["chebyshev", { queries: 1, references: 1, columns: 1, bins: 3 }, {}],
  ] as const)("counts by %s: %o, bindings of %o", async (metric, sizes, limits) => {
    const { queries, references, columns, bins }: Sizes = sizes;
    const stride = Math.ceil(columns / 4) * 4;
    const rowsOf = (rows: number) => {
      const data = Float64Array.from({ length: rows * columns }, () => random.int(-9, 9));
      const padded = new Float32Array(rows * stride);
      for (let at = 0; at < data.length; at++)
        padded[Math.floor(at / columns) * stride + (at % columns)] = data[at];
      return { flat: { data, rows, cols: columns }, words: new Uint32Array(padded.buffer) };
    };
    const [q, r] = [rowsOf(queries), rowsOf(references)];
    const params = { metric, ...sizes, workPerDispatch: 1e5 };
    const all = { ...defaultKernelLimits, ...limits };
    const bytes = histogramKernel.bytes(params, all);
    const { counts, ranges } = await runner.run(histogramKernel.passes(params, all), {
      queries: q.words,
      references: r.words,
      counts: bytes.counts / 4,
      ranges: bytes.ranges / 4,
      scratch: bytes.scratch / 4,
    });
    const found = bruteForce(r.flat, q.flat, { metric: metric, k: references });
    const ends = new Float64Array(ranges.buffer);
    for (let query = 0; query < queries; query++) {
      const own = [...found.distances.subarray(query * references, (query + 1) * references)];
      const [least, most] = finiteRange(own);
      expect([ends[query * 4], ends[query * 4 + 1]]).toEqual([least, most]);
      expect([...counts.subarray(query * bins, (query + 1) * bins)]).toEqual(
        binned(own, edgesBetween(least, most, bins)).counts,
      );
    }
  });

  it("sizes and metrics that mean nothing are refused", async () => {
    const sizes = { queries: 1, references: 2, columns: 3, bins: 4 };
    for (const odd of [{ bins: 0 }, { bins: 65_537 }, { queries: 0 }, { metric: "cosine" }, { k: 1 }]) {
      const refused = primitives.distanceHistogram({ ...sizes, ...(odd as object) });
      await expect(refused).rejects.toThrow(InvalidInputError);
    }
  });
});
