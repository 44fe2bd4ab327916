/**
 * Selects the k smallest or largest elements of every row: checks arguments, has the engine select and merges
 * what the spans of long rows leave. The order to the bit is in ops/select/contract.ts. GpuPrimitives.select
 * does it for buffers on a GPU.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { checkOptions, type OptionNames } from "../../core/options.ts";
import { elementsIn, elementTypeOf, type ElementArray } from "../../runtime/element.ts";
import { type SelectParams } from "./contract.ts";
import { mergeSelected, type SelectList } from "./keys.ts";
import { selectScratchBytes } from "./variants.ts";
import { arrayNames, runInPlace, runOperator, runStream, type ArrayOptions } from "../../runtime/onArrays.ts";
import { SELECT_SPAN, selectPart, selectStep, selectStream } from "./plan.ts";
import { SpanCutter } from "../../runtime/spans.ts";
import { checkElements, columnsOfRows, overlap, resultArray } from "../../runtime/arrayArguments.ts";
import { plural } from "../../core/plural.ts";

/**
 * `select` takes these options.
 * @example
 * const options: SelectOptions = { k: 2, largest: true, rows: 2 };
 * const { values } = await select(Float32Array.of(1, 9, 5, 7, 2, 3), options);
 * values; // => [9, 5, 7, 3]
 */
export interface SelectOptions<A extends ElementArray = ElementArray> extends ArrayOptions {
  /** This many elements are selected from each row, 1 to its number of columns. */
  readonly k: number;
  /** True selects the largest elements, in descending order; default false. */
  readonly largest?: boolean | undefined;
  /** `input` has this many rows, row-major and equally long; default 1. */
  readonly rows?: number | undefined;
  /** The arrays to write the result to, each at least rows x k long; default new arrays. */
  readonly out?: { readonly values: A; readonly indices: Uint32Array } | undefined;
  /**
   * Sizes to work in, for tests and experiments; the result does not depend on them.
   * @internal
   */
  readonly tuning?: { readonly piece?: number | undefined; readonly span?: number | undefined } | undefined;
}

const selectNames: OptionNames<SelectOptions> = {
  k: 1,
  largest: 1,
  rows: 1,
  ...arrayNames,
  out: 1,
  tuning: 0,
};

/**
 * `select` returns this, row-major [rows][k].
 * @example
 * const scores = Float32Array.of(0.25, 1, 0.5);
 * const { values, indices }: SelectResult<Float32Array> = await select(scores, { k: 2, largest: true });
 * values; // => [1, 0.5]
 * indices; // => [1, 2]
 */
export interface SelectResult<A extends ElementArray = ElementArray> {
  readonly values: A;
  /** The values stand in these columns. */
  readonly indices: Uint32Array;
}

/**
 * Selects the k smallest elements of every row in ascending order, or with `largest` the k largest in
 * descending order, with their columns. Equal elements come in the order of their columns. Floats order as
 * -Infinity ... -0, +0 ... Infinity; NaN comes last in both directions, whatever its sign, and values keep
 * their bits.
 *
 * @throws InvalidInputError when k is not between 1 and the number of columns, hence always for empty input
 * @example
 * const { values, indices } = await select(new Float32Array([3, 1, 2]), { k: 2 });
 * values; // => Float32Array [1, 2]
 * indices; // => Uint32Array [1, 2]
 *
 * const best = await select(new Float32Array([0.1, 0.9, 0.5, 0.7, 0.2, 0.3]), { k: 1, rows: 2, largest: true });
 * best.indices; // => [1, 0]
 */
export async function select<A extends ElementArray>(
  input: A,
  options: SelectOptions<A>,
): Promise<SelectResult<A>> {
  checkOptions(options, "select", selectNames);
  checkElements(input);
  const { k, largest = false, rows = 1, out, tuning } = options;
  const cols = columnsOfRows(input, rows);
  checkK(k, rows, cols);
  const type = elementTypeOf(input);
  const values = resultArray(out?.values, type, rows * k, input) as A;
  const indices = resultArray(out?.indices, "u32", rows * k, input) as Uint32Array;
  if (out && overlap(values, indices)) {
    throw new InvalidInputError("out.values and out.indices share memory; expected an array for each");
  }
  const params: SelectParams = { type, largest, rows, cols, k };
  await runOperator("select", options, async (device, options) => {
    if (rows === 0) return;
    const arrays = { input, values, indices, scratch: new Uint32Array(1) };
    if (await runInPlace(device, selectStep(params), arrays, rows * cols, "select", options)) return;
    const span = tuning?.span ?? SELECT_SPAN;
    const cutter = new SpanCutter(cols, span);
    const join = new SelectJoin(params, values, indices);
    await runStream(
      device,
      selectStream(params, span, selectScratchBytes),
      undefined,
      { input },
      ({ begin, end }, downloads) => {
        const spans = cutter.spans(begin, end);
        const part = selectPart(params, spans);
        const [found, columns] = [downloads.get("values")!, downloads.get("indices")!];
        if (cutter.perRow === 1) {
          values.set(elementsIn(type, found, 0, part.rows * k), spans.row * k);
          indices.set(new Uint32Array(columns), spans.row * k);
          return Promise.resolve();
        }
        for (let i = 0; i < part.rows; i++) {
          const listOf = (buffer: ArrayBuffer) => new Uint32Array(buffer, i * part.k * 4, part.k);
          const first = spans.column + i * spans.cols;
          const list = { values: listOf(found), indices: listOf(columns).map((column) => column + first) };
          join.add(spans.row, list, first + spans.cols === cols);
        }
        return Promise.resolve();
      },
      options,
      tuning?.piece,
    );
  });
  return { values, indices };
}

/** Merges the lists of a row's spans, which come in order. */
class SelectJoin {
  readonly #params: SelectParams;
  readonly #values: Uint32Array;
  readonly #indices: Uint32Array;
  #list: SelectList | undefined;

  constructor(params: SelectParams, { buffer, byteOffset, length }: ElementArray, indices: Uint32Array) {
    this.#params = params;
    this.#values = new Uint32Array(buffer, byteOffset, length);
    this.#indices = indices;
  }

  add(row: number, list: SelectList, isLast: boolean): void {
    const { k } = this.#params;
    this.#list = this.#list ? mergeSelected(this.#list, list, k, this.#params) : list;
    if (!isLast) return;
    this.#values.set(this.#list.values, row * k);
    this.#indices.set(this.#list.indices, row * k);
    this.#list = undefined;
  }
}

const MAX_RESULT = 2 ** 32 - 1;

function checkK(k: number, rows: number, cols: number): void {
  if (!Number.isInteger(k) || k < 1) {
    throw new InvalidInputError(`k is ${k}; expected a whole number of at least 1`);
  }
  if (k > cols && rows > 0) {
    throw new InvalidInputError(
      `k is ${k}, but rows have only ${plural(cols, "column")}; choose k of at most ${cols}`,
    );
  }
  if (rows * k > MAX_RESULT || cols > MAX_RESULT) {
    throw new InvalidInputError(
      `${rows} rows x ${k} of ${cols} columns; expected at most ${MAX_RESULT} columns and results; select from the rows ` +
        "in several calls",
    );
  }
}
