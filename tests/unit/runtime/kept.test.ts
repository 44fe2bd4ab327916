/** Buffers that jobs add to the resident ones, on a device that is made of paper. */
import { describe, expect, it } from "vitest";
import { DeviceError, DeviceLostError, OutOfMemoryError } from "../../../src/core/errors.ts";
import type { Session } from "../../../src/runtime/backend.ts";
import { Executor } from "../../../src/runtime/execute.ts";
import { keeping, keptNumber } from "../../../src/runtime/kept.ts";
import {
  failingAtB,
  finishNothing,
  nothing,
  paperDevice,
  planOf,
  program,
  type Plan,
} from "./paperDevice.ts";

describe("buffers that jobs keep", () => {
  const fill = { label: "fill more", buffers: [], steps: [] };
  const kept = keeping(keptNumber("more"), [{ name: "more", bytes: 4 }], fill);
  const asking = {
    ...program,
    nextJob(plan: Plan) {
      const job = program.nextJob(plan);
      return job && (job.name === "plain" ? job : { ...job, kept });
    },
  };

  it("are added and filled once for all jobs of a session, and again after the loss of a device", async () => {
    const { log, device } = paperDevice(failingAtB(new DeviceLostError("gone")));
    const executor = new Executor(device);
    await executor.execute(asking, planOf("plain", "a", "c"), {}, finishNothing);
    await executor.execute(asking, planOf("d", "b"), {}, finishNothing);
    const first = ["open rows", "setup rows", "plain", "add more", "fill more", "a", "c", "d", "b"];
    const again = ["close", "reopen", "open rows", "setup rows", "add more", "fill more", "b"];
    expect(log).toEqual([...first, ...again]);
  });

  it("may have too little memory, which the plan hears, and are filled again where that failed", async () => {
    const errors = [new OutOfMemoryError("full", 4), new DeviceError("odd")];
    const failing: Session["run"] = ({ label }) => {
      const error = label === "fill more" ? errors.shift() : undefined;
      return error ? Promise.reject(error) : Promise.resolve(nothing);
    };
    const { log, device } = paperDevice(failing);
    const executor = new Executor(device);
    await expect(executor.execute(asking, planOf("a"), {}, finishNothing)).rejects.toThrow("odd");
    expect(log).toEqual([
      ...["open rows", "setup rows", "add more", "fill more", "close"],
      ...["open rows/2", "setup rows/2", "add more", "fill more"],
    ]);
    const plan = { ...planOf("a"), key: "rows/2" };
    await executor.execute(asking, plan, {}, finishNothing);
    expect(log.slice(-3)).toEqual(["fill more", "fill more", "a"]);
  });

  it("are others of one session where they hold something else", async () => {
    const { log, device } = paperDevice();
    const others = keeping(keptNumber("others"), [{ name: "others", bytes: 4 }], {
      ...fill,
      label: "fill others",
    });
    const both = {
      ...program,
      nextJob(plan: Plan) {
        const job = program.nextJob(plan);
        return job && { ...job, kept: job.name === "b" ? others : kept };
      },
    };
    await new Executor(device).execute(both, planOf("a", "b", "c"), {}, finishNothing);
    expect(keptNumber("others")).not.toBe(keptNumber("more"));
    expect(log).toEqual([
      ...["open rows", "setup rows", "add more", "fill more", "a"],
      ...["add others", "fill others", "b", "c"],
    ]);
  });
});
