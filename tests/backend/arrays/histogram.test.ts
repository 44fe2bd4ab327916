/**
 * Histograms on every backend against counting by float64 edges: any difference of a count, an edge or what
 * is counted apart fails. Fresh inputs each run; the printed seed repeats them.
 */
import { describe, expect, it } from "vitest";
import { histogram } from "../../../dist/node.js";
import type { HistogramOptions, HistogramResult } from "../../../dist/node.js";
import { countBins, evenEdges, numbersRange } from "../../oracle/histogram.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { elementInputs, type Elements } from "./elementInputs.ts";
import { onEachBackend, openBeside } from "../helpers.ts";

const seed = printedSeed();

/** Lengths at and around the four elements of a load, the 256 lanes of a workgroup and the tiles of it. */
const lengths = [1, 2, 3, 4, 5, 255, 256, 257, 1023, 4095, 4096, 4097, 16_385, 65_537];

function expectAnswer(found: HistogramResult, input: Elements, edges: readonly (readonly number[])[]): void {
  const { rows, bins } = found;
  const expected = countBins(input, rows, bins, (row) => edges[row] ?? edges[0]);
  expect([...found.edges]).toEqual(edges.flat());
  const outside = Array.from({ length: rows }, (_, row) =>
    [found.below, found.above, found.nan].map((n) => n[row]),
  );
  expect(outside.flat()).toEqual(expected.outside);
  expect([...found.counts]).toEqual(expected.counts);
  expect([...found.constant]).toEqual(
    Array.from({ length: rows }, (_, row) => {
      const own = edges[row] ?? edges[0];
      return Number(own[0] === own[bins]);
    }),
  );
}

/** The oracle's edges: given, or even over the given range or that of each row. */
function edgesOf(input: Elements, { bins, edges, range, rows = 1 }: HistogramOptions): number[][] {
  if (edges) return [Array.from(edges)];
  if (range) return [evenEdges(...range, bins!)];
  const cols = input.length / rows;
  return Array.from({ length: rows }, (_, row) =>
    evenEdges(...numbersRange(input.subarray(row * cols, (row + 1) * cols)), bins!),
  );
}

describe("histograms count like the oracle", () => {
  onEachBackend((device) => {
    const check = async (input: Elements, options: HistogramOptions) => {
      const found = await histogram(input, { ...options, device: device() });
      expectAnswer(found, input, edgesOf(input, options));
    };

    it.each(elementInputs)("for $name, whole and by rows", async ({ name, make }) => {
      const random = new Random(seed + name.length);
      const input = make(random, 6 * 1201);
      await check(input, { bins: 100, range: [-2, 3], rows: 6 });
      await check(input, { edges: [-1, -0.5, 0, 0.1, 2, 1e6] });
      await check(input, { edges: [-Infinity, 0, Infinity], rows: 2 });
      if (input.every((value) => Math.abs(value) !== Infinity)) await check(input, { bins: 13, rows: 6 });
    });

    it.each(lengths)("for %i elements", async (length) => {
      const random = new Random(seed + length);
      await check(
        Float32Array.from({ length }, () => random.normal()),
        { bins: 300 },
      );
      await check(
        Int32Array.from({ length }, () => random.int(-500, 500)),
        { bins: 1000, range: [-500, 500] },
      );
    });

    it.each([1, 2, 5000, 65_535, 65_536])("for %i bins", async (bins) => {
      const random = new Random(seed + bins);
      await check(
        Float32Array.from({ length: 30_011 }, () => random.normal()),
        { bins },
      );
      await check(
        Uint32Array.from({ length: 30_011 }, () => random.bits()),
        { bins },
      );
    });

    it("for 2^20 + 7 elements", async () => {
      const random = new Random(seed);
      await check(
        Float32Array.from({ length: 2 ** 20 + 7 }, () => random.uniform()),
        { bins: 5000 },
      );
      await check(new Float32Array(2 ** 20 + 7).fill(0.3), { bins: 5000, range: [0, 1] });
    });

    it("for rows that are all equal, all NaN, or of ranges of their own", async () => {
      const rows = [
        [3, 3, 3],
        [NaN, NaN, NaN],
        [-0, 0, NaN],
        [1e6, 1e6 + 1, 1e6 + 2],
        [-5, 7, 0],
      ];
      const input = Float32Array.from(rows.flat());
      await check(input, { bins: 4, rows: 5 });
      const { constant, nan } = await histogram(input, { bins: 4, rows: 5, device: device() });
      expect([...constant]).toEqual([1, 0, 1, 0, 0]);
      expect([...nan]).toEqual([0, 3, 1, 0, 0]);
    });

    it("without elements: zeros, and edges where a range is given", async () => {
      const none = new Float32Array(0);
      const ranged = await histogram(none, { bins: 2, range: [0, 1], device: device() });
      expect([[...ranged.counts], [...ranged.edges]]).toEqual([
        [0, 0],
        [0, 0.5, 1],
      ]);
      const unknown = await histogram(none, { bins: 2, device: device() });
      expect([[...unknown.counts], [...unknown.edges]]).toEqual([
        [0, 0],
        [NaN, NaN, NaN],
      ]);
      expect((await histogram(none, { bins: 2, rows: 0, device: device() })).counts).toHaveLength(0);
    });

    it("into out, which is returned, and leaves the input as it was", async () => {
      const input = Float32Array.of(1, 2, 3);
      const out = new Uint32Array(5).fill(9);
      const { counts } = await histogram(input, { bins: 2, out, device: device() });
      expect(counts.buffer).toBe(out.buffer);
      expect([...out]).toEqual([1, 2, 9, 9, 9]);
      expect([...input]).toEqual([1, 2, 3]);
    });
  });
});

describe("pieces and spans change no count", () => {
  onEachBackend((_, backend) => {
    it("for a tiny budget and every cut", async () => {
      const random = new Random(seed + 9);
      const input = Float32Array.from({ length: 5 * 997 }, () => random.normal());
      for (const memory of [2 ** 13, 2 ** 20]) {
        const device = await openBeside(backend, { memory, deviceMemory: memory });
        try {
          for (const span of [100, 332, 997]) {
            for (const options of [{ bins: 20 }, { bins: 20, range: [-1, 1] as const }]) {
              const tuning = { span, piece: span === 100 ? 3 : undefined };
              const found = await histogram(input, { ...options, rows: 5, tuning, device });
              expectAnswer(found, input, edgesOf(input, { ...options, rows: 5 }));
            }
          }
        } finally {
          device.dispose();
        }
      }
    });
  });
});

describe("arguments that mean nothing are errors that name them", () => {
  const input = Float32Array.of(1, 2, 3, Infinity);
  it.each([
    [{}, /either bins.*or edges/],
    [{ bins: 2, edges: [0, 1] }, /either bins.*or edges/],
    [{ edges: [0, 1], range: [0, 1] }, /range/],
    [{ bins: 0 }, /0 bins.*1 to 65536/],
    [{ bins: 65_537 }, /65537 bins/],
    [{ bins: 2.5 }, /2.5 bins/],
    [{ edges: [1] }, /0 bins/],
    [{ edges: [0, 1, 1] }, /edge 2.*1, 1/],
    [{ edges: [0, 2, 1] }, /edge 2.*2, 1/],
    [{ edges: [0, NaN] }, /edge 1.*NaN/],
    [{ bins: 2, range: [2, 1] }, /range is \[2, 1\]/],
    [{ bins: 2, range: [0, Infinity] }, /range is \[0, Infinity\]/],
    [{ bins: 2, range: [-1.7e308, 1.7e308] }, /too wide/],
    [{ bins: 2 }, /row 0 has infinite elements.*range/],
    [{ bins: 2, range: [0, 1], rows: 3 }, /rows is 3.*4 elements/],
    [{ bins: 2, range: [0, 1], out: new Uint32Array(1) }, /out.*1 element;.*at least 2/],
  ] as const)("%o", async (options, message) => {
    await expect(histogram(input, { backend: "cpu", ...options })).rejects.toThrow(message);
  });

  it("a list that is no typed array of 32-bit elements", async () => {
    await expect(histogram(Float32Array.of(1), {})).rejects.toThrow(/bins/);
    await expect(histogram([1] as never, { bins: 1 })).rejects.toThrow(/Array.*expected a Uint32Array/);
  });
});
