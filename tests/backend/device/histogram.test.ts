/** histogram as passes on a program's own buffers: keys of edges, spans of bins, parts of rows. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GpuPrimitives, InvalidInputError } from "../../../dist/node.js";
import { binKeys, evenEdges as evenEdgesInto } from "../../../dist/ops/histogram/bins.js";
import type { HistogramParams } from "../../../dist/ops/histogram/contract.js";
import { histogramPasses, unpack, type HistogramVariant } from "../../../dist/ops/histogram/gpu.js";
import { defaultKernelLimits } from "../../../dist/runtime/gpu/passes/pass.js";
import { countBins, evenEdges, numbersRange } from "../../oracle/histogram.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { elementInputs, padded, typeOf, type Elements } from "../arrays/elementInputs.ts";
import { oneIn } from "../helpers.ts";
import { hasGpu, openSharedGpu } from "./gpu.ts";
import { PassRunner } from "./passRunner.ts";

const seed = printedSeed();

describe.skipIf(!hasGpu)("histogram as passes", () => {
  let runner: PassRunner;
  let close: () => void;
  beforeAll(async () => {
    await unpack();
    const backend = await openSharedGpu();
    runner = new PassRunner(backend.device);
    close = () => backend.dispose();
  });
  afterAll(() => close());

  interface Options {
    readonly rows?: number;
    readonly edges: readonly (readonly number[])[];
    readonly even: boolean;
    readonly variant?: HistogramVariant;
  }

  async function check(input: Elements, { rows = 1, edges, even, variant }: Options) {
    const type = typeOf(input);
    const bins = edges[0].length - 1;
    const params: HistogramParams = { type, bins, rows, cols: input.length / rows, perRow: edges.length > 1 };
    const keys = binKeys(Float64Array.from(edges.flat()), bins, type, even);
    // Counts that are there already are added to.
    const { counts, outside } = await runner.run(histogramPasses(params, defaultKernelLimits, variant), {
      input: padded(input),
      edges: keys.edges,
      ranges: keys.ranges,
      counts: new Uint32Array(rows * bins).fill(5),
      outside: new Uint32Array(rows * 3).fill(7),
    });
    const expected = countBins(input, rows, bins, (row) => edges[row] ?? edges[0]);
    expect([...outside].map((n) => n - 7)).toEqual(expected.outside);
    expect([...counts].map((n) => n - 5)).toEqual(expected.counts);
  }

  const even = (min: number, max: number, bins: number) => ({
    edges: [evenEdges(min, max, bins)],
    even: true,
  });

  it("makes the oracle's edges", () => {
    const random = new Random(seed);
    for (let i = 0; i < 100; i++) {
      const [min, max] = [random.normal(), 2 + random.uniform()];
      expect([...evenEdgesInto(min, max, 37)]).toEqual(evenEdges(min, max, 37));
    }
  });

  describe.each(oneIn(2, elementInputs, seed))("of $name", ({ make }) => {
    it.each([1, 2, 5000])("counts %i even bins", async (bins) => {
      const input = make(new Random(seed + bins), 5003);
      const finite = input.filter((value) => Number.isFinite(value));
      const [min, max] = numbersRange(finite);
      await check(input, even(min, max, bins));
      await check(input, even(min + (max - min) / 7, max - (max - min) / 3, bins));
    });

    it("counts bins with edges of any width, and rows with edges of their own", async () => {
      const random = new Random(seed + 2);
      const input = make(random, 7 * 333);
      const edges = [...new Set(Array.from({ length: 50 }, () => random.pick([...input])))]
        .filter((value) => !Number.isNaN(value))
        .flatMap((value) => [value, value + 0.25])
        .sort((a, b) => a - b);
      await check(input, { rows: 7, edges: [edges], even: false });
      const own = Array.from({ length: 7 }, (_, row) => {
        const [min, max] = numbersRange(
          [...input.subarray(row * 333, (row + 1) * 333)].filter(Number.isFinite),
        );
        return evenEdges(min, max, 11);
      });
      await check(input, { rows: 7, edges: own, even: true });
    });
  });

  it("counts 65,536 bins in several spans", async () => {
    const random = new Random(seed + 3);
    await check(
      Float32Array.from({ length: 20_011 }, () => random.uniform()),
      even(0, 1, 65_536),
    );
    await check(
      Uint32Array.from({ length: 20_011 }, () => random.int(0, 65_536)),
      even(0, 65_536, 65_536),
    );
  });

  it("decides by edges for values on them and next to them", async () => {
    for (const [min, max, bins] of [
      [0, 1, 10],
      [0.1, 0.7, 5000],
      [-3, 1e6, 999],
      [1e6, 1e6 + 1, 77],
      [1, 1 + 2 ** -22, 64],
      [-1e-40, 1e-40, 9],
      [-1e38, 3e38, 13],
      [-1e300, 1e300, 13],
      [0, 2 ** -149, 3],
    ] as const) {
      const edges = evenEdges(min, max, bins);
      const near = edges.flatMap((edge) => neighbors(Math.fround(edge)));
      await check(Float32Array.from(near), even(min, max, bins));
    }
  });

  it("keeps whole numbers at the ends of their types apart", async () => {
    const top = [0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1];
    for (const [min, max] of [
      [0, 2 ** 32 - 1],
      [0.5, 2 ** 32],
      [-1e10, 1e10],
      [2 ** 32, 2 ** 33],
      [-10, -0.5],
      [2 ** 32 - 1, 2 ** 32 - 1],
    ] as const) {
      await check(Uint32Array.from(top), even(min, max, 7));
      await check(
        Int32Array.from(top.map((value) => value - 2 ** 31)),
        even(min - 2 ** 31, max - 2 ** 31, 7),
      );
      // So many that lanes take sixteen at a time.
      await check(
        Uint32Array.from({ length: 5003 }, (_, at) => top[at % top.length]),
        even(min, max, 7),
      );
    }
  });

  it("puts everything into bin 0 when min = max", async () => {
    await check(Float32Array.of(3, 3, 4, NaN, 2), even(3, 3, 100));
  });

  it("runs on buffers of the caller", async () => {
    const input = Int32Array.from({ length: 1003 }, (_, at) => (at * 617) % 101);
    const edges = evenEdges(-5, 90, 30);
    const keys = binKeys(Float64Array.from(edges), 30, "i32", true);
    const primitives = await GpuPrimitives.create(runner.device);
    const operation = await primitives.histogram({ type: "i32", bins: 30, cols: 1003 });
    const { counts, outside } = await runner.record(
      (encoder, { input, edges, ranges, counts, outside }) =>
        operation.encode(encoder, {
          input: input,
          edges: edges,
          ranges: ranges,
          counts: counts,
          outside: outside,
        }),
      { input: padded(input), ...keys, counts: new Uint32Array(30), outside: new Uint32Array(3) },
    );
    const expected = countBins(input, 1, 30, () => edges);
    expect([...counts]).toEqual(expected.counts);
    expect([...outside]).toEqual(expected.outside);
    operation.dispose();
    for (const wrong of [{ bins: 0 }, { bins: 65_537 }, { cols: -1 }, { type: "f64" as never }]) {
      expect(() => primitives.histogram({ type: "u32", bins: 4, cols: 4, ...wrong })).toThrow(
        InvalidInputError,
      );
    }
  });

  describe.each([
    { threads: 256, size: 256, width: 64, copies: 2, spans: 16, parts: 3, partCols: 1336 },
    { threads: 64, size: 256, width: 250, copies: 1, spans: 4, parts: 1, partCols: 4004 },
    { threads: 128, size: 1024, width: 1000, copies: 1, spans: 1, parts: 41, partCols: 100 },
    { threads: 64, size: 256, width: 256, copies: 4, spans: 4, parts: 2, partCols: 2048 },
  ])("in a variant of $threads lanes and $spans spans", (variant) => {
    it("counts even bins, and others", async () => {
      const random = new Random(seed + 4);
      const input = Float32Array.from({ length: 3 * 4001 }, (_, at) =>
        at % 1000 === 999 ? random.pick([NaN, -NaN, Infinity, -Infinity]) : random.normal(),
      );
      await check(input, { rows: 3, ...even(-2, 2, 1000), variant });
      const edges = Array.from({ length: 1001 }, (_, at) => Math.sinh((at - 500) / 40));
      await check(input, { rows: 3, edges: [edges], even: false, variant });
      const whole = Int32Array.from({ length: 3 * 4001 }, () => random.int(-700, 700));
      await check(whole, { rows: 3, ...even(-600, 600, 1000), variant });
    });

    it("counts elements that share a bin or are on edges", async () => {
      await check(new Float32Array(3 * 4001).fill(-0.37), { rows: 3, ...even(-2, 2, 1000), variant });
      const input = Float32Array.from({ length: 3 * 4001 }, (_, at) => Math.floor(at / 512) - 11);
      await check(input, { rows: 3, ...even(-8, 8, 1000), variant });
    });
  });
});

/** A float32 and those around it. */
function neighbors(value: number): number[] {
  const bits = new Int32Array(Float32Array.of(value).buffer)[0];
  return [-2, -1, 0, 1, 2].map((step) => new Float32Array(Int32Array.of(bits + step).buffer)[0]);
}
