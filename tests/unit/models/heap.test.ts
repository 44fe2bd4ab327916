/**
 * The replay of RapidMiner's heap: that tool's own outputs, its oracle, and the rows that may be left out.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { replayHeap } from "../../../src/models/rapidminer/heap.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { compare, heapOrder } from "../../oracle/rapidminer.ts";

const random = new Random(printedSeed());

interface TopK {
  readonly k: number;
  readonly d: readonly (number | string)[];
  readonly order: readonly number[];
}

const fixture = new URL("../../fixtures/rapidminer-knn.json", import.meta.url);
const { topk } = JSON.parse(readFileSync(fixture, "utf8")) as { topk: readonly TopK[] };

function replay(
  distances: readonly number[],
  k: number,
  pause: () => Promise<void> | void = () => undefined,
): Promise<Uint32Array> | Uint32Array {
  const ends = Float64Array.from(distances);
  return replayHeap({ count: ends.length, lows: ends, highs: ends, distance: (at) => ends[at] }, k, pause);
}

describe("the replayed heap", () => {
  it("holds the rows that RapidMiner keeps, in its order, in all 60 outputs", async () => {
    expect(topk).toHaveLength(60);
    for (const { k, d, order } of topk) expect([...(await replay(d.map(Number), k))]).toEqual(order);
  });

  it.each([
    { k: 2, distances: [1, 1, 0], kept: [1, 2] },
    { k: 3, distances: [0, 1, 1, 0], kept: [0, 2, 3] },
    { k: 4, distances: [0, 0, 1, 1, 0], kept: [0, 1, 3, 4] },
  ])(
    "does not keep the lower of tied rows by rule: of $distances it keeps $kept",
    async ({ k, distances, kept }) => {
      expect([...(await replay(distances, k))].sort()).toEqual(kept);
    },
  );

  it("equals its oracle for any distances, NaN, infinities and both zeros among them", async () => {
    for (let run = 0; run < 2000; run++) {
      const { distances, k } = anyDistances();
      expect([...(await replay(distances, k))]).toEqual(heapOrder(distances, k));
    }
  });

  it("is the same when only rows with fewer than k earlier ones at most as far are offered", async () => {
    for (let run = 0; run < 1000; run++) {
      const { distances, k } = anyDistances();
      const rows = distances.flatMap((distance, row) => {
        const before = distances.slice(0, row).filter((earlier) => compare(earlier, distance) <= 0).length;
        return before < k ? [row] : [];
      });
      const positions = await replay(
        rows.map((row) => distances[row]),
        k,
      );
      expect(Array.from(positions, (at) => rows[at])).toEqual([...(await replay(distances, k))]);
    }
  });

  it("takes a k far beyond the rows without making room for it", async () => {
    expect([...(await replay([3, 1, 2], 2 ** 31 - 1))]).toEqual(heapOrder([3, 1, 2], 5));
  });

  it("lets others have their turn every so many rows, and ends where that ends it", async () => {
    let pauses = 0;
    const pause = () => {
      if (++pauses === 3) throw new Error("stop");
    };
    const many = Array.from({ length: 10_000 }, (_, row) => row);
    await expect(replay(many, 5, pause)).rejects.toThrow("stop");
    expect(pauses).toBe(3);
  });
});

function anyDistances(): { readonly distances: number[]; readonly k: number } {
  const levels = random.pick([2, 4, 30]);
  const special = random.uniform() < 0.3 ? [NaN, -0, 0, Infinity, -Infinity] : [1];
  const distance = () => (random.uniform() < 0.2 ? random.pick(special) : random.int(0, levels));
  return { distances: Array.from({ length: random.int(1, 60) }, distance), k: random.int(1, 16) };
}
