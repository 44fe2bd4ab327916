/**
 * Quantized rows on this thread: how far off they are, which tiles of a task they serve, and how many pairs
 * they leave.
 */
import { beforeAll, describe, expect, it } from "vitest";
import type { Slice } from "../../../src/runtime/cpu/buffers.ts";
import { importsOf, kernelsOf } from "../../../src/runtime/cpu/instance.ts";
import type { KnnKernels } from "../../../src/ops/knn/cpu/exports.ts";
import { pauseAfter } from "../../../src/ops/knn/cpu/quantized.ts";
import { runKnnTask } from "../../../src/ops/knn/cpu/filterTask.ts";
import { WorkerMemory } from "../../../src/runtime/cpu/memory.ts";
import { knnTuning } from "../../../src/ops/knn/cpu/tuning.ts";
import { wasmBytes } from "../../../src/runtime/cpu/module.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const seed = printedSeed();
const dims = 24;
const queryRows = 60;
const tuning = { ...knnTuning, tileRows: 64 };

let memory: WorkerMemory;
let kernels: KnnKernels;
beforeAll(async () => {
  memory = new WorkerMemory(2 ** 26);
  const { instance } = await WebAssembly.instantiate(await wasmBytes("baseline"), importsOf(memory));
  kernels = kernelsOf(instance, memory) as unknown as KnnKernels;
});

function sliceOf(array: Float32Array | Uint32Array): Slice {
  return { buffer: array.buffer, offset: array.byteOffset, bytes: array.byteLength };
}

/** Base the squared length, no product, a margin for rounding. */
function metasOf(rows: Float32Array): Float32Array {
  return Float32Array.from({ length: (rows.length / dims) * 4 }, (_, at) => {
    const row = rows.subarray(Math.floor(at / 4) * dims, (Math.floor(at / 4) + 1) * dims);
    const squares = row.reduce((sum, x) => sum + x * x, 0);
    return [squares, 0, squares * 2 ** -16, 0][at % 4];
  });
}

/**
 * What happened to each tile: the share of its pairs that were compared whole, or "whole" where rows were not
 * quantized.
 */
function tilesOf(
  queries: Float32Array,
  refs: Float32Array,
  { k = 5, ...more }: { k?: number; cut?: boolean } = {},
) {
  const seen: (number | "whole")[] = [];
  const watched: KnnKernels = {
    ...kernels,
    visit(...args) {
      seen.push("whole");
      kernels.visit(...args);
    },
    visitQuantized(...args) {
      const pairs = kernels.visitQuantized(...args);
      seen.push(pairs / (args[1] * args[3]));
      return pairs;
    },
  };
  const capacity = refs.length / dims;
  runKnnTask(
    {
      params: {
        core: "dot",
        p: 2,
        weight: -2,
        slack: 0,
        cut: false,
        k,
        capacity,
        dims,
        stride: dims,
        queryRows,
        refBegin: 0,
        refRows: capacity,
        refOffset: 0,
        ...more,
      },
      tuning,
      queries: sliceOf(queries),
      queryMeta: sliceOf(metasOf(queries)),
      refs: sliceOf(refs),
      refMeta: sliceOf(metasOf(refs)),
      sketch: undefined,
      heads: sliceOf(new Uint32Array(queryRows * 2)),
      candidates: sliceOf(new Uint32Array(queryRows * capacity)),
      intervals: sliceOf(new Float32Array(queryRows * capacity * 2)),
    },
    watched,
    memory,
  );
  return seen;
}

function uniform(random: Random, rows: number, scale = 1): Float32Array {
  return Float32Array.from({ length: rows * dims }, () => random.uniform(-0.5, 0.5) * scale);
}

describe("the error of a quantized row", () => {
  const step = 1 / 32766;
  /**
   * Entries whose rounding is hard: just below and above half a step, one way and the other, beside one that
   * gives the row its length.
   */
  const near = (sign: (column: number) => number) => (column: number) =>
    column === 0 ? 1 : sign(column) * step * (column % 3 ? 0.4999 : 0.5001) * (1 + (column % 5));
  const rows: Record<string, (random: Random, column: number) => number> = {
    normal: (random) => random.normal(),
    "one large entry": (random, column) => (column === 3 ? 1000 : random.normal()),
    "all alike": () => 1,
    "halves of steps": (_, column) => near(() => 1)(column),
    "halves of steps, of either sign": (_, column) => near((at) => (at % 2 ? 1 : -1))(column),
    "whole steps": (_, column) => (column === 0 ? 1 : step * Math.round(column / 2)),
  };

  it.each(Object.keys(rows).flatMap((name) => [4, 24, 784, 2048].map((depth) => ({ name, depth }))))(
    "is what it says, and hardly less: $name, $depth columns",
    ({ name, depth }) => {
      const random = new Random(seed);
      const count = 16;
      memory.reset();
      const at = {
        rows: memory.take(count * depth * 4),
        integers: memory.take(count * depth * 2),
        scales: memory.take(count * 4),
        errors: memory.take(count * 4),
      };
      const entries = memory.f32(at.rows, count * depth);
      entries.forEach(
        (_, i) => (entries[i] = rows[name](random, i % depth) * 2 ** (Math.floor(i / depth) * 6 - 48)),
      );
      expect(kernels.quantizeRows(at.rows, count, depth, at.integers, at.scales, at.errors)).toBeTruthy();
      const integers = new Int16Array(memory.memory.buffer, at.integers, count * depth);
      const [scales, errors] = [memory.f32(at.scales, count), memory.f32(at.errors, count)];
      for (let row = 0; row < count; row++) {
        let [rest, squares] = [0, 0];
        for (let j = row * depth; j < (row + 1) * depth; j++) {
          rest += (entries[j] - scales[row] * integers[j]) ** 2;
          squares += entries[j] ** 2;
        }
        const length = Math.sqrt(squares);
        expect(Math.abs(scales[row] * 32766 - length)).toBeLessThanOrEqual(length * 2 ** -22);
        expect(Math.sqrt(rest)).toBeLessThanOrEqual(errors[row] * length);
        expect(errors[row] * length).toBeLessThanOrEqual(1.002 * Math.sqrt(rest) + 0.04 * step * length);
      }
    },
  );
});

it("few pairs of uniform rows are left, after a tile that fills the lists", () => {
  const random = new Random(seed);
  const tiles = tilesOf(uniform(random, queryRows), uniform(random, 64 * 16));
  expect(tiles).toHaveLength(16);
  expect(tiles[0]).toBe("whole");
  expect(tiles.slice(4).every((share) => typeof share === "number" && share < 0.07)).toBe(true);
  expect(tiles.at(-1)).toBeLessThan(0.03);
});

it("few pairs are left of any magnitude", () => {
  const random = new Random(seed);
  for (const scale of [2 ** -50, 2 ** 50]) {
    const tiles = tilesOf(uniform(random, queryRows, scale), uniform(random, 64 * 16, scale));
    expect(tiles.at(-1)).toBeLessThan(0.03);
  }
});

it("tiles pause for longer and longer where most pairs are left", () => {
  const random = new Random(seed);
  const base = uniform(random, 1);
  const alike = uniform(random, 64 * 30).map((x, at) => base[at % dims] + x * 1e-4);
  const queries = uniform(random, queryRows).map((x, at) => base[at % dims] + x * 1e-4);
  const tiles = tilesOf(queries, alike);
  const quantized = tiles.flatMap((tile, at) => (tile === "whole" ? [] : [at]));
  expect(quantized).toEqual([1, 3, 6, 11, 20, 29]);
  expect(tiles[1]).toBeGreaterThan(0.9);
});

it("pauses end with a tile that leaves few pairs", () => {
  const share = (whole: number) => ({ whole, pairs: 1000, dims: 100 });
  expect(pauseAfter(share(1000), 0, tuning)).toBe(1);
  expect(pauseAfter(share(1000), 4, tuning)).toBe(8);
  expect(pauseAfter(share(1000), 8, tuning)).toBe(8);
  expect(pauseAfter(share(10), 8, tuning)).toBe(0);
});

it("no tile is quantized for values as they are, lengths beyond float32, or before lists hold k", () => {
  const random = new Random(seed);
  const [queries, refs] = [uniform(random, queryRows), uniform(random, 192)];
  const whole = ["whole", "whole", "whole"];
  const scaled = (rows: Float32Array, factor: number) => rows.map((x) => x * factor);
  expect(tilesOf(queries, scaled(refs, 2 ** 70))).toEqual(whole);
  expect(tilesOf(queries, scaled(refs, 2 ** -60))).toEqual(whole);
  expect(tilesOf(scaled(queries, 2 ** -60), refs)).toEqual(whole);
  expect(
    tilesOf(
      queries,
      refs.map((x, at) => (at >= 64 * dims && at % dims === 0 ? NaN : x)),
    ),
  ).toEqual(whole);
  expect(tilesOf(queries, refs, { cut: true })).toEqual(whole);
  expect(tilesOf(queries, refs, { k: 100 }).slice(0, 2)).toEqual(["whole", "whole"]);
});
