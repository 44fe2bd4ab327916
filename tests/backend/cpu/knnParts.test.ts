/**
 * `knn.filter` on the CPU backend for so few queries that their references are cut between the workers: the
 * lists must be those of one visit after the other, and searches the same by any number of threads.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CpuBackend } from "../../../dist/runtime/cpu/backend.js";
import { cutsOf } from "../../../dist/ops/knn/cpu/filter.js";
import { knnTuning } from "../../../dist/ops/knn/cpu/tuning.js";
import { Device, NearestNeighbors } from "../../../dist/node.js";
import { bruteForce } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame } from "../helpers.ts";
import { matrix } from "../inputs.ts";
import { expectExact, integers, reals, type Shape } from "./filterProblems.ts";
import { backendWith, filter, open, spawn, tiny } from "./helpers.ts";
import { naiveFilter } from "./naive.ts";

const cutting = { ...tiny, queryRows: 400, fewestQuantized: 48, partCost: 1 };

describe.each([{ shared: true }, { shared: false }])("parts of references, shared: $shared", ({ shared }) => {
  let backend: CpuBackend;
  let whole: CpuBackend;
  beforeAll(async () => {
    backend = await open({ threads: 3, shared, tuning: cutting });
    whole = await open({ threads: 1, shared, tuning: tiny });
  });
  afterAll(() => {
    backend.dispose();
    whole.dispose();
  });

  const shapes: Shape[] = [1, 2, 3, 4, 16, 17, 53].flatMap((refs) =>
    [1, 2, 9].map((queries) => ({ refs, queries })),
  );
  test.each(shapes)("of $refs for $queries queries", async (shape) => {
    for (const k of [1, 3, 20, 53]) {
      for (const cut of [false, true]) {
        const problem = integers({ ...shape, k, capacity: Math.max(k, shape.refs ?? 0), cut, core: "dot" });
        expectExact(await filter(backend, problem), problem);
      }
    }
  });

  test("keep ties by row, where the k-th lies in another part", async () => {
    for (const range of [1, 2]) {
      for (const k of [1, 17, 18, 19, 40]) {
        const problem = integers({ range, k, capacity: k, cut: true, half: 0, queries: 2 });
        expectExact(await filter(backend, problem), problem);
      }
    }
  });

  test("go on with lists that hold rows before", async () => {
    for (const cut of [false, true]) {
      for (const cuts of [[1], [17, 18], [20, 40], [3, 4, 5, 50]]) {
        const problem = integers({ cut, queries: 2 });
        expectExact(await filter(backend, problem, { cuts }), problem);
        expectExact(
          await filter(backend, problem, { cuts, refOffset: 4_000_000_000, fringe: 2 }),
          problem,
          4_000_000_000,
        );
      }
    }
    const problem = reals("l2", 17, 2, 3);
    const once = await filter(whole, problem);
    for (const cuts of [[], [8, 16], [50]]) expect(await filter(backend, problem, { cuts })).toEqual(once);
  });

  test("overflow only where one visit after the other does", async () => {
    let overflows = 0;
    for (const capacity of [3, 6, 12, 20, 30]) {
      for (const seed of [1, 2, 3]) {
        const problem = integers({ refs: 97, k: 3, capacity, queries: 7, dims: 3, seed });
        const expected = naiveFilter(problem);
        const lists = await filter(backend, problem);
        lists.forEach((list, query) => {
          if (list.count > capacity) expect(expected[query].count).toBe(Infinity);
          else if (expected[query].count !== Infinity) expect(list).toEqual(expected[query]);
          overflows += Number(list.count > capacity);
        });
      }
    }
    expect(overflows).toBeGreaterThan(10);
    expect(overflows).toBeLessThan(5 * 3 * 7 - 10);
  });

  test("are visited again, one after the other, where only a part overflows", async () => {
    const near = integers({ refs: 60, queries: 1, dims: 2, k: 3, capacity: 6, half: 0 });
    // The first rows are the query itself, all others tie far away.
    near.refs.values.fill(1000);
    for (const row of [0, 1, 2]) near.refs.values.set(near.queries.values, 2 * row);
    const [list] = await filter(backend, near);
    expect(list.entries.map(({ index }) => index)).toEqual([0, 1, 2]);
    expectExact([list], near);
  });
});

test("each worker is given a part, and no part is too short", async () => {
  const visited: number[] = [];
  const recording = () => {
    const worker = spawn();
    const post: typeof worker.post = (message, transfer) => {
      const { kind, request } = message as { kind: string; request: { params: { refRows: number } } };
      if (kind === "knn.filter") visited.push(request.params.refRows);
      worker.post(message, transfer);
    };
    return { ...worker, post };
  };
  const backend = await backendWith({ threads: 4, spawn: recording, tuning: { partCost: 5000 } });
  const problem = integers({ refs: 1000, queries: 1, core: "dot" });
  expectExact(await filter(backend, problem), problem);
  expect(visited).toEqual([250, 250, 250, 250]);

  const step = { ...problem.params, stride: 8, refBegin: 0, refOffset: 0 };
  const cut = (queryRows: number, refRows: number, threads: number) =>
    cutsOf({ ...step, queryRows, refRows }, { threads, shared: true, tuning: knnTuning });
  const tasks = (queryRows: number, refRows: number, threads: number) => {
    const { queryRows: block, parts } = cut(queryRows, refRows, threads);
    return Math.ceil(queryRows / block) * parts;
  };
  for (const queryRows of [1, 2, 47, 48, 100, 300, 767]) {
    for (const threads of [1, 2, 3, 4, 7, 8, 16]) {
      const count = tasks(queryRows, 10 ** 6, threads);
      expect(count).toBeGreaterThan(0.7 * threads);
      expect(count % threads === 0 || count < threads || queryRows > 100).toBe(true);
    }
  }
  expect(cut(1, 1000, 16).parts).toBe(1);
  expect(cut(16 * 48, 10 ** 6, 16).parts).toBe(1);
});

test.each([1, 2, 3, 5, 16])("a search by %i threads finds the same, ties by row", async (threads) => {
  const random = new Random(printedSeed());
  const [rows, cols, k] = [20_000, 64, 300];
  // Rows repeat three times, far apart, so that equal distances lie in several parts.
  const train = matrix(rows, cols, () => 0);
  const data = train.data as Float64Array;
  const distinct = Math.ceil(rows / 3);
  for (let i = 0; i < distinct * cols; i++) data[i] = Math.floor(random.uniform() * 3);
  data.copyWithin(distinct * cols, 0, distinct * cols);
  data.copyWithin(2 * distinct * cols, 0, (rows - 2 * distinct) * cols);
  const device = await Device.create({ backend: "cpu", threads });
  const model = await new NearestNeighbors({ device, nNeighbors: k }).fit(train);
  for (const count of [1, 3]) {
    const queries = matrix(count, cols, () => Math.floor(random.uniform() * 3));
    expectSame(await model.kneighbors(queries), bruteForce(train, queries, { k }), k);
  }
  device.dispose();
});
