/** Sorted runs merged by threads and by the caller's: parts of any size, ties, failures, aborts, memory. */
import { afterEach, expect, it, vi } from "vitest";
import { DeviceLostError } from "../../../src/core/errors.ts";
import { mergePart, type MergeTask } from "../../../src/ops/sort/cpu/merge.ts";
import { mergeRuns } from "../../../src/ops/sort/merge.ts";
import type { SortParams } from "../../../src/ops/sort/contract.ts";
import type { Device } from "../../../src/runtime/device.ts";
import type { Workers } from "../../../src/runtime/cpu/workers.ts";
import { keysOf, keyTypes, pick, type KeyName } from "../../backend/arrays/keyInputs.ts";
import { naiveOrder, type Keys } from "../../oracle/sort.ts";
import { printedSeed, Random } from "../../oracle/random.ts";

const seed = printedSeed();
afterEach(() => vi.unstubAllGlobals());

const paramsOf = (type: KeyName, count: number, descending = false): SortParams => {
  const all = { rows: 1, values: "given", beginBit: 0, endBit: type.endsWith("64") ? 64 : 32 } as const;
  return { type, count, descending, ...all };
};

const wordsOf = (keys: Keys) => new Uint32Array(keys.buffer, keys.byteOffset, keys.byteLength / 4);

/** Runs that are sorted, with the places of their keys, and what they become. */
function runsOf(keys: Keys, bounds: readonly number[], descending: boolean) {
  const places = naiveOrder(keys, { descending, offsets: bounds });
  const expected = naiveOrder(keys, { descending });
  return {
    all: { keys: wordsOf(pick(keys, places)), values: Uint32Array.from(places) },
    expected: { keys: wordsOf(pick(keys, expected)), values: Uint32Array.from(expected) },
  };
}

/** Cuts [0, count] at random places, some of them twice. */
function boundsOf(count: number, runs: number, random: Random): number[] {
  const cuts = Array.from({ length: runs - 1 }, () => random.int(0, count + 1)).sort((a, b) => a - b);
  return [0, ...cuts, count];
}

type Offer = (request: MergeTask) => boolean;

/** A device whose threads take what `offer` says, in parts of at most `most` keys. */
function threadsOf(offer: Offer, most: number): Pick<Device, "withWorkers"> {
  const pool = {
    offer: async (_: unknown, prepare: () => { request: MergeTask }) => {
      await Promise.resolve();
      return offer(prepare().request) ? { result: undefined } : undefined;
    },
  };
  const tuning = { fewestShareElements: 1, mostShareElements: most };
  const workers = { pool, threads: 3, tuning } as unknown as Workers;
  return {
    withWorkers: async (_, use) => {
      try {
        return await use(workers);
      } catch (error) {
        if (error instanceof DeviceLostError) return undefined;
        throw error;
      }
    },
  };
}

const merges = (request: MergeTask): boolean => {
  expect([request.from.keys.buffer, request.to.values!.buffer]).toEqual([
    expect.any(SharedArrayBuffer),
    expect.any(SharedArrayBuffer),
  ]);
  mergePart(request);
  return true;
};

it.each(keyTypes)("merges runs of %s in parts of any size", async (type) => {
  const random = new Random(seed);
  for (const kind of ["random", "two", "hard", "equal"] as const) {
    for (const most of [1, 2, 5, 64]) {
      for (const runs of [1, 2, 3, 4, 6, 7]) {
        const keys = keysOf(type, kind, 60, random);
        const bounds = boundsOf(60, runs, random);
        const descending = runs % 2 === 0;
        const { all, expected } = runsOf(keys, bounds, descending);
        const device = threadsOf(merges, most);
        await mergeRuns(device, paramsOf(type, 60, descending), all, bounds, { keeps: true });
        expect(all, `${kind} in parts of ${most}, ${bounds.join()}`).toEqual(expected);
      }
    }
  }
});

it("merges a row among others, and leaves those as they are", async () => {
  const keys = keysOf("i32", "random", 40, new Random(seed + 1));
  const bounds = [0, 7, 20, 40];
  const { all, expected } = runsOf(keys, bounds, false);
  const within = (words: Uint32Array) => Uint32Array.of(5, 4, ...words, 3);
  const row = { keys: within(all.keys), values: within(all.values) };
  const places = bounds.map((bound) => bound + 2);
  for (const most of [3, 100]) {
    const device = threadsOf(most === 3 ? merges : () => false, most);
    const copy = { keys: row.keys.slice(), values: row.values.slice() };
    await mergeRuns(device, paramsOf("i32", 43), copy, places, { keeps: true });
    expect(copy).toEqual({ keys: within(expected.keys), values: within(expected.values) });
  }
});

it("does here what no thread takes, and what threads that died left", async () => {
  const keys = keysOf("f32", "two", 500, new Random(seed + 2));
  const bounds = [0, 1, 200, 200, 377, 500];
  for (const shares of [false, true]) {
    for (const dying of [Infinity, 0, 5, 30, 45]) {
      const { all, expected } = runsOf(keys, bounds, false);
      const shared = (words: Uint32Array) => {
        const copy = new Uint32Array(new SharedArrayBuffer(words.byteLength));
        copy.set(words);
        return copy;
      };
      const given = shares ? { keys: shared(all.keys), values: shared(all.values) } : all;
      let offers = 0;
      const offer: Offer = (request) => {
        if (offers++ % 3 === 0) return false;
        mergePart(request);
        if (offers < dying) return true;
        new Uint32Array(request.to.keys.buffer, request.to.keys.byteOffset + 4 * request.begin, 1)[0] ^= 77;
        throw new DeviceLostError("a worker died");
      };
      await mergeRuns(threadsOf(offer, 30), paramsOf("f32", 500), given, bounds, { keeps: true });
      expect([...given.keys]).toEqual([...expected.keys]);
      expect([...given.values]).toEqual([...expected.values]);
    }
  }
});

it("asks for threads where runs are long, or so long that starting them pays", async () => {
  const asked = async (count: number, keeps: boolean, threads: number) => {
    let answer: boolean | undefined;
    const withWorkers: Device["withWorkers"] = (isWorth) => {
      answer = isWorth(threads);
      return Promise.reject(new Error("asked"));
    };
    const all = { keys: new Uint32Array(count), values: undefined };
    const merged = mergeRuns({ withWorkers }, paramsOf("u32", count), all, [0, 1, count], { keeps });
    await expect(merged).rejects.toThrow("asked");
    return answer;
  };
  expect(await asked(2 ** 22, true, 2)).toBe(true);
  expect(await asked(2 ** 22 - 1, true, 2)).toBe(false);
  expect(await asked(2 ** 22, true, 1)).toBe(false);
  expect(await asked(2 ** 22, false, 2)).toBe(false);
  vi.stubGlobal("SharedArrayBuffer", undefined);
  expect(await asked(2 ** 22, true, 2)).toBe(false);
});

const alone: Pick<Device, "withWorkers"> = { withWorkers: () => Promise.resolve(undefined) };

it("stops when aborted on the way", async () => {
  const count = 3_000_000;
  const keys = Uint32Array.from({ length: count }, (_, at) => (at < count / 2 ? 2 * at : 2 * at - count + 1));
  const merge = (device: Pick<Device, "withWorkers">, signal: AbortSignal) =>
    mergeRuns(device, paramsOf("u32", count), { keys, values: undefined }, [0, count / 2, count], {
      ...{ keeps: true, signal },
    });
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error("enough")), 1);
  await expect(merge(alone, stop.signal)).rejects.toThrow("enough");
  const threads = threadsOf(() => false, 1000);
  const again = new AbortController();
  setTimeout(() => again.abort(new Error("enough again")), 1);
  await expect(merge(threads, again.signal)).rejects.toThrow("enough again");
});

it("says so where there is no room for a copy", async () => {
  const { all } = runsOf(keysOf("u32", "random", 30, new Random(seed)), [0, 9, 30], false);
  vi.stubGlobal(
    "ArrayBuffer",
    class {
      constructor(bytes: number) {
        throw new RangeError(`no room for ${bytes}`);
      }
    },
  );
  const merged = mergeRuns(alone, paramsOf("u32", 30), all, [0, 9, 30], { keeps: true });
  await expect(merged).rejects.toMatchObject({ tag: "OutOfMemory", bytes: 120 });
});
