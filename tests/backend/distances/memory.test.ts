/** Distances on a GPU whose memory gives out: counted with less, or an error says what was tried. */
import { afterEach, describe, expect, it } from "vitest";
import { distanceHistogram, OutOfMemoryError, type Device } from "../../../dist/node.js";
import { Random, printedSeed } from "../../oracle/random.ts";
import { isAbsent, oneIn, openBeside } from "../helpers.ts";
import { matrix } from "../inputs.ts";
import { limitMemory } from "../limitMemory.ts";
import { exactDistances, expectCounts, rounded } from "./onGpu.ts";

const seed = printedSeed();
const random = new Random(seed);
const train = rounded(matrix(301, 19, () => random.uniform()));
const queries = rounded(matrix(21, 19, () => random.uniform()));
const all = exactDistances(train, queries);

describe.skipIf(isAbsent("gpu"))("a GPU without the memory that it claims to have", () => {
  let device: Device;
  afterEach(() => device.dispose());

  const little = [
    { bins: 50, bytes: 60_000 },
    // Less than a slow machine asks for too, which makes few values at a time once it knows the ranges.
    { bins: 50, bytes: 45_000, range: "all" },
    { bins: 1000, bytes: 90_000, tuning: { whole: true } },
    // What whole numbers take beside makes the rows leave the device.
    { bins: 50, bytes: 33_000, tuning: { whole: true } },
  ] as const;
  it.each(oneIn(2, little, seed))("counts with less: %o", async ({ bytes, ...options }) => {
    device = await openBeside("gpu");
    limitMemory(device, bytes);
    const result = await distanceHistogram(train, queries, { device, ...options });
    expectCounts(result, all, options);
    expect(result.explanation.timesMemoryHalved).toBeGreaterThan(0);
  });

  it("says what was tried where nothing fits", async () => {
    device = await openBeside("gpu");
    limitMemory(device, 1000);
    const failed = distanceHistogram(train, queries, { device, bins: 50 });
    await expect(failed).rejects.toThrow(OutOfMemoryError);
    await expect(failed).rejects.toThrow(/bytes are too many; tiles were halved \d+ times/);
  });
});
