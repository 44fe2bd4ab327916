/**
 * Convolves a signal that comes in chunks: each chunk is convolved with the samples before it that masks
 * reach back to. What lies beyond the ends is made of the first and the last samples.
 */
import { untilAborted } from "../../core/async/aborted.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { checkOptions, type OptionNames } from "../../core/options.ts";
import { typeNameOf } from "../../runtime/arrayArguments.ts";
import { Device, deviceNames, type DeviceOptions } from "../../runtime/device.ts";
import { checkConvolve, checkSamples, type ConvolveProblem } from "./arguments.ts";
import { placeOutputs } from "./contract.ts";
import type { ConvolveOptions } from "./options.ts";
import { paysOnCpu } from "./policy.ts";
import { convolveProblem } from "./run.ts";
import { copySamples, type Samples } from "./samples.ts";

/**
 * `convolveStream` takes these options: those of `convolve` that make sense without the whole signal.
 * @example
 * const options: ConvolveStreamOptions = { mode: "same", boundary: "edge", correlate: true };
 * const chunks = [Float32Array.of(1, 2), Float32Array.of(4, 8)];
 * const result = [];
 * for await (const chunk of convolveStream(chunks, [0.5, 0.5], options)) result.push(...chunk);
 * result; // => [1, 1.5, 3, 6]
 */
export interface ConvolveStreamOptions
  extends
    DeviceOptions,
    Pick<
      ConvolveOptions,
      "mode" | "boundary" | "fill" | "overflow" | "technique" | "precision" | "device" | "signal"
    > {
  /** True leaves the mask as it is instead of reversing it. The default is false. */
  readonly correlate?: boolean | undefined;
}

const streamNames: OptionNames<ConvolveStreamOptions> = {
  correlate: 1,
  mode: 1,
  boundary: 1,
  fill: 1,
  overflow: 1,
  technique: 1,
  precision: 1,
  ...deviceNames,
  device: 1,
  signal: 1,
};

/**
 * Convolves a signal that comes in chunks of any lengths, which need not fit memory together. The chunks of
 * the result, joined, are what `convolve` gives for the whole signal, within its error bounds. As many
 * samples as the mask has taps are held back; outputs for the rest are returned as chunks arrive.
 *
 * The boundary "wrap" is refused: the first output needs the last samples.
 *
 * @param chunks all of one type, which are not changed
 * @throws InvalidInputError as `convolve` does, where a sum overflows after the chunks before it
 * @example
 * async function* sensor() {
 *   for (let second = 0; second < 3; second++) yield Float32Array.of(second, second, 9, second);
 * }
 * const peaks = [];
 * for await (const chunk of convolveStream(sensor(), [0.25, 0.5, 0.25], { mode: "valid" })) {
 *   peaks.push(Math.max(...chunk));
 * }
 * peaks; // => [4.5, 5, 5.5]
 */
export async function* convolveStream<A extends Samples>(
  chunks: AsyncIterable<A> | Iterable<A>,
  mask: ArrayLike<number>,
  options: ConvolveStreamOptions = {},
): AsyncGenerator<A> {
  checkOptions(options, "convolveStream", streamNames);
  const { correlate = false, mode = "full", boundary = "constant", fill = 0, signal, ...others } = options;
  if ((boundary as string) === "wrap") {
    throw new InvalidInputError(
      'boundary is "wrap", but the first output then needs the last samples of the stream; collect the signal and use convolve',
    );
  }
  const shape = { ...others, mode, boundary, fill } as const;
  let device: Device | undefined;
  /** Convolves some samples; `before` are the outputs that were given already. */
  const convolved = async (problem: ConvolveProblem, before: number): Promise<A> => {
    device ??= options.device ?? (await openFor(problem, others));
    return (await convolveProblem(device, problem, { ...others, signal }, before)) as A;
  };
  const problemOf = (samples: Samples, all: object) => checkConvolve(samples, mask, !correlate, all);
  problemOf(new Float64Array(0), shape); // the widest: each chunk is checked as what it is
  let given = 0;
  let held: A | undefined;
  let isBegun = false;
  const taps = mask.length;
  try {
    for await (const chunk of untilAborted(chunks as AsyncIterable<A>, signal)) {
      checkChunk(chunk, held);
      held = held ? joined(held, chunk) : (chunk.slice() as A);
      if (!isBegun && (held.length < taps || taps === 0)) continue;
      if (!isBegun) {
        const { before } = placeOutputs(mode, held.length, taps);
        held = joined(extension(held, -before, before, shape), held);
        isBegun = true;
      }
      if (held.length < taps) continue;
      const result = await convolved(problemOf(held, { ...others, mode: "valid" }), given);
      held = held.slice(held.length - taps + 1) as A;
      given += result.length;
      yield result;
    }
    if (!held) return;
    if (!isBegun) {
      const result = await convolved(problemOf(held, shape), 0);
      if (result.length > 0) yield result;
      return;
    }
    const after = mode === "full" ? taps - 1 : mode === "same" ? taps - 1 - Math.floor(taps / 2) : 0;
    if (after === 0) return;
    const last = joined(held, extension(held, held.length, after, shape));
    yield await convolved(problemOf(last, { ...others, mode: "valid" }), given);
  } finally {
    if (!options.device) device?.dispose();
  }
}

function checkChunk(chunk: Samples, held: Samples | undefined): void {
  checkSamples(chunk, "a chunk");
  if (!held || chunk.constructor === held.constructor) return;
  throw new InvalidInputError(
    `a chunk is a ${typeNameOf(chunk)}, but the one before it a ${typeNameOf(held)}; expected chunks of one type`,
  );
}

/** Opens what "auto" takes for a long signal. */
function openFor({ params }: ConvolveProblem, options: ConvolveStreamOptions): Promise<Device> {
  const { backend = "auto", gpu, gpuDevice } = options;
  const isFree = backend === "auto" && gpu === undefined && !gpuDevice;
  const type = options.precision === "float32" ? "f32" : params.type;
  const long = { ...params, type, count: 2 ** 31, length: 2 ** 31 };
  return Device.create(isFree && paysOnCpu(long) ? { ...options, backend: "cpu" } : options);
}

/** Returns the samples from a place on, of which all lie outside. */
function extension<A extends Samples>(
  row: A,
  first: number,
  count: number,
  shape: Parameters<typeof copySamples>[3],
): A {
  const samples = new (row.constructor as new (count: number) => A)(count);
  copySamples(samples, row, first, shape);
  return samples;
}

function joined<A extends Samples>(a: A, b: A): A {
  const both = new (a.constructor as new (count: number) => A)(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
