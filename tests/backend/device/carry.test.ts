/**
 * `knn.carry` on lists of its own: keys are where their candidates are, whatever left the lists, and nothing
 * else is written.
 */
import { describe, expect, it } from "vitest";
import { Random, printedSeed } from "../../oracle/random.ts";
import { isAbsent } from "../helpers.ts";
import { openSharedGpu, rowsOf } from "./gpu.ts";
import { knnCarry } from "../../../dist/ops/knn/primitives.js";

const random = new Random(printedSeed());
const POISON = 0xdeadbeef;
const NO_ROW = 0xffffffff;
const END = 0xfffffffe;
const capacity = 37;
const queryRows = 131;
const refOffset = 1000;

/** Two different words for every candidate, by its query and row. */
function keyOf(query: number, row: number): [number, number] {
  return [(query * 7919 + row) >>> 0, Math.imul(row + 1, 0x9e3779b1) >>> 0];
}

/**
 * What a query's list held, and what it holds now: seeds that stay or go, some of the old rows in their
 * order, new ones.
 */
function listOf(query: number) {
  const seeds = random.int(0, 3) === 0 ? random.int(1, 5) : 0;
  const old = Array.from({ length: random.int(0, capacity - seeds) }, (_, i) => (i * 389 + query) % 997);
  const before = [...Array<number>(seeds).fill(NO_ROW), ...old];
  const stays = random.int(0, 2) === 0;
  const kept = [...Array<number>(stays ? seeds : 0).fill(NO_ROW), ...old.filter(() => random.int(0, 3) > 0)];
  const added = Array.from(
    { length: random.int(0, capacity - kept.length + 1) },
    (_, i) => refOffset + 3 * i,
  );
  return { query, before, now: [...kept, ...added] };
}

async function carried(lists: readonly ReturnType<typeof listOf>[], counts: readonly number[]) {
  const words = { heads: 2, candidates: capacity, keyed: capacity, keys: 2 * capacity };
  const names = Object.keys(words) as (keyof typeof words)[];
  const given = Object.fromEntries(
    names.map((name) => [name, new Uint32Array(queryRows * words[name]).fill(POISON)]),
  );
  for (const { query, before, now } of lists) {
    given["heads"][2 * query] = counts[query];
    given["candidates"].set(now, query * capacity);
    given["keyed"].set(before, query * capacity);
    before.forEach((row, at) => given["keys"].set(keyOf(query, row), 2 * (query * capacity + at)));
  }
  const backend = await openSharedGpu();
  const session = await backend.open([]);
  const { downloads } = await session.run(
    {
      label: "carry",
      buffers: names.map((name) => ({ name, bytes: given[name].byteLength })),
      steps: [
        ...names.map(
          (to) => ({ kind: "upload", to, source: to, part: "", rows: { begin: 0, end: queryRows } }) as const,
        ),
        {
          kind: "run",
          primitive: knnCarry,
          params: { capacity, queryRows, refOffset },
          bindings: { heads: "heads", candidates: "candidates", keyed: "keyed", keys: "keys" },
          cost: 1,
        },
        ...(["keyed", "keys"] as const).map(
          (from) => ({ kind: "download", from, bytes: given[from].byteLength }) as const,
        ),
      ],
    },
    Object.fromEntries(names.map((name) => [name, rowsOf(given[name], words[name])])),
  );
  session.dispose();
  backend.dispose();
  const bytesOf = (name: string) => new Uint32Array(downloads.get(name)!);
  return (query: number) => ({
    keyed: [...bytesOf("keyed").subarray(query * capacity, (query + 1) * capacity)],
    key: (at: number) => [
      ...bytesOf("keys")
        .subarray(2 * (query * capacity + at))
        .subarray(0, 2),
    ],
  });
}

describe.skipIf(isAbsent("gpu"))("keys of candidates", () => {
  it("follow them, are NaN where they are missing, and stay where lists overflowed", async () => {
    const lists = Array.from({ length: queryRows }, (_, query) => listOf(query));
    const over = random.int(0, queryRows);
    const lost = (over + 1) % queryRows;
    // Behind the end of the list stands what an earlier one left there.
    lists[lost] = { query: lost, before: [1, 2, 3, END, 4], now: [1, 4, refOffset] };
    const counts = lists.map(({ now }, query) => (query === over ? capacity + 1 : now.length));
    const after = await carried(lists, counts);
    for (const { query, before, now } of lists) {
      const { keyed, key } = after(query);
      const overflowed = query === over;
      const end = now.length < capacity ? [END] : [];
      const held = overflowed ? before : [...now, ...end, ...before.slice(now.length + 1)];
      expect(keyed.slice(0, held.length), `rows of query ${query}`).toEqual(held);
      expect(keyed.slice(held.length).every((word) => word === POISON)).toBe(true);
      (overflowed ? before : now).forEach((row, at) => {
        if (row >= refOffset) return;
        const missing = query === lost && row === 4;
        expect(key(at), `row ${row} of query ${query}`).toEqual(
          missing ? [0, 0x7ff80000] : keyOf(query, row),
        );
      });
    }
  });
});
