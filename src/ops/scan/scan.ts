/**
 * Computes prefix sums, minima and maxima of arrays: checks arguments and has the engine run the primitive.
 * The contract to the bit is ops/scan/contract.ts. GpuPrimitives.scan does it for buffers on a GPU.
 */
import { elementTypeOf, type ElementArray } from "../../runtime/element.ts";
import { checkOneOf, checkOptions, type OptionNames } from "../../core/options.ts";
import { identityBits } from "../../runtime/element.ts";
import { scanOps, type ScanOp, type ScanParams } from "./contract.ts";
import { arrayNames, runInPlace, runOperator, runStream, type ArrayOptions } from "../../runtime/onArrays.ts";
import { scanStep, scanStream } from "./plan.ts";
import { checkElements, resultArray } from "../../runtime/arrayArguments.ts";

/**
 * `scan` takes these options.
 * @example
 * const options: ScanOptions<Uint32Array> = { exclusive: true, out: new Uint32Array(3) };
 * const lengths = Uint32Array.of(3, 1, 2);
 * await scan(lengths, options); // => [0, 3, 4]
 * options.out; // => [0, 3, 4]
 */
export interface ScanOptions<A extends ElementArray = ElementArray> extends ArrayOptions {
  /** It is "sum" by default. */
  readonly op?: ScanOp | undefined;
  /** True leaves an element out of its own prefix; default false. */
  readonly exclusive?: boolean | undefined;
  /**
   * The array to write the result to: like input, at least as long, sharing no memory with it; default a new
   * one. On the CPU, workers may share the scan where both lie in a SharedArrayBuffer (see ArrayOptions):
   * `new Float32Array(new SharedArrayBuffer(4 * length))`.
   */
  readonly out?: A | undefined;
  /**
   * Tests and experiments set the sizes to compute with; results never depend on them.
   * @internal
   */
  readonly tuning?: { readonly piece?: number | undefined } | undefined;
}

const scanNames: OptionNames<ScanOptions> = { op: 1, exclusive: 1, ...arrayNames, out: 1, tuning: 0 };

/**
 * Combines every element with all before it.
 *
 * Sums of whole numbers wrap modulo 2^32. Sums of float32 have the same bits on every run of one device, and
 * an error of at most (128 + i / 2^20) * 2^-23 times the sum of magnitudes, as long as that is finite in
 * float32; the sign of a zero sum is not specified, and a GPU may take subnormal numbers for zero. Minima and
 * maxima skip NaN and put -0 before +0. A prefix of nothing but NaN gives NaN. An exclusive scan starts with
 * the result for no elements: 0 for a sum; for a minimum the largest integer of the type, for a maximum the
 * smallest, and NaN for float32.
 *
 * @returns `out` cut to the length of input, or a new array
 * @throws InvalidInputError
 * @example
 * await scan(new Uint32Array([3, 1, 2])); // => Uint32Array [3, 4, 6]
 * await scan(new Uint32Array([3, 1, 2]), { exclusive: true }); // => Uint32Array [0, 3, 4]
 * await scan(new Float32Array([3, 1, 2]), { op: "min" }); // => Float32Array [3, 1, 1]
 */
export async function scan<A extends ElementArray>(input: A, options: ScanOptions<A> = {}): Promise<A> {
  checkOptions(options, "scan", scanNames);
  const { op = "sum", exclusive = false, out, tuning } = options;
  checkElements(input);
  checkOneOf(op, scanOps, "op");
  const type = elementTypeOf(input);
  const count = input.length;
  const result = resultArray(out, type, count, input);
  const params: ScanParams = { type, op, exclusive, count, initial: identityBits(op) };
  await runOperator("scan", options, async (device, options) => {
    if (count === 0) return;
    const arrays = { input, output: result, scratch: new Uint32Array(4) };
    if (await runInPlace(device, scanStep(params), arrays, count, "scan", options)) return;
    const words = new Uint32Array(result.buffer, result.byteOffset, count);
    await runStream(
      device,
      scanStream(params),
      params.initial,
      { input },
      ({ begin }, downloads) => Promise.resolve(words.set(new Uint32Array(downloads.get("output")!), begin)),
      options,
      tuning?.piece,
    );
  });
  return result as A;
}
