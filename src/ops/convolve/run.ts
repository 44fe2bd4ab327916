/**
 * Runs a checked convolution on a device: chooses the technique, has the engine run the primitive in place or
 * in pieces, and looks at what it tells of overflows. The public calls are convolve.ts and stream.ts.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { wordsIn } from "../../runtime/arrayArguments.ts";
import type { Device } from "../../runtime/device.ts";
import { runInPlace, runStream } from "../../runtime/onArrays.ts";
import type { ConvolveProblem } from "./arguments.ts";
import type { ConvolveParams } from "./contract.ts";
import type { ConvolveOptions } from "./options.ts";
import { convolveStep, ConvolvePieces } from "./plan.ts";
import { chooseTechnique, UNIFORM_TAPS } from "./policy.ts";
import { samplesIn, sampleBytes, type Samples } from "./samples.ts";

/** @param before elements of the result before this one, for messages */
export async function convolveProblem(
  device: Device,
  problem: ConvolveProblem,
  options: ConvolveOptions,
  before = 0,
): Promise<Samples> {
  const { type, rows, masks, length } = problem.params;
  const total = rows * masks * length;
  const out = problem.out ?? samplesIn(type, new ArrayBuffer(total * sampleBytes(type)), 0, total);
  if (total === 0) return out;
  const isRounded = options.precision === "float32" && type === "f64";
  const result = isRounded ? new Float32Array(total) : out;
  await convolveOn(device, isRounded ? roundedToFloat32(problem) : problem, result, options, before);
  if (isRounded) out.set(result);
  return out;
}

async function convolveOn(
  device: Device,
  { params: given, signal, mask }: ConvolveProblem,
  output: Samples,
  options: ConvolveOptions<Samples>,
  before: number,
): Promise<void> {
  const isGpu = device.info.kind === "gpu";
  const { technique, why } = chooseTechnique(given, options.technique ?? "auto", device.info.kind);
  const params: ConvolveParams = {
    ...given,
    technique,
    uniformMask: technique === "uniform" && isGpu ? Array.from(mask) : undefined,
  };
  checkTechnique(params, isGpu);
  const { onExplanation } = options;
  const told = onExplanation && {
    ...options,
    onExplanation: (e: Parameters<typeof onExplanation>[0]) =>
      onExplanation({
        ...e,
        technique: `${isGpu || technique === "fft" ? technique : "sums"}, ${e.technique}`,
        why,
      }),
  };
  const status = new Uint32Array(1);
  const units = params.rows * params.masks * params.length;
  const arrays = { signal, mask, output, status, scratch: new Uint32Array(1) };
  if (
    !(await runInPlace(device, convolveStep(params), arrays, units, "convolve", told ?? options, () =>
      status.fill(0),
    ))
  ) {
    const pieces = new ConvolvePieces(params, signal, device.info, options.tuning);
    const words = wordsIn(output as Float32Array | Int32Array);
    const sources = { signal: pieces.source, mask };
    const finish = async (
      job: { begin: number; end: number },
      downloads: ReadonlyMap<string, ArrayBuffer>,
    ) => {
      const overflow = pieces.deliver(job.begin, job.end, downloads, words);
      if (overflow !== undefined) status[0] = Math.max(status[0], 0xffffffff - overflow);
    };
    await runStream(device, pieces.stream, undefined, sources, finish, told ?? options, pieces.cap);
  }
  if (status[0] === 0) return;
  throw new InvalidInputError(
    `element ${before + 0xffffffff - status[0]} of the result overflows int32; expected sums of at most 2^31 - 1. Pass ` +
      'overflow: "wrap" for sums modulo 2^32, or convolve a Float64Array',
  );
}

/** Returns the same problem in float32; a problem of another type than float64 is returned as it is. */
function roundedToFloat32(problem: ConvolveProblem): ConvolveProblem {
  const { params, signal, mask } = problem;
  if (params.type !== "f64") return problem;
  rounded(Float64Array.of(params.fill), "fill");
  return {
    params: { ...params, type: "f32" },
    signal: rounded(signal, "a sample of the signal"),
    mask: rounded(mask, "a tap of the mask"),
    out: undefined,
  };
}

/** @throws InvalidInputError for a finite number that float32 would make infinite */
function rounded(values: Samples, what: string): Float32Array {
  const result = Float32Array.from(values);
  for (let at = 0; at < result.length; at++) {
    if (Number.isFinite(result[at]) || !Number.isFinite(values[at])) continue;
    throw new InvalidInputError(
      `${what} is ${values[at]}, which float32 cannot hold; leave out precision: "float32"`,
    );
  }
  return result;
}

function checkTechnique({ type, technique, taps, masks }: ConvolveParams, isGpu: boolean): void {
  if (type === "f64" && isGpu) {
    throw new InvalidInputError(
      'signal is a Float64Array, which no GPU computes with; pass precision: "float32" to have it rounded, or backend: "cpu"',
    );
  }
  if (technique === "fft" && type !== "f32") {
    throw new InvalidInputError(
      `technique is "fft", which works in float32; expected "auto", "tiled", "uniform" or "plain" for ${type}`,
    );
  }
  if (isGpu && technique === "uniform" && taps * masks > UNIFORM_TAPS) {
    throw new InvalidInputError(
      `technique is "uniform" with ${taps * masks} taps in all; expected at most ${UNIFORM_TAPS}, or "tiled"`,
    );
  }
}
