/**
 * convolve() with several masks and long rows on devices whose memory, by `deviceMemory`, is far smaller than
 * one row of the result: the same bits as with memory for all.
 */
import { expect, it } from "vitest";
import { convolve, correlate } from "../../../dist/node.js";
import type { ConvolveOptions, Explanation, Samples } from "../../../dist/node.js";
import { naiveConvolve, type NaiveOptions } from "../../oracle/convolve.ts";
import { printedSeed, Random } from "../../oracle/random.ts";
import { onEachBackend, openBeside } from "../helpers.ts";
import { firstWrong } from "./elements.ts";

const seed = printedSeed();

onEachBackend((device, backend) => {
  const ints = (count: number, random: Random) =>
    Int32Array.from({ length: count }, () => random.int(-999, 1000));

  /** Compares with a device that has room for all, and row 1 with the last mask with the oracle. */
  async function check(
    deviceMemory: number,
    signal: Samples,
    mask: Samples,
    shape: NaiveOptions & { rows: number; masks: number } & Pick<ConvolveOptions, "technique">,
  ): Promise<number> {
    const small = await openBeside(backend, { deviceMemory });
    let jobs = 0;
    const onExplanation = (told: Explanation) => (jobs = told.jobs);
    const result = await correlate(signal, mask, { ...shape, device: small, onExplanation });
    if (backend === "gpu") expect(small.counters.peakBytes).toBeLessThanOrEqual(deviceMemory);
    small.dispose();
    expect(firstWrong(result, await correlate(signal, mask, { ...shape, device: device() }))).toBeUndefined();
    const [count, taps] = [signal.length / shape.rows, mask.length / shape.masks];
    const row = signal.subarray((shape.rows - 1) * count);
    const last = mask.subarray((shape.masks - 1) * taps);
    const { values } = naiveConvolve(row, last, false, shape);
    const line = result.subarray(result.length - values.length);
    if (signal instanceof Int32Array) expect(firstWrong(line, values)).toBeUndefined();
    return jobs;
  }

  it("takes shorter pieces where 256 KiB are all there is", async () => {
    const random = new Random(seed);
    const jobs = await check(2 ** 18, ints(300_001, random), ints(7, random), {
      ...{ rows: 1, masks: 1, mode: "same", boundary: "reflect" },
    });
    if (backend === "gpu") expect(jobs).toBeGreaterThan(8);
  });

  it("takes masks apart where not even short pieces of all fit", async () => {
    const random = new Random(seed + 1);
    const shape = { rows: 2, masks: 61, mode: "same", boundary: "wrap" } as const;
    const jobs = await check(2 ** 17, ints(2 * 3000, random), ints(61 * 5, random), shape);
    if (backend === "gpu") expect(jobs).toBeGreaterThan(8);
    const floats = [6000, 61 * 5].map((count) => Float32Array.from({ length: count }, () => random.normal()));
    for (const technique of ["plain", "uniform", "tiled"] as const)
      await check(2 ** 17, floats[0], floats[1], { ...shape, technique });
  });

  it("works on short rows with many masks, and on masks longer than the signal", async () => {
    const random = new Random(seed + 2);
    for (const [rows, count, masks, taps] of [
      [8, 11, 70, 3],
      [2, 40, 12, 300],
      [2, 1, 400, 5],
    ])
      await check(2 ** 14, ints(rows * count, random), ints(masks * taps, random), {
        rows,
        masks,
        mode: "full",
      });
  });

  it("multiplies spectra of some masks at a time, within their bounds", async () => {
    const random = new Random(seed + 3);
    const [signal, mask] = [9000, 5 * 200].map((count) =>
      Float32Array.from({ length: count }, () => random.normal()),
    );
    const small = await openBeside(backend, { deviceMemory: 2 ** 18 });
    const result = await convolve(signal, mask, { masks: 5, mode: "same", technique: "fft", device: small });
    small.dispose();
    for (const m of [0, 3, 4]) {
      const { values } = naiveConvolve(signal, mask.subarray(m * 200, (m + 1) * 200), true, { mode: "same" });
      const part = result.subarray(m * 9000, (m + 1) * 9000);
      expect(firstWrong(part, values, () => 2e-5 * Math.sqrt(200))).toBeUndefined();
    }
  });

  it("names the first sum that overflows, whichever masks come first", async () => {
    const [rows, count, masks] = [2, 3000, 40];
    const signal = new Int32Array(rows * count);
    const mask = new Int32Array(masks * 3).fill(1);
    signal.fill(2 ** 30, count + 1700, count + 1702);
    mask.fill(0, 0, 7 * 3);
    const small = await openBeside(backend, { deviceMemory: 2 ** 16 });
    const failed = correlate(signal, mask, { rows, masks, mode: "same", device: small });
    const first = (masks + 7) * count + 1700;
    await expect(failed).rejects.toThrow(`element ${first} of the result overflows int32`);
    small.dispose();
  });
});
