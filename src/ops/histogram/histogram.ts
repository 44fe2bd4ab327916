/**
 * Counts the elements of arrays and of the rows of matrices by bins. It checks arguments, finds ranges, has
 * the engine count and adds up what its pieces counted. The rules of bins are in ops/histogram/bins.ts.
 * GpuPrimitives.histogram does it for buffers on a GPU.
 */
import { binKeys, evenEdges } from "./bins.ts";
import { checkOptions, type OptionNames } from "../../core/options.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { elementTypeOf, type ElementArray } from "../../runtime/element.ts";
import { MAX_BINS, OUTSIDE, type HistogramParams } from "./contract.ts";
import { arrayNames, runInPlace, runOperator, runStream, type ArrayOptions } from "../../runtime/onArrays.ts";
import type { Device } from "../../runtime/device.ts";
import { HISTOGRAM_SPAN, histogramStep, histogramStream } from "./plan.ts";
import { SpanCutter } from "../../runtime/spans.ts";
import { checkElements, columnsOfRows, resultArray } from "../../runtime/arrayArguments.ts";
import { rangesOf } from "./ranges.ts";

/**
 * `histogram` takes these options.
 * @example
 * const options: HistogramOptions = { bins: 2, range: [0, 4], rows: 2 };
 * const { counts, edges } = await histogram(Float32Array.of(0, 1, 2, 3, 3, 4), options);
 * counts; // => [2, 1, 0, 3]
 * edges; // => [0, 2, 4]
 */
export interface HistogramOptions extends ArrayOptions {
  /** There are this many bins of equal width, 1 to 65,536; give either this or `edges`. */
  readonly bins?: number | undefined;
  /**
   * The edges of the bins, one more than there are bins, ascending and all different; they may be infinite.
   */
  readonly edges?: ArrayLike<number> | undefined;
  /**
   * They are the first and the last edge of equal bins; default the smallest and the largest number of each
   * row.
   */
  readonly range?: readonly [min: number, max: number] | undefined;
  /** `input` has this many rows, row-major and equally long, each with a histogram of its own; default 1. */
  readonly rows?: number | undefined;
  /** The counts are written to this array, at least rows x bins long; default a new one. */
  readonly out?: Uint32Array | undefined;
  /**
   * Sizes to work in, for tests and experiments; the result does not depend on them.
   * @internal
   */
  readonly tuning?: { readonly piece?: number | undefined; readonly span?: number | undefined } | undefined;
}

const histogramNames: OptionNames<HistogramOptions> = {
  bins: 1,
  edges: 1,
  range: 1,
  rows: 1,
  ...arrayNames,
  out: 1,
  tuning: 0,
};

/**
 * `histogram` returns this.
 * @example
 * const result: HistogramResult = await histogram(Float32Array.of(3, 3, NaN, 0, 2, 4), { bins: 2, rows: 2 });
 * const { counts, edges, nan, constant } = result;
 * counts; // => [2, 0, 1, 2]
 * edges; // => [3, 3, 3, 0, 2, 4]
 * nan; // => [1, 0]
 * constant; // => [1, 0]
 */
export interface HistogramResult {
  /** They are the counts, [rows][bins]. */
  readonly counts: Uint32Array;
  /**
   * They are [bins + 1] where a range or edges were given, else [rows][bins + 1], NaN for a row without
   * numbers.
   */
  readonly edges: Float64Array;
  readonly bins: number;
  readonly rows: number;
  /** In each row this many elements are below the first edge, above the last one, or NaN. */
  readonly below: Uint32Array;
  readonly above: Uint32Array;
  readonly nan: Uint32Array;
  /**
   * It is 1 for a row whose first and last edges are equal, so that all elements in range are in bin 0; else
   * 0.
   */
  readonly constant: Uint8Array;
}

/**
 * Counts the elements of each row that lie in each bin, exactly: the bin of x is the last i with edges[i] <=
 * x, and the last edge belongs to the last bin. Equal bins have the edges min + i * (max - min) / bins,
 * computed in float64 in that order. Elements outside and NaN are counted separately. A row without elements
 * has zeros.
 *
 * @throws InvalidInputError
 * @example
 * const { counts, edges } = await histogram(new Float32Array([0, 1, 1.5, 2]), { bins: 2 });
 * counts; // => Uint32Array [1, 3]
 * edges; // => [0, 1, 2]
 *
 * const within = await histogram(new Float32Array([-1, 0.25, 7]), { edges: [0, 0.5, 1] });
 * within.counts; // => [1, 0]
 * within.below; // => [1]
 * within.above; // => [1]
 */
export async function histogram(
  input: ElementArray,
  options: HistogramOptions = {},
): Promise<HistogramResult> {
  checkOptions(options, "histogram", histogramNames);
  checkElements(input);
  const { rows = 1, out, tuning } = options;
  const cols = columnsOfRows(input, rows);
  const bins = binsOf(options);
  if (rows * bins > MAX_RESULT || cols > MAX_RESULT) {
    throw new InvalidInputError(
      `${rows} rows of ${cols} elements with ${bins} bins: expected at most ${MAX_RESULT} elements in a row, and at most ` +
        "as many counts; count the rows in several calls",
    );
  }
  const counts = resultArray(out, "u32", rows * bins, input) as Uint32Array;
  const outside = new Uint32Array(rows * OUTSIDE);
  const given = givenEdges(options, bins);
  const edges = await runOperator("histogram", options, async (device, options) => {
    const edges = given ?? (await foundEdges(device, input, rows, bins, options));
    const type = elementTypeOf(input);
    const keys = binKeys(edges, bins, type, options.edges === undefined);
    const params: HistogramParams = { type, bins, rows, cols, perRow: !given };
    const clear = (): void => [counts, outside].forEach((words) => words.fill(0));
    clear();
    if (rows * cols === 0) return edges;
    const arrays = { input, ...keys, counts, outside };
    const step = histogramStep(params);
    if (await runInPlace(device, step, arrays, rows * cols, "histogram", options, clear)) return edges;
    const span = tuning?.span ?? HISTOGRAM_SPAN;
    const cutter = new SpanCutter(cols, span);
    await runStream(
      device,
      histogramStream(params, span),
      undefined,
      { input, ...keys },
      ({ begin, end }, downloads) => {
        const spans = cutter.spans(begin, end);
        const add = (from: string, into: Uint32Array, length: number): void => {
          const step = cutter.perRow === 1 ? length : 0;
          addAll(into, spans.row * length, step, length, new Uint32Array(downloads.get(from)!));
        };
        add("counts", counts, bins);
        add("outside", outside, OUTSIDE);
        return Promise.resolve();
      },
      options,
      tuning?.piece,
    );
    return edges;
  });
  const every = (at: number) => Uint32Array.from({ length: rows }, (_, row) => outside[row * OUTSIDE + at]);
  const constant = Uint8Array.from({ length: rows }, (_, row) => {
    const at = given ? 0 : row * (bins + 1);
    return edges[at] === edges[at + bins] ? 1 : 0;
  });
  return { counts, edges, bins, rows, below: every(0), above: every(1), nan: every(2), constant };
}

const MAX_RESULT = 2 ** 32 - 1;

/** Adds stretches of `length` words, each `step` words further on in `words` than the one before. */
function addAll(words: Uint32Array, begin: number, step: number, length: number, from: Uint32Array): void {
  for (let stretch = 0; stretch * length < from.length; stretch++) {
    for (let i = 0; i < length; i++) words[begin + stretch * step + i] += from[stretch * length + i];
  }
}

function binsOf({ bins, edges, range }: HistogramOptions): number {
  if ((bins === undefined) === (edges === undefined)) {
    throw new InvalidInputError("expected either bins, the number of equal bins, or edges");
  }
  if (edges && range)
    throw new InvalidInputError("edges and range were given; edges say the range themselves");
  const count = bins ?? edges!.length - 1;
  if (!Number.isInteger(count) || count < 1 || count > MAX_BINS) {
    throw new InvalidInputError(`${count} bins; expected a whole number from 1 to ${MAX_BINS}`);
  }
  return count;
}

/** Returns the edges that were given, or those of the range; undefined when the elements decide the range. */
function givenEdges({ edges, range }: HistogramOptions, bins: number): Float64Array | undefined {
  if (edges) return checkedEdges(edges);
  if (!range) return undefined;
  const [min, max] = range;
  if (!(Number.isFinite(min) && Number.isFinite(max) && min <= max)) {
    throw new InvalidInputError(`range is [${min}, ${max}]; expected two finite numbers in ascending order`);
  }
  return checkedEven(evenEdges(min, max, bins));
}

/** Returns [rows][bins + 1]: even edges from the smallest to the largest number of each row. */
async function foundEdges(
  device: Device,
  input: ElementArray,
  rows: number,
  bins: number,
  options: ArrayOptions,
): Promise<Float64Array> {
  const found = await rangesOf(device, input, rows, options);
  const all = new Float64Array(rows * (bins + 1));
  for (let row = 0; row < rows; row++) {
    const [min, max] = [found.min[row], found.max[row]];
    if (min === -Infinity || max === Infinity) {
      throw new InvalidInputError(
        `row ${row} has infinite elements; give range or edges to say what to count`,
      );
    }
    evenEdges(min, max, bins, all.subarray(row * (bins + 1), (row + 1) * (bins + 1)));
  }
  return all;
}

function checkedEdges(edges: ArrayLike<number>): Float64Array {
  const checked = Float64Array.from(edges);
  for (let i = 0; i < checked.length; i++) {
    if (Number.isNaN(checked[i]) || (i > 0 && !(checked[i - 1] < checked[i]))) {
      const before = i > 0 ? `${checked[i - 1]}, ` : "";
      throw new InvalidInputError(
        `edge ${i} breaks the order: ${before}${checked[i]}; expected ascending numbers`,
      );
    }
  }
  return checked;
}

function checkedEven(edges: Float64Array): Float64Array {
  if (edges.every(Number.isFinite)) return edges;
  throw new InvalidInputError(
    `the range from ${edges[0]} to ${edges.at(-1)} is too wide for float64; choose a smaller one or give edges`,
  );
}
