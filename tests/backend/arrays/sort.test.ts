/**
 * sort(), argsort() and sortPairs() on every backend against the naive oracle, and their contract: types,
 * order, stability, bits, rows, out, errors, abort.
 */
import { afterAll, beforeEach, expect, it } from "vitest";
import { argsort, sort, sortPairs, type Explanation } from "../../../dist/node.js";
import { printedSeed, Random } from "../../oracle/random.ts";
import { naiveOrder, type Keys, type Order } from "../../oracle/sort.ts";
import { onEachBackend, oneIn, openBeside, openDevice } from "../helpers.ts";
import { assume, assumeNoTiles, assumeTiles, scanVariants } from "./elements.ts";
import { bytesOf, constructors, keyKinds, keysOf, keyTypes, pick } from "./keyInputs.ts";

const seed = printedSeed();
/** Keys of a tile that software compiles soon: four groups of 32 lanes with four keys each. */
const tile = 512;
/** Keys of the tile that a GPU without subgroups takes by itself, of one word. */
const ownTile = 2048;

function expectBits(actual: ArrayBufferView, expected: ArrayBufferView, what: string): void {
  expect(actual.constructor).toBe(expected.constructor);
  expect(actual.byteLength).toBe(expected.byteLength);
  if (Buffer.compare(bytesOf(actual), bytesOf(expected)) === 0) return;
  const [got, wanted] = [actual, expected].map((each) => Array.from(each as Uint32Array));
  const at = wanted.findIndex((value, i) => !Object.is(value, got[i]));
  expect.fail(`${what}: key ${at} is ${got[at]} instead of ${wanted[at]}, or its bits differ`);
}

/** The place of each in its row. */
function inRows(places: readonly number[], offsets: ArrayLike<number>): Uint32Array {
  const starts = new Uint32Array(places.length);
  for (let row = 0; row + 1 < offsets.length; row++)
    starts.fill(offsets[row], offsets[row], offsets[row + 1]);
  return Uint32Array.from(places, (place, at) => place - starts[at]);
}

onEachBackend((device, backend) => {
  /** The variant that software is quickest at. */
  const quick = { forwardProgress: true, subgroups: false };
  beforeEach(() => {
    assume(device(), quick);
    assumeTiles(4, 4);
  });
  afterAll(assumeNoTiles);

  /** All three calls against the oracle. */
  async function check(keys: Keys, order: Order, more: object, what: string): Promise<void> {
    const before = bytesOf(keys).toString("base64");
    const { descending, bits } = order;
    const options = {
      ...more,
      descending,
      beginBit: bits?.[0],
      endBit: bits?.[1],
      device: device(),
    };
    const places = naiveOrder(keys, order);
    expectBits(await sort(keys, options), pick(keys, places), `sort ${what}`);
    const indices = order.offsets ? inRows(places, order.offsets) : Uint32Array.from(places);
    expectBits(await argsort(keys, options), indices, `argsort ${what}`);
    const values = Float32Array.from({ length: keys.length }, (_, at) => at * 3);
    const pairs = await sortPairs(keys, values, options);
    expectBits(pairs.keys, pick(keys, places), `keys of pairs ${what}`);
    expectBits(pairs.values, pick(values, places), `values of pairs ${what}`);
    expect(bytesOf(keys).toString("base64")).toBe(before);
  }

  const sizes = [0, 1, 2, 3, 25, tile - 1, tile, tile + 1, backend === "gpu" ? 4099 : 9973];
  it.each(backend === "cpu" ? [...sizes, 200_003] : sizes)("sorts %i keys of every type", async (count) => {
    const random = new Random(seed + count);
    const share = count > 1e5 ? 3 : backend === "gpu" ? 2 : 1;
    for (const type of share > 1 ? oneIn(share, keyTypes, seed + count) : keyTypes) {
      const keys = keysOf(type, "random", count, random);
      await check(keys, { descending: keyTypes.indexOf(type) % 2 === 1 }, {}, `${type} of ${count}`);
    }
  });

  it("sorts 2^20 + 7 keys with their values", async () => {
    assumeTiles();
    const random = new Random(seed + 12);
    const few = Uint32Array.from({ length: 2 ** 20 + 7 }, () => random.int(0, 2 ** 16));
    // A GPU in software takes a second for each digit.
    const options = { device: device(), endBit: backend === "gpu" ? 16 : undefined };
    const places = few.map((_, at) => at);
    for (const keys of backend === "gpu" ? [few] : [few, Float64Array.from(few, (key) => key / 3 - 9999)]) {
      const pairs = await sortPairs<Keys, Uint32Array>(keys, places, options);
      expectBits(pairs.keys, keys.slice().sort(), "2^20 + 7 keys");
      const wrong = pairs.values.findIndex((place, at) => {
        const isAfterEqual = at > 0 && pairs.keys[at - 1] === pairs.keys[at];
        return keys[place] !== pairs.keys[at] || (isAfterEqual && pairs.values[at - 1] >= place);
      });
      expect(wrong).toBe(-1);
    }
  });

  it.each(keyKinds)("sorts %s keys in both directions", async (kind) => {
    const random = new Random(seed + 1);
    for (const [at, type] of keyTypes.entries()) {
      const both = [false, true];
      for (const descending of backend === "gpu" ? oneIn(2, both, seed + at) : both) {
        const keys = keysOf(type, kind, 2 * tile + 77, random);
        await check(keys, { descending }, {}, `${kind} ${type} ${descending ? "down" : "up"}`);
      }
    }
  });

  it("orders by some bits of the ordinals, and keeps the rest as it was", async () => {
    const random = new Random(seed + 2);
    for (const type of keyTypes) {
      const width = constructors[type].BYTES_PER_ELEMENT * 8;
      for (const bits of [
        [0, 1],
        [5, 5],
        [3, 17],
        [width - 11, width],
        [width === 64 ? 27 : 9, width - 3],
      ] as const) {
        const kinds = ["random", "hard"] as const;
        for (const kind of backend === "gpu" ? oneIn(2, kinds, seed + bits[0]) : kinds) {
          const keys = keysOf(type, kind, tile + 501, random);
          await check(keys, { descending: random.int(0, 2) === 0, bits }, {}, `${type} ${bits.join()}`);
        }
      }
    }
  });

  it("sorts rows of equal length, each for itself", async () => {
    const random = new Random(seed + 3);
    for (const [rows, cols] of [
      [3, tile + 5],
      [101, 31],
      [700, 1],
    ]) {
      for (const type of ["f32", "u64"] as const) {
        const keys = keysOf(type, "random", rows * cols, random);
        const offsets = Array.from({ length: rows + 1 }, (_, row) => row * cols);
        await check(keys, { offsets, descending: cols === 31 }, { rows }, `${type} in ${rows} rows`);
      }
    }
  });

  it("sorts many short rows, and long ones among them", async () => {
    const random = new Random(seed + 4);
    const rows = backend === "gpu" ? 700 : 10_000;
    const lengths = Array.from({ length: rows }, () => random.int(0, 7));
    const long = [2 * tile + 3, tile + 1, 65, 64, 70];
    long.forEach((length, at) => (lengths[77 + at] = length));
    lengths[rows - 1] = tile;
    const offsets = Uint32Array.from([0, ...lengths]);
    offsets.forEach((_, at) => (offsets[at] += at > 0 ? offsets[at - 1] : 0));
    for (const type of ["i32", "f64"] as const) {
      const keys = keysOf(type, "random", offsets.at(-1)!, random);
      await check(keys, { offsets }, { offsets }, `${type} in rows of any length`);
    }
  });

  it("puts NaN last in both directions, keeps their bits and their order, and tells the zeros apart", async () => {
    const bits = Uint32Array.of(
      0xffc00001,
      0x80000000,
      0x7f800001,
      0,
      0xff800000,
      0x7fc00000,
      0x7f800000,
      0x80000000,
    );
    const keys = new Float32Array(bits.buffer);
    const wordsOf = (sorted: Float32Array) => [...new Uint32Array(sorted.buffer)];
    const nan = [0xffc00001, 0x7f800001, 0x7fc00000];
    const up = [0xff800000, 0x80000000, 0x80000000, 0, 0x7f800000];
    expect(wordsOf(await sort(keys, { device: device() }))).toEqual([...up, ...nan]);
    const down = await sort(keys, { descending: true, device: device() });
    expect(wordsOf(down)).toEqual([...up.reverse(), ...nan]);
    expect([...(await argsort(keys, { descending: true, device: device() }))]).toEqual([
      6, 3, 1, 7, 4, 0, 2, 5,
    ]);
  });

  it("moves values of any size", async () => {
    const random = new Random(seed + 5);
    const keys = keysOf("i32", "two", 1000, random) as Int32Array<ArrayBuffer>;
    const places = naiveOrder(keys, {});
    for (const Values of [Uint8Array, Int16Array, BigInt64Array, Float64Array, Int32Array]) {
      const values = new Values(
        Uint8Array.from({ length: 1000 * Values.BYTES_PER_ELEMENT }, () => random.bits()).buffer,
      );
      const sorted = await sortPairs(keys, values, { device: device() });
      expectBits(sorted.values, pick(values, places), Values.name);
      expectBits(sorted.keys, pick(keys, places), Values.name);
    }
    const rows = await sortPairs(Uint32Array.of(2, 1, 9, 8), Uint8Array.of(1, 2, 3, 4), {
      rows: 2,
      device: device(),
    });
    expect([...rows.values]).toEqual([2, 1, 4, 3]);
  });

  it("writes into out, and nothing past it", async () => {
    const memory = new Int32Array(7).fill(-9);
    const out = memory.subarray(1, 6);
    const result = await sort(Int32Array.of(5, -1, 3), { out, device: device() });
    expect(result.buffer).toBe(memory.buffer);
    expect([...memory]).toEqual([-9, -1, 3, 5, -9, -9, -9]);
    const places = new Uint32Array(4).fill(9);
    await argsort(Float64Array.of(2, 1), { out: places, device: device() });
    expect([...places]).toEqual([1, 0, 9, 9]);
    const pairs = { keys: new Uint32Array(3), values: new Int32Array(2) };
    await sortPairs(Uint32Array.of(2, 1), Int32Array.of(-2, -1), { out: pairs, device: device() });
    expect([[...pairs.keys], [...pairs.values]]).toEqual([
      [1, 2, 0],
      [-1, -2],
    ]);
  });

  it("says what is wrong with its arguments", async () => {
    const options = { device: device() };
    const bad = (keys: unknown, more: object) => sort(keys as Uint32Array, { ...options, ...more });
    await expect(bad([1], {})).rejects.toThrow("keys is of type Array; expected a Uint32Array, Int32Array");
    const four = new Uint32Array(4);
    await expect(bad(four, { rows: 3 })).rejects.toThrow("rows is 3, but keys has 4 elements");
    await expect(bad(four, { offsets: Uint32Array.of(0, 3) })).rejects.toThrow("ends with 3");
    await expect(bad(four, { offsets: Uint32Array.of(0, 3, 2, 4) })).rejects.toThrow("has 2 behind 3, at 2");
    await expect(bad(four, { offsets: Uint32Array.of(0, 4), rows: 1 })).rejects.toThrow(
      "expected one of them",
    );
    await expect(bad(four, { beginBit: 9, endBit: 8 })).rejects.toThrow("beginBit is 9 and endBit is 8");
    await expect(bad(four, { endBit: 33 })).rejects.toThrow("endBit <= 32");
    await expect(bad(four, { out: new Uint32Array(3) })).rejects.toThrow(
      "Uint32Array of 3 elements; expected",
    );
    await expect(bad(four, { out: new Int32Array(4) })).rejects.toThrow(
      "expected a Uint32Array of at least 4",
    );
    await expect(bad(four, { out: four })).rejects.toThrow("out shares memory with keys");
    const offsets = Uint32Array.of(0, 1, 4, 4, 4);
    const overOffsets = argsort(four, { ...options, offsets: offsets.subarray(0, 3), out: offsets });
    await expect(overOffsets).rejects.toThrow("out shares memory with offsets");
    const pairs = (values: unknown, more = {}) =>
      sortPairs(four, values as Uint8Array, { ...options, ...more });
    await expect(pairs(new Uint8Array(3))).rejects.toThrow("values has 3 elements and keys has 4");
    await expect(pairs(undefined)).rejects.toThrow(
      "values is undefined and keys has 4; expected a typed array",
    );
    await expect(pairs(null)).rejects.toThrow("values is null and keys has 4");
    await expect(pairs(four, { out: null })).rejects.toThrow("out is null; expected an object of two arrays");
    await expect(bad(four, { out: null })).rejects.toThrow(
      "out is null; expected a Uint32Array of at least 4",
    );
    await expect(bad(four, { out: {} })).rejects.toThrow("out is [object Object]; expected a Uint32Array");
    const memory = new Uint32Array(6);
    const out = { keys: memory.subarray(0, 4), values: memory.subarray(2) };
    await expect(pairs(new Uint32Array(4), { out })).rejects.toThrow("share memory");
  });

  it("reports progress up to the end, and how it was done", async () => {
    const seen: number[] = [];
    let told: string | undefined;
    await sort(new Uint32Array(5000), {
      onProgress: ({ phase, done }) => seen.push(phase === "sort" ? done : NaN),
      onExplanation: ({ operator, technique }) => (told = `${operator} ${technique}`),
      device: device(),
    });
    expect([seen[0], seen.at(-1)]).toEqual([0, 5000]);
    expect(told).toMatch(/^sort radix sort/);
  });

  it("sorts in pieces, and merges the runs of rows that are longer", async () => {
    const random = new Random(seed + 6);
    const tuning = { piece: 1000 };
    for (const type of ["f32", "i64"] as const) {
      const kinds = ["random", "hard", "two"] as const;
      for (const kind of backend === "gpu" ? oneIn(3, kinds, seed + type.length) : kinds) {
        const keys = keysOf(type, kind, 4321, random);
        await check(keys, { descending: kind === "hard" }, { tuning }, `${type} in pieces`);
        const offsets = Uint32Array.of(0, 0, 7, 900, 2950, 2950, 3950, 4300, 4321);
        await check(keys, { offsets }, { tuning, offsets }, `rows of ${type} in pieces`);
      }
      const keys = keysOf(type, "random", 3003, random);
      await check(keys, { bits: [5, 9] }, { tuning }, `bits of ${type} in pieces`);
    }
  });

  it("stops when aborted before it starts", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(sort(new Uint32Array(10), { signal, device: device() })).rejects.toThrow("enough");
  });

  if (backend === "gpu") {
    it.each(scanVariants)("gives the same by the variant %o", async (variant) => {
      const random = new Random(seed + 7);
      assume(device(), variant);
      assumeTiles();
      for (const type of oneIn(2, ["u32", "f64"] as const, seed + scanVariants.indexOf(variant))) {
        const keys = keysOf(type, "random", 2 * ownTile + 11, random);
        await check(keys, { descending: type === "f64" }, {}, type);
        await check(keys.slice(0, 300), {}, {}, `few ${type}`);
      }
    });

    it("sorts about as many keys as its own tile holds", async () => {
      assumeTiles();
      for (const count of [ownTile - 1, ownTile, ownTile + 1]) {
        const keys = keysOf("f32", "hard", count, new Random(seed + count));
        await check(keys, {}, {}, `f32 of ${count}`);
      }
    });

    it("does again what tiles gave up", async () => {
      const keys = keysOf("i32", "random", 3 * tile + 11, new Random(seed + 8));
      assume(device(), { ...quick, patience: 0 });
      await check(keys, {}, {}, "without patience");
    });

    it("never waits on an adapter in software by default, and says so", async () => {
      let told = "";
      const onExplanation = ({ technique, why }: Explanation) => (told = `${technique}, ${why}`);
      const fresh = await openDevice("gpu");
      const keys = keysOf("u32", "random", tile + 1, new Random(seed));
      await sort(keys, { onExplanation, device: fresh });
      expect(fresh.counters.dispatches).toBe(3 + 4 * 3);
      expect(told).toMatch(/in blocks.*no self-test/);
      assume(fresh, quick);
      await sort(keys, { onExplanation, device: fresh });
      expect(fresh.counters.dispatches).toBe(3 + 4 * 3 + 3 + 4 * 2);
      expect(told).toMatch(/chained.*a self-test saw/);
      fresh.dispose();
    });

    it("sorts keys that take more than the memory it may use", async () => {
      const deviceMemory = 2 ** 17;
      const small = await openBeside("gpu", { deviceMemory });
      assume(small, quick);
      assumeTiles();
      const keys = keysOf("u32", "random", 2 ** 15 + 7, new Random(seed + 9));
      const sorted = await sort(keys, { device: small });
      expectBits(sorted, pick(keys, naiveOrder(keys, {})), "of a small device");
      expect(small.counters.peakBytes).toBeLessThanOrEqual(deviceMemory);
      small.dispose();
    });

    it("gives the same with tiles of any size", async () => {
      const keys = keysOf("u32", "random", 1111, new Random(seed + 11));
      const tiles = [
        [3, 1],
        [1, 5],
        [4, 3],
        [2, 2],
      ];
      for (const [groups, items] of oneIn(2, tiles, seed)) {
        assumeTiles(groups, items);
        await check(keys, {}, {}, `${groups} groups of lanes with ${items} keys each`);
      }
    });
  } else {
    it("stops when aborted on the way", async () => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(new Error("enough")), 5);
      const keys = keysOf("u32", "random", 2 ** 23, new Random(seed));
      await expect(sort(keys, { signal: stop.signal, device: device() })).rejects.toThrow("enough");
    });

    it("sorts long rows whose keys are spread unevenly", async () => {
      const random = new Random(seed + 10);
      const keys = Float32Array.from({ length: 700_001 }, () => 2 ** random.int(-3, 1) * random.uniform());
      const values = Uint32Array.from(keys, (_, at) => at);
      const before = keys.slice();
      const pairs = await sortPairs(keys, values, { device: device() });
      expectBits(pairs.keys, keys.slice().sort(), "uneven keys");
      const isSorted = pairs.values.every(
        (place, at) =>
          before[place] === pairs.keys[at] &&
          (at === 0 || pairs.keys[at - 1] !== pairs.keys[at] || pairs.values[at - 1] < place),
      );
      expect(isSorted).toBe(true);
    });
  }
});
