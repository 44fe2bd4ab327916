/** Plans whose neighbours a GPU puts in order, walked without a device. */
import { expect, it } from "vitest";
import { nextJob } from "../../../src/ops/knn/plan/jobs.ts";
import * as orders from "../../../src/ops/knn/plan/order.ts";
import type { KnnProblem } from "../../../src/ops/knn/plan/problem.ts";
import { planKnn } from "../../../src/ops/knn/plan/start.ts";
import * as trees from "../../../src/ops/knn/plan/tree.ts";
import type { TileCaps } from "../../../src/ops/knn/plan/tile.ts";
import { DISPATCH_SECONDS } from "../../../src/distance/layout.ts";
import { knnOrder } from "../../../src/ops/knn/treePrimitives.ts";
import { isRunOf } from "../../../src/runtime/primitive.ts";
import { rowCount } from "../../../src/runtime/source.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { MIB, bytesOf, device, done, evaluated, problem, someSize, walk } from "./replay.ts";

const seed = printedSeed();

const jobOf = (asked: Partial<KnnProblem>, caps: TileCaps = {}) =>
  nextJob({
    ...planKnn(problem({ trainRows: 10_000, queryRows: 50, ...evaluated, ...asked }), device(), caps),
    orders,
  })!;
const downloadsOf = (asked: Partial<KnnProblem>, caps?: TileCaps) =>
  jobOf(asked, caps).segment!.steps.flatMap((step) =>
    step.kind === "download" ? [`${step.from} ${step.bytes}`] : [],
  );

it("brings back the k nearest of a query, and which lists overflowed", () => {
  expect(downloadsOf({ k: 3 })).toEqual(["heads 400", "nearRows 600", "nearDistances 1200"]);
});

it("counts the candidates of the lists that did not overflow", () => {
  const { finish } = jobOf({ k: 3, queryRows: 2 });
  if (finish.kind !== "ordered") throw new Error(`the device left ${finish.kind}`);
  const into = { k: 3, indices: new Uint32Array(6), distances: new Float64Array(6) };
  const downloads = new Map<string, ArrayBuffer>([
    ["heads", Uint32Array.of(7, 0, 5000, 0).buffer],
    ["nearRows", Uint32Array.of(1, 2, 3, 4, 5, 6).buffer],
    ["nearDistances", Float64Array.of(1, 2, 3, 4, 5, 6).buffer],
  ]);
  const metric = undefined as never;
  expect(finish.collect({ begin: 0, end: 2 }, downloads, 3, into, metric)).toBe(7);
  expect([...into.indices, ...into.distances]).toEqual([1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6]);
});

it("orders float32 points by keys of their values, and evaluates none in float64", () => {
  const asked = problem({ trainRows: 10_000, queryRows: 2, k: 3, precision: "float32" });
  const plan = planKnn(asked, device());
  const { segment, finish } = nextJob({ ...plan, orders })!;
  const exponent = plan.technique.form === "none" ? undefined : plan.technique.rankExponent;
  const runs = segment!.steps.flatMap((step) => (isRunOf(step, knnOrder) ? [step] : []));
  expect(runs.map(({ bindings, params }) => [bindings.keys, params.rankExponent])).toEqual([
    ["intervals", exponent],
  ]);
  if (finish.kind !== "ordered") throw new Error(`the device left ${finish.kind}`);
  const into = { k: 3, indices: new Uint32Array(6), distances: new Float64Array(6) };
  const downloads = new Map<string, ArrayBuffer>([["heads", Uint32Array.of(7, 0, 5000, 0).buffer]]);
  expect(finish.collect({ begin: 0, end: 2 }, downloads, 3, into, undefined as never)).toBe(0);
});

it("leaves float32 points to the host whose distances float64 has no normal numbers for, and along trees", () => {
  const asked = problem({ trainRows: 10_000, queryRows: 50, k: 3, precision: "float32" });
  const plan = planKnn(asked, device());
  if (plan.technique.form === "none") throw new Error("there is no filter");
  const kindOf = (rankExponent: number) =>
    nextJob({ ...plan, technique: { ...plan.technique, rankExponent } as typeof plan.technique, orders })!
      .finish.kind;
  expect([800, -800, 801, -801, 0.5].map(kindOf)).toEqual([
    ...["ordered", "ordered"],
    ...["collect", "collect", "collect"],
  ]);
  const tree = { onGpu: true } as NonNullable<typeof plan.tree>;
  expect(orders.orderBytes({ ...plan, tree }, 64)).toBe(0);
});

it("refuses a list of fewer than k candidates, which no filter leaves", () => {
  const { finish } = jobOf({ k: 3, queryRows: 1 });
  const into = { k: 3, indices: new Uint32Array(3), distances: new Float64Array(3) };
  const downloads = new Map([["heads", Uint32Array.of(2, 0).buffer]]);
  if (finish.kind !== "ordered") throw new Error(`the device left ${finish.kind}`);
  expect(() => finish.collect({ begin: 0, end: 1 }, downloads, 3, into, undefined as never)).toThrow(
    "a list has 2 of 3 candidates",
  );
});

it("cuts its steps so that a slow device takes no longer for one than for one of a filter", () => {
  const plan = {
    ...planKnn(problem({ ...evaluated, trainRows: 10_000, queryRows: 50, k: 1000 }), device()),
    orders,
  };
  const stepsAt = (rate: number) =>
    nextJob({ ...plan, rate, observed: true })!.segment!.steps.flatMap((step) =>
      isRunOf(step, knnOrder) ? [step] : [],
    );
  expect(stepsAt(1e12)).toHaveLength(1);
  const slow = stepsAt(1e9);
  const rows = slow.map(({ params: { queryBegin, queryRows } }) => [queryBegin, queryBegin + queryRows]);
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.flat().slice(1, -1)).toEqual(rows.slice(1).flatMap(([begin]) => [begin, begin]));
  expect([rows[0][0], rows.at(-1)![1]]).toEqual([
    0,
    rowCount(nextJob({ ...plan, rate: 1e9, observed: true })!.task.rows),
  ]);
  for (const { cost } of slow) expect(cost).toBeLessThanOrEqual(1e9 * DISPATCH_SECONDS);
});

it("fits the budget beside neighbours in order, whatever the sizes", () => {
  let ordered = 0;
  for (let i = 0; i < 100; i++) {
    const { asked, info } = someSize(new Random(seed + i));
    try {
      const { jobs, plans } = walk({ ...planKnn(asked, info), orders }, (job) => done(job));
      jobs.forEach(({ segment, finish }, at) => {
        if (finish.kind === "ordered") ordered++;
        if (segment) expect(bytesOf(plans[at], segment).total).toBeLessThanOrEqual(info.budgetBytes);
      });
    } catch (error) {
      expect((error as Error).message).toMatch(/do not hold one tile/);
    }
  }
  expect(ordered).toBeGreaterThan(20);
});

it("takes no room where the host sorts", () => {
  const sizeOf = (asked: Partial<KnnProblem>, more: object) => {
    const some = problem({ ...evaluated, trainRows: 5000, queryRows: 900, k: 300, ...asked });
    const plan = planKnn(some, device({ budgetBytes: 4 * MIB }));
    return rowCount(nextJob({ ...plan, ...more })!.task.rows);
  };
  expect(sizeOf({ metric: "cosine" }, { orders })).toBe(sizeOf({ metric: "cosine" }, {}));
  expect(sizeOf({}, { orders })).toBeLessThan(sizeOf({}, {}));
});

it.each<[string, Partial<KnnProblem>]>([
  ["lists are long, which would hold a device up", { k: 1500 }],
  ["heaps are replayed", { keepAll: true }],
  ["bounds are known", { bounded: true }],
  ["the device does not know the last step of the metric", { metric: "minkowski" }],
])("leaves it to the host where %s", (_, asked) => {
  expect(jobOf(asked).finish.kind).toBe("refine");
});

it("sorts what was searched along no tree as if there were none, in room that is counted", () => {
  const points = problem({ ...evaluated, trainRows: 10_000, queryRows: 5000, cols: 2 });
  const caps = { tree: true };
  const plan = planKnn(points, device({ budgetBytes: 4 * MIB }), caps, undefined, undefined, trees);
  const todo = plan.todo.map((task) => ({ ...task, whole: true as const }));
  const jobs = [undefined, orders].map((orders) => nextJob({ ...plan, todo, orders })!);
  expect(jobs.map(({ finish }) => finish.kind)).toEqual(["refine", "ordered"]);
  for (const { segment } of jobs) expect(bytesOf(plan, segment!).total).toBeLessThanOrEqual(plan.budget);
});
