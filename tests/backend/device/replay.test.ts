/**
 * `knn.replay` on buffers full of garbage: heaps of lists in any order against the oracle, those that
 * intervals decide and those that they leave open.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UNDECIDED, type KnnReplayParams } from "../../../dist/ops/knn/contract/replay.js";
import { knnReplayKernel } from "../../../dist/ops/knn/gpu/replay/replay.js";
import { defaultKernelLimits, type KernelLimits } from "../../../dist/runtime/gpu/passes/pass.js";
import { knnReplayPolicy } from "../../../dist/ops/knn/gpu/policy.js";
import { printedSeed, Random } from "../../oracle/random.ts";
import { heapOrderBy } from "../../oracle/rapidminer.ts";
import { hasGpu, openSharedGpu } from "./gpu.ts";
import { PassRunner, POISON } from "./passRunner.ts";

const random = new Random(printedSeed());

interface Entry {
  readonly row: number;
  readonly low: number;
  readonly high: number;
}

/** In the order of the list. */
type List = readonly Entry[];

class Undecided extends Error {}

/** Places of the heap's array, or nothing where intervals do not tell. */
function heapOf(list: List, k: number, points: boolean): number[] | undefined {
  const places = list.map((_, place) => place).sort((a, b) => list[a].row - list[b].row);
  const order = (a: Entry, b: Entry) => {
    if (a.low > b.high) return 1;
    if (b.low > a.high) return -1;
    if (points) return 0;
    throw new Undecided();
  };
  try {
    const sorted = places.map((place) => list[place]);
    return heapOrderBy(sorted, k, order).map((at) => places[at]);
  } catch (error) {
    if (error instanceof Undecided) return undefined;
    throw error;
  }
}

/** Rows of a large file, in the order in which blocks of references left them: nearly sorted, or in none. */
function listOf(count: number, end: (place: number) => readonly [number, number]): List {
  const rows = new Set<number>();
  while (rows.size < count) rows.add(random.bits() % 0xfffffffe);
  const order = [...rows];
  if (random.uniform() < 0.5) order.sort((a, b) => a - b).reverse();
  return order.map((row, place) => {
    const [low, high] = end(place).map(Math.fround);
    return { row, low, high };
  });
}

const separate = (count: number) =>
  listOf(count, () => {
    const value = random.uniform(-1, 1);
    return [value, value + 1e-7];
  });
const levels = (count: number, most: number) =>
  listOf(count, () => {
    const value = random.int(0, most);
    return [value, value];
  });

describe.skipIf(!hasGpu)("knn.replay", () => {
  let runner: PassRunner;
  let close: () => void;
  beforeAll(async () => {
    const backend = await openSharedGpu();
    runner = new PassRunner(backend.device);
    close = () => backend.dispose();
  });
  afterAll(() => close());

  type Shape = Pick<KnnReplayParams, "k" | "capacity" | "points"> & Partial<KnnReplayParams>;

  /** @returns what was written for each list, garbage included */
  async function replay(
    lists: readonly List[],
    shape: Shape,
    limits: KernelLimits = defaultKernelLimits,
    counts = lists.map(({ length }) => length),
  ): Promise<Uint32Array[]> {
    const { k, capacity } = shape;
    const params: KnnReplayParams = { queryBegin: 0, queryRows: lists.length, ...shape };
    const candidates = new Uint32Array(lists.length * capacity).fill(POISON);
    const intervals = new Float32Array(lists.length * capacity * 2).fill(1e30);
    lists.forEach((list, query) =>
      list.slice(0, capacity).forEach(({ row, low, high }, place) => {
        candidates[query * capacity + place] = row;
        intervals.set([low, high], (query * capacity + place) * 2);
      }),
    );
    const { places } = await runner.run(knnReplayKernel.passes(params, limits), {
      heads: Uint32Array.from(counts.flatMap((count) => [count, POISON])),
      candidates,
      intervals: new Uint32Array(intervals.buffer),
      places: lists.length * k,
    });
    return lists.map((_, query) => places.slice(query * k, (query + 1) * k));
  }

  function expectHeaps(found: readonly Uint32Array[], lists: readonly List[], { k, points }: Shape): number {
    let decided = 0;
    lists.forEach((list, query) => {
      const expected = heapOf(list, k, points);
      if (expected) decided++;
      if (!expected) expect(found[query][0], `query ${query}`).toBe(UNDECIDED);
      else expect([...found[query]], `query ${query}`).toEqual(padded(expected, k));
    });
    return decided;
  }

  const padded = (places: readonly number[], k: number) =>
    Array.from({ length: k }, (_, at) => places[at] ?? POISON);

  it.each([
    { k: 1, capacity: 200 },
    { k: 2, capacity: 63 },
    { k: 5, capacity: 256 },
    { k: 7, capacity: 257 },
    { k: 63, capacity: 512 },
    { k: 64, capacity: 1024 },
  ])("keeps what the oracle keeps of lists of any length: k = $k, capacity $capacity", async (sizes) => {
    const { k, capacity } = sizes;
    const edges = [1, 2, 3, k - 1, k, k + 1, 63, 64, 65, 128, 129, capacity - 1, capacity];
    const counts = edges.filter((count) => count >= 1 && count <= capacity);
    for (let run = 0; run < 20; run++) counts.push(random.int(1, capacity + 1));
    const shape = { ...sizes, points: false };
    const lists = counts.map((count) => separate(count));
    expect(expectHeaps(await replay(lists, shape), lists, shape)).toBeGreaterThan(counts.length / 2);
  });

  it("takes equal points for equally far, and leaves other ties open", async () => {
    const lists = Array.from({ length: 60 }, () => levels(random.int(1, 90), random.pick([1, 2, 5, 40])));
    for (const k of [1, 2, 3, 6, 20]) {
      const shape = { k, capacity: 90 };
      const counted = { ...shape, points: true };
      expect(expectHeaps(await replay(lists, counted), lists, counted)).toBe(lists.length);
      const certain = { ...shape, points: false };
      expectHeaps(await replay(lists, certain), lists, certain);
    }
  });

  it("leaves open what any two intervals leave open", async () => {
    const shape = { k: 4, capacity: 40, points: false };
    const lists = Array.from({ length: 200 }, () =>
      listOf(random.int(2, 41), () => {
        const value = random.uniform(0, 1);
        return [value, value + random.pick([0, 1e-3, 1e-2])];
      }),
    );
    const decided = expectHeaps(await replay(lists, shape), lists, shape);
    expect(decided).toBeGreaterThan(10);
    expect(decided).toBeLessThan(190);
  });

  it("leaves open what only the last row does", async () => {
    const shape = { k: 4, capacity: 40, points: false };
    const falling = (last: number) =>
      Array.from({ length: 40 }, (_, row) => {
        const value = row === 39 ? last : 40 - row;
        return { row, low: value, high: value };
      }).reverse();
    // The heap holds 2, 3, 4 and 5 by then.
    const lists = [falling(1), falling(5), falling(6)];
    expect(expectHeaps(await replay(lists, shape), lists, shape)).toBe(2);
  });

  it("puts rows without a distance last and tells no two of them apart", async () => {
    const shape = { k: 3, capacity: 20, points: false };
    const far = (places: readonly number[]) =>
      listOf(20, (place) => (places.includes(place) ? [2 ** 119, 2 ** 121] : [place / 32, place / 32]));
    const lists = [far([]), far([4]), far([4, 5]), far([0, 1, 2, 3])];
    expectHeaps(await replay(lists, shape), lists, shape);
  });

  it("says so of lists that are empty or overflowed, and reads nothing of them", async () => {
    const shape = { k: 3, capacity: 10, points: true };
    const lists = [levels(10, 5), levels(10, 5), levels(10, 5), levels(10, 5)];
    const found = await replay(lists, shape, defaultKernelLimits, [0, 10, 11, 4000]);
    expect([0, 2, 3].map((query) => found[query][0])).toEqual([UNDECIDED, UNDECIDED, UNDECIDED]);
    expectHeaps(found.slice(1, 2), lists.slice(1, 2), shape);
  });

  it("replays the queries asked for and no others, in grids that were folded", async () => {
    const shape = { k: 2, capacity: 30, points: true, queryBegin: 3, queryRows: 11 };
    const lists = Array.from({ length: 20 }, () => levels(30, 9));
    const found = await replay(lists, shape, { workgroupsPerDimension: 4 });
    expectHeaps(found.slice(3, 14), lists.slice(3, 14), shape);
    for (const query of [0, 1, 2, 14, 15, 19]) expect([...found[query]]).toEqual([POISON, POISON]);
    expect(knnReplayKernel.passes({ ...shape, queryRows: 0 }, defaultKernelLimits)).toEqual([]);
  });

  it("refuses lists and heaps that are too long", () => {
    const passes = (k: number, capacity: number) => () =>
      knnReplayKernel.passes(
        { k, capacity, points: false, queryBegin: 0, queryRows: 1 },
        defaultKernelLimits,
      );
    const most = knnReplayPolicy.sizes.at(-1)!;
    expect(passes(knnReplayPolicy.mostK, most)).not.toThrow();
    expect(passes(1, most + 1)).toThrow("too long");
    expect(passes(knnReplayPolicy.mostK + 1, most)).toThrow("too long");
  });
});
