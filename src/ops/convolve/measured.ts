/** These are the problem that is timed and the time of a technique, for measure.ts and gpu/measure.ts. */
import type { ConvolveParams, ConvolveTechnique } from "./contract.ts";

/**
 * One technique takes this time.
 * @example
 * const device = await Device.create({ backend: "cpu" });
 * const { times } = await measureConvolve(device, { samples: 1000, taps: 5, repeat: 1 });
 * times.map(({ technique }: ConvolveTime) => technique); // => ["tiled", "fft"]
 * device.dispose();
 */
export interface ConvolveTime {
  readonly technique: ConvolveTechnique;
  /** One convolution takes this many seconds. */
  readonly seconds: number;
  /** A GPU reads this many numbers, samples and taps, from memory for each output; undefined on a CPU. */
  readonly loads: number | undefined;
  /** It is the largest difference of some outputs from sums in float64. */
  readonly error: number;
}

/** It is a problem with its numbers, and what was asked for. */
export interface MeasuredProblem {
  readonly params: Omit<ConvolveParams, "technique">;
  readonly signal: Float32Array<ArrayBuffer>;
  readonly mask: Float32Array<ArrayBuffer>;
  readonly tile: number | undefined;
  /** Times one run of a technique, and looks at some outputs. */
  timed(
    technique: ConvolveTechnique,
    run: TimedRuns,
    outputs: OutputsAt,
  ): Promise<Omit<ConvolveTime, "loads">>;
}

/** Convolves so often, and returns the seconds that it took. */
export type TimedRuns = (count: number) => Promise<number>;
/** Returns some outputs. */
export type OutputsAt = (first: number, count: number) => Promise<Float32Array>;
