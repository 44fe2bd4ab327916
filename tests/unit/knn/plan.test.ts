/**
 * The k-NN plan without a device: whatever the sizes, budgets and caps, the jobs answer every query, visit
 * every reference once, and stay within memory, bindings and time.
 */
import { describe, expect, it } from "vitest";
import type { BackendInfo } from "../../../src/runtime/backend.ts";
import { knnFilterScratchBytes } from "../../../src/ops/knn/contract/filter.ts";
import { knnProgram } from "../../../src/ops/knn/plan/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { MIB, bytesOf, device, done, problem, rowsOf, visitedReferences, walk, walkAll } from "./replay.ts";
import { isRunOf } from "../../../src/runtime/primitive.ts";
import { knnFilter } from "../../../src/ops/knn/primitives.ts";
import { leastBytesOf, tileFor } from "../../../src/ops/knn/plan/jobTile.ts";
import { planKnn } from "../../../src/ops/knn/plan/start.ts";
import type { KnnJob } from "../../../src/ops/knn/plan/knnPlan.ts";

const seed = printedSeed();

function randomCase(random: Random) {
  const size = () => Math.ceil(2 ** random.uniform(0, 10));
  const trainRows = size();
  const asked = problem({
    trainRows,
    queryRows: size(),
    cols: Math.ceil(2 ** random.uniform(0, 8)),
    k: random.int(1, trainRows + 1),
    precision: random.pick(["float64", "float32"] as const),
    metric: random.pick(["euclidean", "manhattan", "cosine"] as const),
  });
  const budgetBytes = Math.floor(2 ** random.uniform(17, 28));
  const bufferBytes = Math.floor(budgetBytes * random.uniform(0.2, 1));
  const info = device({ kind: random.pick(["gpu", "cpu"] as const), budgetBytes, bufferBytes });
  const cap = () => (random.int(0, 2) === 0 ? undefined : size());
  const group = random.pick([undefined, 0, 8, 64]);
  return { asked, info, caps: { queries: cap(), references: cap(), chunk: cap(), group } };
}

it("says how many bytes the least tile takes: with as many there is one, with one less none", () => {
  let tried = 0;
  for (let i = 0; i < 300; i++) {
    const { asked, info } = randomCase(new Random(seed + i));
    const largest = { ...info, budgetBytes: 2 ** 30, bufferBytes: 2 ** 30 };
    const plan = planKnn({ ...asked, keepAll: i % 3 === 0 }, largest);
    const capacity = plan.todo[0].capacity;
    if (capacity === undefined) continue;
    const needed = leastBytesOf(plan, capacity);
    expect(tileFor({ ...plan, budget: needed }, 1, capacity)).toBeDefined();
    expect(tileFor({ ...plan, budget: needed - 1 }, 1, capacity)).toBeUndefined();
    tried++;
  }
  expect(tried).toBeGreaterThan(100);
});

describe("for random sizes, budgets and caps a plan", () => {
  const cases = Array.from({ length: 200 }, (_, i) => randomCase(new Random(seed + i)));
  const walks = cases.flatMap(({ asked, info, caps }) => {
    try {
      return [{ asked, info, caps, ...walkAll(asked, info, caps) }];
    } catch (error) {
      expect((error as Error).message).toMatch(/do not hold one tile/);
      return [];
    }
  });
  const filtered = walks.flatMap(({ jobs, plans, ...rest }) =>
    jobs.flatMap(({ segment, ...job }, i) => (segment ? [{ ...rest, job, segment, plan: plans[i] }] : [])),
  );

  it("exists for most of them, and filters in most", () => {
    expect(walks.length).toBeGreaterThan(100);
    expect(filtered.length).toBeGreaterThan(100);
  });

  it("answers every query exactly once, in order", () => {
    for (const { asked, jobs } of walks) {
      const answered = jobs.flatMap(({ finish }) => rowsOf(finish.rows));
      expect(answered).toEqual(Array.from({ length: asked.queryRows }, (_, i) => i));
    }
  });

  it("visits every reference exactly once, in ascending order, from the buffer that holds it", () => {
    for (const { asked, plan, segment } of filtered) {
      const ranges = visitedReferences(plan, segment);
      expect([ranges[0][0], ranges.at(-1)![1]]).toEqual([0, asked.trainRows]);
      expect(ranges.every(([begin, end], i) => begin < end && begin === (ranges[i - 1]?.[1] ?? 0))).toBe(
        true,
      );
    }
  });

  it("keeps all buffers within the budget and each within what can be bound", () => {
    for (const { info, plan, segment } of filtered) {
      const { largest, total } = bytesOf(plan, segment);
      expect(total).toBeLessThanOrEqual(info.budgetBytes);
      expect(largest).toBeLessThanOrEqual(info.bufferBytes);
    }
  });

  it("keeps to the caps", () => {
    for (const { caps, segment } of filtered) {
      const steps = segment.steps.flatMap((step) => (isRunOf(step, knnFilter) ? [step.params] : []));
      const widest = Math.min(caps.references ?? Infinity, caps.chunk ?? Infinity);
      expect(steps.every(({ queryRows }) => queryRows <= (caps.queries ?? Infinity))).toBe(true);
      expect(steps.every(({ refRows }) => refRows <= widest)).toBe(true);
    }
  });

  it("counts work as the sum of its steps and units as its queries", () => {
    for (const { segment, job } of filtered) {
      const work = segment.steps.reduce((sum, step) => sum + (step.kind === "run" ? step.cost : 0), 0);
      expect(work).toBe(job.cost);
      expect(job.units).toBe(rowsOf(job.task.rows).length);
    }
  });
});

describe("a plan for a large problem", () => {
  const large = problem({ trainRows: 1_000_000, queryRows: 10_000, cols: 784, k: 10 });

  it("binds no more than WebGPU's default of 128 MiB", () => {
    const info = device({ budgetBytes: 8192 * MIB });
    const { jobs, plans } = walkAll(large, info);
    expect(plans[0].layout).toMatchObject({ resident: true });
    expect(plans[0].layout!.chunks).toBeGreaterThan(20);
    for (const [i, { segment }] of jobs.entries()) {
      expect(bytesOf(plans[i], segment!).largest).toBeLessThanOrEqual(128 * MIB);
    }
  });

  it("stores minima of groups, smaller ones for larger k, and values for the largest", () => {
    const groupsOf = (k: number) =>
      walkAll({ ...large, k }, device({ budgetBytes: 8192 * MIB, initialRate: 1e13 })).jobs.map(
        ({ tile }) => tile?.group,
      );
    expect(new Set(groupsOf(10))).toEqual(new Set([64]));
    expect(new Set(groupsOf(1000))).toEqual(new Set([8]));
    expect(new Set(groupsOf(300_000))).toEqual(new Set([0]));
  });

  it("has scratch for what each step needs", () => {
    for (const { segment } of walkAll({ ...large, k: 100 }, device()).jobs) {
      const scratch = segment?.buffers.find(({ name }) => name === "scratch");
      for (const step of segment?.steps ?? []) {
        if (!isRunOf(step, knnFilter)) continue;
        expect(knnFilterScratchBytes(step.params)).toBeLessThanOrEqual(scratch?.bytes ?? 0);
      }
    }
  });

  it("streams references that do not fit", () => {
    const { plans, jobs } = walkAll(large, device({ budgetBytes: 256 * MIB }));
    expect(plans[0].layout).toMatchObject({ resident: false });
    expect(bytesOf(plans[0], jobs[0].segment!).total).toBeLessThanOrEqual(256 * MIB);
  });

  it.each([1e9, 2e10, 1e12])(
    "keeps dispatches under a tenth of a second at %f multiply-adds per second",
    (rate) => {
      const { jobs } = walkAll(large, device({ budgetBytes: 8192 * MIB, initialRate: rate }));
      const works = jobs[0].segment!.steps.flatMap((step) => (step.kind === "run" ? [step.cost] : []));
      expect(Math.max(...works)).toBeLessThanOrEqual(rate * 0.1);
    },
  );
});

describe("the watchdog", () => {
  const large = problem({ trainRows: 300_000, queryRows: 3000, cols: 128, k: 10 });

  /** Seconds of every dispatch's work on a device of that true rate, job by job. */
  function secondsPerJob(trueRate: number, initialRate: number): number[][] {
    const info = device({ budgetBytes: 4096 * MIB, initialRate });
    const took = (job: KnnJob) => (job.cost / trueRate) * 1000;
    const { jobs } = walk(planKnn(large, info), (job) => done(job, undefined, took(job)));
    return jobs.map(({ segment }) =>
      (segment?.steps ?? []).flatMap((step) => (step.kind === "run" ? [step.cost / trueRate] : [])),
    );
  }

  it.each([2e9, 2e10, 1e12, 1e13])("plans no dispatch over 250 ms on a GPU of %f per second", (trueRate) => {
    expect(Math.max(...secondsPerJob(trueRate, 2e10).flat())).toBeLessThan(0.25);
  });

  it("plans none over a tenth of a second once it has seen how slow a GPU is", () => {
    const [first, ...rest] = secondsPerJob(2e8, 2e10);
    expect(Math.max(...first)).toBeGreaterThan(0.25);
    expect(Math.max(...rest.flat())).toBeLessThanOrEqual(0.1);
  });

  it("grows to few dispatches on a fast GPU, at once where the rate is known", () => {
    const dispatches = secondsPerJob(1e13, 2e10).map((job) => job.length);
    expect(dispatches.at(-1)).toBeLessThan(4);
    const known = planKnn(large, device({ budgetBytes: 4096 * MIB }), {}, 1e13);
    const [job] = walk(known, (each) => done(each)).jobs;
    expect([job.units, job.segment?.steps.filter(({ kind }) => kind === "run").length]).toEqual([1024, 2]);
  });

  it("cuts references into parts as long as each other, which all take one shader", () => {
    const plan = planKnn(problem({ trainRows: 20_000 }), device(), { references: 15_000 }, 1e13);
    const ranges = visitedReferences(plan, knnProgram.nextJob(plan)!.segment!);
    expect(ranges.map(([begin, end]) => end - begin)).toEqual([10_048, 9952]);
  });
});

describe("resident rows", () => {
  it("are kept for the next search only when it prepares train in the same way", () => {
    const plans = [0.3, 1, 1000, 1e6].flatMap((largest) =>
      [true, false].map((exact) =>
        planKnn(problem({ train: { largest: 1, exact: true }, queries: { largest, exact } }), device()),
      ),
    );
    const byKey = new Map<string, Set<string>>();
    for (const plan of plans) {
      const { technique } = plan;
      const how = technique.form === "none" ? "none" : JSON.stringify(technique.train);
      const key = knnProgram.residentKey(plan);
      byKey.set(key, (byKey.get(key) ?? new Set()).add(how));
    }
    expect([...byKey.values()].filter((ways) => ways.size > 1)).toEqual([]);
  });
});

describe("the rate", () => {
  const started = planKnn(problem({ queryRows: 5000, trainRows: 5000 }), device({ initialRate: 1e9 }));
  const afterOne = (ms: number, compiled = false) =>
    walk(started, (job) => ({
      kind: "done",
      ms,
      compiled,
      downloads: new Map([["heads", new ArrayBuffer(8 * job.units)]]),
      dispatches: 0,
      work: 0,
    })).plans[1].rate;

  it("falls at once to what was measured", () => {
    expect(afterOne(10_000)).toBeLessThan(1e9 / 50);
  });

  it("rises by at most four times", () => {
    expect(afterOne(1.5)).toBe(4e9);
  });

  it("is left alone by what took too little time to measure", () => {
    expect(afterOne(0.5)).toBe(1e9);
  });

  it("is left alone by what waited for shaders to be compiled", () => {
    expect(afterOne(10_000, true)).toBe(1e9);
  });
});

describe("a first search of rows that a GPU holds", () => {
  it("leaves no few queries to a job of their own", () => {
    const info = device({ budgetBytes: 1024 * MIB, bufferBytes: 1024 * MIB });
    const sizesOf = (queryRows: number) => {
      const { jobs } = walkAll(problem({ trainRows: 1e6, queryRows, cols: 128 }), info);
      return jobs.map(({ task }) => rowsOf(task.rows).length);
    };
    for (const few of [1, 64, 65, 130, 256]) expect(sizesOf(few)).toEqual([few]);
    expect(sizesOf(257)[0]).toBe(64);
    const { jobs } = walkAll(problem({ trainRows: 20_000, queryRows: 400, cols: 128 }), info);
    expect(jobs).toHaveLength(1);
  });
});

describe("a streamed search on a GPU that nobody has timed", () => {
  const asked = problem({ trainRows: 2_000_000, queryRows: 10_000, cols: 128, k: 10 });
  const info = device({ budgetBytes: 1024 * MIB, bufferBytes: 1024 * MIB });
  /**
   * A device of that rate, whose first two jobs wait for shaders to be compiled, and every third for
   * something else.
   */
  const walkAt = (rate: number) =>
    walk(planKnn(asked, info), (job, at) => {
      const ms = (job.cost / rate) * 1000;
      return at < 2
        ? { ...done(job, undefined, ms + 5000), compiled: true }
        : done(job, undefined, ms + (at % 3 === 0 ? 80 : 3));
    });
  const dispatches = ({ segment }: KnnJob) =>
    segment?.steps.flatMap((step) => (isRunOf(step, knnFilter) ? [step.cost] : [])) ?? [];

  it.each([1e9, 1e10, 1e13])("is preceded by short probes that answer nothing, at %d a second", (rate) => {
    const { jobs, plans, end } = walkAt(rate);
    const probes = jobs.filter(({ probe }) => probe);
    expect(probes.length).toBeGreaterThanOrEqual(2);
    expect(probes.length).toBeLessThan(20);
    expect(jobs.slice(0, probes.length)).toEqual(probes);
    if (rate === 1e13) expect(jobs[probes.length].units, "rows go by once for all").toBe(10_000);
    for (const { units, segment, finish } of probes) {
      expect([units, rowsOf(finish.rows)]).toEqual([0, []]);
      expect(segment?.steps.filter(({ kind }) => kind === "download")).toEqual([]);
    }
    for (const job of jobs) {
      if (rate < info.initialRate / 10 && probes.slice(0, 3).includes(job)) continue; // nothing was known
      for (const work of dispatches(job)) expect(work / rate).toBeLessThan(0.25);
    }
    const all = jobs.slice(probes.length).flatMap(({ finish }) => rowsOf(finish.rows));
    expect(all).toEqual(Array.from({ length: 10_000 }, (_, query) => query));
    expect(end.runLog.jobs).toBe(plans.length);
  });

  it("ends them on a GPU whose rate never settles", () => {
    const { jobs } = walk(planKnn(asked, info), (job, at) =>
      done(job, undefined, (job.cost / (at % 2 === 0 ? 1e10 : 6e10)) * 1000),
    );
    const probes = jobs.findIndex(({ probe }) => !probe);
    expect(probes).toBeGreaterThan(5);
    expect(probes).toBeLessThan(20);
  });

  it("leaves a fast GPU with few dispatches, each of a whole chunk", () => {
    const { jobs, plans } = walkAt(1e13);
    const last = plans.at(-1)!;
    expect(dispatches(jobs.at(-1)!)).toHaveLength(last.layout!.chunks);
  });
});

describe("the chunks of a streamed search", () => {
  const asked = problem({ trainRows: 2_000_000, queryRows: 100, cols: 128, k: 10 });
  const chunkMiB = (overrides: Partial<BackendInfo>) => {
    const { layout } = planKnn(asked, device({ budgetBytes: 512 * MIB, ...overrides }));
    expect(layout?.resident).toBe(false);
    return ((layout?.chunkRows ?? 0) * (128 * 4 + 16)) / MIB;
  };

  it("are three quarters of what can be on its way to a GPU", () => {
    expect(chunkMiB({ uploadBytes: 64 * MIB })).toBeCloseTo(48, 1);
    expect(chunkMiB({ uploadBytes: 8 * MIB })).toBeCloseTo(6, 1);
  });

  it("are neither tiny nor more than a quarter of the memory", () => {
    expect(chunkMiB({ uploadBytes: 16 * 2048 })).toBeCloseTo(1, 1);
    expect(chunkMiB({ uploadBytes: 64 * MIB, budgetBytes: 64 * MIB })).toBeCloseTo(16, 1);
  });
});

describe("what a plan says of queries that ran again", () => {
  it("counts each of them once, however often it ran", () => {
    const info = device({ budgetBytes: 4096 * MIB, bufferBytes: 1024 * MIB });
    const asked = problem({ trainRows: 1_000_000, queryRows: 3, cols: 16, k: 10 });
    const most = asked.trainRows / 4;
    const { jobs, end } = walk(planKnn(asked, info), (job) => {
      const tooLong = Math.min((job.task.capacity ?? 0) * 2, most);
      return done(job, (query) => (query === 1 ? tooLong : 1));
    });
    expect(jobs.filter(({ task }) => rowsOf(task.rows).includes(1)).length).toBeGreaterThanOrEqual(3);
    expect(end.runLog.repeated).toBe(1);
  });
});

it("begins jobs early that answer every query once, and fit beside the job that runs", () => {
  const random = new Random(seed);
  let early = 0;
  for (let i = 0; i < 200; i++) {
    const { asked, info, caps } = randomCase(random);
    const answered = new Map<number, number>();
    const overflows = new Set<number>();
    for (let query = 0; query < asked.queryRows; query++) if (random.int(0, 4) === 0) overflows.add(query);
    let plan = planKnn(asked, info, caps, 1e12);
    let running: KnnJob | undefined;
    for (let jobs = 0; jobs < 10_000; jobs++) {
      const job = running ?? knnProgram.nextJob(plan);
      if (!job) break;
      const begun = knnProgram.begun?.(plan, job);
      running = begun && knnProgram.nextJob(begun);
      if (running?.segment && job.segment) {
        early++;
        const both = bytesOf(plan, job.segment).total + bytesOf(plan, running.segment).total;
        expect(both - bytesOf(plan, { ...job.segment, buffers: [] }).total).toBeLessThanOrEqual(
          info.budgetBytes,
        );
      }
      const capacity = job.task.capacity ?? 0;
      const more = (query: number) => (overflows.delete(query) ? capacity + 1 : capacity);
      const seen = done(job, more);
      const heads = seen.kind === "done" && new Uint32Array(seen.downloads.get("heads") ?? []);
      rowsOf(job.task.rows).forEach((query, at) => {
        if (heads && heads[2 * at] > capacity) return;
        answered.set(query, (answered.get(query) ?? 0) + 1);
      });
      plan = knnProgram.next(plan, job, seen);
    }
    expect(answered.size).toBe(asked.queryRows);
    expect([...answered.values()].every((times) => times === 1)).toBe(true);
  }
  expect(early).toBeGreaterThan(100);
});
