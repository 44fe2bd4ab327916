/**
 * select as passes on a program's own buffers: the filter and the radix variant, in one piece and in many.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SelectParams } from "../../../dist/ops/select/contract.js";
import { GpuPrimitives, InvalidInputError } from "../../../dist/node.js";
import { defaultKernelLimits } from "../../../dist/runtime/gpu/passes/pass.js";
import { selectScratchBytes, type SelectVariant } from "../../../dist/ops/select/variants.js";
import { chooseSelectFilter, type SelectFilter } from "../../../dist/ops/select/policy.js";
import { sampleRank, selectPasses, unpack } from "../../../dist/ops/select/gpu.js";
import { Random, printedSeed } from "../../oracle/random.ts";
import { sortAndTake } from "../../oracle/select.ts";
import { bitsOf, elementInputs, padded, typeOf, type Elements } from "../arrays/elementInputs.ts";
import { oneIn } from "../helpers.ts";
import { hasGpu, openSharedGpu } from "./gpu.ts";
import { PassRunner } from "./passRunner.ts";

const seed = printedSeed();

/**
 * So little room that most limits are missed: too few entries are up to them, too many, or too many share
 * them. For k up to its capacity. It compiles fast.
 */
const small: SelectFilter = { threads: 64, capacity: 40 };

const variants: Record<string, SelectVariant> = {
  "one filter": { filtered: true, groups: 1, fewestCols: 2 ** 30 },
  "filters of many pieces": { filtered: true, groups: 64, fewestCols: 16 },
  radix: { filtered: false, groups: 1, fewestCols: 1 },
};

describe("the limit from a sample", () => {
  it.each([
    [10, { workgroupBytes: 49_152, workgroupThreads: 1024 }, 0.99],
    [100, { workgroupBytes: 49_152, workgroupThreads: 1024 }, 0.99],
    [1000, { workgroupBytes: 49_152, workgroupThreads: 1024 }, 0.97],
    [10, {}, 0.99],
    [1000, {}, 0.85],
  ])("is up to the first %i of 100,000 with limits %o in a share of %d", (k, limits, share) => {
    const random = new Random(seed + k);
    const { capacity } = chooseSelectFilter(100_000, k, limits);
    const rank = sampleRank(100_000, k, capacity);
    let held = 0;
    for (let trial = 0; trial < 300; trial++) {
      // The values of a row in random order are their ranks.
      const sample = Uint32Array.from({ length: 2 * capacity }, () => random.int(1, 100_000)).sort();
      if (sample[rank - 1] >= k && sample[rank - 1] <= capacity) held++;
    }
    expect(held / 300).toBeGreaterThanOrEqual(share);
  });
});

describe.skipIf(!hasGpu)("select as passes", () => {
  let runner: PassRunner;
  let close: () => void;
  beforeAll(async () => {
    await unpack();
    const backend = await openSharedGpu();
    runner = new PassRunner(backend.device);
    close = () => backend.dispose();
  });
  afterAll(() => close());

  async function check(
    input: Elements,
    rows: number,
    k: number,
    largest: boolean,
    variant?: SelectVariant,
    limits = defaultKernelLimits,
    filter?: SelectFilter,
  ) {
    const params: SelectParams = { type: typeOf(input), largest, rows, cols: input.length / rows, k };
    const { values, indices } = await runner.run(
      selectPasses(params, limits, { ...(variant && { variant }), filter }),
      {
        input: padded(input),
        values: rows * k,
        indices: rows * k,
        scratch: selectScratchBytes(params, variant) / 4,
      },
    );
    const expected = sortAndTake(input, rows, k, largest);
    expect([...indices]).toEqual(expected.indices);
    const bits = bitsOf(input);
    const cols = input.length / rows;
    expect([...values]).toEqual(
      expected.indices.map((column, at) => bits[Math.floor(at / k) * cols + column]),
    );
  }

  describe.each(Object.entries(variants))("by %s", (_, variant) => {
    it.each(oneIn(2, elementInputs, seed))("takes the first of rows of $name", async ({ name, make }) => {
      const random = new Random(seed + name.length);
      const [filter, k] = variant.groups > 1 ? [small, 40] : [undefined, 100];
      await check(make(random, 3 * 1201), 3, 37, false, variant, defaultKernelLimits, filter);
      await check(make(random, 2 * 1500), 2, k, true, variant, defaultKernelLimits, filter);
    });

    it.each([
      [1, 1, 1],
      [1, 2, 2],
      [5, 3, 3],
      [2, 255, 7],
      [2, 256, 256],
      [1, 257, 256],
      [1, 1024, 1023],
      [1, 1025, 1024],
      [40, 5, 2],
    ])("takes from %i rows of %i columns the first %i", async (rows, cols, k) => {
      const random = new Random(seed + rows + 3 * cols + 7 * k);
      const input = Float32Array.from({ length: rows * cols }, () => random.int(0, cols) / 3);
      await check(input, rows, k, false, variant);
      await check(input, rows, k, true, variant);
    });
  });

  describe("by filters with little room", () => {
    it.each(oneIn(2, elementInputs, seed))("takes the first of $name", async ({ name, make }) => {
      const random = new Random(seed + name.length);
      const input = make(random, 2 * 2003);
      for (const k of [1, 37]) {
        for (const largest of [false, true]) {
          await check(input, 2, k, largest, variants["one filter"], defaultKernelLimits, small);
        }
      }
    });

    it.each([
      ["ascending", (at: number) => at],
      ["descending", (at: number) => -at],
      ["equal", () => 7],
      ["equal but few smaller", (at: number) => (at % 97 === 3 ? -at : 7)],
      ["in a period", (at: number) => -(at % 128)],
      ["smallest where nobody looks", (at: number) => (at % 61 < 2 ? -1e6 - at : at)],
    ] as const)("takes the first of rows that are %s", async (_, value) => {
      const input = Float32Array.from({ length: 3 * 5003 }, (_, at) => value(at % 5003));
      for (const k of [1, 20, 40]) {
        await check(input, 3, k, false, variants["one filter"], defaultKernelLimits, small);
        await check(input, 3, k, false, variants["filters of many pieces"], defaultKernelLimits, small);
        await check(input, 3, k, false, variants["one filter"], defaultKernelLimits, {
          threads: 128,
          capacity: 76,
        });
      }
    });
  });

  it("sorts lists longer than a block", async () => {
    const random = new Random(seed);
    for (const k of [1025, 2047, 2048, 2049, 5003]) {
      await check(
        Int32Array.from({ length: 5003 }, () => random.int(-500, 500)),
        1,
        k,
        k % 2 === 0,
      );
    }
  });

  it("takes the first of rows in which each element is better than the last", async () => {
    for (const k of [10, 1000]) {
      await check(
        Float32Array.from({ length: 2 * 10_007 }, (_, at) => -at),
        2,
        k,
        false,
      );
    }
  });

  it("runs on buffers of the caller", async () => {
    const input = Float32Array.from({ length: 3 * 1001 }, (_, at) => (at * 617) % 1001);
    const primitives = await GpuPrimitives.create(runner.device);
    for (const k of [5, 1001]) {
      const operation = await primitives.select({ type: "f32", rows: 3, cols: 1001, k });
      const words = ({ values, indices, scratch }: typeof operation.bytes) =>
        ({ values: values / 4, indices: indices / 4, scratch: scratch / 4 }) as const;
      const { indices } = await runner.record(
        (encoder, { input, values, indices, scratch }) =>
          operation.encode(encoder, { input: input, values: values, indices: indices, scratch }),
        { input: padded(input), ...words(operation.bytes) },
      );
      expect([...indices]).toEqual(sortAndTake(input, 3, k, false).indices);
      operation.dispose();
    }
    for (const wrong of [{ k: 0 }, { k: 5 }, { k: 1, cols: 0 }, { k: 1, type: "f64" as never }]) {
      expect(() => primitives.select({ type: "u32", cols: 4, ...wrong })).toThrow(InvalidInputError);
    }
  });

  it("folds more workgroups than fit one dimension", async () => {
    const random = new Random(seed + 5);
    const input = Uint32Array.from({ length: 200 * 3 }, () => random.int(0, 9));
    for (const variant of Object.values(variants))
      await check(input, 200, 2, false, variant, { workgroupsPerDimension: 7 }, small);
  });
});
