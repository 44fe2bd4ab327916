/** runLength() on every backend against the naive oracle: any run, length or place that differs fails. */
import { beforeEach, expect, it } from "vitest";
import { runLength, type RunLengthResult } from "../../../dist/node.js";
import { naiveRuns } from "../../oracle/compact.ts";
import { printedSeed, Random } from "../../oracle/random.ts";
import { bitsOf, type Elements } from "./elementInputs.ts";
import { assume, firstWrong, scanVariants } from "./elements.ts";
import { onEachBackend, openBeside } from "../helpers.ts";
import { runInputs } from "../runs.ts";

const seed = printedSeed();
const tile = 4096;

function wrongAt({ values, counts, offsets }: RunLengthResult, input: Elements): string | undefined {
  const bits = bitsOf(input);
  const expected = naiveRuns(input);
  return (
    firstWrong(offsets, expected.offsets) ??
    firstWrong(counts, expected.counts) ??
    firstWrong(
      bitsOf(values as Elements),
      expected.offsets.map((at) => bits[at]),
    )
  );
}

onEachBackend((device, backend) => {
  /** The variant that software is quickest at. */
  const quick = scanVariants[1];
  beforeEach(() => assume(device(), quick));

  it.each(runInputs)("finds every run of $name", async ({ make, name }) => {
    const random = new Random(seed + name.length);
    for (const count of [0, 1, 2, 3, 4, 5, 17, tile - 1, tile, tile + 1, 9973]) {
      const input = make(random, count);
      const found = await runLength(input, { device: device() });
      expect(wrongAt(found, input), `${count}`).toBeUndefined();
    }
  });

  const variants = backend === "cpu" ? [quick] : scanVariants.slice(0, 2);

  it.each(variants)("finds the same every time, by the variant %o", async (variant) => {
    assume(device(), variant);
    const input = runInputs[10].make(new Random(seed), 70_001);
    for (let run = 0; run < 3; run++) {
      expect(wrongAt(await runLength(input, { device: device() }), input)).toBeUndefined();
    }
  });

  it("finds runs of 2^20 + 7 elements", async () => {
    const input = runInputs[10].make(new Random(seed), 2 ** 20 + 7);
    expect(wrongAt(await runLength(input, { device: device() }), input)).toBeUndefined();
  });

  it("adds up runs that go on from piece to piece", async () => {
    const random = new Random(seed);
    for (const { make } of runInputs) {
      const input = make(random, 4 * tile + 5);
      const options = { tuning: { piece: tile }, device: device() };
      expect(wrongAt(await runLength(input, options), input)).toBeUndefined();
    }
  });

  it("writes into out as much as there is, and says when that was not enough", async () => {
    const input = Float32Array.of(5, 5, 6, 7, 7, 7);
    const words = () => new Uint32Array(6).fill(9);
    const out = { values: new Float32Array(6).fill(9), counts: words(), offsets: words() };
    const options = { device: device() };
    const found = await runLength(input, { ...options, out });
    expect(found.counts.buffer).toBe(out.counts.buffer);
    expect(found).toEqual({
      values: Float32Array.of(5, 6, 7),
      counts: Uint32Array.of(2, 1, 3),
      offsets: Uint32Array.of(0, 2, 3),
    });
    expect([out.values[3], out.counts[3], out.offsets[3]]).toEqual([9, 9, 9]);
    const small = { values: out.values, counts: words().subarray(0, 2), offsets: words() };
    await expect(runLength(input, { ...options, out: small })).rejects.toThrow(
      "out.counts has 2 elements, but there are 3 runs; expected room for all",
    );
    expect([[...small.counts], small.offsets[2]]).toEqual([[2, 1], 9]);
    const same = { values: out.values, counts: out.counts, offsets: out.counts };
    await expect(runLength(input, { ...options, out: same })).rejects.toThrow("share memory");
    const wrong = { ...out, offsets: new Int32Array(6) as never };
    await expect(runLength(input, { ...options, out: wrong })).rejects.toThrow("out.offsets is a Int32Array");
  });

  if (backend === "gpu") {
    it("works on an array larger than the memory it may use", async () => {
      const small = await openBeside("gpu", { deviceMemory: 2 ** 18 });
      assume(small, quick);
      const input = runInputs[11].make(new Random(seed), 100_001);
      expect(wrongAt(await runLength(input, { device: small }), input)).toBeUndefined();
      expect(small.counters.peakBytes).toBeLessThanOrEqual(2 ** 18);
      small.dispose();
    });
  }
});
