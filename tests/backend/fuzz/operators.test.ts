/**
 * Fuzzed calls of the operators on arrays, of distances by bins and of point clouds against plain loops: any
 * difference of a bit fails. NEARFIELD_SEED and NEARFIELD_CASE repeat one.
 */
import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../dist/node.js";
import { Random, printedSeed } from "../../oracle/random.ts";
import { onEachBackend } from "../helpers.ts";
import { draws } from "./operators.ts";
import { wrongCalls } from "./wrongCalls.ts";

const seed = printedSeed();
const share = "Deno" in globalThis ? 1 / 10 : process.env.NEARFIELD_LONG ? 10 : 1;
/** The calls of each operator: a GPU in software needs another shader for many of them. */
const counts = { cpu: 60 * share, gpu: 10 * share };
const only = process.env.NEARFIELD_CASE;

describe("fuzzed operators", () => {
  onEachBackend((device, backend) => {
    // Distances are counted by the CPU alone.
    const names = Object.keys(draws).filter((name) => backend === "cpu" || name !== "distanceHistogram");
    it.each(names)("answer as plain loops: %s", async (name) => {
      // Each cloud takes a GPU in software four seconds for its shaders.
      const count = backend === "gpu" && name === "PointCloud" ? counts.gpu / 5 : counts[backend];
      for (let at = 0; at < count; at++) {
        const label = `${backend}:${name}:${at}`;
        if (only !== undefined && only !== label) continue;
        const random = new Random(seed + at * 7919 + names.indexOf(name));
        const { what, check } = draws[name](random, device(), backend);
        const wrong = await check().catch((error: unknown) =>
          String(error instanceof Error ? error.stack : error),
        );
        expect(wrong, `NEARFIELD_SEED=${seed} NEARFIELD_CASE=${label}: ${what}`).toBeUndefined();
      }
    });

    it("refuse what they cannot do as the caller's mistake", async () => {
      const wrong: string[] = [];
      for (const [what, call] of wrongCalls(device())) {
        const error = await call().then(
          () => "an answer",
          (reason: unknown) => (reason instanceof InvalidInputError ? undefined : String(reason)),
        );
        if (error !== undefined) wrong.push(`${what}: ${error}`);
      }
      expect(wrong).toEqual([]);
    });
  });
});
