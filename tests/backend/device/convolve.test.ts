/**
 * convolve on buffers of other WebGPU programs: boundaries in the kernel, rows that begin anywhere, and
 * nothing read or written past the ends.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GpuPrimitives, InvalidInputError } from "../../../dist/node.js";
import type { GpuConvolveParams } from "../../../dist/node.js";
import { convolveScratchBytes } from "../../../dist/ops/convolve/contract.js";
import { convolvePasses, unpack } from "../../../dist/ops/convolve/gpu/gpu.js";
import { defaultKernelLimits } from "../../../dist/runtime/gpu/passes/pass.js";
import { naiveConvolve } from "../../oracle/convolve.ts";
import { printedSeed, Random } from "../../oracle/random.ts";
import { firstWrong } from "../arrays/elements.ts";
import { hasGpu, openSharedGpu } from "./gpu.ts";
import { PassRunner, POISON } from "./passRunner.ts";

const seed = printedSeed();
const boundaries = ["constant", "reflect", "symmetric", "edge", "wrap"] as const;

describe.skipIf(!hasGpu)("convolve on buffers of the caller", () => {
  let runner: PassRunner;
  let primitives: GpuPrimitives;
  let close: () => void;
  beforeAll(async () => {
    const backend = await openSharedGpu();
    runner = new PassRunner(backend.device);
    primitives = await GpuPrimitives.create(backend.device);
    close = () => backend.dispose();
  });
  afterAll(() => close());

  /** Fills up to fours with NaN, which nothing may read. */
  function padded(numbers: ArrayLike<number>, type: "f32" | "i32"): Uint32Array<ArrayBuffer> {
    const words = new Uint32Array(Math.ceil(numbers.length / 4) * 4).fill(0x7fc00000);
    (type === "f32" ? new Float32Array(words.buffer) : new Int32Array(words.buffer)).set(Array.from(numbers));
    return words;
  }

  /** Draws what lies outside of a signal. */
  function outsides(random: Random) {
    const boundary = random.pick(boundaries);
    return { boundary, fill: boundary === "constant" ? 2 : 0 };
  }

  async function check(params: GpuConvolveParams, random: Random): Promise<void> {
    const { type, count, taps, rows = 1, masks = 1, mode = "full", flip = true } = params;
    const draw = () => (type === "f32" ? random.normal() : random.int(-999, 1000));
    const signal = Array.from({ length: rows * count }, draw).map(Math.fround);
    const mask = Array.from({ length: masks * taps }, draw).map(Math.fround);
    using operation = await primitives.convolve(params);
    const { signal: _, mask: __, ...sizes } = operation.bytes;
    const output = sizes.output / 4;
    const after = await runner.record(
      (encoder, { signal, mask, output, scratch }) =>
        operation.encode(encoder, { signal, mask, output, scratch }),
      { signal: padded(signal, type), mask: padded(mask, type), output, scratch: sizes.scratch / 4 + 1 },
    );
    const length = mode === "full" ? count + taps - 1 : mode === "same" ? count : Math.abs(count - taps) + 1;
    const { buffer } = after.output;
    const results = type === "f32" ? new Float32Array(buffer) : new Int32Array(buffer);
    for (let line = 0; line < rows * masks; line++) {
      const row = signal.slice(Math.floor(line / masks) * count, (Math.floor(line / masks) + 1) * count);
      const own = mask.slice((line % masks) * taps, ((line % masks) + 1) * taps);
      const { values, magnitudes } = naiveConvolve(row, own, flip, params as object);
      const norms = Math.hypot(...row, 2 * Math.sqrt(taps)) * Math.hypot(...own);
      const isSum = params.technique !== "fft";
      const allowed = (at: number) => (isSum ? taps * 2 ** -22 * magnitudes[at] : 2 ** -15 * norms);
      const part = results.subarray(line * length, (line + 1) * length);
      const name = `${JSON.stringify(params)} line ${line}`;
      expect(firstWrong(part, values, type === "f32" ? allowed : undefined), name).toBeUndefined();
    }
    const rest = new Uint32Array(buffer).subarray(rows * masks * length);
    expect([...rest]).toEqual(new Array(rest.length).fill(POISON));
  }

  it.each(["plain", "tiled"] as const)("of every shape, %s", async (technique) => {
    const random = new Random(seed);
    for (const type of ["f32", "i32"] as const) {
      for (const [rows, count, masks, taps] of [
        [1, 1, 1, 1],
        [1, 4095, 1, 2],
        [1, 4096, 1, 3],
        [2, 4097, 1, 4],
        [3, 1021, 2, 5],
        [5, 7, 2, 10],
        [3, 2052, 2, 6],
        [2, 4111, 1, 64],
        [1, 3072, 1, 97],
        [3, 3071, 1, 98],
        [1, 300, 2, 481],
      ]) {
        const outside = outsides(random);
        const shape = { type, rows, count, masks, taps, technique };
        await check({ ...shape, mode: "same", ...outside, flip: random.pick([true, false]) }, random);
        await check({ ...shape, mode: random.pick(["full", "valid"] as const) }, random);
      }
    }
  });

  it("by spectra, of every shape", async () => {
    const random = new Random(seed);
    for (const [rows, count, masks, taps] of [
      [1, 1, 1, 1],
      [1, 4096, 1, 1],
      [3, 5000, 2, 100],
      [1, 8000, 1, 513],
      [2, 3000, 1, 2100],
      [1, 9000, 2, 4096],
    ]) {
      const shape = { type: "f32", rows, count, masks, taps, technique: "fft" } as const;
      const outside = outsides(random);
      await check({ ...shape, mode: "same", ...outside, flip: random.pick([true, false]) }, random);
      await check({ ...shape, mode: random.pick(["full", "valid"] as const) }, random);
    }
  });

  it("keeps samples that are not finite to the outputs that they are part of, by spectra too", async () => {
    const random = new Random(seed);
    for (const taps of [100, 2500]) {
      const count = 12_001;
      const numbers = Array.from({ length: count }, () => random.normal());
      numbers[5000] = NaN;
      numbers[5003] = Infinity;
      const [signal, mask] = [numbers, Array.from({ length: taps }, () => random.normal())].map((each) =>
        Float32Array.from(each),
      );
      using operation = await primitives.convolve({
        type: "f32",
        count,
        taps,
        mode: "same",
        technique: "fft",
      });
      const after = await runner.record(
        (encoder, { signal, mask, output, scratch }) =>
          operation.encode(encoder, { signal, mask, output, scratch }),
        {
          signal: padded(signal, "f32"),
          mask: padded(mask, "f32"),
          output: operation.bytes.output / 4,
          scratch: operation.scratchBytes / 4,
        },
      );
      const { values } = naiveConvolve(signal, mask, true, { mode: "same" });
      const results = new Float32Array(after.output.buffer, 0, count);
      expect(values.filter((value) => !Number.isFinite(value)).length).toBe(taps + 3);
      values.forEach((value, at) => {
        if (Number.isFinite(value))
          expect(Math.abs(results[at] - value)).toBeLessThan(2e-5 * Math.sqrt(taps));
        else expect([at, results[at]]).toEqual([at, value]);
      });
    }
  });

  it("in chains of blocks, and in other vectors and tiles", async () => {
    const random = new Random(seed);
    const cases = [
      [3000, { fft: { chain: 3 } }],
      [4096, { fft: { chain: 2 } }],
      [33, { window: { vectors: 3, threads: 128 } }],
      [7, { window: { vectors: 5, threads: 64 } }],
      [20, { direct: { turns: 4, threads: 64 } }],
      [10, { window: { vectors: 1, threads: 1 } }],
      [21, { window: null }],
    ] as const;
    for (const [taps, variant] of cases) {
      const [signal, mask] = [30_001, taps].map((count) =>
        Float32Array.from({ length: count }, () => random.normal()),
      );
      const { length: count } = signal;
      const technique = "fft" in variant ? "fft" : "tiled";
      const shape = {
        type: "f32",
        rows: 1,
        count,
        masks: 1,
        taps,
        before: taps >> 1,
        length: count,
      } as const;
      const params = { ...shape, flip: false, boundary: "wrap", fill: 0, technique } as const;
      await unpack();
      const passes = convolvePasses(params, defaultKernelLimits, variant);
      const { output } = await runner.run(passes, {
        signal: padded(signal, "f32"),
        mask: padded(mask, "f32"),
        output: Math.ceil(count / 4) * 4,
        scratch: convolveScratchBytes(params) / 4 + 1,
      });
      const { values } = naiveConvolve(signal, mask, false, { mode: "same", boundary: "wrap" });
      const results = new Float32Array(output.buffer, 0, count);
      expect(
        firstWrong(results, values, () => 2e-5 * Math.sqrt(taps)),
        String(taps),
      ).toBeUndefined();
    }
  });

  it("refuses what means nothing", async () => {
    const params = { type: "f32", count: 9, taps: 3 } as const;
    const cases: [object, RegExp][] = [
      [{ type: "u32" }, /unknown type "u32"; expected f32 or i32/],
      [{ count: 0 }, /count is 0/],
      [{ taps: 2.5 }, /taps is 2\.5/],
      [{ mode: "middle" }, /unknown mode "middle"/],
      [{ boundary: "wrap" }, /unknown boundary of mode "full" "wrap"; expected constant/],
      [{ technique: "uniform" }, /unknown technique "uniform"; expected plain, tiled or fft/],
      [{ type: "i32", technique: "fft" }, /unknown technique of i32 "fft"/],
      [{ rows: 2 ** 31 }, /binds at most/],
      [{ fill: NaN }, /fill is NaN; expected a number that is finite in float32/],
      [{ type: "i32", fill: 1.5 }, /fill is 1\.5; expected a whole number of 32 bits/],
      [{ mode: "valid", fill: 1 }, /fill is 1 with mode "valid"/],
    ];
    for (const [change, pattern] of cases) {
      const failed = primitives.convolve({ ...params, ...change });
      await expect(failed).rejects.toThrow(pattern);
      await expect(failed).rejects.toThrow(InvalidInputError);
    }
  });
});
