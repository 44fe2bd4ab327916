/**
 * Fuzzed calls of every entry point against the float64 oracle: any difference of a row, an order or a bit
 * fails, and so does an error other than the refusal that is due. 1,000 cases, and 20,000 in the long run;
 * NEARFIELD_SEED and NEARFIELD_CASE repeat one.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { printedSeed } from "../../oracle/random.ts";
import { onEachBackend } from "../helpers.ts";
import { reportOn } from "./check.ts";

const seed = printedSeed();
/** The part of the cases that runs: a small one in Deno, whose compiler of shaders takes far longer. */
const share = "Deno" in globalThis ? 1 / 5 : process.env.NEARFIELD_LONG ? 20 : 1;
const counts = { cpu: 850 * share, gpu: 150 * share };
/** The number of cases of one test. */
const STEP = "Deno" in globalThis ? 5 : 50;

const [only, number] = process.env.NEARFIELD_CASE?.split(":") ?? [];

const folder = mkdtempSync(join(tmpdir(), "nearfield-fuzz-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("fuzzed calls", () => {
  onEachBackend((device, backend) => {
    const check = async (at: number) =>
      expect(await reportOn(seed, backend, at, device(), folder)).toBeUndefined();
    if (only !== undefined) {
      it.runIf(only === backend)(`answer as the oracle in case ${number}`, () => check(Number(number)));
      return;
    }
    const begins = Array.from({ length: counts[backend] / STEP }, (_, i) => i * STEP);
    it.each(begins)("answer as the oracle, from case %i", async (begin) => {
      for (let at = begin; at < begin + STEP; at++) await check(at);
    });
  });
});
