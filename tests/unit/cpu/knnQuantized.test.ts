/** Which tiles of a task are compared by rounded rows, and how many pairs they leave: one task, with the module on this thread. */
import { beforeAll, expect, it } from "vitest";
import type { Slice } from "../../../src/cpu/buffers.ts";
import { importsOf, kernelsOf } from "../../../src/cpu/instance.ts";
import type { KnnKernels } from "../../../src/cpu/kernels.ts";
import { runKnnTask } from "../../../src/cpu/knnTask.ts";
import { WorkerMemory } from "../../../src/cpu/memory.ts";
import { defaultTuning } from "../../../src/cpu/tuning.ts";
import { wasm } from "../../../src/cpu/wasm.generated.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const seed = printedSeed();
const dims = 24;
const queryRows = 60;
const tuning = { ...defaultTuning, tileRows: 64 };

let memory: WorkerMemory;
let kernels: KnnKernels;
beforeAll(async () => {
  memory = new WorkerMemory(2 ** 26);
  const { instance } = await WebAssembly.instantiate(Buffer.from(wasm.baseline, "base64"), importsOf(memory));
  kernels = kernelsOf<KnnKernels>(instance, memory);
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

/** What happened to each tile: the share of its pairs that were compared whole, or "whole" where rows were not rounded. */
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
    visitRounded(...args) {
      const pairs = kernels.visitRounded(...args);
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

it("few pairs of uniform rows are left, after a tile that fills the lists", () => {
  const random = new Random(seed);
  const [first, ...others] = tilesOf(uniform(random, queryRows), uniform(random, 1000));
  expect(first).toBe("whole");
  expect(others).toHaveLength(15);
  for (const share of others) expect(share).toBeLessThan(0.25);
  expect(others.at(-1)).toBeLessThan(0.03);
});

it("of any magnitude", () => {
  const random = new Random(seed);
  for (const scale of [2 ** -60, 2 ** 60]) {
    const tiles = tilesOf(uniform(random, queryRows, scale), uniform(random, 1000, scale));
    expect(tiles.at(-1)).toBeLessThan(0.03);
  }
});

it("pauses after a tile that left most pairs, and tries again", () => {
  const random = new Random(seed);
  const base = uniform(random, 1);
  const alike = uniform(random, 64 * 20).map((x, at) => base[at % dims] + x * 1e-4);
  const queries = uniform(random, queryRows).map((x, at) => base[at % dims] + x * 1e-4);
  const tiles = tilesOf(queries, alike);
  const rounded = tiles.flatMap((tile, at) => (tile === "whole" ? [] : [at]));
  expect(rounded).toEqual([1, 10, 19]);
  expect(tiles[1]).toBeGreaterThan(0.9);
});

it("not where lengths leave float32, for values as they are, or before lists hold k", () => {
  const random = new Random(seed);
  const [queries, refs] = [uniform(random, queryRows), uniform(random, 128)];
  expect(
    tilesOf(
      queries,
      refs.map((x) => x * 2 ** 110),
    ),
  ).toEqual(["whole", "whole"]);
  expect(
    tilesOf(
      queries,
      refs.map((x, at) => (at === 64 * dims ? NaN : x)),
    ),
  ).toEqual(["whole", "whole"]);
  expect(
    tilesOf(
      queries.map((x) => x * 2 ** -110),
      refs,
    ),
  ).toEqual(["whole", "whole"]);
  expect(tilesOf(queries, refs, { cut: true })).toEqual(["whole", "whole"]);
  expect(tilesOf(queries, refs, { k: 100 })[1]).toBe(1);
});
