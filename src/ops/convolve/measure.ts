/**
 * Times each technique of `convolve` on a device for `nearfield bench convolve`, with all arrays in the
 * device's memory. What other libraries take is measured by bench/convolve.bench.ts.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { clamp } from "../../core/math.ts";
import { checkOneOf, checkOptions } from "../../core/options.ts";
import { measureCopy } from "../../runtime/copy.ts";
import type { Device } from "../../runtime/device.ts";
import { convolveTechniques, type ConvolveTechnique } from "./contract.ts";
import { convolve } from "./convolve.ts";
import type { ConvolveTime, MeasuredProblem, OutputsAt } from "./measured.ts";

/**
 * `measureConvolve` takes these options.
 * @example
 * const options: ConvolveMeasureOptions = { samples: 1000, taps: 5, techniques: ["tiled"], repeat: 1 };
 * const device = await Device.create({ backend: "cpu" });
 * (await measureConvolve(device, options)).times.length; // => 1
 * device.dispose();
 */
export interface ConvolveMeasureOptions {
  /** The signal has this many samples, and the mask taps; they are float32 from [-0.5, 0.5). */
  readonly samples: number;
  readonly taps: number;
  /**
   * On a GPU a tile of "tiled" has this many outputs, a multiple of 4 up to 1024, with up to 480 taps;
   * default as for `technique: "tiled"`.
   */
  readonly tile?: number | undefined;
  /** These are measured; default all that the device has for this many taps, on the CPU "tiled" and "fft". */
  readonly techniques?: readonly ConvolveTechnique[] | undefined;
  /** The median of this many runs is taken; default 10. */
  readonly repeat?: number | undefined;
  /** Chooses the numbers; default 1. */
  readonly seed?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * `measureConvolve` returns this.
 * @example
 * const device = await Device.create({ backend: "cpu" });
 * const { copySeconds, constantBytes }: ConvolveReport = await measureConvolve(device, { samples: 1000, taps: 5, repeat: 1 });
 * [copySeconds > 0, constantBytes]; // => [true, undefined]
 * device.dispose();
 */
export interface ConvolveReport {
  /** The device takes this many seconds to copy the samples. */
  readonly copySeconds: number;
  /** A kernel of the GPU can have this many bytes of uniform memory. */
  readonly constantBytes: number | undefined;
  readonly times: readonly ConvolveTime[];
}

/**
 * A run takes at least so many seconds, so that the clock can tell; and it has at most so many convolutions.
 */
const [LONG_ENOUGH, MOST] = [0.05, 100];
/** So many outputs are compared with sums in float64, at both ends and in between. */
const LOOKED_AT = 64;

/**
 * Measures how long each technique takes for one mask and one signal, mode "same", on a GPU with all arrays
 * in its memory.
 * @throws InvalidInputError for sizes that are invalid or do not fit; OutOfMemoryError and DeviceLostError;
 *   the signal's reason
 * @example
 * const device = await Device.create({ backend: "cpu" });
 * const { times } = await measureConvolve(device, { samples: 10_000, taps: 10, repeat: 3 });
 * for (const { technique, seconds } of times) console.log(`${technique}: ${(seconds * 1e6).toFixed(0)} us`);
 * device.dispose();
 */
export async function measureConvolve(
  device: Device,
  options: ConvolveMeasureOptions,
): Promise<ConvolveReport> {
  checkOptions(options, "measureConvolve", {
    samples: 1,
    taps: 1,
    tile: 1,
    techniques: 1,
    repeat: 1,
    seed: 1,
    signal: 1,
  });
  const { samples, taps, tile, repeat = 10, seed = 1, signal: abort } = options;
  for (const [name, value] of Object.entries({ samples, taps, repeat }))
    checkWhole(name, value, 1, 2 ** 31 - 1);
  checkWhole("seed", seed, 0, 2 ** 32 - 1);
  if (tile !== undefined) checkWhole("tile", tile, 4, 1024, 4);
  for (const each of options.techniques ?? []) checkOneOf(each, convolveTechniques, "technique");
  let state = seed;
  const draw = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32 - 0.5;
  const shape = { rows: 1, masks: 1, count: samples, length: samples, taps, before: Math.floor(taps / 2) };
  const measured: MeasuredProblem = {
    params: { type: "f32", ...shape, flip: false, boundary: "constant", fill: 0 },
    signal: new Float32Array(samples).map(draw),
    mask: new Float32Array(taps).map(draw),
    tile,
    async timed(technique, run, outputs) {
      const runs = async (count: number): Promise<number> => {
        abort?.throwIfAborted();
        return (await run(count)) / count;
      };
      const first = (await runs(1), await runs(1));
      const count = clamp(Math.ceil(LONG_ENOUGH / Math.max(first, 1e-9)), 1, MOST);
      const seconds: number[] = [];
      for (let at = 0; at < repeat; at++) seconds.push(await runs(count));
      seconds.sort((a, b) => a - b);
      return { technique, seconds: seconds[repeat >> 1], error: await errorOf(measured, outputs) };
    },
  };
  const copy = await measureCopy(device, { bytes: samples * 4, repeat, signal: abort });
  const onGpu = device.backend.onDevice?.(async (gpu) => {
    const { constantBytes, timesOnGpu } = await import("./gpu/measure.ts");
    return { constantBytes: constantBytes(gpu), times: await timesOnGpu(gpu, measured, options.techniques) };
  });
  const { constantBytes, times } = await (onGpu ?? onCpu(device, measured, options.techniques));
  return { copySeconds: copy.seconds, constantBytes, times };
}

async function onCpu(
  device: Device,
  measured: MeasuredProblem,
  techniques: readonly ConvolveTechnique[] = ["tiled", "fft"],
): Promise<Omit<ConvolveReport, "copySeconds">> {
  const out = new Float32Array(measured.signal.length);
  const times: ConvolveTime[] = [];
  for (const technique of techniques) {
    const run = async (count: number): Promise<number> => {
      const began = performance.now();
      const shape = { mode: "same", technique, device, out } as const;
      for (let i = 0; i < count; i++) await convolve(measured.signal, measured.mask.toReversed(), shape);
      return (performance.now() - began) / 1000;
    };
    const outputs: OutputsAt = (first, count) => Promise.resolve(out.subarray(first, first + count));
    times.push({ ...(await measured.timed(technique, run, outputs)), loads: undefined });
  }
  return { constantBytes: undefined, times };
}

async function errorOf({ params, signal, mask }: MeasuredProblem, outputs: OutputsAt): Promise<number> {
  const { length, before } = params;
  const count = Math.min(LOOKED_AT, length);
  let worst = 0;
  for (const first of [0, Math.floor((length - count) / 2), length - count]) {
    (await outputs(first, count)).forEach((found, at) => {
      let sum = 0;
      mask.forEach((tap, t) => (sum += tap * (signal[first + at - before + t] ?? 0)));
      worst = Math.max(worst, Math.abs(found - sum));
    });
  }
  return worst;
}

function checkWhole(name: string, value: number, least: number, most: number, step = 1): void {
  if (Number.isInteger(value) && value >= least && value <= most && value % step === 0) return;
  const what = step === 1 ? "whole number" : `multiple of ${step}`;
  throw new InvalidInputError(`${name} is ${value}; expected a ${what} from ${least} to ${most}`);
}
