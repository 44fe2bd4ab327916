/** What a k-NN plan makes of failures and of lists that overflow, replayed from observations. */
import { describe, expect, it } from "vitest";
import { DeviceLostError, OutOfMemoryError } from "../../../src/core/errors.ts";
import type { Observation } from "../../../src/runtime/program.ts";
import { MIB, bytesOf, device, done, problem, rowsOf, walk } from "./replay.ts";
import { planKnn } from "../../../src/ops/knn/plan/start.ts";

const outOfMemory: Observation = {
  kind: "outOfMemory",
  error: new OutOfMemoryError("no memory for 7 bytes", 7),
};
const lost: Observation = { kind: "deviceLost", error: new DeviceLostError("the GPU was lost") };

const asked = problem({ trainRows: 20_000, queryRows: 2000, cols: 64 });

function thrownBy(action: () => unknown): Error {
  try {
    action();
  } catch (error) {
    return error as Error;
  }
  return expect.fail("nothing was thrown");
}

describe("out of memory", () => {
  it("halves what the next jobs take", () => {
    const { jobs, plans, end } = walk(planKnn(asked, device()), (job, at) =>
      at < 3 ? outOfMemory : done(job),
    );
    expect(end.runLog.halved).toBe(3);
    expect(plans[3].budget).toBe(64 * MIB);
    expect(bytesOf(plans[3], jobs[3].segment!).total).toBeLessThanOrEqual(64 * MIB);
  });

  it("keeps what was answered before", () => {
    const { jobs, end } = walk(planKnn(asked, device(), { queries: 100 }), (job, at) =>
      at === 7 ? outOfMemory : done(job),
    );
    const answered = jobs.filter((_, at) => at !== 7).flatMap(({ task }) => rowsOf(task.rows));
    expect(answered).toEqual(Array.from({ length: 2000 }, (_, i) => i));
    expect(end.runLog.jobs).toBe(20);
  });

  it("streams references that no longer fit", () => {
    const { plans } = walk(planKnn(asked, device({ budgetBytes: 16 * MIB })), (job, at) =>
      at < 2 ? outOfMemory : done(job),
    );
    expect(plans.map(({ layout }) => layout!.resident).slice(0, 3)).toEqual([true, false, false]);
  });

  it("gives up with an error that says how much was asked, what was tried and what to do", () => {
    const error = thrownBy(() => walk(planKnn(asked, device()), () => outOfMemory));
    expect(error).toBeInstanceOf(OutOfMemoryError);
    expect((error as OutOfMemoryError).bytes).toBe(7);
    expect(error.message).toMatch(/no memory for 7 bytes; tiles were halved \d\d times, which did not help/);
    expect((error.cause as Error).message).toMatch(/do not hold one tile.*raise deviceMemory$/);
  });

  it("names the option of the backend when the budget is too small from the start", () => {
    const tiny = (kind: "gpu" | "cpu") =>
      thrownBy(() => walk(planKnn(asked, device({ kind, budgetBytes: 256 })))).message;
    expect(tiny("gpu")).toMatch(/256 bytes of gpu memory .* raise deviceMemory$/);
    expect(tiny("cpu")).toMatch(/256 bytes of cpu memory .* raise memory$/);
  });
});

describe("a lost device", () => {
  it("costs only the job that was lost", () => {
    const { jobs, end } = walk(planKnn(asked, device(), { queries: 500 }), (job, at) =>
      at === 1 ? lost : done(job),
    );
    expect(jobs.map(({ task }) => rowsOf(task.rows)[0])).toEqual([0, 500, 500, 1000, 1500]);
    expect(end.runLog).toMatchObject({ jobs: 4, lost: 1, lostInARow: 0 });
  });

  it("may happen again and again as long as there is progress between", () => {
    const { end } = walk(planKnn(asked, device(), { queries: 100 }), (job, at) =>
      at % 2 === 0 ? lost : done(job),
    );
    expect(end.runLog).toMatchObject({ jobs: 20, lost: 20 });
  });

  it("gives up after three in a row, saying what was tried", () => {
    let attempts = 0;
    const error = thrownBy(() =>
      walk(planKnn(asked, device()), () => {
        attempts++;
        return lost;
      }),
    );
    expect(error).toBeInstanceOf(DeviceLostError);
    expect(error.message).toMatch(/the GPU was lost; the device was opened again 3 times.*another backend/);
    expect(attempts).toBe(4);
  });
});

describe("lists that overflow", () => {
  const lists = (needed: (query: number) => number) =>
    walk(planKnn(asked, device()), (job) => done(job, needed));

  it("run again with room for what they needed, the others do not", () => {
    const { jobs, end } = lists((query) => (query % 10 === 3 ? 900 : 5));
    const again = jobs.filter(({ task }) => !("begin" in task.rows));
    expect(again.flatMap(({ task }) => rowsOf(task.rows))).toEqual(
      Array.from({ length: 200 }, (_, i) => 10 * i + 3),
    );
    expect(again.every(({ task }) => task.capacity! >= 900)).toBe(true);
    expect(end.runLog).toMatchObject({ repeated: 200, exhaustive: 0 });
  });

  it("are evaluated wholly in float64 when they need most of the references", () => {
    const { jobs, end } = lists((query) => (query === 42 ? 19_000 : 5));
    expect(jobs.at(-1)).toMatchObject({ segment: undefined, finish: { kind: "refine", lists: undefined } });
    expect(rowsOf(jobs.at(-1)!.task.rows)).toEqual([42]);
    expect(end.runLog).toMatchObject({ repeated: 1, exhaustive: 1 });
  });

  it("end, even when each larger list overflows again", () => {
    const { end } = walk(planKnn(asked, device()), (job) => done(job, () => job.task.capacity! + 1));
    expect(end.runLog.exhaustive).toBe(2000);
  });

  it("are evaluated in float64 when not even one larger list fits", () => {
    const small = planKnn(problem({ ...asked, trainRows: 2 ** 20 }), device({ budgetBytes: 2 ** 20 }));
    const { end } = walk(small, (job) => done(job, (query) => (query === 0 ? 200_000 : 5)));
    expect(end.runLog.exhaustive).toBe(1);
  });
});
