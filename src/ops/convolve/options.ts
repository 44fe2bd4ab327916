/** These are the options of `convolve` and `correlate`. */
import type { OptionNames } from "../../core/options.ts";
import { arrayNames, type ArrayOptions } from "../../runtime/onArrays.ts";
import type { ConvolveMode, ConvolveTechnique } from "./contract.ts";
import type { Boundary, Samples } from "./samples.ts";

/**
 * `convolve` and `correlate` take these options.
 * @example
 * const options: ConvolveOptions<Float32Array> = { mode: "same", boundary: "edge", out: new Float32Array(4) };
 * await correlate(Float32Array.of(1, 2, 4, 8), [0.5, 0.5], options); // => [1, 1.5, 3, 6]
 * options.out; // => [1, 1.5, 3, 6]
 */
export interface ConvolveOptions<A extends Samples = Samples> extends ArrayOptions {
  /**
   * It selects the outputs: "full" (default), all that a sample contributes to; "same", as many as there are
   * samples; "valid", those that use nothing outside the signal.
   */
  readonly mode?: ConvolveMode | undefined;
  /** It says what lies outside the signal; default "constant". All others need mode "same". */
  readonly boundary?: Boundary | undefined;
  /**
   * Samples outside have this value with the boundary "constant"; default 0. It is an error with mode
   * "valid".
   */
  readonly fill?: number | undefined;
  /** `signal` holds this many signals, equally long, one after the other; default 1. */
  readonly rows?: number | undefined;
  /**
   * `mask` holds this many masks, equally long, one after the other; default 1. The result is
   * [rows][masks][length], row-major.
   */
  readonly masks?: number | undefined;
  /**
   * An int32 sum of more than 32 bits is an error ("error", default), which is raised before anything is
   * returned, or is taken modulo 2^32 ("wrap").
   */
  readonly overflow?: "error" | "wrap" | undefined;
  /**
   * It names the algorithm; the default "auto" chooses by the number of taps and the length. Float32 results
   * differ within their bounds, others never. "fft" is for float32 only; on a CPU the others are the same.
   */
  readonly technique?: "auto" | ConvolveTechnique | undefined;
  /**
   * "float32" lets a GPU, which has no float64, convolve a Float64Array rounded to float32; finite numbers
   * that float32 cannot hold are an error. The default is "float64".
   */
  readonly precision?: "float64" | "float32" | undefined;
  /**
   * The result is written to this array, which is like signal, at least as long as the result, and shares no
   * memory with signal or mask; default a new one. On the CPU, workers may share the work where it and signal
   * lie in a SharedArrayBuffer (see ArrayOptions).
   */
  readonly out?: A | undefined;
  /**
   * Tests and experiments set sizes to work in; only results of spectra depend on them, within their bounds.
   * @internal
   */
  readonly tuning?: { readonly piece?: number | undefined; readonly span?: number | undefined } | undefined;
}

export const convolveNames: OptionNames<ConvolveOptions> = {
  mode: 1,
  boundary: 1,
  fill: 1,
  rows: 1,
  masks: 1,
  overflow: 1,
  technique: 1,
  precision: 1,
  ...arrayNames,
  out: 1,
  tuning: 0,
};
