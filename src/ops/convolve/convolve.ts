/**
 * Convolves and correlates signals with masks: checks arguments, chooses a device and a technique, and has
 * the engine run the primitive. The contract is ops/convolve/contract.ts. GpuPrimitives.convolve does it for
 * buffers on a GPU.
 */
import { runOperator } from "../../runtime/onArrays.ts";
import { checkConvolve } from "./arguments.ts";
import type { ConvolveOptions } from "./options.ts";
import { paysOnCpu } from "./policy.ts";
import { convolveProblem } from "./run.ts";
import type { Samples } from "./samples.ts";

/**
 * Convolves a signal with a mask: output n is the sum over i of signal[i] * mask[n - i].
 *
 * The mask is reversed, so that a signal of a single 1 gives the mask. `correlate` does not reverse it. Modes
 * are SciPy's. "full" gives signal + mask - 1 outputs, "same" as many as there are samples, the middle ones
 * of "full" from (mask - 1) / 2 on, rounded down, and "valid" those where the shorter of both lies within the
 * longer, |signal - mask| + 1. So a mask may be longer than the signal. Where either is empty, so is the
 * result, as with scipy.signal.fftconvolve.
 *
 * Sums of int32 are exact. Errors of float32 are at most taps * 2^-22 times the sum of magnitudes of the
 * products. With "fft", which "auto" takes for long masks, they are at most 2^-14 (1 + taps / 2^17)
 * |samples| |mask|, where |.| is the root of the sum of squares, of the samples less than 2^15 + taps away.
 * No partial sum may overflow, and a GPU may take subnormal numbers for zero. Taps are finite; NaN and
 * infinities of the signal reach the outputs that they are part of, and no other.
 *
 * Float64 is added up in float64 on a CPU. Without `device`, "auto" takes the CPU where it finishes before
 * the signal and the result could travel to and from a GPU: for up to about thirty taps at any length, and
 * with "fft" for up to about 10^8 samples.
 *
 * @param mask taps, of the signal's type or numbers that become it
 * @returns [rows][masks][length]: `out` cut to that, or a new array
 * @throws InvalidInputError, also if a sum of int32 overflows; the contents of `out` are then undefined
 * @example
 * const signal = Float32Array.of(1, 2, 3, 4, 5, 6, 7);
 * await convolve(signal, [1, 0, -1]); // => Float32Array [1, 2, 2, 2, 2, 2, 2, -6, -7]
 * await convolve(signal, [3, 4, 5, 4, 3], { mode: "same" }); // => [22, 38, 57, 76, 95, 90, 74]
 * await convolve(Int32Array.of(1, 2, 3), [1, 1], { mode: "same", boundary: "wrap" }); // => Int32Array [4, 3, 5]
 */
export function convolve<A extends Samples>(
  signal: A,
  mask: ArrayLike<number>,
  options: ConvolveOptions<A> = {},
): Promise<A> {
  return run("convolve", signal, mask, options) as Promise<A>;
}

/**
 * Correlates a signal with a mask: output n of mode "valid" is the sum over i of signal[n + i] * mask[i]. All
 * else is as in `convolve`: it is the same sum with the mask reversed, and with mode "same" output n begins
 * at sample n - floor(mask / 2).
 *
 * @param mask taps, of the signal's type or numbers that become it
 * @returns [rows][masks][length]: `out` cut to that, or a new array
 * @throws InvalidInputError, also if a sum of int32 overflows; the contents of `out` are then undefined
 * @example
 * await correlate(Float32Array.of(1, 2, 4, 8), [1, 0, -1], { mode: "valid" }); // => Float32Array [-3, -6]
 * const channels = Float32Array.of(1, 2, 3, 10, 20, 30);
 * const means = [0.5, 0.5, 1, -1];
 * await correlate(channels, means, { rows: 2, masks: 2, mode: "valid" }); // => [1.5, 2.5, -1, -1, 15, 25, -10, -10]
 */
export function correlate<A extends Samples>(
  signal: A,
  mask: ArrayLike<number>,
  options: ConvolveOptions<A> = {},
): Promise<A> {
  return run("correlate", signal, mask, options) as Promise<A>;
}

async function run(
  operator: "convolve" | "correlate",
  signal: Samples,
  mask: ArrayLike<number>,
  options: ConvolveOptions<Samples>,
): Promise<Samples> {
  const problem = checkConvolve(signal, mask, operator === "convolve", options);
  const { device, backend = "auto", gpu, gpuDevice } = options;
  const isFree = !device && !gpuDevice && gpu === undefined && backend === "auto";
  const { params: given } = problem;
  const params =
    options.precision === "float32" && given.type === "f64" ? { ...given, type: "f32" as const } : given;
  const chosen = isFree && paysOnCpu(params) ? { ...options, backend: "cpu" as const } : options;
  return runOperator(operator, chosen, (device, options) => convolveProblem(device, problem, options));
}
