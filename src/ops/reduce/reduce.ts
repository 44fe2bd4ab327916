/**
 * Combines arrays and the rows of matrices to sums and extremes: checks arguments, has the engine run the
 * primitive, joins the results of long rows. The contract to the bit is ops/reduce/contract.ts.
 * GpuPrimitives.reduce does it for buffers on a GPU.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { checkOneOf, checkOptions, type OptionNames } from "../../core/options.ts";
import { elementsIn, elementTypeOf, type ElementArray } from "../../runtime/element.ts";
import { isArg, reduceOps, type ReduceOp, type ReduceParams } from "./contract.ts";
import { SpanCutter } from "../../runtime/spans.ts";
import { arrayNames, runInPlace, runOperator, runStream, type ArrayOptions } from "../../runtime/onArrays.ts";
import { REDUCE_SPAN, reduceStep, reduceStream } from "./plan.ts";
import { checkElements, columnsOfRows, resultArray } from "../../runtime/arrayArguments.ts";

/**
 * `reduce` takes these options.
 * @example
 * const options: ReduceOptions<Float32Array> = { op: "max", rows: 2, out: new Float32Array(2) };
 * await reduce(Float32Array.of(3, 1, 2, 5), options); // => [3, 5]
 * options.out; // => [3, 5]
 */
export interface ReduceOptions<R extends ElementArray = ElementArray> extends ArrayOptions {
  /** It is "sum" by default. */
  readonly op?: ReduceOp | undefined;
  /** `input` has this many rows, row-major and equally long, each reduced to one result; default 1. */
  readonly rows?: number | undefined;
  /**
   * The array to write the results to, at least `rows` long: an array like input, for argmin and argmax a
   * Uint32Array; default a new one.
   */
  readonly out?: R | undefined;
  /**
   * Tests and experiments set sizes to work in; only sums of float32 depend on span, and nothing on piece.
   * @internal
   */
  readonly tuning?: { readonly piece?: number | undefined; readonly span?: number | undefined } | undefined;
}

const reduceNames: OptionNames<ReduceOptions> = { op: 1, rows: 1, ...arrayNames, out: 1, tuning: 0 };

/**
 * Combines all elements of each row.
 *
 * Sums of whole numbers wrap modulo 2^32. Sums of float32 have the same bits on every run of one device, and
 * an error of at most (192 + cols / 2^22) * 2^-23 times the sum of magnitudes, as long as that is finite in
 * float32; the sign of a zero sum is not specified, and a GPU may take subnormal numbers for zero. Minima and
 * maxima skip NaN unless all are NaN, and put -0 before +0; argmin and argmax give the lowest column that has
 * them, 0 where all are NaN. The sum of nothing is 0; any other operation on nothing is an error.
 *
 * @returns one result per row: `out` cut to the number of rows, or a new array
 * @throws InvalidInputError
 * @example
 * await reduce(new Float32Array([3, 1, 2, 5]), { op: "max", rows: 2 }); // => Float32Array [3, 5]
 * await reduce(new Float32Array([3, 1, 2, 5]), { op: "argmin" }); // => Uint32Array [1]
 */
export function reduce(
  input: ElementArray,
  options: ReduceOptions<Uint32Array> & { readonly op: "argmin" | "argmax" },
): Promise<Uint32Array>;
export function reduce<A extends ElementArray>(input: A, options?: ReduceOptions<A>): Promise<A>;
export async function reduce(input: ElementArray, options: ReduceOptions = {}): Promise<ElementArray> {
  checkOptions(options, "reduce", reduceNames);
  const { op = "sum", rows = 1, out, tuning } = options;
  checkElements(input);
  checkOneOf(op, reduceOps, "op");
  const cols = columnsOf(input, rows, op);
  const type = elementTypeOf(input);
  const result = resultArray(out, isArg(op) ? "u32" : type, rows, input);
  const params: ReduceParams = { type, op, rows, cols };
  await runOperator("reduce", options, async (device, options) => {
    if (rows * cols === 0) return void result.fill(0);
    const arrays = { input, output: result, scratch: new Uint32Array(1) };
    if (await runInPlace(device, reduceStep(params), arrays, rows * cols, "reduce", options)) return;
    const cutter = new SpanCutter(cols, tuning?.span ?? REDUCE_SPAN);
    const rowsOfSpans = new ReduceJoin(params, input, result);
    await runStream(
      device,
      reduceStream(params, cutter),
      undefined,
      { input },
      ({ begin, end }, downloads) => {
        const spans = cutter.spans(begin, end);
        const results = elementsIn(isArg(op) ? "u32" : type, downloads.get("output")!, 0, spans.count);
        if (cutter.perRow === 1) result.set(results, spans.row);
        else
          results.forEach((each, i) => rowsOfSpans.add(spans.row, spans.column + i * cutter.spanCols, each));
        return Promise.resolve();
      },
      options,
      tuning?.piece,
    );
  });
  return result;
}

/** Joins the results of a row's spans, which come in order. */
class ReduceJoin {
  readonly #params: ReduceParams;
  readonly #input: ElementArray;
  readonly #result: ElementArray;
  /** It is the result so far: a sum in float64, or a column. */
  #sum = 0;

  constructor(params: ReduceParams, input: ElementArray, result: ElementArray) {
    this.#params = params;
    this.#input = input;
    this.#result = result;
  }

  /** @param column the first column of the span @param each its result */
  add(row: number, column: number, each: number): void {
    const { op, type, cols } = this.#params;
    const isFirst = column === 0;
    if (op === "sum") {
      this.#sum = isFirst ? each : this.#sum + each;
      if (type !== "f32") this.#sum = type === "i32" ? this.#sum | 0 : this.#sum >>> 0;
      this.#result[row] = this.#sum;
      return;
    }
    const value = isArg(op) ? this.#input[row * cols + column + each] : each;
    const best = isArg(op) ? this.#input[row * cols + this.#result[row]] : this.#result[row];
    const largest = op === "max" || op === "argmax";
    if (isFirst || isBetter(value, best, largest)) this.#result[row] = isArg(op) ? column + each : each;
  }
}

/**
 * Tells whether a value is better than the best so far. Any number is better than NaN; -0 is less than +0.
 */
function isBetter(value: number, best: number, largest: boolean): boolean {
  if (Number.isNaN(value) || Number.isNaN(best)) return !Number.isNaN(value);
  return largest ? isLess(best, value) : isLess(value, best);
}

function isLess(a: number, b: number): boolean {
  return a < b || (a === b && Object.is(a, -0) && !Object.is(b, -0));
}

function columnsOf(input: ElementArray, rows: number, op: ReduceOp): number {
  const cols = columnsOfRows(input, rows);
  if (cols === 0 && rows > 0 && op !== "sum") {
    throw new InvalidInputError(`${op} of no elements; expected at least one in every row`);
  }
  return cols;
}
