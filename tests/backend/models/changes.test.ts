/**
 * Rows that are added to fitted ones and removed: after every step of random ones, searches equal brute force
 * over the rows that are left, to the bit, and name rows by the numbers that they came with.
 */
import { describe, expect, it } from "vitest";
import { NearestNeighbors, Table } from "../../../dist/node.js";
import type { Device, MetricOptions } from "../../../dist/node.js";
import type { Kind } from "../../oracle/measures.ts";
import { comparedWith, ordered } from "../../oracle/neighbors.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame, onEachBackend, oneIn } from "../helpers.ts";

const seed = printedSeed();

type Row = readonly (number | string | null)[];

/** Words are to the oracle the numbers of their letters. */
const numbered = (row: Row) => row.map((cell) => (typeof cell === "string" ? parseInt(cell, 36) : cell));

/** Rows of some kinds of columns, and the options by which they are compared. */
interface Sort {
  readonly name: string;
  readonly kinds: readonly Kind[];
  readonly options: MetricOptions;
  row(random: Random, words: number): Row;
}

const whole = (random: Random) => [random.int(-9, 9), random.int(-2, 2), random.int(0, 5), random.int(-3, 4)];
const numeric: readonly Kind[] = ["numeric", "numeric", "numeric", "numeric"];
const sorts: readonly Sort[] = [
  { name: "whole numbers with many ties", kinds: numeric, options: {}, row: whole },
  { name: "minkowski", kinds: numeric, options: { metric: "minkowski", p: 3 }, row: whole },
  { name: "cosine", kinds: numeric, options: { metric: "cosine" }, row: whole },
  {
    name: "numbers far from 0",
    kinds: ["numeric", "numeric", "numeric", "numeric", "numeric"],
    options: { metric: "manhattan" },
    row: (random) => Array.from({ length: 5 }, () => 1e6 + random.normal()),
  },
  {
    name: "words and gaps",
    kinds: ["numeric", "nominal", "nominal"],
    options: {},
    row: (random, words) => [
      random.int(0, 5) === 0 ? null : random.int(0, 40) / 4,
      random.int(0, 5) === 0 ? null : `w${random.int(0, words)}`,
      random.pick(["a", "b", "c"]),
    ],
  },
];

const isTable = ({ kinds }: Sort) => kinds.includes("nominal");

function given(sort: Sort, rows: readonly Row[]) {
  if (!isTable(sort)) return rows as readonly number[][];
  const column = (j: number) => rows.map((row) => row[j]);
  return Table.fromColumns(Object.fromEntries(sort.kinds.map((_, j) => [`c${j}`, column(j)] as const)));
}

/** Rows of a table that are looked at: each column has a value, so that its kind shows. */
function shown(sort: Sort, rows: readonly Row[]): readonly Row[] {
  return isTable(sort) ? [...rows, [1, "w0", "a"]] : rows;
}

/** The rows that are left, by their numbers, beside an estimator of the same rows. */
class Pair {
  readonly left = new Map<number, Row>();
  readonly model: NearestNeighbors;
  readonly #sort: Sort;
  readonly #random: Random;
  #next = 0;

  constructor(sort: Sort, device: Device, random: Random) {
    this.model = new NearestNeighbors({ ...sort.options, device });
    this.#sort = sort;
    this.#random = random;
  }

  #made(count: number, words = 2): readonly Row[] {
    return shown(
      this.#sort,
      Array.from({ length: count }, () => this.#sort.row(this.#random, words)),
    );
  }

  #keep(rows: readonly Row[]): number[] {
    return rows.map((row) => {
      this.left.set(this.#next, row);
      return this.#next++;
    });
  }

  async fit(count: number): Promise<void> {
    const rows = this.#made(count);
    await this.model.fit(given(this.#sort, rows));
    this.#keep(rows);
  }

  /** Adds rows, some of which repeat those there are and some have words that are new. */
  async add(count: number): Promise<void> {
    const copies = [...this.left.values()].slice(0, 3);
    const rows = [...this.#made(count, 5), ...copies];
    expect([...(await this.model.add(given(this.#sort, rows)))]).toEqual(this.#keep(rows));
  }

  async remove(ids: readonly number[]): Promise<void> {
    await this.model.remove(ids);
    for (const id of ids) this.left.delete(id);
  }

  some(count: number): number[] {
    return [...this.left.keys()].filter((id) => (id * 7919) % 13 === this.#random.int(0, 12)).slice(0, count);
  }

  /** Removes the rows that are nearest to a query, so that more must be asked for. */
  async removeNearest(count: number): Promise<void> {
    const [query] = this.#made(1);
    await this.remove(this.#expected(query, count).map(({ id }) => id));
    await this.check(5, [query]);
  }

  #expected(query: Row, k: number) {
    const { options, kinds } = this.#sort;
    const [ids, train] = [[...this.left.keys()], [...this.left.values()].map(numbered)];
    const found = ordered(comparedWith(numbered(query), { options, kinds, train })).slice(0, k);
    return found.map(({ index, distance }) => ({ id: ids[index], distance }));
  }

  async check(k: number, queries = this.#made(4, 7)): Promise<void> {
    const found = await this.model.kneighbors(given(this.#sort, queries), { nNeighbors: k });
    const all = queries.flatMap((query) => this.#expected(query, k));
    const expected = {
      indices: Uint32Array.from(all, ({ id }) => id),
      distances: Float64Array.from(all, ({ distance }) => distance),
    };
    expectSame(found, expected, k);
    expect([...this.model.ids]).toEqual([...this.left.keys()]);
  }
}

onEachBackend((device, backend) => {
  describe("rows that come and go", () => {
    const share = backend === "gpu" ? 3 : 1;
    it.each(oneIn(share, sorts, seed))("equal brute force over what is left: $name", async (sort) => {
      const random = new Random(seed);
      const pair = new Pair(sort, device(), random);
      await pair.fit(12);
      for (let step = 0; step < 12; step++) {
        if (random.int(0, 2) === 0) await pair.remove(pair.some(6));
        else await pair.add(random.int(1, 9));
        await pair.check(random.int(1, 6));
      }
      await pair.remove([...pair.left.keys()]);
      expect(pair.model.ids.length).toBe(0);
      const nothing = given(sort, shown(sort, [sort.row(random, 1)]));
      await expect(pair.model.kneighbors(nothing)).rejects.toThrow("all rows were removed; add some");
      expect(() => pair.model.trained).toThrow("all rows were removed");
      await pair.add(4);
      await pair.check(3);
      pair.model.dispose();
    });

    it.each(oneIn(share, [sorts[0], sorts[1], sorts[3], sorts[4]], seed))(
      "so many that several indexes hold them: $name",
      async (sort) => {
        const pair = new Pair(sort, device(), new Random(seed + 1));
        await pair.fit(9000);
        await pair.add(4300);
        await pair.add(90);
        await pair.check(6);
        await pair.remove(pair.some(200));
        await pair.removeNearest(60);
        await pair.add(30);
        await pair.removeNearest(30);
        await pair.remove([...pair.left.keys()].slice(9100));
        await pair.check(4);
        await pair.remove([...pair.left.keys()].filter((id) => id % 5 !== 0)); // the index is made anew
        await pair.check(4);
        pair.model.dispose();
      },
    );
  });

  it("a radius, out and progress are as of one index", async () => {
    const model = new NearestNeighbors({ device: device(), nNeighbors: 2 });
    const data = Float64Array.from({ length: 5000 }, (_, row) => row * 10);
    await model.fit({ data, rows: 5000, cols: 1 });
    await model.add([[4], [21]]);
    await model.remove([2, 7]);
    const out = { indices: new Uint32Array(4), distances: new Float64Array(4) };
    const done: number[] = [];
    const onProgress = (progress: { done: number; total: number }) => {
      done.push(progress.done / progress.total);
    };
    const found = await model.kneighbors([[20], [70]], { radius: 9, out, onProgress });
    expect([...found.counts!]).toEqual([1, 0]);
    expect([...out.indices]).toEqual([5001, 0xffffffff, 0xffffffff, 0xffffffff]);
    expect([...out.distances]).toEqual([1, Infinity, Infinity, Infinity]);
    expect(done.at(-1)).toBe(1);
    expect(done.toSorted((a, b) => a - b)).toEqual(done);
    const few = model.kneighbors([[1]], { nNeighbors: 5001 });
    await expect(few).rejects.toThrow("k is 5001, but train has only 5000 rows");
    model.dispose();
  });

  it("rows know themselves by their numbers", async () => {
    const model = await new NearestNeighbors({ device: device() }).fit([[0], [10], [20], [30], [40]]);
    await model.add([[4], [21]]);
    await model.remove([0, 3]);
    const options = { excludeSelf: true, nNeighbors: 1 };
    const { indices } = await model.kneighbors([[10], [20], [40], [4], [21]], options);
    expect([...indices]).toEqual([5, 6, 6, 1, 2]);
    model.dispose();
  });

  it.each([{ precision: "float32" as const }, { metric: "rapidminer:MahalanobisDistance" as const }])(
    "distances that depend on all rows are those of a fresh fit: %o",
    async (options) => {
      const random = new Random(seed + 2);
      const rows = Array.from({ length: 60 }, () => [random.normal(), random.normal(), 5 * random.normal()]);
      const model = new NearestNeighbors({ device: device(), nNeighbors: 3, ...options });
      await model.fit(rows.slice(0, 50));
      await model.add(rows.slice(50));
      await model.remove([0, 55]);
      const left = rows.filter((_, row) => row !== 0 && row !== 55);
      const fresh = new NearestNeighbors({ device: device(), nNeighbors: 3, ...options });
      const expected = await (await fresh.fit(left)).kneighbors(rows);
      const { ids } = model;
      const indices = expected.indices.map((row) => ids[row]);
      expectSame(await model.kneighbors(rows), { indices, distances: expected.distances }, 3);
      model.dispose();
      fresh.dispose();
    },
  );
});
