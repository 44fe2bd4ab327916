/** sort.merge on a GPU: any stretch of what two runs become, of every type, and sorts in blocks by it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { argsort, sort, sortPairs, type Device } from "../../../dist/node.js";
import { mergePasses, unpack } from "../../../dist/ops/sort/blocks/gpu.js";
import { mergeTile } from "../../../dist/ops/sort/blocks/layout.js";
import { defaultKernelLimits } from "../../../dist/runtime/gpu/passes/pass.js";
import { naiveOrder } from "../../oracle/sort.ts";
import { printedSeed, Random } from "../../oracle/random.ts";
import { bytesOf, keysOf, pick, type KeyKind, type KeyName } from "./keyInputs.ts";
import { assume, assumeNoTiles, assumeTiles } from "./elements.ts";
import { openDevice } from "../helpers.ts";
import { hasGpu, openSharedGpu } from "../device/gpu.ts";
import { PassRunner, POISON } from "../device/passRunner.ts";

const seed = printedSeed();

describe.skipIf(!hasGpu)("sort.merge", () => {
  let runner: PassRunner;
  let close: () => void;
  beforeAll(async () => {
    await unpack();
    const backend = await openSharedGpu();
    runner = new PassRunner(backend.device);
    close = () => backend.dispose();
  });
  afterAll(() => close());

  interface Case {
    readonly type: KeyName;
    readonly kind: KeyKind;
    readonly left: number;
    readonly right: number;
    readonly begin?: number;
    readonly count?: number;
    readonly descending?: boolean;
    readonly bits?: readonly [number, number];
    readonly carries?: boolean;
  }

  async function check(given: Case, random: Random): Promise<void> {
    const { type, kind, left, right, begin = 0, descending = false, carries = true } = given;
    const { count = left + right - begin } = given;
    const keys = keysOf(type, kind, left + right, random);
    const words = type.endsWith("64") ? 2 : 1;
    const bits = given.bits ?? [0, 32 * words];
    const order = { descending, bits };
    const runs = naiveOrder(keys, { ...order, offsets: [0, left, left + right] });
    const sorted = pick(keys, runs);
    const expected = naiveOrder(sorted, order).slice(begin, begin + count);
    const all = new Uint32Array(sorted.buffer);
    const padded = (words: Uint32Array) => {
      const whole = new Uint32Array(Math.max(4, Math.ceil(words.length / 4) * 4)).fill(0xffffffff);
      whole.set(words);
      return whole;
    };
    const [leftAdd, rightAdd] = [1000, 0xfffffff0];
    const [beginBit, endBit] = bits;
    const params = {
      type,
      descending,
      beginBit,
      endBit,
      left,
      right,
      begin,
      count,
      carries,
      leftAdd,
      rightAdd,
    };
    const size = Math.ceil((count * words) / 4) * 4 + 4;
    const after = await runner.run(mergePasses(params, defaultKernelLimits), {
      leftKeys: padded(all.subarray(0, left * words)),
      rightKeys: padded(all.subarray(left * words)),
      leftValues: padded(Uint32Array.from({ length: left }, (_, at) => at)),
      rightValues: padded(Uint32Array.from({ length: right }, (_, at) => at)),
      keys: size,
      values: size,
      cuts: Math.ceil(count / mergeTile(words)) + 2,
    });
    const name = JSON.stringify(given);
    const wanted = pick(sorted, expected);
    expect(bytesOf(after.keys.subarray(0, count * words)), name).toEqual(bytesOf(wanted));
    expect(
      [...after.keys.subarray(count * words)].every((word) => word === POISON),
      name,
    ).toBe(true);
    const values = expected.map((at) => (at < left ? at + leftAdd : at - left + rightAdd) >>> 0);
    if (carries) expect([...after.values.subarray(0, count)], name).toEqual(values);
  }

  it.each(["u32", "f64"] as const)("merges runs of %s of any length, stably", async (type) => {
    const random = new Random(seed);
    const tile = mergeTile(type.endsWith("64") ? 2 : 1);
    for (const [left, right] of [
      [0, 5],
      [5, 0],
      [1, 1],
      [tile - 1, 1],
      [tile + 1, tile],
      [3, 2 * tile],
      [1000, 997],
    ]) {
      const kind = random.pick(["random", "two", "hard", "equal", "sorted", "reversed"] as const);
      const descending = random.pick([true, false]);
      await check({ type, kind, left, right, descending, carries: true }, random);
    }
  });

  it("gives any stretch, and compares only some bits", async () => {
    const random = new Random(seed + 1);
    for (let round = 0; round < 12; round++) {
      const type = random.pick(["i32", "u32", "f64"] as const);
      const [left, right] = [random.int(1, 3000), random.int(1, 3000)];
      const begin = random.int(0, left + right);
      const count = random.int(1, left + right - begin + 1);
      const width = type.endsWith("64") ? 64 : 32;
      const beginBit = random.int(0, width);
      const bits = [beginBit, random.int(beginBit, width + 1)] as const;
      await check(
        {
          type,
          kind: random.pick(["two", "random", "hard"]),
          left,
          right,
          begin,
          count,
          bits,
          carries: type !== "i32",
        },
        random,
      );
    }
  });
});

describe.skipIf(!hasGpu)("a sort in blocks on a GPU", () => {
  let device: Device;
  beforeAll(async () => {
    device = await openDevice("gpu");
    assume(device, { forwardProgress: true, subgroups: false });
    assumeTiles(4, 4);
  });
  afterAll(() => {
    assumeNoTiles();
    device.dispose();
  });

  it.each(["u32", "f64"] as const)("gives what the oracle gives, of %s", async (type) => {
    const random = new Random(seed + 2);
    for (const [count, block] of [
      [6000, 3000],
      [7001, 1500],
    ]) {
      const keys = keysOf(type, random.pick(["two", "hard", "random"]), count, random);
      const options = { device, descending: random.pick([true, false]), tuning: { block } };
      const places = naiveOrder(keys, options);
      expect(bytesOf(await sort(keys, options))).toEqual(bytesOf(pick(keys, places)));
      expect([...(await argsort(keys, { ...options, out: undefined }))]).toEqual(places);
      const values = Float32Array.from({ length: count }, () => random.normal());
      const pairs = await sortPairs(keys, values, { ...options, out: undefined });
      expect([...pairs.values]).toEqual([...pick(values, places)]);
    }
  });
});
