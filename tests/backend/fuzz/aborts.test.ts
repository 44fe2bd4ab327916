/**
 * Fuzzed calls that are aborted at random moments: each rejects with the signal's reason or answers as the
 * oracle, leaves no listener on the signal, and the device answers rightly afterwards. A few dozen moments,
 * and 500 in the long run.
 */
import { getEventListeners } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { kneighbors } from "../../../dist/node.js";
import type { Device } from "../../../dist/node.js";
import { bruteForce } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame, onEachBackend } from "../helpers.ts";
import { matrix } from "../inputs.ts";
import { fuzzCase } from "./cases.ts";
import { failureOf } from "./check.ts";

const seed = printedSeed();
const moments = process.env.NEARFIELD_LONG ? { cpu: 250, gpu: 250 } : { cpu: 40, gpu: 20 };
/** The number of fuzzed cases to choose from: a GPU in software needs another shader for each. */
const CASES = { cpu: 1500, gpu: 60 };

const folder = mkdtempSync(join(tmpdir(), "nearfield-aborts-"));
afterAll(() => rmSync(folder, { recursive: true }));

const inputs = new Random(seed);
const value = () => inputs.int(0, 40) / 8;
const [train, queries] = [matrix(400, 9, value), matrix(24, 9, value)];
const k = 4;
const expected = bruteForce(train, queries, { k });
const tiles = { queries: 5, references: 128, chunk: 200 };

describe("calls that are aborted at random moments", () => {
  onEachBackend((device, backend) => {
    it("reject with the reason or answer, and the device answers afterwards", async () => {
      const random = new Random(seed + 1);
      const search = (signal?: AbortSignal) =>
        kneighbors(train, queries, { k, tiles, signal, device: device() });
      expectSame(await search(), expected, k);
      const began = performance.now();
      expectSame(await search(), expected, k);
      const ms = performance.now() - began;
      let rejected = 0;
      for (let moment = 0; moment < moments[backend]; moment++) {
        const controller = new AbortController();
        const reason = new Error(`moment ${moment}`);
        const { signal } = controller;
        // Of searches at the same time, one waits for the other.
        const before = random.uniform() < 0.3 ? search() : undefined;
        const call = random.uniform() < 0.5 ? search(signal) : fuzzed(random, signal, device());
        const after = random.uniform() < 0.2 ? search() : undefined;
        const outcome = call.then(
          (answer) => answer,
          (error: unknown) => error,
        );
        await passed(random, ms);
        controller.abort(reason);
        const answer = await outcome;
        if (answer === reason) rejected++;
        else if (answer instanceof Error) throw answer;
        else if (answer !== undefined) expectSame(answer as Awaited<typeof call> & object, expected, k);
        expect(getEventListeners(signal, "abort"), `listeners after moment ${moment}`).toEqual([]);
        for (const other of [before, after]) if (other) expectSame(await other, expected, k);
      }
      expectSame(await search(), expected, k);
      expect(rejected).toBeGreaterThan(moments[backend] / 10);
      expect(device().counters.reopened).toBe(0);
    });

    /** Calls any entry point; returns undefined where it answers as it must. */
    async function fuzzed(random: Random, signal: AbortSignal, on: Device) {
      const number = random.int(0, CASES[backend]);
      const failure = await failureOf(fuzzCase(seed, backend, number), on, folder, signal);
      if (failure !== undefined) throw new Error(`case ${number} of the seed ${seed}: ${failure}`);
      return undefined;
    }
  });
});

/** Waits for some turns of the event loop, or for a part of the time that a search takes. */
async function passed(random: Random, ms: number): Promise<void> {
  if (random.uniform() < 0.5) {
    const after = random.uniform(0, 1.1 * ms);
    return new Promise((resolve) => setTimeout(resolve, after));
  }
  const turns = random.int(0, 30);
  for (let turn = 0; turn < turns; turn++) {
    if (random.uniform() < 0.5) await Promise.resolve();
    else await new Promise((resolve) => setImmediate(resolve));
  }
}
