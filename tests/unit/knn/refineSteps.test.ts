/**
 * Jobs whose candidates a GPU evaluates chunk by chunk: while their rows are there, with room for what is
 * kept of them.
 */
import { describe, expect, it } from "vitest";
import { keysBuffer } from "../../../src/ops/knn/plan/refineSteps.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { MIB, bytesOf, device, evaluated, problem, someSize, walkAll } from "./replay.ts";
import { isRunOf } from "../../../src/runtime/primitive.ts";
import { knnCarry, knnFilter } from "../../../src/ops/knn/primitives.ts";
import { refinePrimitive } from "../../../src/distance/primitives.ts";

const seed = printedSeed();
describe("candidates of rows that a GPU has as they are", () => {
  it("fit the budget beside their keys, whatever the sizes", () => {
    let streamed = 0;
    for (let i = 0; i < 200; i++) {
      const { asked, info } = someSize(new Random(seed + i));
      try {
        const { jobs, plans } = walkAll(asked, info);
        jobs.forEach(({ segment }, at) => {
          if (!segment) return;
          if (keysBuffer(plans[at], jobs[at].task.capacity!) === "keys") streamed++;
          expect(bytesOf(plans[at], segment).total).toBeLessThanOrEqual(info.budgetBytes);
        });
      } catch (error) {
        expect((error as Error).message).toMatch(/do not hold one tile/);
      }
    }
    expect(streamed).toBeGreaterThan(20);
  });

  it("are evaluated after the filter of their chunk and before another takes its place", () => {
    const asked = problem({ ...evaluated, trainRows: 17_000, queryRows: 50, cols: 16 });
    const { jobs, plans } = walkAll(asked, device({ budgetBytes: MIB }), { chunk: 3000 });
    expect(plans[0].layout).toMatchObject({ resident: false, chunks: 6, chunkRows: 3000 });
    const steps = jobs[0].segment!.steps.flatMap((step): unknown[] => {
      if (step.kind === "download") return [step.from];
      if (step.kind !== "run") return [];
      const { refs } = step.bindings as { refs?: string };
      if (isRunOf(step, knnCarry)) return [`carry ${step.params.refOffset}`];
      if (isRunOf(step, refinePrimitive))
        return [`refine ${step.params.refOffset} +${step.params.refRows} of ${refs}`];
      return isRunOf(step, knnFilter) ? [`filter ${step.params.refOffset} of ${refs}`] : [];
    });
    const whole = steps.filter((step, at) => step !== steps[at - 1]); // tiles of one chunk
    const expected = [0, 1, 2, 3, 4, 5].flatMap((chunk) => {
      const [begin, refs] = [chunk * 3000, `refs.${chunk % 2}`];
      const rows = Math.min(3000, 17_000 - begin);
      return [`filter ${begin} of ${refs}`, `carry ${begin}`, `refine ${begin} +${rows} of ${refs}`];
    });
    expect(whole).toEqual([...expected, "heads", "candidates", "keys"]);
  });

  it("have their keys where intervals were while all rows stay, and none where lists keep all", () => {
    const keysOf = (resident: boolean, keepAll = false, capacity = 100) =>
      keysBuffer(
        {
          layout: { resident, chunkRows: 9, chunks: 1 },
          problem: problem({ keepAll }),
          technique: { form: "expanded", refinable: true },
          budget: 64 * 1200,
        } as unknown as Parameters<typeof keysBuffer>[0],
        capacity,
      );
    expect([keysOf(true), keysOf(true, true), keysOf(true, false, 1e9)]).toEqual(Array(3).fill("intervals"));
    expect([keysOf(false), keysOf(false, true)]).toEqual(["keys", undefined]);
    expect(keysOf(false, false, 101), "too long to fit beside much else").toBeUndefined();
  });
});
