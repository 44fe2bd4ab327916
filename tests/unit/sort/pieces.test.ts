/**
 * sort, argsort and sortPairs on a device that holds little: how rows are cut into pieces and runs, how runs
 * are merged, and what follows failures in the middle. Kernels are those of an oracle.
 */
import { expect, it } from "vitest";
import { DeviceLostError, OutOfMemoryError } from "../../../src/core/errors.ts";
import type { SortParams } from "../../../src/ops/sort/contract.ts";
import { sortStream } from "../../../src/ops/sort/plan.ts";
import { argsort, sort, sortPairs, type SortOptions } from "../../../src/ops/sort/sort.ts";
import { bytesOf, constructors, keysOf, keyTypes, pick } from "../../backend/arrays/keyInputs.ts";
import { naiveOrder, type Keys, type Order } from "../../oracle/sort.ts";
import { printedSeed, Random } from "../../oracle/random.ts";
import { naiveDevice, type NaiveOptions } from "./naiveDevice.ts";

const seed = printedSeed();

/** Runs all three calls against the oracle, on devices of their own. */
async function check(
  keys: Keys,
  order: Order,
  naive: NaiveOptions,
  more: Partial<SortOptions> = {},
): Promise<number[]> {
  const { descending, bits, offsets } = order;
  const optionsOf = () => {
    const { device, pieces } = naiveDevice(naive);
    const options = { descending, beginBit: bits?.[0], endBit: bits?.[1], device, ...more, out: undefined };
    return { options, pieces };
  };
  const places = naiveOrder(keys, order);
  const bounds = Array.from(offsets ?? [0]);
  const begins = places.map((place) => bounds.findLast((bound) => bound <= place)!);
  const first = optionsOf();
  expect(bytesOf(await sort(keys, first.options))).toEqual(bytesOf(pick(keys, places)));
  const found = await argsort(keys, optionsOf().options);
  expect([...found]).toEqual(places.map((place, at) => place - begins[at]));
  for (const values of [
    Uint32Array.from({ length: keys.length }, (_, at) => at * 3),
    Float64Array.from({ length: keys.length }, (_, at) => at / 3),
  ]) {
    const pairs = await sortPairs(keys, values, optionsOf().options);
    expect(bytesOf(pairs.keys)).toEqual(bytesOf(pick(keys, places)));
    expect([...pairs.values]).toEqual([...pick(values, places)]);
  }
  return first.pieces;
}

it.each(keyTypes)("merges runs of %s of any number and length", async (type) => {
  const random = new Random(seed);
  for (const kind of ["random", "two", "hard", "equal"] as const) {
    for (const piece of [2, 7, 16, 49, 50, 99]) {
      const keys = keysOf(type, kind, 50, random);
      const pieces = await check(keys, { descending: piece % 2 === 0 }, {}, { tuning: { piece } });
      expect(pieces.length).toBe(Math.ceil(50 / piece));
    }
  }
});

it.each(keyTypes)("compares only some bits of %s", async (type) => {
  const random = new Random(seed + 1);
  const width = constructors[type].BYTES_PER_ELEMENT * 8;
  for (const bits of [
    [0, 0],
    [3, 3],
    [0, 1],
    [5, 17],
    [width - 1, width],
    [width / 2 - 5, width / 2 + 5],
    [width, width],
  ] as const) {
    for (const kind of ["random", "hard"] as const) {
      const keys = keysOf(type, kind, 101, random);
      await check(keys, { bits, descending: bits[0] === 3 }, {}, { tuning: { piece: 30 } });
    }
  }
});

it("cuts rows of any length, empty ones among them, wherever pieces end", async () => {
  const random = new Random(seed + 2);
  for (let round = 0; round < 40; round++) {
    const lengths = Array.from({ length: random.int(1, 12) }, () => random.pick([0, 0, 1, 2, 5, 30]));
    const offsets = Uint32Array.from([0, ...lengths]);
    for (let at = 1; at < offsets.length; at++) offsets[at] += offsets[at - 1];
    const keys = keysOf(random.pick(["f32", "i64"]), "two", offsets.at(-1)!, random);
    await check(keys, { offsets }, {}, { offsets, tuning: { piece: random.int(1, 20) } });
  }
  for (const [rows, cols] of [
    [5, 8],
    [40, 1],
    [2, 20],
  ]) {
    const offsets = Array.from({ length: rows + 1 }, (_, row) => row * cols);
    const keys = keysOf("u32", "two", rows * cols, random);
    for (const piece of [1, 7, 8, 9, 16, 39]) await check(keys, { offsets }, {}, { rows, tuning: { piece } });
  }
});

it("puts as many whole rows into a piece as fit, and cuts only longer ones", () => {
  const offsets = Uint32Array.of(0, 0, 4, 8, 8, 30, 33, 33);
  const params: SortParams = {
    ...{
      type: "u32",
      count: 33,
      rows: 7,
      values: "none",
      descending: false,
      beginBit: 0,
      endBit: 32,
      offsets,
    },
  };
  const { cut } = sortStream(params);
  const ends: number[] = [];
  for (let at = 0; at < 33; at = ends.at(-1)!) ends.push(cut!(at, Math.min(at + 10, 33)));
  expect(ends).toEqual([8, 18, 28, 30, 33]);
  expect(cut!(0, 8)).toBe(8);
  const short = { ...params, count: 8, rows: 3, offsets: Uint32Array.of(0, 2, 3, 8) };
  expect(sortStream(short).cut!(0, 8)).toBe(8);
  const all = { ...params, count: 2 ** 31, rows: 1, offsets: undefined };
  expect(sortStream(all).cut!(5, 2 ** 31)).toBe(5 + 2 ** 30 - 1);
});

it("sorts where memory holds only a few keys at a time", async () => {
  const keys = keysOf("f64", "hard", 61, new Random(seed + 3));
  const least = 4 * (2112 + 256);
  // Beside the least scratch, pairs take six groups of 16 bytes for two keys and keys alone for four.
  const pieces = await check(keys, {}, { budget: least + 6 * 16 });
  expect(Math.max(...pieces)).toBe(4);
  const failed = sort(keys, { device: naiveDevice({ budget: least + 2 * 16 }).device });
  await expect(failed).rejects.toThrow("do not hold one piece");
  const bound = await check(keys, {}, { budget: 2 ** 20, bufferBytes: least });
  expect(bound).toEqual([61]);
});

it("goes on with smaller pieces where memory ends in the middle, and where the device is lost", async () => {
  const random = new Random(seed + 4);
  const offsets = Uint32Array.of(0, 9, 300, 301);
  for (const type of ["f32", "u64"] as const) {
    const keys = keysOf(type, "two", 301, random);
    for (const failing of [0, 1, 3]) {
      const full = (segment: number) => {
        if (segment >= failing && segment < failing + 3) throw new OutOfMemoryError("full", 1);
      };
      const pieces = await check(keys, { offsets }, { before: full }, { offsets, tuning: { piece: 64 } });
      expect(Math.max(...pieces.slice(failing))).toBeLessThanOrEqual(32);
      const lose = (segment: number) => {
        if (segment === failing) throw new DeviceLostError("lost");
      };
      await check(keys, { offsets }, { before: lose }, { offsets, tuning: { piece: 64 } });
    }
  }
});

it("stops when aborted between pieces", async () => {
  const stop = new AbortController();
  const before = (segment: number) => void (segment === 2 && stop.abort(new Error("enough")));
  const { device, pieces } = naiveDevice({ before });
  const keys = keysOf("u32", "random", 100, new Random(seed));
  const stopped = sort(keys, { device, signal: stop.signal, tuning: { piece: 10 } });
  await expect(stopped).rejects.toThrow("enough");
  expect(pieces.length).toBeLessThan(5);
});
