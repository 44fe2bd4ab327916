/**
 * How the engine walks a program: order, overlap, progress, abort, and recovery from failures. The
 * program and the device are made of paper; real devices are tests/backend.
 */
import { describe, expect, it } from "vitest";
import type { Segment, Session } from "../../../src/runtime/backend.ts";
import { DeviceError, DeviceLostError, OutOfMemoryError } from "../../../src/core/errors.ts";
import { Executor } from "../../../src/runtime/execute.ts";
import type { Progress } from "../../../src/runtime/execute.ts";
import type { Program } from "../../../src/runtime/program.ts";
import {
  type Plan,
  type NamedJob,
  program,
  nothing,
  planOf,
  paperDevice,
  failingAtB,
  finishNothing,
} from "./paperDevice.ts";

describe("the engine", () => {
  it("opens the resident buffers, fills them once and runs the jobs in order", async () => {
    const { log, device } = paperDevice();
    await new Executor(device).execute(program, planOf("a", "b", "c"), {}, finishNothing);
    expect(log).toEqual(["open rows", "setup rows", "a", "b", "c"]);
  });

  it("keeps the resident buffers for the next run, as long as they hold the same bytes", async () => {
    const { log, device } = paperDevice();
    const executor = new Executor(device);
    await executor.execute(program, planOf("a"), {}, finishNothing);
    await executor.execute(program, planOf("b"), {}, finishNothing);
    await executor.execute(program, { ...planOf("c"), key: "others" }, {}, finishNothing);
    executor.dispose();
    await nextTurn();
    expect(log).toEqual([
      "open rows",
      "setup rows",
      "a",
      "b",
      "close",
      "open others",
      "setup others",
      "c",
      "close",
    ]);
  });

  it("frees the resident buffers only when what runs and waits has ended, and then refuses more", async () => {
    const { log, device } = paperDevice(async () => {
      await nextTurn();
      return nothing;
    });
    const executor = new Executor(device);
    const runs = ["a", "b"].map((name) => executor.execute(program, planOf(name), {}, finishNothing));
    executor.dispose();
    await Promise.all(runs);
    await nextTurn();
    expect(log).toEqual(["open rows", "setup rows", "a", "b", "close"]);
    await expect(executor.execute(program, planOf("c"), {}, finishNothing)).rejects.toThrow(/disposed/);
  });

  it("hears the abort of a run that waits for its turn at once, and runs it never", async () => {
    let release = () => {};
    const { log, device } = paperDevice(() => new Promise((resolve) => (release = () => resolve(nothing))));
    const executor = new Executor(device);
    const first = executor.execute(program, planOf("a"), {}, finishNothing);
    const abort = new AbortController();
    const second = executor.execute(program, planOf("b"), {}, finishNothing, { signal: abort.signal });
    const third = executor.execute(program, planOf("c"), {}, finishNothing);
    abort.abort(new Error("enough"));
    await expect(second).rejects.toThrow("enough");
    for (let i = 0; i < 8; i++) {
      await nextTurn();
      release();
    }
    await Promise.all([first, third]);
    expect(log).toEqual(["open rows", "setup rows", "a", "c"]);
  });

  it.each([
    [
      "while the device is busy with the next",
      true,
      "a done b begin a end a done c begin b end b done begin c end c",
    ],
    [
      "after the next, if the device never says that it is busy",
      false,
      "a done b done begin a end a c done begin b end b begin c end c",
    ],
  ])("finishes one job %s, one at a time", async (_, says, order) => {
    const { log, device } = paperDevice(async (_segment, _sources, options) => {
      await nextTurn();
      if (says) options?.onBusy?.();
      await new Promise((resolve) => setTimeout(resolve, 20));
      log.push("done");
      return nothing;
    });
    await new Executor(device).execute(program, planOf("a", "b", "c"), {}, async ({ name }) => {
      log.push(`begin ${name}`);
      await nextTurn();
      log.push(`end ${name}`);
    });
    expect(log.slice(3).join(" ")).toBe(order);
  });

  it("finishes what was done before the device was lost", async () => {
    const { log, device } = paperDevice(failingAtB(new DeviceLostError("gone")));
    await new Executor(device).execute(program, planOf("a", "b"), {}, ({ name }) => {
      log.push(`finish ${name}`);
      return Promise.resolve();
    });
    expect(log.filter((line) => line.startsWith("finish"))).toEqual(["finish a", "finish b"]);
  });

  it("lets concurrent runs wait for each other", async () => {
    const { log, device } = paperDevice();
    const executor = new Executor(device);
    const runs = ["a", "b"].map((name) =>
      executor.execute(program, planOf(`${name}1`, `${name}2`), {}, finishNothing),
    );
    await Promise.all(runs);
    expect(log.slice(2)).toEqual(["a1", "a2", "b1", "b2"]);
  });
});

it("has the device compile what set-up and first job need while resident buffers are filled", async () => {
  const { log, device } = paperDevice();
  const compileAhead = ({ label }: Segment) => {
    const begun = Promise.resolve().then(() => void log.push(`compile ${label}`));
    return { begun, done: new Promise(() => undefined) };
  };
  Object.assign(device.backend, { compileAhead });
  await new Executor(device).execute(program, planOf("a", "b"), {}, finishNothing);
  expect(log).toEqual(["compile setup rows", "compile a", "open rows", "setup rows", "a", "b"]);
});

it("has the device compile ahead once a job has ended, and tells the plan when that is done", async () => {
  const { log, device } = paperDevice();
  let end = () => {};
  const done = new Promise<void>((resolve) => (end = resolve));
  const compileAhead = ({ label }: Segment) => {
    log.push(`compile ${label}`);
    return { begun: Promise.resolve(), done: label === "many" ? done : Promise.resolve() };
  };
  Object.assign(device.backend, { compileAhead });
  const ahead: Segment = { label: "many", buffers: [], steps: [] };
  const told: unknown[] = [];
  const asking: typeof program = {
    ...program,
    nextJob: (plan) => {
      const job = program.nextJob(plan);
      return job && (job.segment?.label === "d" ? job : { ...job, ahead });
    },
    next(plan, job, seen) {
      told.push("ready" in seen ? seen.ready : undefined);
      if (told.length === 2) end();
      return program.next(plan, job, seen);
    },
  };
  await new Executor(device).execute(asking, planOf("a", "b", "c", "d"), {}, finishNothing);
  expect(told).toEqual([undefined, undefined, ahead, undefined]);
  expect(log.filter((line) => line.endsWith("many"))).toEqual(["compile many"]);
  expect(log.indexOf("compile many")).toBeGreaterThan(log.indexOf("a"));
});

it("has what a job asks for compiled ahead again once the device was lost", async () => {
  const failing = failingAtB(new DeviceLostError("lost"));
  const { log, device } = paperDevice(failing);
  const compileAhead = ({ label }: Segment) => {
    log.push(`compile ${label}`);
    return { begun: Promise.resolve(), done: Promise.resolve() };
  };
  Object.assign(device.backend, { compileAhead });
  const { backend } = device;
  Object.assign(device, {
    reopen: () => Promise.resolve(void Object.assign(device, { backend: { ...backend } })),
  });
  const ahead: Segment = { label: "many", buffers: [], steps: [] };
  const asking: typeof program = {
    ...program,
    nextJob(plan) {
      const job = program.nextJob(plan);
      return job && { ...job, ahead };
    },
  };
  await new Executor(device).execute(asking, planOf("a", "b", "c"), {}, finishNothing);
  expect(log.filter((line) => line === "compile many")).toHaveLength(2);
});

describe("progress", () => {
  it("counts up from 0 to the total and never back, also within a job", async () => {
    const { device } = paperDevice((_, __, options) => {
      options?.onCost?.(4);
      options?.onCost?.(6);
      return Promise.resolve(nothing);
    });
    const calls: Progress[] = [];
    const onProgress = (progress: Progress) => calls.push(progress);
    await new Executor(device).execute(program, planOf("a", "b", "c"), {}, finishNothing, { onProgress });
    expect(calls.map(({ done }) => done)).toEqual([0, 1, 2, 3]);
    expect(calls.every(({ total }) => total === 3)).toBe(true);
  });

  it("does not go back when a job runs again", async () => {
    const run = failingAtB(new DeviceLostError("gone"));
    const { device } = paperDevice((segment, sources, options) => {
      options?.onCost?.(10);
      return run(segment, sources, options);
    });
    const done: number[] = [];
    const onProgress = (progress: Progress) => done.push(progress.done);
    await new Executor(device).execute(program, planOf("a", "b", "c"), {}, finishNothing, { onProgress });
    expect(done).toEqual([0, 1, 2, 3]);
  });
});

describe("failures", () => {
  it("open a lost device again, fill its buffers again and run only the lost job again", async () => {
    const { log, device } = paperDevice(failingAtB(new DeviceLostError("gone")));
    const plan = await new Executor(device).execute(program, planOf("a", "b", "c"), {}, finishNothing);
    expect(plan.seen).toEqual(["a done", "b deviceLost", "b done", "c done"]);
    expect(log.slice(3)).toEqual(["b", "close", "reopen", "open rows", "setup rows", "b", "c"]);
  });

  it("tell the plan of too little memory, which may change what is resident", async () => {
    const { log, device } = paperDevice(
      failingAtB(new OutOfMemoryError("full", 1), new OutOfMemoryError("full", 1)),
    );
    const plan = await new Executor(device).execute(program, planOf("a", "b"), {}, finishNothing);
    expect(plan.seen).toEqual(["a done", "b outOfMemory", "b outOfMemory", "b done"]);
    expect(log.filter((line) => line.startsWith("open"))).toEqual([
      "open rows",
      "open rows/2",
      "open rows/2/2",
    ]);
  });

  it("of any other kind reject, and the next run works", async () => {
    const { device } = paperDevice(failingAtB(new DeviceError("refused")));
    const executor = new Executor(device);
    await expect(executor.execute(program, planOf("a", "b"), {}, finishNothing)).rejects.toThrow("refused");
    await expect(executor.execute(program, planOf("b"), {}, finishNothing)).resolves.toMatchObject({
      todo: [],
    });
  });

  it("of the host's part reject too", async () => {
    const { device } = paperDevice();
    const finish = ({ name }: NamedJob) =>
      name === "b" ? Promise.reject(new Error("no room")) : Promise.resolve();
    await expect(new Executor(device).execute(program, planOf("a", "b", "c"), {}, finish)).rejects.toThrow(
      "no room",
    );
    await expect(new Executor(device).execute(program, planOf("a", "b"), {}, finish)).rejects.toThrow(
      "no room",
    );
  });
});

describe("set-up in several segments", () => {
  const steps = ["count", "place"];
  const counting: Program<Plan, NamedJob> = {
    ...program,
    setupSegment: (_, ran) =>
      ran.length < steps.length
        ? { label: `${steps[ran.length]} after ${ran.length}`, buffers: [], steps: [] }
        : undefined,
    afterSetup: (plan, ran) => ({ ...plan, seen: [...plan.seen, `set up by ${ran.length}`] }),
  };

  it("runs each with the outputs of those before it, and steers the plan once they have run", async () => {
    const { log, device } = paperDevice();
    const end = await new Executor(device).execute(counting, planOf("a"), {}, finishNothing);
    expect(log).toEqual(["open rows", "count after 0", "place after 1", "a"]);
    expect(end.seen).toEqual(["set up by 2", "a done"]);
  });

  it("is not run again for the next run, which its outputs steer all the same", async () => {
    const { log, device } = paperDevice();
    const executor = new Executor(device);
    await executor.execute(counting, planOf("a"), {}, finishNothing);
    const end = await executor.execute(counting, planOf("b"), {}, finishNothing);
    expect(log.slice(3)).toEqual(["a", "b"]);
    expect(end.seen).toEqual(["set up by 2", "b done"]);
  });

  it("may leave nothing to do, which is where the run ends", async () => {
    const { log, device } = paperDevice();
    const emptied = { ...counting, afterSetup: (plan: Plan) => ({ ...plan, todo: [], seen: ["empty"] }) };
    const reports: Progress[] = [];
    const onProgress = (progress: Progress) => void reports.push(progress);
    const executor = new Executor(device);
    const end = await executor.execute(emptied, planOf("a", "b"), {}, finishNothing, { onProgress });
    expect(end).toMatchObject({ todo: [], seen: ["empty"] });
    expect(log).toEqual(["open rows", "count after 0", "place after 1"]);
    expect(reports.at(-1)).toMatchObject({ done: 2, total: 2 });
  });

  it("is run from its start after the loss of a device", async () => {
    const { log, device } = paperDevice(failingAtB(new DeviceLostError("gone")));
    await new Executor(device).execute(counting, planOf("a", "b"), {}, finishNothing);
    const setup = ["open rows", "count after 0", "place after 1"];
    expect(log).toEqual([...setup, "a", "b", "close", "reopen", ...setup, "b"]);
  });
});

describe("a job that is awaited", () => {
  it("hands what the host made of it to the plan before the next one begins", async () => {
    const { log, device } = paperDevice();
    const steered: Program<Plan, NamedJob> = {
      ...program,
      nextJob: (plan) => {
        const job = program.nextJob(plan);
        return job && { ...job, awaited: job.name === "a" };
      },
      next: (plan, job, seen) => {
        const host = seen.kind === "done" ? seen.host : undefined;
        return { ...program.next(plan, job, seen), seen: [...plan.seen, `${job.name} ${String(host)}`] };
      },
    };
    const finish = async ({ name }: NamedJob) => {
      await nextTurn();
      log.push(`finish ${name}`);
      return `made of ${name}`;
    };
    const end = await new Executor(device).execute(steered, planOf("a", "b"), {}, finish);
    expect(end.seen).toEqual(["a made of a", "b undefined"]);
    expect(log.slice(2)).toEqual(["a", "finish a", "b", "finish b"]);
  });
});

describe("jobs that do not depend on each other", () => {
  const independent: Program<Plan, NamedJob> = {
    ...program,
    begun: (plan) => ({ ...plan, todo: plan.todo.slice(1) }),
  };

  /** Runs that end when they are told to. */
  function heldRuns() {
    const ends = new Map<string, (error?: Error) => void>();
    const run: Session["run"] = ({ label }) =>
      label.startsWith("setup")
        ? Promise.resolve(nothing)
        : new Promise((resolve, reject) => {
            ends.set(label, (error) => (error ? reject(error) : resolve(nothing)));
          });
    return { ends, run };
  }

  it("wait for each other where they need other resident buffers", async () => {
    const { log, device } = paperDevice(async ({ label }) => {
      await nextTurn();
      log.push(`end ${label}`);
      return nothing;
    });
    const byJob = { ...independent, residentKey: ({ todo: [name] }: Plan) => name ?? "" };
    await new Executor(device).execute(byJob, planOf("a", "b"), {}, finishNothing);
    expect(log.filter((line) => /^(end )?[ab]$|^close/.test(line))).toEqual([
      "a",
      "end a",
      "close",
      "b",
      "end b",
    ]);
  });

  it("must not be awaited", async () => {
    const { device } = paperDevice();
    const contradictory: Program<Plan, NamedJob> = {
      ...independent,
      nextJob: (plan) => {
        const job = program.nextJob(plan);
        return job && { ...job, awaited: true };
      },
    };
    await expect(
      new Executor(device).execute(contradictory, planOf("a", "b"), {}, finishNothing),
    ).rejects.toThrow("internal error");
  });

  it("are on their way two at a time, and finished in their order", async () => {
    const { ends, run } = heldRuns();
    const { log, device } = paperDevice(run);
    const finish = ({ name }: NamedJob) => Promise.resolve(void log.push(`finish ${name}`));
    const whole = new Executor(device).execute(independent, planOf("a", "b", "c"), {}, finish);
    await nextTurn();
    expect(log.slice(2)).toEqual(["a", "b"]);
    ends.get("b")!();
    await nextTurn();
    expect(log.slice(2)).toEqual(["a", "b"]);
    ends.get("a")!();
    await nextTurn();
    expect(log.slice(2)).toEqual(["a", "b", "finish a", "c", "finish b"]);
    ends.get("c")!();
    expect((await whole).seen).toEqual(["a done", "b done", "c done"]);
    expect(log.at(-1)).toBe("finish c");
  });

  it("are done again where the one before asks for other resident buffers", async () => {
    const { ends, run } = heldRuns();
    const { log, device } = paperDevice(run);
    const changing: Program<Plan, NamedJob> = {
      ...independent,
      next: (plan, job, seen) => ({ ...independent.next(plan, job, seen), key: "other rows" }),
    };
    const finish = ({ name }: NamedJob) => Promise.resolve(void log.push(`finish ${name}`));
    const whole = new Executor(device).execute(changing, planOf("a", "b"), {}, finish);
    await nextTurn();
    ends.get("a")!();
    await nextTurn();
    expect(log.slice(2)).toEqual(["a", "b", "finish a"]);
    ends.get("b")!();
    await nextTurn();
    expect(log.slice(5)).toEqual(["close", "open other rows", "setup other rows", "b"]);
    ends.get("b")!();
    expect((await whole).seen).toEqual(["a done", "b done"]);
    expect(log.slice(9)).toEqual(["finish b"]);
  });

  it("all begin anew behind one that the device lost", async () => {
    const { ends, run } = heldRuns();
    const { log, device } = paperDevice(run);
    const whole = new Executor(device).execute(independent, planOf("a", "b"), {}, finishNothing);
    await nextTurn();
    ends.get("a")!(new DeviceLostError("gone"));
    ends.get("b")!(new DeviceLostError("gone"));
    await nextTurn();
    expect(log.slice(2)).toEqual(["a", "b", "close", "reopen", "open rows", "setup rows", "a", "b"]);
    ends.get("a")!();
    ends.get("b")!();
    expect((await whole).seen).toEqual(["a deviceLost", "a done", "b done"]);
  });

  it("are waited for by an error of the first, which is thrown", async () => {
    const { ends, run } = heldRuns();
    const { device } = paperDevice(run);
    const whole = new Executor(device).execute(independent, planOf("a", "b"), {}, finishNothing);
    let over = false;
    whole.catch(() => (over = true));
    await nextTurn();
    ends.get("a")!(new DeviceError("broken"));
    await nextTurn();
    expect(over).toBe(false);
    ends.get("b")!(new DeviceError("broken, too"));
    await expect(whole).rejects.toThrow("broken");
  });

  it("throw the first error, whatever the host's part before says later", async () => {
    const { ends, run } = heldRuns();
    const { device } = paperDevice(run);
    let refuse = (_: Error): void => undefined;
    const finish = () => new Promise<void>((_, reject) => (refuse = reject));
    const whole = new Executor(device).execute(independent, planOf("a", "b"), {}, finish);
    await nextTurn();
    ends.get("a")!();
    await nextTurn();
    ends.get("b")!(new DeviceError("broken"));
    await nextTurn();
    refuse(new Error("no room"));
    await expect(whole).rejects.toThrow("broken");
  });
});

describe("an abort", () => {
  it("rejects with the signal's own reason and starts no further job", async () => {
    const { log, device } = paperDevice();
    const controller = new AbortController();
    const reason = new Error("enough");
    const run = new Executor(device).execute(
      program,
      planOf("a", "b", "c"),
      {},
      () => Promise.resolve(controller.abort(reason)),
      { signal: controller.signal },
    );
    await expect(run).rejects.toBe(reason);
    expect(log).not.toContain("c");
  });

  it("before the start rejects without opening anything", async () => {
    const { log, device } = paperDevice();
    const signal = AbortSignal.abort("never");
    await expect(
      new Executor(device).execute(program, planOf("a"), {}, finishNothing, { signal }),
    ).rejects.toBe("never");
    expect(log).toEqual([]);
  });
});

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
