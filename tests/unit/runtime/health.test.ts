/** Whether a device works: what waits on it, and what is asked of one that has ended. */
import { expect, it } from "vitest";
import { DeviceError } from "../../../src/core/errors.ts";
import { Health } from "../../../src/runtime/gpu/health.ts";

it("a wait on a device that has ended says why, and the refusal of what was asked is heard", async () => {
  const health = new Health({ lost: new Promise(() => undefined) } as unknown as GPUDevice);
  health.fail(new DeviceError("broken"));
  const unheard: unknown[] = [];
  const listener = (reason: unknown) => void unheard.push(reason);
  process.on("unhandledRejection", listener);
  await expect(health.guard(Promise.reject(new Error("refused")))).rejects.toThrow("broken");
  await new Promise((resolve) => setTimeout(resolve, 1));
  process.off("unhandledRejection", listener);
  expect(unheard).toEqual([]);
});
