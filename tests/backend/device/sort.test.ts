/** sort on buffers of other programs: full of garbage, with keys that are not the first in memory. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { GpuPrimitives, InvalidInputError, type GpuSortParams } from "../../../dist/node.js";
import { assumeTraits } from "../../../dist/runtime/gpu/traits.js";
import { naiveOrder } from "../../oracle/sort.ts";
import { printedSeed, Random } from "../../oracle/random.ts";
import { assumeNoTiles, assumeTiles } from "../arrays/elements.ts";
import { keysOf, pick } from "../arrays/keyInputs.ts";
import { hasGpu, openSharedGpu } from "./gpu.ts";
import { PassRunner, POISON } from "./passRunner.ts";

const seed = printedSeed();

describe.skipIf(!hasGpu)("sort on buffers of the caller", () => {
  let runner: PassRunner;
  let primitives: GpuPrimitives;
  let assume: (isChained: boolean) => void;
  let close: () => void;
  beforeAll(async () => {
    const backend = await openSharedGpu();
    assume = (forwardProgress) => assumeTraits(backend.device, { forwardProgress, subgroups: false });
    runner = new PassRunner(backend.device);
    primitives = await GpuPrimitives.create(backend.device);
    close = () => backend.dispose();
  });
  beforeEach(() => assume(true));
  afterAll(() => {
    close();
    assumeNoTiles();
  });

  it.each([
    ["f32", 1, "chained"],
    ["f32", 61, "chained"],
    ["u64", 1029, "chained"],
    ["f32", 4099, "chained"],
    ["u64", 4099, "blocks"],
  ] as const)("sorts %s, %i of them, %s", async (type, count, method) => {
    assume(method === "chained");
    const keys = keysOf(type, "hard", count, new Random(seed + count));
    const words = new Uint32Array(keys.buffer);
    const values = Uint32Array.from({ length: count }, (_, at) => at * 7);
    const operation = await primitives.sort({ type, count, values: "given" });
    const { bytes } = operation;
    const padded = (from: Uint32Array, size: number) => {
      const all = new Uint32Array(size / 4).fill(0x01010101);
      all.set(from);
      return all;
    };
    const after = await runner.record((encoder, buffers) => operation.encode(encoder, buffers as never), {
      keys: padded(words, bytes.keys),
      values: padded(values, bytes.values),
      sortedKeys: bytes.sortedKeys / 4,
      sortedValues: bytes.sortedValues / 4,
      scratch: Math.max(4, bytes.scratch / 4),
      scratchKeys: Math.max(4, bytes.scratchKeys / 4),
      scratchValues: Math.max(4, bytes.scratchValues / 4),
    });
    const places = naiveOrder(keys, {});
    const sorted = new Uint32Array(pick(keys, places).buffer);
    expect(after.sortedKeys.subarray(0, words.length)).toEqual(sorted);
    expect(after.sortedValues.subarray(0, count)).toEqual(pick(values, places));
    for (const [result, length] of [
      [after.sortedKeys, words.length],
      [after.sortedValues, count],
    ] as const) {
      expect([...result.subarray(length)]).toEqual(new Array(result.length - length).fill(POISON));
    }
    expect(after.keys).toEqual(padded(words, bytes.keys));
    expect(after.values).toEqual(padded(values, bytes.values));
    operation.dispose();
  });

  it("sorts again and again with scratch of its own, keys that are alike by one digit only", async () => {
    const count = 3000;
    const operation = await primitives.sort({ type: "u32", count });
    for (const kind of ["random", "equal", "narrow", "random"] as const) {
      const keys = keysOf("u32", kind, count, new Random(seed + 1)) as Uint32Array<ArrayBuffer>;
      const { sortedKeys } = await runner.record(
        (encoder, { keys, sortedKeys }) => operation.encode(encoder, { keys, sortedKeys }),
        { keys, sortedKeys: count },
      );
      expect(sortedKeys, kind).toEqual(keys.slice().sort());
    }
    operation.dispose();
  });

  it("adds up what many tiles have left that are not done themselves", async () => {
    const count = 4000;
    assumeTiles(1, 1);
    const operation = await primitives.sort({ type: "u32", count });
    assumeNoTiles();
    const keys = keysOf("u32", "random", count, new Random(seed + 3)) as Uint32Array<ArrayBuffer>;
    const { sortedKeys } = await runner.record(
      (encoder, { keys, sortedKeys }) => operation.encode(encoder, { keys, sortedKeys }),
      { keys, sortedKeys: count },
    );
    expect(sortedKeys).toEqual(keys.slice().sort());
    operation.dispose();
  });

  it("sorts rows of any length by offsets", async () => {
    const offsets = Uint32Array.of(0, 0, 9, 80, 80, 2300, 2304);
    const keys = keysOf("i32", "random", 2304, new Random(seed + 2));
    const operation = await primitives.sort({ type: "i32", count: 2304, offsets, values: "indices" });
    const { sortedKeys, sortedValues } = await runner.record(
      (encoder, { keys, sortedKeys, sortedValues, offsets }) =>
        operation.encode(encoder, { keys, sortedKeys, sortedValues, offsets }),
      {
        keys: new Uint32Array(keys.buffer),
        sortedKeys: 2304,
        sortedValues: 2304,
        offsets: Uint32Array.from(offsets),
      },
    );
    const places = naiveOrder(keys, { offsets });
    const starts = (at: number) => offsets.findLast((offset) => offset <= at)!;
    expect(sortedKeys).toEqual(new Uint32Array(pick(keys, places).buffer));
    expect([...sortedValues]).toEqual(places.map((place) => place - starts(place)));
    operation.dispose();
  });

  it("refuses what there cannot be", async () => {
    await expect(primitives.sort({ type: "u32", count: 3, offsets: Uint32Array.of(0, 2) })).rejects.toThrow(
      "offsets ends with 2",
    );
    for (const wrong of [
      { type: "f16" as never },
      { count: -1 },
      { rows: 7 },
      { endBit: 40 },
      { beginBit: 33 },
    ]) {
      const params: GpuSortParams = { type: "u32", count: 10, ...wrong };
      await expect(primitives.sort(params)).rejects.toThrow(InvalidInputError);
    }
  });
});
