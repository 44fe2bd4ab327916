/** The pure parts of convolve: where masks are cut, which device pays, which technique is taken. */
import { describe, expect, it } from "vitest";
import { cutMask, POINTS } from "../../../src/ops/convolve/blocks.ts";
import { placeOutputs } from "../../../src/ops/convolve/contract.ts";
import { tiledLoads } from "../../../src/ops/convolve/gpu/gpu.ts";
import { chooseTechnique, CPU_FFT_TAPS, FFT_TAPS, paysOnCpu } from "../../../src/ops/convolve/policy.ts";
import { sampleAt } from "../../../src/ops/convolve/samples.ts";
import { blocksOf } from "../../../src/ops/convolve/spectra/spectra.ts";

describe("convolve", () => {
  it("cuts masks into parts that blocks hold, of which none is empty", () => {
    for (const taps of [1, 2, 63, 1000, 2048, 2049, 4095, 4096, 4097, 5000, 20_000, 1_000_003]) {
      const { parts, partTaps, hop, chained } = cutMask(taps);
      expect(parts * partTaps).toBeGreaterThanOrEqual(taps);
      expect((parts - 1) * partTaps).toBeLessThan(taps);
      expect(hop + partTaps).toBe(chained ? POINTS : POINTS + 1);
      expect(hop).toBeGreaterThan(0);
      // What the proof of the bound supposes.
      if (parts > 1) expect(partTaps).toBeGreaterThan(1000);
    }
    expect(cutMask(1000)).toEqual({ parts: 1, partTaps: 1000, hop: 3097, chained: false });
    expect(cutMask(4095)).toEqual({ parts: 2, partTaps: 2048, hop: 2048, chained: true });
  });

  it("places outputs as SciPy does, with masks longer than the signal too", () => {
    expect(placeOutputs("full", 5, 3)).toEqual({ before: 2, length: 7 });
    expect(placeOutputs("same", 5, 4)).toEqual({ before: 2, length: 5 });
    expect(placeOutputs("valid", 5, 3)).toEqual({ before: 0, length: 3 });
    expect(placeOutputs("valid", 3, 5)).toEqual({ before: 2, length: 3 });
    expect(placeOutputs("full", 0, 5).length).toBe(0);
  });

  it("goes round, back or stays at the ends of a signal", () => {
    const of = (boundary: Parameters<typeof sampleAt>[0]) =>
      Array.from({ length: 11 }, (_, i) => sampleAt(boundary, i - 4, 3));
    expect(of("constant")).toEqual([-1, -1, -1, -1, 0, 1, 2, -1, -1, -1, -1]);
    expect(of("edge")).toEqual([0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2]);
    expect(of("wrap")).toEqual([2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0]);
    expect(of("symmetric")).toEqual([2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0]);
    expect(of("reflect")).toEqual([0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2]);
  });

  it("leaves few taps on arrays of the host to the CPU, and float64 always", () => {
    const shape = { rows: 1, masks: 1, count: 2 ** 26, length: 2 ** 26, before: 0, flip: true } as const;
    const params = { ...shape, type: "f32", boundary: "constant", fill: 0 } as const;
    expect(paysOnCpu({ ...params, taps: 10 })).toBe(true);
    expect(paysOnCpu({ ...params, taps: 500 })).toBe(true);
    expect(paysOnCpu({ ...params, taps: 500, type: "i32" })).toBe(false);
    expect(paysOnCpu({ ...params, taps: 500, count: 2 ** 29, length: 2 ** 29 })).toBe(false);
    expect(paysOnCpu({ ...params, taps: 500, count: 2 ** 18, length: 2 ** 18 })).toBe(true);
    expect(paysOnCpu({ ...params, type: "f64", taps: 5000 })).toBe(true);
  });

  it("takes spectra from some taps on, and never for whole numbers", () => {
    expect(chooseTechnique({ type: "f32", length: 10_000, taps: FFT_TAPS - 1 }, "auto").technique).toBe(
      "tiled",
    );
    expect(chooseTechnique({ type: "f32", length: 10_000, taps: FFT_TAPS }, "auto").technique).toBe("fft");
    expect(chooseTechnique({ type: "i32", length: 10_000, taps: 10_000 }, "auto").technique).toBe("tiled");
    const short = chooseTechnique({ type: "f32", length: 100, taps: 1000 }, "auto");
    expect(short).toEqual({
      technique: "tiled",
      why: expect.stringMatching(/rows of 100 outputs are too short/),
    });
    expect(chooseTechnique({ type: "f32", length: 10_000, taps: 3 }, "plain").technique).toBe("plain");
    expect(
      chooseTechnique({ type: "f32", length: 10_000, taps: CPU_FFT_TAPS - 1 }, "auto", "cpu").technique,
    ).toBe("tiled");
    expect(
      chooseTechnique({ type: "f32", length: 10_000, taps: CPU_FFT_TAPS }, "auto", "cpu").technique,
    ).toBe("fft");
    expect(chooseTechnique({ type: "f64", length: 10_000, taps: 10_000 }, "auto", "cpu").technique).toBe(
      "tiled",
    );
  });

  it("counts the samples that an output makes a GPU read in tiles, and again for each 480 taps", () => {
    expect([1, 16, 17, 96, 97].map(tiledLoads)).toEqual([
      1,
      4.75,
      1 + 16 / 1280,
      1 + 95 / 1280,
      1 + 96 / 3072,
    ]);
    expect([480, 481, 961].map(tiledLoads)).toEqual([1 + 479 / 3072, 2 + 479 / 3072, 3 + 958 / 3072]);
  });

  it("cuts masks for a CPU into parts that leave most of a block to outputs", () => {
    for (const taps of [1, 800, 801, 8192, 8193, 100_003]) {
      const { points, parts, partTaps, hop } = blocksOf(taps);
      expect(Math.log2(points) % 2).toBe(0);
      expect(parts * partTaps).toBeGreaterThanOrEqual(taps);
      expect((parts - 1) * partTaps).toBeLessThan(taps);
      expect(hop % 2).toBe(0);
      expect(points + 1 - (hop + partTaps)).toBe((points + 1 - partTaps) % 2);
      expect(hop).toBeGreaterThanOrEqual(points / 2);
      if (parts > 1) expect(partTaps).toBeGreaterThan(1000);
    }
  });
});
