import { describe, expect, it } from "vitest";
import { prefetch } from "../../../src/core/async/prefetch.ts";

const turn = () => new Promise((resolve) => setTimeout(resolve));

/** 0, 1, 2 and so on, noting what happens. */
async function* counting(count: number, log: string[]): AsyncGenerator<number> {
  try {
    for (let i = 0; i < count; i++) {
      log.push(`made ${i}`);
      await turn();
      yield i;
    }
  } finally {
    log.push("closed");
  }
}

describe("reading ahead", () => {
  it("asks for the next item before the one at hand is used, and for no more", async () => {
    const log: string[] = [];
    for await (const item of prefetch(counting(3, log))) {
      await turn();
      await turn();
      log.push(`used ${item}`);
    }
    expect(log).toEqual(["made 0", "made 1", "used 0", "made 2", "used 1", "closed", "used 2"]);
  });

  it("closes what the items come from when it is left early", async () => {
    const log: string[] = [];
    for await (const item of prefetch(counting(3, log))) if (item === 0) break;
    expect(log).toEqual(["made 0", "made 1", "closed"]);
  });

  it("fails where the items do, after those before", async () => {
    const used: number[] = [];
    const items = async function* () {
      yield 1;
      await turn();
      throw new Error("broken");
    };
    const reading = (async () => {
      for await (const item of prefetch(items())) {
        used.push(item);
        await turn();
        await turn();
      }
    })();
    await expect(reading).rejects.toThrow("broken");
    expect(used).toEqual([1]);
  });
});
