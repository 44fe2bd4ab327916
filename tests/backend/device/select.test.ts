/** select as passes on a program's own buffers: the filter and the radix way, in one piece and in many. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SelectParams } from "../../../dist/core/primitives.js";
import { GpuPrimitives, InvalidInputError } from "../../../dist/node.js";
import { defaultKernelLimits } from "../../../dist/kernels/pass.js";
import { selectScratchBytes, type SelectWay } from "../../../dist/core/selectWays.js";
import { selectPasses } from "../../../dist/kernels/select.js";
import { Random, printedSeed } from "../../oracle/random.ts";
import { sortAndTake } from "../../oracle/select.ts";
import { bitsOf, elementInputs, padded, typeOf, type Elements } from "../elementInputs.ts";
import { hasGpu, openTestGpu } from "./gpu.ts";
import { PassRunner } from "./passRunner.ts";

const seed = printedSeed();

const ways: Record<string, SelectWay> = {
  "one filter": { filtered: true, groups: 1, fewestCols: 2 ** 30 },
  "filters of many pieces": { filtered: true, groups: 64, fewestCols: 16 },
  radix: { filtered: false, groups: 1, fewestCols: 1 },
};

describe.skipIf(!hasGpu)("select as passes", () => {
  let runner: PassRunner;
  let close: () => void;
  beforeAll(async () => {
    const backend = await openTestGpu();
    runner = new PassRunner(backend.device);
    close = () => backend.dispose();
  });
  afterAll(() => close());

  async function check(
    input: Elements,
    rows: number,
    k: number,
    largest: boolean,
    way?: SelectWay,
    limits = defaultKernelLimits,
  ) {
    const params: SelectParams = { type: typeOf(input), largest, rows, cols: input.length / rows, k };
    const { values, indices } = await runner.run(selectPasses(params, limits, way), {
      input: padded(input),
      values: rows * k,
      indices: rows * k,
      scratch: selectScratchBytes(params, way) / 4,
    });
    const expected = sortAndTake(input, rows, k, largest);
    expect([...indices]).toEqual(expected.indices);
    const bits = bitsOf(input);
    const cols = input.length / rows;
    expect([...values]).toEqual(
      expected.indices.map((column, at) => bits[Math.floor(at / k) * cols + column]),
    );
  }

  describe.each(Object.entries(ways))("by %s", (_, way) => {
    it.each(elementInputs)("takes the first of rows of $name", async ({ name, make }) => {
      const random = new Random(seed + name.length);
      await check(make(random, 3 * 1201), 3, 37, false, way);
      await check(make(random, 2 * 1500), 2, 200, true, way);
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
      await check(input, rows, k, false, way);
      await check(input, rows, k, true, way);
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

  it("drops entries many times when each is better than the last", async () => {
    for (const k of [10, 100, 1000]) {
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
    for (const way of Object.values(ways))
      await check(input, 200, 2, false, way, { workgroupsPerDimension: 7 });
  });
});
