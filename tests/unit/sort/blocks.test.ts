/**
 * Rows in blocks on a device that holds little: how they are cut, merged there in turns, and downloaded, and
 * what follows failures. Kernels are those of an oracle.
 */
import { expect, it } from "vitest";
import { DeviceLostError, OutOfMemoryError } from "../../../src/core/errors.ts";
import type { Explanation } from "../../../src/runtime/explain.ts";
import { argsort, sort, sortPairs, type SortOptions } from "../../../src/ops/sort/sort.ts";
import { bytesOf, keysOf, keyTypes, pick } from "../../backend/arrays/keyInputs.ts";
import { naiveOrder, type Keys } from "../../oracle/sort.ts";
import { printedSeed, Random } from "../../oracle/random.ts";
import { naiveDevice, type NaiveOptions } from "./naiveDevice.ts";

const seed = printedSeed();

/** Runs all three calls, each on a device of its own, against the oracle. @returns what sort's device did */
async function check(keys: Keys, naive: NaiveOptions, more: Partial<SortOptions>): Promise<Seen> {
  const { descending = false, rows = 1, beginBit = 0, endBit = 8 * keys.BYTES_PER_ELEMENT } = more;
  const cols = keys.length / rows;
  const offsets = more.offsets ?? Array.from({ length: rows + 1 }, (_, row) => row * cols);
  const places = naiveOrder(keys, { descending, offsets, bits: [beginBit, endBit] });
  const begins = places.map((place) => Array.from(offsets).findLast((begin) => begin <= place)!);
  const options = () => ({ ...more, device: naiveDevice(naive).device, out: undefined });
  const { device, pieces } = naiveDevice(naive);
  let told: Explanation | undefined;
  const onExplanation = (explanation: Explanation) => (told = explanation);
  const sorted = await sort(keys, { ...more, device, onExplanation, out: undefined });
  expect(bytesOf(sorted)).toEqual(bytesOf(pick(keys, places)));
  expect([...(await argsort(keys, options()))]).toEqual(places.map((place, at) => place - begins[at]));
  const values = Uint32Array.from({ length: keys.length }, (_, at) => at * 3);
  const pairs = await sortPairs(keys, values, options());
  expect(bytesOf(pairs.keys)).toEqual(bytesOf(pick(keys, places)));
  expect([...pairs.values]).toEqual([...pick(values, places)]);
  return { pieces, told: told! };
}

interface Seen {
  readonly pieces: number[];
  readonly told: Explanation;
}

it.each(keyTypes)("merges from two to nine blocks of %s, the last of which may be short", async (type) => {
  const random = new Random(seed);
  for (const kind of ["random", "two", "hard", "equal", "sorted", "reversed"] as const) {
    for (const block of [6, 7, 11, 17, 25, 49]) {
      const keys = keysOf(type, kind, 50, random);
      const { pieces } = await check(keys, {}, { descending: block % 2 === 0, tuning: { block } });
      expect(pieces.length).toBe(Math.ceil(50 / block));
    }
  }
});

it("compares only some bits", async () => {
  for (const [beginBit, endBit] of [
    [0, 1],
    [5, 17],
    [31, 33],
    [64, 64],
  ]) {
    const keys = keysOf("u64", "random", 60, new Random(seed + 1));
    await check(keys, {}, { beginBit, endBit, tuning: { block: 13 } });
  }
});

it("sorts long rows in blocks and those between them in pieces", async () => {
  const random = new Random(seed + 2);
  for (let round = 0; round < 30; round++) {
    const lengths = Array.from({ length: random.int(1, 9) }, () => random.pick([0, 1, 3, 9, 20, 33]));
    const offsets = Uint32Array.from([0, ...lengths]);
    for (let at = 1; at < offsets.length; at++) offsets[at] += offsets[at - 1];
    const keys = keysOf(random.pick(["f32", "u64"]), "two", offsets.at(-1)!, random);
    await check(keys, {}, { offsets, tuning: { block: random.pick([3, 8, 10]) } });
  }
  for (const block of [9, 10, 19, 20]) {
    await check(keysOf("i32", "two", 60, random), {}, { rows: 3, tuning: { block } });
  }
});

it("brings runs back where the budget does not hold a row, and the host merges them", async () => {
  const keys = keysOf("u32", "two", 2000, new Random(seed + 3));
  const scratch = 4 * (2112 + 256);
  // Three buffers of 500 keys, or five blocks of 100 on two sides and the scratch of one.
  const { pieces, told } = await check(keys, { budget: scratch + 6400 }, { tuning: { block: 100 } });
  expect(pieces.length).toBeGreaterThan(20);
  expect(Math.max(...pieces)).toBeLessThanOrEqual(100);
  expect(told.jobs).toBeGreaterThan(pieces.length);
  expect(told.technique).toMatch(/merged by merge path there/);
});

it("takes blocks that can be bound, and as few as hold a row", async () => {
  const keys = keysOf("u64", "random", 2000, new Random(seed + 4));
  const bufferBytes = 16_000;
  expect((await check(keys, { budget: 2 ** 16, bufferBytes }, {})).pieces).toEqual([2000]);
  const many = keysOf("u64", "random", 4000, new Random(seed + 5));
  const { pieces, told } = await check(many, { budget: 2 ** 18, bufferBytes }, {});
  expect(pieces).toEqual([2000, 2000]);
  // Two sorts, a merge of both, and two downloads.
  expect(told).toMatchObject({ jobs: 5, dispatches: 5 });
});

it("begins a run again, of half as many keys, where memory ends, and on another device where one is lost", async () => {
  for (const type of ["f32", "u64"] as const) {
    const keys = keysOf(type, "two", 300, new Random(seed + 6));
    for (const failing of [0, 1, 3, 5, 6, 8]) {
      const full = (segment: number) => {
        if (segment === failing) throw new OutOfMemoryError("full", 1);
      };
      const { told } = await check(keys, { before: full }, { tuning: { block: 64 } });
      expect(told.timesMemoryHalved).toBe(1);
      const lose = (segment: number) => {
        if (segment === failing) throw new DeviceLostError("lost");
      };
      const after = await check(keys, { before: lose }, { tuning: { block: 64 } });
      expect(after.told.timesDeviceLost).toBe(1);
    }
  }
});

it("says what was tried where no run fits", async () => {
  const keys = keysOf("u32", "random", 100, new Random(seed));
  const always = () => {
    throw new OutOfMemoryError("full", 1);
  };
  const { device } = naiveDevice({ before: always });
  const failed = sort(keys, { device, tuning: { block: 9 } });
  await expect(failed).rejects.toThrow(/full; runs were halved 6 times, which did not help/);
});

it("stops when aborted between blocks", async () => {
  const stop = new AbortController();
  const before = (segment: number) => void (segment === 2 && stop.abort(new Error("enough")));
  const { device, pieces } = naiveDevice({ before });
  const keys = keysOf("u32", "random", 100, new Random(seed));
  const stopped = sort(keys, { device, signal: stop.signal, tuning: { block: 10 } });
  await expect(stopped).rejects.toThrow("enough");
  expect(pieces.length).toBeLessThan(5);
});
