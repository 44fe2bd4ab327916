/**
 * Fuzzed calls of every entry point against the float64 oracle: any difference of a row, an order or a bit fails, and so does an error
 * other than the refusal that is due. 2,000 cases, and 20,000 in the long run; NEARFIELD_SEED and NEARFIELD_CASE repeat one.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { printedSeed } from "../../oracle/random.ts";
import { onEachBackend } from "../helpers.ts";
import { reportOn } from "./check.ts";

const seed = printedSeed();
/** Deno's turn is the other implementation of WebGPU, not more cases. */
const times = process.env.NEARFIELD_LONG && !("Deno" in globalThis) ? 10 : 1;
const counts = { cpu: 1500 * times, gpu: 500 * times };
/** Cases of one test. */
const STEP = 50;

const [only, number] = process.env.NEARFIELD_CASE?.split(":") ?? [];

const folder = mkdtempSync(join(tmpdir(), "nearfield-fuzz-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("fuzzed calls", () => {
  onEachBackend((device, backend) => {
    const begins = Array.from({ length: counts[backend] / STEP }, (_, i) => i * STEP);
    it.skipIf(only !== undefined).each(begins)("answer as the oracle, from case %i", async (begin) => {
      for (let at = begin; at < begin + STEP; at++)
        expect(await reportOn(seed, backend, at, device(), folder)).toBeUndefined();
    });

    it.runIf(only === backend)("answer as the oracle in the case that was asked for", async () => {
      expect(await reportOn(seed, backend, Number(number), device(), folder)).toBeUndefined();
    });
  });
});
