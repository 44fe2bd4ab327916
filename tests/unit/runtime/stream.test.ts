/** These tests cut streams into pieces, and look at what follows a failure. The device is made of paper. */
import { describe, expect, it } from "vitest";
import { OutOfMemoryError } from "../../../src/core/errors.ts";
import type { BackendInfo } from "../../../src/runtime/backend.ts";
import { planStream, streamProgram } from "../../../src/runtime/stream.ts";
import type { Stream, StreamJob, StreamPlan } from "../../../src/runtime/stream.ts";

const GIB = 2 ** 30;
const MIB = 2 ** 20;

/** A stream of elements of a byte, in pieces of whole KiB. */
const stream: Stream<undefined> = {
  phase: "count",
  units: 4 * GIB,
  step: 1024,
  bytes: (units) => ({ total: units, largest: units }),
  segment: () => ({ label: "count", buffers: [], steps: [] }),
  cost: (units) => units,
};

const device = (budgetBytes: number): BackendInfo =>
  ({ kind: "gpu", budgetBytes, bufferBytes: 2 * GIB }) as BackendInfo;

const outOfMemory = { kind: "outOfMemory", error: new OutOfMemoryError("full", 1) } as const;

/** Returns the sizes of the pieces of a device that never has the memory. */
function retries(of: Stream<undefined>, budgetBytes: number): { sizes: number[]; error: unknown } {
  const program = streamProgram(of);
  const sizes: number[] = [];
  let plan: StreamPlan<undefined> = planStream(device(budgetBytes), undefined);
  try {
    for (;;) {
      const job = program.nextJob(plan) as StreamJob;
      sizes.push(job.units);
      plan = program.next(plan, job, outOfMemory);
    }
  } catch (error) {
    return { sizes, error };
  }
}

describe("pieces of a stream", () => {
  it("overlap where two of them fit", () => {
    const program = streamProgram(stream);
    const plan = planStream(device(64 * GIB), undefined);
    const job = program.nextJob(plan) as StreamJob;
    expect(job.units).toBe(256 * MIB);
    expect(program.begun?.(plan, job)).toMatchObject({ done: 256 * MIB });
  });

  it.each([64 * GIB, GIB, 3 * MIB])("are halved at every failure, with a budget of %d bytes", (budget) => {
    const { sizes, error } = retries(stream, budget);
    sizes.slice(1).forEach((size, at) => expect(size).toBeLessThanOrEqual(sizes[at] / 2));
    expect(sizes.at(-1)).toBe(1024);
    expect(error).toBeInstanceOf(OutOfMemoryError);
    expect((error as Error).message).toContain(`pieces were halved ${sizes.length - 1} times`);
  });

  it("that leave something for each other are halved too", () => {
    const { sizes } = retries({ ...stream, next: () => undefined }, 64 * GIB);
    expect(sizes[0]).toBe(2 * GIB);
    sizes.slice(1).forEach((size, at) => expect(size).toBeLessThanOrEqual(sizes[at] / 2));
  });
});
