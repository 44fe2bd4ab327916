/**
 * Finds the smallest and the largest number of every row of a host array: by the primitive `reduce` where the
 * device works on the host's memory, else here, since uploading the array takes longer than reading it.
 */
import { elementTypeOf, newElements, type ElementArray } from "../../runtime/element.ts";
import { type ReduceOp } from "../reduce/index.ts";
import { PIECE, Yielder } from "../../core/async/yielding.ts";
import { runInPlace, type ArrayOptions } from "../../runtime/onArrays.ts";
import type { Device } from "../../runtime/device.ts";
import { reduceStep } from "../reduce/index.ts";

/**
 * Each row has its min and max. NaN is skipped, and stands for both in a row without numbers. Zeros are +0.
 */
export interface Ranges {
  readonly min: Float64Array;
  readonly max: Float64Array;
}

type RangeOptions = Pick<ArrayOptions, "signal" | "device" | "onExplanation">;

/**
 * @param device the device to use, whether it was opened here or by the caller
 * @throws the signal's reason when aborted
 */
export async function rangesOf(
  device: Device,
  input: ElementArray,
  rows: number,
  options: RangeOptions,
): Promise<Ranges> {
  if (input.length === 0) {
    return { min: new Float64Array(rows).fill(NaN), max: new Float64Array(rows).fill(NaN) };
  }
  const min = await reduceInPlace(device, input, rows, "min", options);
  const max = min && (await reduceInPlace(device, input, rows, "max", options));
  return min && max ? { min, max } : rangesHere(input, rows, options.signal);
}

async function reduceInPlace(
  device: Device,
  input: ElementArray,
  rows: number,
  op: ReduceOp,
  { signal, device: given, onExplanation }: RangeOptions,
): Promise<Float64Array | undefined> {
  const type = elementTypeOf(input);
  const cols = input.length / rows;
  const output = newElements(type, rows);
  const arrays = { input, output, scratch: new Uint32Array(1) };
  const step = reduceStep({ type, op, rows, cols });
  const options = { signal, device: given, onExplanation };
  if (!(await runInPlace(device, step, arrays, input.length, "range", options))) return undefined;
  return Float64Array.from(output, (value) => value + 0);
}

async function rangesHere(
  input: ElementArray,
  rows: number,
  signal: AbortSignal | undefined,
): Promise<Ranges> {
  const cols = input.length / rows;
  const [min, max] = [new Float64Array(rows), new Float64Array(rows)];
  const yielder = new Yielder(signal);
  let sinceLook = 0;
  for (let row = 0; row < rows; row++) {
    let [low, high] = [NaN, NaN];
    for (let begin = 0; begin < cols; begin += PIECE) {
      const part = input.subarray(row * cols + begin, row * cols + Math.min(begin + PIECE, cols));
      for (let at = 0; at < part.length; at++) {
        const value = part[at];
        // Every comparison with NaN fails, whether the value is NaN or what was found so far.
        if (!(value >= low) && !Number.isNaN(value)) low = value;
        if (!(value <= high) && !Number.isNaN(value)) high = value;
      }
      sinceLook += part.length;
      if (sinceLook < PIECE) continue;
      sinceLook = 0;
      if (yielder.due) await yielder.next();
    }
    min[row] = low + 0;
    max[row] = high + 0;
  }
  return { min, max };
}
