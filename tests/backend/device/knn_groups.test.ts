/**
 * knn.filter with groups of references: pairs are appended after the first references, whose values are
 * stored, and recomputed where there is no room for them. Against the naive lists of filter.ts where all
 * arithmetic is exact, elsewhere against the bits that stored values give. Caps let few references take every
 * path.
 */
import { describe, expect, it } from "vitest";
import type { KnnRooms } from "../../../dist/ops/knn/contract/filter.js";
import type { GpuBackend } from "../../../dist/runtime/gpu/backend.js";
import {
  exactProblem,
  filter,
  filterCapped,
  interval64,
  naiveList,
  type List,
  type Problem,
  type ProblemShape,
} from "./filter.ts";
import { printedSeed } from "../../oracle/random.ts";
import { oneIn } from "../helpers.ts";
import { hasGpu, onSharedGpu, randomizer } from "./gpu.ts";
import { PassRunner } from "./passRunner.ts";

const seed = printedSeed();

type Caps = Partial<KnnRooms>;

/**
 * All but one reference is recomputed by groups; or all pairs that pass after the first 40 references are
 * appended.
 */
const noRoom: Caps = { first: 1, room: 0 };
const fewStored: Caps = { first: 40 };

/** Enough queries for a tile that is not a small batch's. */
const MANY = 33;

/** Queries, references and k around the edges of groups and tiles. */
const alone = [
  [MANY, 1, 1],
  [MANY, 15, 2],
  [MANY, 16, 4],
  [40, 17, 3],
  [63, 63, 5],
  [64, 64, 7],
];

describe.skipIf(!hasGpu)("knn.filter through groups", () => {
  let backend: GpuBackend;
  let runner: PassRunner;
  onSharedGpu((opened) => {
    backend = opened;
    runner = new PassRunner(backend.device);
  });

  async function expectNaive(problem: Problem, caps?: Caps, tiles?: readonly number[]): Promise<void> {
    const got = caps
      ? await filterCapped(runner, problem, caps, tiles)
      : await filter(backend, problem, tiles);
    expect(got).toEqual(got.map((list, query) => comparable(problem, list, naiveList(problem, query))));
  }

  const random = [
    ["dot", 0, true, noRoom],
    ["dot", 0, true, fewStored],
    ["l2", 0, false, fewStored],
    ["lp", 2.5, false, noRoom],
  ] as const;
  it.each(oneIn(4, random, seed))(
    "gives the bits of stored values on random numbers (%s, p %d, cut %s, caps %o)",
    async (core, p, cut, caps) => {
      const shape = { queryRows: MANY, refRows: 530, dims: 21, k: 6, seed: 31, value: centred };
      const problem = exactProblem(shape, { core, p, cut, slack: 2 ** -10 });
      const values = await filter(backend, problem);
      const grouped = { ...problem, group: 16 };
      expect(await filterCapped(runner, grouped, caps)).toEqual(values);
      expect(await filterCapped(runner, grouped, caps, [300, 230])).toEqual(values);
    },
  );

  it.each([noRoom, fewStored])(
    "keeps what the contract names of rows with codes and gaps (%o)",
    async (caps) => {
      const problem = mixedProblem({ queryRows: MANY, refRows: 530, dims: 13, k: 5, seed: 8 });
      await expectNaive(problem);
      await expectNaive({ ...problem, group: 16 }, caps);
    },
  );

  it("keeps in keep-all lists what was among the k nearest so far, and little else", async () => {
    const [k, refRows] = [4, 900];
    const problem = mixedProblem({ queryRows: 9, refRows, dims: 6, k, seed: 9 }, { slack: 0, keepAll: true });
    for (const tiles of [[refRows], [300, 1, 599]]) {
      const got = await filter(backend, problem, tiles);
      got.forEach(({ rows }, query) => {
        const highs: number[] = [];
        for (let row = 0; row < refRows; row++) {
          const [low, high] = interval64(problem, query, row);
          if (highs.length < k || low <= highs[k - 1]) expect(rows).toContain(row);
          highs.push(high);
          highs.sort((a, b) => a - b);
        }
        expect(rows.length).toBeLessThan(refRows / 3);
      });
    }
  });

  it("keeps what the contract names (linf)", async () => {
    const shape = { queryRows: 3, refRows: 301, dims: 7, k: 4, seed: 1 };
    await expectNaive(exactProblem(shape, { core: "linf", cut: true, group: 16 }), fewStored);
  });

  const variants: [boolean, Caps][] = [
    [true, noRoom],
    [false, noRoom],
    [false, fewStored],
    [true, fewStored],
  ];
  describe.each(oneIn(4, variants, seed))("with cut %s and %o", (cut, caps) => {
    // Fewer references than `first` are stored values alone.
    it.each([...(caps === fewStored ? [] : alone), [65, 65, 3], [67, 531, 11]])(
      "works on %i queries x %i references, k = %i",
      async (queryRows, refRows, k) => {
        await expectNaive(
          exactProblem({ queryRows, refRows, dims: 7, k, seed: 2 }, { cut, group: 16 }),
          caps,
        );
      },
    );

    it.each([1, 400, 700, 1000])("works for k = %i of 700, however they are cut", async (k) => {
      const problem = exactProblem(
        { queryRows: MANY, refRows: 700, dims: 5, k, seed: 3 },
        { cut, group: 16 },
      );
      for (const tiles of [[700], [300, 1, 399]]) await expectNaive(problem, caps, tiles);
    });

    it("keeps the lowest indices among all-equal references, or all of them", async () => {
      for (const k of [1, 300]) {
        const shape = { queryRows: MANY, refRows: 700, dims: 3, k, seed: 4, value: () => 1 };
        const problem = exactProblem(shape, { cut, group: 16, ...pointMetas(MANY, 700) });
        await expectNaive(problem, caps, [5, 300, 395]);
      }
    });

    it("looks into a group as often as duplicates by the hundred need it", async () => {
      const shape = { queryRows: MANY, refRows: 2000, dims: 1, k: 500, seed: 5 };
      const few = { ...shape, value: (random: () => number) => Math.floor(random() * 3) };
      await expectNaive(exactProblem(few, { cut, core: "dot", group: 16 }), caps, [700, 1300]);
    });

    it("merges in turns where sorted references put more pairs below the threshold than may wait", async () => {
      await expectNaive(sortedProblem(3000, { cut, group: 16 }), caps);
    });

    it("predicts a limit from the references before, and recomputes where their order misled", async () => {
      const shape = { queryRows: MANY, refRows: 2000, dims: 1, k: 150, seed: 14, value: sixteenths };
      const problem = exactProblem(shape, {
        ...{ core: "l1", cut, group: 16, capacity: 700 },
        ...pointMetas(MANY, 2000),
      });
      const some = { first: 160, room: 480 };
      await expectNaive(problem, some);
      // The nearest of all stand among the first, then none that is as near.
      for (let row = 160; row < 2000; row++) problem.refs[row * problem.stride] += 1000;
      await expectNaive(problem, some);
      await expectNaive(problem, some, [900, 1100]);
    });

    it("finds what lies near when one row lies far", async () => {
      const problem = exactProblem(
        { queryRows: MANY, refRows: 300, dims: 3, k: 5, seed: 6 },
        { cut, group: 16 },
      );
      problem.refs.fill(1000, 40 * problem.stride, 40 * problem.stride + 3);
      await expectNaive(problem, caps);
    });

    it("gives the bits of stored values where they are subnormal", async () => {
      const shape = { queryRows: MANY, refRows: 900, dims: 3, k: 20, seed: 9 };
      const tiny = { ...shape, value: (random: () => number) => centred(random) * 1e-19 };
      const problem = exactProblem(tiny, { cut, ...pointMetas(MANY, 900) });
      const grouped = { ...problem, group: 16 };
      expect(await filterCapped(runner, grouped, caps)).toEqual(await filter(backend, problem));
    });

    it("gives the same bits every time", async () => {
      const shape = { queryRows: MANY, refRows: 517, dims: 5, k: 30, seed: 10, value: centred };
      const problem = exactProblem(shape, { cut, group: 16 });
      const once = await filterCapped(runner, problem, caps);
      for (let i = 0; i < 2; i++) expect(await filterCapped(runner, problem, caps)).toEqual(once);
    });
  });

  it.each([8, 32, 64])("works with groups of %i", async (group) => {
    for (const refRows of [group - 1, group, group + 1, 5 * group + 3]) {
      await expectNaive(
        exactProblem({ queryRows: MANY, refRows, dims: 3, k: 6, seed: 11 }, { group }),
        noRoom,
      );
    }
  });

  it("reports overflow where stored values do", async () => {
    const all = exactProblem(
      { queryRows: 40, refRows: 300, dims: 2, k: 3, seed: 9 },
      { slack: 0.5, group: 16 },
    );
    const needs = Array.from({ length: 40 }, (_, query) => naiveList(all, query).count).sort((a, b) => a - b);
    const problem = { ...all, capacity: needs[20] };
    await expectNaive(problem, noRoom);
    await expectNaive(problem, noRoom, [100, 200]);
    expect(needs[39]).toBeGreaterThan(needs[20]);
  });
});

const sixteenths = (random: () => number): number => Math.floor(random() * 16_000) / 16;

const centred = (random: () => number): number => random() - 0.5;

/** Intervals that are points at the dot product. */
function pointMetas(queryRows: number, refRows: number): Partial<Problem> {
  return { slack: 0, queryMeta: new Float32Array(queryRows * 4), refMeta: new Float32Array(refRows * 4) };
}

/** References on a line, in order, so that the nearest lie in few groups: all in sixteenths, hence exact. */
function sortedProblem(refRows: number, fields: Partial<Problem>): Problem {
  const shape = { queryRows: MANY, refRows, dims: 1, k: 600, seed: 12 };
  const problem = exactProblem(shape, { core: "l1", capacity: 700, ...pointMetas(MANY, refRows), ...fields });
  for (let row = 0; row < refRows; row++) problem.refs[row * problem.stride] = row / 16;
  for (let row = 0; row < MANY; row++) problem.queries[row * problem.stride] = row * 5;
  return problem;
}

/** Lists are equal if both overflow; a short one has no threshold to compare. */
function comparable(problem: Problem, got: List, wanted: List): List {
  if (wanted.count > problem.capacity) {
    expect(got.count).toBeGreaterThan(problem.capacity);
    return got;
  }
  return wanted.count < problem.k ? { ...wanted, threshold: got.threshold } : wanted;
}

/** Eight codes, of which each row may lack some, then numbers with gaps. */
function mixedProblem(shape: ProblemShape, fields: Partial<Problem> = {}): Problem {
  const mixed = { codes: 8, unit: 0.5, gaps: true, mark: 2 ** -40, counts: false };
  const problem = exactProblem(
    { ...shape, dims: shape.dims + mixed.codes },
    { core: "l2", mixed, ...fields },
  );
  const random = randomizer(shape.seed);
  const withGaps = (rows: Float32Array, gap: number) =>
    rows.map((value, at) => {
      if (random() < 0.2 || at % problem.stride >= problem.dims) return gap;
      return at % problem.stride < mixed.codes ? Math.abs(value) : value;
    });
  return {
    ...problem,
    queries: withGaps(problem.queries, 2 ** 62),
    refs: withGaps(problem.refs, -(2 ** 62)),
  };
}
