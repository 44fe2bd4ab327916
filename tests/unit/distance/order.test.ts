/** The order of neighbours and the heap that keeps the first of them, against sorting. */
import { describe, expect, it } from "vitest";
import { comesBefore } from "../../../src/distance/order.ts";
import { TopK, sortAscending } from "../../../src/distance/topk.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const random = new Random(printedSeed());

/** As a sort wants it; 0 where neither comes first. */
function compareNeighbors(a: number, i: number, b: number, j: number): number {
  if (comesBefore(a, i, b, j)) return -1;
  return comesBefore(b, j, a, i) ? 1 : 0;
}

describe("the order of neighbours", () => {
  it("goes by distance, then by row", () => {
    expect(comesBefore(1, 9, 2, 0)).toBe(true);
    expect(comesBefore(2, 0, 1, 9)).toBe(false);
    expect(comesBefore(1, 3, 1, 4)).toBe(true);
    expect(comesBefore(1, 4, 1, 3)).toBe(false);
  });

  it("takes -0 and +0 for the same distance", () => {
    expect(comesBefore(0, 1, -0, 0)).toBe(false);
    expect(comesBefore(-0, 1, 0, 0)).toBe(false);
    expect(compareNeighbors(-0, 4, 0, 4)).toBe(0);
  });

  it("puts infinity before NaN, and NaN last by row", () => {
    expect(comesBefore(Infinity, 9, NaN, 0)).toBe(true);
    expect(comesBefore(NaN, 0, Infinity, 9)).toBe(false);
    expect(comesBefore(NaN, 1, NaN, 2)).toBe(true);
    expect(comesBefore(NaN, 2, NaN, 1)).toBe(false);
  });

  it("is a strict total order: for any two entries exactly one comes first", () => {
    const values = [-Infinity, -1, -0, 0, 1, Infinity, NaN];
    const entries = values.flatMap((value) => [0, 1].map((row) => ({ value, row })));
    for (const a of entries) {
      for (const b of entries) {
        const [there, back] = [
          compareNeighbors(a.value, a.row, b.value, b.row),
          compareNeighbors(b.value, b.row, a.value, a.row),
        ];
        expect(there).toBe(back === 0 ? 0 : -back);
      }
    }
  });
});

describe("sorting a list", () => {
  const kinds: Record<string, (random: Random) => number> = {
    "keys that spread": () => random.uniform(3, 4),
    "keys full of ties": () => random.int(-3, 4) / 7,
    "one key far from all others": () => (random.int(0, 200) === 0 ? 1e300 : random.uniform()),
    "keys too far apart to subtract": () => random.pick([-1, 1]) * random.uniform(1e308, 1.7e308),
    "zeros of both signs": () => random.pick([0, -0, 1e-310]),
    "infinities and NaN": () => random.pick([random.normal(), Infinity, -Infinity, NaN]),
    "one key": () => 2.5,
  };

  it.each(Object.keys(kinds))("sorts rows in any order and leaves the rest alone, for %s", (name) => {
    for (const count of [0, 1, 2, 24, 25, 26, 300, 1009]) {
      const keys = Float64Array.from({ length: count + 3 }, () => kinds[name](random));
      const indices = Uint32Array.from(keys, (_, i) => (7919 * i) % 1013);
      const expected = Array.from({ length: count }, (_, i) => ({ key: keys[i], index: indices[i] })).sort(
        (a, b) => compareNeighbors(a.key, a.index, b.key, b.index),
      );
      const rest = [...keys.subarray(count)];
      const list = { keys, indices };
      sortAscending(list, { keys: new Float64Array(count), indices: new Uint32Array(count) }, count);
      expect([...keys]).toEqual([...expected.map(({ key }) => key), ...rest]);
      expect([...indices.subarray(0, count)]).toEqual(expected.map(({ index }) => index));
    }
  });
});

describe("the heap of the k first", () => {
  it.each([1, 2, 3, 7, 50, 200])("holds what sorting puts first, for k = %i", (k) => {
    for (let run = 0; run < 50; run++) {
      const value = () => random.pick([random.int(0, 4), random.normal(), NaN, Infinity, -0]);
      const entries = Array.from({ length: random.int(k, k + 100) }, (_, index) => ({ key: value(), index }));
      const sorted = entries.toSorted((a, b) => compareNeighbors(a.key, a.index, b.key, b.index)).slice(0, k);
      const heap = new TopK(k);
      const shuffled = entries.map((entry) => ({ entry, at: random.uniform() })).sort((a, b) => a.at - b.at);
      for (const { entry } of shuffled) heap.push(entry.key, entry.index);
      const keys = new Float64Array(k + 2);
      const indices = new Uint32Array(k + 2);
      heap.drain(keys, indices, 1);
      expect([...indices.subarray(1, k + 1)]).toEqual(sorted.map(({ index }) => index));
      expect([...keys.subarray(1, k + 1)]).toEqual(sorted.map(({ key }) => key));
      expect([heap.size, keys[0], keys[k + 1]]).toEqual([0, 0, 0]);
    }
  });
});
