/**
 * convolve() on every backend with arrays that begin at even and odd words, shared and not, against the naive
 * oracle.
 */
import { expect, it } from "vitest";
import { convolve } from "../../../dist/node.js";
import type { ConvolveOptions } from "../../../dist/node.js";
import { naiveConvolve } from "../../oracle/convolve.ts";
import { printedSeed, Random } from "../../oracle/random.ts";
import { onEachBackend } from "../helpers.ts";
import { firstWrong } from "./elements.ts";

const constructors = { f32: Float32Array, f64: Float64Array, i32: Int32Array };
const seed = printedSeed();

onEachBackend((device, backend) => {
  it.each([
    ["f32", "tiled"],
    ["f32", "fft"],
    ["i32", "tiled"],
    ["f64", "tiled"],
  ] as const)("works on arrays of %s at any address by %s", async (type, technique) => {
    if (type === "f64" && backend === "gpu") return;
    const random = new Random(seed);
    const [rows, count, taps] = [3, 8501, 6];
    const drawn = (length: number) => new constructors[type](length).map(() => random.int(-999, 1000));
    const [own, mask] = [drawn(rows * count), drawn(taps)];
    for (const [place, outPlace, Memory] of [
      [0, 1, SharedArrayBuffer],
      [1, 0, SharedArrayBuffer],
      [1, 1, ArrayBuffer],
    ] as const) {
      const arrayAt = (first: number) => {
        const memory = new Memory((own.length + 2) * own.BYTES_PER_ELEMENT) as ArrayBuffer;
        return new constructors[type](memory).fill(-1).subarray(first);
      };
      const [signal, out] = [arrayAt(place).subarray(0, own.length), arrayAt(outPlace)];
      signal.set(own);
      const options = { mode: "same", rows, technique, out, device: device() } as ConvolveOptions;
      await convolve(signal, mask, options);
      for (let row = 0; row < rows; row++) {
        const [begin, end] = [row * count, (row + 1) * count];
        const samples = own.subarray(begin, end);
        const { values, magnitudes } = naiveConvolve(samples, mask, true, { mode: "same" });
        // Sums of so few whole numbers are exact, products of spectra are not.
        const close = technique === "fft" ? 2 ** -18 * Math.max(...magnitudes) : 0;
        const wrong = firstWrong(out.subarray(begin, end), values, () => close);
        expect(wrong, `${Memory.name} ${place} ${outPlace} row ${row}`).toBeUndefined();
      }
      expect([...out.subarray(rows * count)].every((each) => each === -1)).toBe(true);
    }
  });
});
