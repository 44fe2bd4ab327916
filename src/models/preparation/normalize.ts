/**
 * `Normalize` brings numeric columns to a common scale, with the four methods of RapidMiner's operator of
 * that name. It is not scikit-learn's StandardScaler, MinMaxScaler or RobustScaler: the Z-transformation
 * divides by the sample deviation (divisor n - 1), the interquartile range is that of whole ranks over 1.349.
 * Nominal columns stay as they are.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { checkOneOf, checkOptions, type OptionNames } from "../../core/options.ts";
import { clamp } from "../../core/math.ts";
import type { Column, NumericColumn } from "../../table/column.ts";
import { Table } from "../../table/table.ts";
import type { Matrix, MatrixLike } from "../../core/matrix.ts";
import type { Rows } from "../features.ts";
import { asMatrix, asTable } from "../matrixTable.ts";
import { compatNames, type Compat } from "../nearestNeighbors.ts";
import { asNumeric, changeColumns, learntBy } from "./preparation.ts";
import type { Preparation, PreparationState } from "./preparation.ts";
import { momentsOf, presentValues, sumOf } from "./statistics.ts";

export const normalizeMethods = ["z", "range", "proportion", "interquartile"] as const;

/**
 * A column is scaled by this formula. "z": (x - mean) / deviation. "range": from [least, greatest] to [min,
 * max]; test values are not clipped. "proportion": x over the sum of absolute values. "interquartile": (x -
 * median) / ((q3 - q1) / 1.349).
 * @example
 * const table = Table.fromColumns({ x: [1, 2, 5] });
 * const scaled = (method: NormalizeMethod) => new Normalize({ method }).fit(table).transform(table);
 * encode(scaled("range"), ["x"]).data; // => [0, 0.25, 1]
 * encode(scaled("proportion"), ["x"]).data; // => [0.125, 0.25, 0.625]
 */
export type NormalizeMethod = (typeof normalizeMethods)[number];

/**
 * `Normalize` takes these options.
 * @example
 * const options: NormalizeOptions = { method: "range", min: -1, max: 1 };
 * const table = Table.fromColumns({ x: [0, 5, 10] });
 * encode(new Normalize(options).fit(table).transform(table), ["x"]).data; // => [-1, 0, 1]
 */
export interface NormalizeOptions {
  /** It is "z" by default. */
  readonly method?: NormalizeMethod | undefined;
  /** The range begins at `min` and ends at `max`; defaults 0 and 1. */
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** True allows negative numbers under "proportion"; default false. */
  readonly allowNegative?: boolean | undefined;
  /**
   * "rapidminer" computes the variance in that tool's one pass, fills missing cells of a constant column with
   * the constant, and leaves dates as they are.
   */
  readonly compat?: Compat | undefined;
}

const optionNames: OptionNames<NormalizeOptions> = { method: 1, min: 1, max: 1, allowNegative: 1, compat: 1 };

/** A column has a formula: a number becomes (x - shift) / scale, or a constant, or stays itself. */
type Learnt =
  | { readonly kind: "linear"; readonly shift: number; readonly scale: number }
  | { readonly kind: "constant"; readonly value: number }
  | { readonly kind: "unchanged" };

/**
 * Scales numeric columns. Missing cells are left out of the statistics and stay missing. A column whose
 * numbers are all equal becomes 0 ("range": the number itself, brought into [min, max]; "proportion": no
 * exception). A column without any number stays as it is.
 * @example
 * const train = Table.fromColumns({ height: [150, 160, 170], species: ["poppy", "poppy", "thistle"] });
 * const test = Table.fromColumns({ height: [180] });
 *
 * const step = new Normalize({ method: "z" }).fit(train, ["height"]);
 * encode(step.transform(train), ["height"]).data; // => [-1, 0, 1]
 * encode(step.transform(test), ["height"]).data; // => [2]
 *
 * new Normalize({ method: "range" }).fit([[0], [4]]).transform([[1]]).data; // => [0.25]
 */
export class Normalize implements Preparation {
  readonly #options: NormalizeOptions;
  #learnt: ReadonlyMap<string, Learnt> | undefined;

  /** @throws InvalidInputError for an unknown method, or a max that is not above min */
  constructor(options: NormalizeOptions = {}) {
    checkOptions(options, "Normalize", optionNames);
    const { method = "z", min = 0, max = 1 } = options;
    checkOneOf(method, normalizeMethods, "normalisation");
    if (options.compat !== undefined) checkOneOf(options.compat, compatNames, "compat");
    if (!(max > min) || !Number.isFinite(max - min)) {
      throw new InvalidInputError(`the range is from ${min} to ${max}; max must be above min, both finite`);
    }
    this.#options = options;
  }

  /**
   * @throws InvalidInputError for a negative number under "proportion", or numbers
   *   too large for their statistics
   */
  fit(rows: Rows, given?: readonly string[]): this {
    const table = asTable(rows, "rows");
    const columns = given ?? table.names;
    const learnt = new Map<string, Learnt>();
    for (const name of columns) {
      const column = table.column(name);
      if (column.kind === "numeric" && !(this.#options.compat && column.type === "date"))
        learnt.set(name, this.#learn(column, table));
    }
    this.#learnt = learnt;
    return this;
  }

  /** Returns rows of the kind that it is given: the columns of a matrix are called 0, 1 and so on. */
  transform(rows: Table): Table;
  transform(rows: MatrixLike): Matrix;
  transform(rows: Rows): Table | Matrix {
    if (!(rows instanceof Table)) return asMatrix(this.transform(asTable(rows, "rows")));
    const table = rows;
    return changeColumns(table, learntBy("Normalize", this.#learnt), (column, learnt) =>
      this.#apply(asNumeric(column, table), learnt),
    );
  }

  toState(): PreparationState {
    return { step: "normalize", options: this.#options, columns: [...learntBy("Normalize", this.#learnt)] };
  }

  /** Makes a step from the result of `toState`. */
  static fromState({ options, columns }: PreparationState): Normalize {
    const step = new Normalize(options);
    step.#learnt = new Map(columns as readonly [string, Learnt][]);
    return step;
  }

  #learn(column: NumericColumn, table: Table): Learnt {
    const values = presentValues(column);
    if (values.length === 0) return { kind: "unchanged" };
    const learnt = learners[this.#options.method ?? "z"](values, this.#options);
    if (learnt === "negative") throw negativeNumber(column, table);
    if (learnt.kind !== "linear" || (Number.isFinite(learnt.scale) && Number.isFinite(learnt.shift)))
      return learnt;
    throw new InvalidInputError("holds numbers too large to normalise in float64; divide them first", {
      column: column.name,
    });
  }

  #apply(column: NumericColumn, learnt: Learnt): Column {
    if (learnt.kind === "unchanged") return column;
    if (learnt.kind === "constant") return constantColumn(column, learnt.value, this.#options.compat);
    const { method, min = 0, max = 1 } = this.#options;
    const { shift, scale } = learnt;
    const stretch = max - min;
    const values = column.values.map(
      method === "range" ? (x) => ((x - shift) / scale) * stretch + min : (x) => (x - shift) / scale,
    );
    return realColumn(column, values);
  }
}

const learners: Readonly<
  Record<NormalizeMethod, (values: Float64Array, options: NormalizeOptions) => Learnt | "negative">
> = { z: learnZ, range: learnRange, proportion: learnProportion, interquartile: learnInterquartile };

function learnZ(values: Float64Array, { compat }: NormalizeOptions): Learnt {
  const { mean, variance } = momentsOf(values, compat);
  return variance === 0 ? { kind: "constant", value: 0 } : linear(mean, Math.sqrt(variance));
}

function learnRange(values: Float64Array, { min = 0, max = 1 }: NormalizeOptions): Learnt {
  const least = values.reduce((a, b) => Math.min(a, b));
  const greatest = values.reduce((a, b) => Math.max(a, b));
  if (least === greatest) return { kind: "constant", value: clamp(least, min, max) + 0 };
  return linear(least, greatest - least);
}

function learnProportion(
  values: Float64Array,
  { allowNegative = false }: NormalizeOptions,
): Learnt | "negative" {
  if (!allowNegative && values.some((value) => value < 0)) return "negative";
  const sum = sumOf(values.map(Math.abs));
  return sum === 0 ? { kind: "unchanged" } : linear(0, sum);
}

/** The normal distribution has this interquartile range, in deviations. */
const NORMAL_QUARTILES = 1.349;

function learnInterquartile(values: Float64Array): Learnt {
  const sorted = values.slice().sort();
  const rank = (share: number) => Math.trunc((sorted.length + 1) * share - 1);
  const sigma = (sorted[rank(0.75)] - sorted[rank(0.25)]) / NORMAL_QUARTILES;
  return sigma > 0 ? linear(medianOf(sorted), sigma) : { kind: "constant", value: 0 };
}

function medianOf(sorted: Float64Array): number {
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Makes the formula without -0, which JSON would not keep. */
function linear(shift: number, scale: number): Learnt {
  return { kind: "linear", shift: shift + 0, scale };
}

function constantColumn(column: NumericColumn, value: number, compat: Compat | undefined): Column {
  const { valid, name, values } = column;
  if (compat || !valid) return { kind: "numeric", name, values: values.map(() => value) };
  return realColumn(
    column,
    values.map((_, row) => (valid.get(row) ? value : NaN)),
  );
}

/** Makes a column without a declared type: integers and dates lose theirs when they are scaled. */
function realColumn({ name, valid }: NumericColumn, values: Float64Array): NumericColumn {
  return { kind: "numeric", name, values, ...(valid ? { valid } : {}) };
}

function negativeNumber({ name, values }: NumericColumn, { origin }: Table): InvalidInputError {
  const row = values.findIndex((value) => value < 0);
  return new InvalidInputError(
    `${origin === undefined ? `row ${row} (from 0) ` : ""}is ${values[row]}, and a proportion needs numbers of at least 0; ` +
      `allow negative ones, or choose another method`,
    { ...(origin === undefined ? {} : { file: origin.file, ...origin.placeOf(row) }), column: name },
  );
}
