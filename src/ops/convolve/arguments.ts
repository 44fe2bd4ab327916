/** Checks the arguments of `convolve` and `correlate` and makes the problem that they are. It is pure. */
import { InvalidInputError } from "../../core/errors.ts";
import { checkOneOf, checkOptions } from "../../core/options.ts";
import { checkCountable, MAX_COUNT, overlap, typeNameOf } from "../../runtime/arrayArguments.ts";
import { convolveModes, convolveTechniques, placeOutputs } from "./contract.ts";
import type { ConvolveMode, ConvolveParams } from "./contract.ts";
import { convolveNames, type ConvolveOptions } from "./options.ts";
import { boundaries, type Samples } from "./samples.ts";
import { plural } from "../../core/plural.ts";

/** It is a call, all of it checked. */
export interface ConvolveProblem {
  /** All but the technique, which the plan chooses. */
  readonly params: Omit<ConvolveParams, "technique">;
  readonly signal: Samples;
  /** It is [masks][taps], of the signal's type. */
  readonly mask: Samples;
  readonly out: Samples | undefined;
}

/** Magnitudes of int32 taps must add up to less than this, so that their sums can be checked (wasm.ts). */
const MOST_MAGNITUDE = 2 ** 48;

export function checkConvolve(
  signal: Samples,
  mask: ArrayLike<number>,
  flip: boolean,
  options: ConvolveOptions<Samples>,
): ConvolveProblem {
  checkSamples(signal, "signal");
  const { mode = "full", boundary = "constant", fill = 0, rows = 1, masks = 1, overflow = "error" } = options;
  checkOptions(options, "convolve", convolveNames);
  checkOneOf(mode, convolveModes, "mode");
  checkOneOf(boundary, boundaries, "boundary");
  checkOneOf(overflow, ["error", "wrap"], "overflow");
  checkOneOf(options.technique ?? "auto", ["auto", ...convolveTechniques], "technique");
  checkOneOf(options.precision ?? "float64", ["float64", "float32"], "precision");
  if (mode !== "same" && boundary !== "constant") {
    throw new InvalidInputError(
      `boundary is "${boundary}" with mode "${mode}"; expected mode "same", or the boundary "constant"`,
    );
  }
  const type = typeOf(signal);
  checkFill(fill, { mode, boundary, type });
  const taps = toTaps(mask, type);
  const params = {
    type,
    rows,
    count: dividedBy(signal.length, rows, "rows", "signal"),
    masks,
    taps: dividedBy(taps.length, masks, "masks", "mask"),
    flip,
    boundary,
    fill,
  };
  const { before, length } = placeOutputs(mode, params.count, params.taps);
  const total = rows * masks * length;
  if (total > MAX_COUNT) {
    throw new InvalidInputError(
      `the result has ${total} elements; expected at most ${MAX_COUNT}. Work on parts of the signal, one after the other`,
    );
  }
  checkCountable(signal, "signal");
  const checked = type === "i32" && overflow === "error";
  checkOut(options.out, signal, mask, total);
  return {
    params: { ...params, before, length, limit: checked ? limitOf(taps, params.taps) : undefined },
    signal,
    mask: taps,
    out: options.out?.subarray(0, total),
  };
}

export function checkFill(
  fill: number,
  { mode, boundary, type }: Pick<ConvolveParams, "boundary" | "type"> & { readonly mode: ConvolveMode },
): void {
  checkElement(fill, type, "fill");
  if (fill === 0 || (mode !== "valid" && boundary === "constant")) return;
  const why =
    mode === "valid"
      ? `with mode "valid", which has no outside`
      : `with the boundary "${boundary}", which takes what lies outside from the signal`;
  throw new InvalidInputError(`fill is ${fill} ${why}; leave one of them out`);
}

export function checkSamples(signal: unknown, name: string): asserts signal is Samples {
  if (signal instanceof Float32Array || signal instanceof Float64Array || signal instanceof Int32Array)
    return;
  throw new InvalidInputError(
    `${name} is of type ${typeNameOf(signal)}; expected a Float32Array, a Float64Array or an Int32Array`,
  );
}

function typeOf(samples: Samples): ConvolveParams["type"] {
  if (samples instanceof Float32Array) return "f32";
  return samples instanceof Float64Array ? "f64" : "i32";
}

/** Returns the taps in an array of the signal's type. */
function toTaps(mask: ArrayLike<number>, type: ConvolveParams["type"]): Samples {
  const isArray = Array.isArray(mask) || (ArrayBuffer.isView(mask) && "length" in mask);
  if (!isArray || mask instanceof BigInt64Array || mask instanceof BigUint64Array) {
    throw new InvalidInputError(`mask is of type ${typeNameOf(mask)}; expected an array of numbers`);
  }
  for (let i = 0; i < mask.length; i++) checkElement(mask[i], type, `mask[${i}]`);
  if (type === "i32") return Int32Array.from(mask);
  return type === "f32" ? Float32Array.from(mask) : Float64Array.from(mask);
}

function checkElement(value: number, type: ConvolveParams["type"], name: string): void {
  if (type === "i32" ? value === (value | 0) : Number.isFinite(value)) {
    if (type !== "f32" || Number.isFinite(Math.fround(value))) return;
  }
  const expected = {
    i32: "a whole number of 32 bits",
    f32: "a number that is finite in float32",
    f64: "a finite number",
  };
  throw new InvalidInputError(`${name} is ${value}; expected ${expected[type]}, as the signal is ${type}`);
}

function dividedBy(length: number, parts: number, name: string, what: string): number {
  if (Number.isInteger(parts) && parts >= 1 && length % parts === 0) return length / parts;
  throw new InvalidInputError(
    `${name} is ${parts}, but ${what} has ${plural(length, "element")}; expected a whole number of at least 1 that divides it`,
  );
}

/** Returns the largest magnitude of samples with which no sum is more than an int32. */
function limitOf(taps: Samples, length: number): number {
  let most = 0;
  for (let at = 0; at < taps.length; at += length) {
    let sum = 0;
    for (let tap = at; tap < at + length; tap++) sum += Math.abs(taps[tap]);
    most = Math.max(most, sum);
  }
  if (most < MOST_MAGNITUDE) return most === 0 ? 0xffffffff : Math.floor((2 ** 31 - 1) / most);
  throw new InvalidInputError(
    `the magnitudes of the mask add up to ${most}; expected less than 2^48 to check int32 sums. Pass overflow: "wrap", ` +
      "or convolve a Float64Array",
  );
}

function checkOut(out: Samples | undefined, signal: Samples, mask: ArrayLike<number>, total: number): void {
  if (!out) return;
  if (out.constructor !== signal.constructor || out.length < total) {
    throw new InvalidInputError(
      `out is a ${typeNameOf(out)} of ${plural(out.length, "element")}; expected a ${signal.constructor.name} of at least ${total}`,
    );
  }
  const result = out.subarray(0, total);
  for (const [name, other] of Object.entries({ signal, mask })) {
    if (!ArrayBuffer.isView(other) || !overlap(result, other)) continue;
    throw new InvalidInputError(`out shares memory with ${name}; expected an array of its own`);
  }
}
