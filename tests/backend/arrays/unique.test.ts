/** unique() on every backend against the naive oracle: any element, bit or place that differs fails. */
import { beforeEach, expect, it } from "vitest";
import { unique } from "../../../dist/node.js";
import { naiveRuns } from "../../oracle/compact.ts";
import { printedSeed, Random } from "../../oracle/random.ts";
import { bitsOf, type Elements } from "./elementInputs.ts";
import { assume, firstWrong, scanVariants } from "./elements.ts";
import { onEachBackend, openBeside } from "../helpers.ts";
import { runInputs } from "../runs.ts";

const seed = printedSeed();
const tile = 4096;

function wrongAt(found: Elements, input: Elements): string | undefined {
  const bits = bitsOf(input);
  return firstWrong(
    bitsOf(found),
    naiveRuns(input).offsets.map((at) => bits[at]),
  );
}

onEachBackend((device, backend) => {
  /** The variant that software is quickest at. */
  const quick = scanVariants[1];
  beforeEach(() => assume(device(), quick));

  it.each(runInputs)("keeps the first of every run of $name", async ({ make, name }) => {
    const random = new Random(seed + name.length);
    for (const count of [0, 1, 2, 3, 4, 5, 17, tile - 1, tile, tile + 1, 9973]) {
      const input = make(random, count);
      const found = await unique(input, { device: device() });
      expect(found.constructor).toBe(input.constructor);
      expect(wrongAt(found, input), `${count}`).toBeUndefined();
    }
  });

  const variants = backend === "cpu" ? [quick] : scanVariants.slice(0, 2);

  it.each(variants)("finds the same every time, by the variant %o", async (variant) => {
    assume(device(), variant);
    const input = runInputs[10].make(new Random(seed), 70_001);
    for (let run = 0; run < 3; run++) {
      expect(wrongAt(await unique(input, { device: device() }), input)).toBeUndefined();
    }
  });

  it("finds runs of 2^20 + 7 elements", async () => {
    const input = runInputs[10].make(new Random(seed), 2 ** 20 + 7);
    expect(wrongAt(await unique(input, { device: device() }), input)).toBeUndefined();
  });

  it("finds the same however the array is cut, also in the middle of runs", async () => {
    const random = new Random(seed);
    for (const { make } of runInputs) {
      const input = make(random, 3 * tile + 5);
      const options = { tuning: { piece: tile }, device: device() };
      expect(wrongAt(await unique(input, options), input)).toBeUndefined();
    }
  });

  it("tells -0 from +0, and takes every NaN for the same, of which the first stays", async () => {
    const input = new Float32Array([0, -0, -0, 0, NaN, NaN, NaN, 1]);
    new Uint32Array(input.buffer).set([0xffc00001, 0x7fc00000], 4);
    const found = await unique(input, { device: device() });
    expect([...bitsOf(found)]).toEqual([0, 0x80000000, 0, 0xffc00001, 0x3f800000]);
  });

  it("writes into out as much as there is, and says when that was not enough", async () => {
    const input = Int32Array.of(1, 1, 2, 2, 1);
    const out = new Int32Array(5).fill(-9);
    const options = { device: device() };
    const found = await unique(input, { ...options, out });
    expect(found.buffer).toBe(out.buffer);
    expect([[...found], [...out]]).toEqual([
      [1, 2, 1],
      [1, 2, 1, -9, -9],
    ]);
    expect([...input]).toEqual([1, 1, 2, 2, 1]);
    await expect(unique(input, { ...options, out: out.subarray(0, 2) })).rejects.toThrow(
      "out has 2 elements, but there are 3 runs; expected room for all",
    );
    expect(out[2]).toBe(1);
    await expect(unique(input, { ...options, out: input })).rejects.toThrow("out shares memory with input");
  });

  if (backend === "gpu") {
    it("works on an array larger than the memory it may use", async () => {
      const small = await openBeside("gpu", { deviceMemory: 2 ** 18 });
      assume(small, quick);
      const input = runInputs[11].make(new Random(seed), 100_001);
      expect(wrongAt(await unique(input, { device: small }), input)).toBeUndefined();
      expect(small.counters.peakBytes).toBeLessThanOrEqual(2 ** 18);
      small.dispose();
    });
  }
});
