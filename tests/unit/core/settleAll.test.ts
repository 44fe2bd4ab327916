import { describe, expect, it } from "vitest";
import { settleAll } from "../../../src/core/async/settleAll.ts";

const turn = () => new Promise((resolve) => setTimeout(resolve));

describe("tasks together", () => {
  it("give what each gave, in their order", async () => {
    const tasks = [3, 1, 2].map((turns) => async () => {
      for (let i = 0; i < turns; i++) await turn();
      return turns;
    });
    expect(await settleAll(tasks)).toEqual([3, 1, 2]);
    expect(await settleAll([])).toEqual([]);
  });

  it("fail with the first error once all have ended, the others told by their signal", async () => {
    const ended: string[] = [];
    const failing = settleAll([
      async (failed) => {
        while (!failed.aborted) await turn();
        ended.push("told");
        throw new Error("second");
      },
      async () => {
        await turn();
        throw new Error("first");
      },
      async () => {
        for (let i = 0; i < 20; i++) await turn();
        ended.push("late");
      },
    ]);
    await expect(failing).rejects.toThrow("first");
    expect(ended).toEqual(["told", "late"]);
  });

  it("fail with the caller's abort rather than with what it made fail", async () => {
    const controller = new AbortController();
    const task = async () => {
      controller.abort(new Error("enough"));
      await turn();
      throw new Error("broken off");
    };
    await expect(settleAll([task], controller.signal)).rejects.toThrow("enough");
  });
});
