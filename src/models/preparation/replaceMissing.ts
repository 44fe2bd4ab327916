/**
 * `ReplaceMissingValues` fills gaps with a value learnt from training, after RapidMiner's operator of that
 * name. k-NN as such does not need it, since it skips missing cells.
 */
import { InvalidInputError, oneOf } from "../../core/errors.ts";
import { checkOptions, type OptionNames } from "../../core/options.ts";
import { MISSING_CODE } from "../../table/column.ts";
import type { Column, NominalColumn, NumericColumn, NumericType } from "../../table/column.ts";
import { Dictionary } from "../../table/dictionary.ts";
import { Table } from "../../table/table.ts";
import type { Matrix, MatrixLike } from "../../core/matrix.ts";
import type { Rows } from "../features.ts";
import { asMatrix, asTable } from "../matrixTable.ts";
import { asNominal, asNumeric, changeColumns, learntBy } from "./preparation.ts";
import type { Preparation, PreparationState } from "./preparation.ts";
import { presentValues, sumOf } from "./statistics.ts";

export const replacements = ["average", "minimum", "maximum", "zero", "value"] as const;

/**
 * This value fills a missing cell. "average": the mean, rounded half up for whole numbers unless they are
 * declared real; for nominal values the mode, of equally frequent ones the first to reach that count.
 * "minimum", "maximum" and "zero" are for numbers. "value": the one given.
 * @example
 * const table = Table.fromColumns({ x: [1, null, 4] });
 * const filled = (by: Replacement) => new ReplaceMissingValues({ by }).fit(table).transform(table);
 * encode(filled("maximum"), ["x"]).data; // => [1, 4, 4]
 * encode(filled("average"), ["x"]).data; // => [1, 3, 4]
 */
export type Replacement = (typeof replacements)[number];

/**
 * `ReplaceMissingValues` takes these options.
 * @example
 * const options: ReplaceMissingOptions = { by: "value", value: -1 };
 * const table = Table.fromColumns({ x: [1, null] });
 * encode(new ReplaceMissingValues(options).fit(table).transform(table), ["x"]).data; // => [1, -1]
 */
export interface ReplaceMissingOptions {
  /** It is "average" by default. */
  readonly by?: Replacement | undefined;
  /** It is for "value": nominal columns take it as text, numeric ones as a number. */
  readonly value?: number | string | undefined;
}

const optionNames: OptionNames<ReplaceMissingOptions> = { by: 1, value: 1 };

/**
 * Fills every missing cell, except in columns without any value, in nominal ones under "minimum", "maximum"
 * and "zero", and in dates under "average": `unfilled` names these columns.
 * @example
 * const train = Table.fromColumns({ area: [30.5, null, 50.5], heating: ["gas", "gas", null] });
 * const test = Table.fromColumns({ area: [null], heating: [null] });
 *
 * const step = new ReplaceMissingValues({ by: "average" }).fit(train);
 * encode(step.transform(train), ["area"]).data; // => [30.5, 40.5, 50.5]
 * encode(step.transform(test), ["area", "heating"], { train }).data; // => [40.5, 0]
 * // 0 is the code of "gas"
 */
export class ReplaceMissingValues implements Preparation {
  readonly #options: ReplaceMissingOptions;
  #learnt: ReadonlyMap<string, number | string> | undefined;
  #unfilled: readonly string[] = [];

  /**
   * @throws InvalidInputError for an unknown replacement, or a value that is missing,
   *   infinite or not asked for
   */
  constructor(options: ReplaceMissingOptions = {}) {
    checkOptions(options, "ReplaceMissingValues", optionNames);
    const { by = "average", value } = options;
    if (!replacements.includes(by)) {
      throw new InvalidInputError(
        `unknown replacement ${JSON.stringify(by)}; expected ${oneOf(replacements)}`,
      );
    }
    if ((by === "value") !== (value !== undefined)) {
      const fault = by === "value" ? "needs a value" : "takes no value";
      throw new InvalidInputError(
        `the replacement ${JSON.stringify(by)} ${fault}; "value" is the one that has it`,
      );
    }
    if (typeof value === "number" && !Number.isFinite(value)) {
      throw new InvalidInputError(`the value is ${value}; expected a finite number or a text`);
    }
    this.#options = options;
  }

  /** Returns the columns with gaps in training that have nothing to fill them. */
  get unfilled(): readonly string[] {
    return this.#unfilled;
  }

  /** @throws InvalidInputError for a numeric column when the value is text that is not a number */
  fit(rows: Rows, given?: readonly string[]): this {
    const table = asTable(rows, "rows");
    const columns = given ?? table.names;
    const learnt = new Map<string, number | string>();
    const unfilled: string[] = [];
    for (const name of columns) {
      const column = table.column(name);
      const filling = this.#learn(column);
      if (filling !== undefined) learnt.set(name, filling);
      else if (column.valid) unfilled.push(name);
    }
    this.#learnt = learnt;
    this.#unfilled = unfilled;
    return this;
  }

  /** Returns rows of the kind that it is given: the columns of a matrix are called 0, 1 and so on. */
  transform(rows: Table): Table;
  transform(rows: MatrixLike): Matrix;
  transform(rows: Rows): Table | Matrix {
    if (!(rows instanceof Table)) return asMatrix(this.transform(asTable(rows, "rows")));
    const table = rows;
    return changeColumns(table, learntBy("ReplaceMissingValues", this.#learnt), (column, filling) =>
      typeof filling === "number"
        ? fillNumbers(asNumeric(column, table), filling)
        : fillTexts(asNominal(column, table), filling),
    );
  }

  toState(): PreparationState {
    const columns = [...learntBy("ReplaceMissingValues", this.#learnt)];
    return { step: "replaceMissing", options: this.#options, columns };
  }

  /** Makes a step from the result of `toState`. */
  static fromState({ options, columns }: PreparationState): ReplaceMissingValues {
    const step = new ReplaceMissingValues(options);
    step.#learnt = new Map(columns as readonly [string, number | string][]);
    return step;
  }

  #learn(column: Column): number | string | undefined {
    const { by = "average", value } = this.#options;
    if (by === "value") return valueFor(column, value ?? "");
    if (column.kind === "nominal") return by === "average" ? modeOf(column) : undefined;
    if (by === "zero") return 0;
    if (by === "average" && column.type === "date") return undefined;
    const values = presentValues(column);
    if (values.length === 0) return undefined;
    return (by === "average" ? meanOf(values, column.type) : numberOf[by](values)) + 0;
  }
}

const numberOf = {
  minimum: (values: Float64Array) => values.reduce((a, b) => Math.min(a, b)),
  maximum: (values: Float64Array) => values.reduce((a, b) => Math.max(a, b)),
} as const;

/** Returns the mean; for whole numbers a whole number, unless they are declared real. */
function meanOf(values: Float64Array, type: NumericType | undefined): number {
  const mean = sumOf(values) / values.length;
  const isInteger = type === undefined ? values.every(Number.isInteger) : type === "integer";
  return isInteger ? Math.floor(mean + 0.5) : mean;
}

/** Returns the first value to reach the highest count, from the first row on. */
function modeOf(column: NominalColumn): string | undefined {
  const counts = new Uint32Array(column.dictionary.size);
  let mode: number | undefined;
  for (const code of column.codes) {
    if (code === MISSING_CODE) continue;
    counts[code]++;
    if (mode === undefined || counts[code] > counts[mode]) mode = code;
  }
  return mode === undefined ? undefined : column.dictionary.values[mode];
}

function valueFor(column: Column, value: number | string): number | string {
  if (column.kind === "nominal") return String(value);
  const number = typeof value === "string" && value.trim() === "" ? NaN : Number(value);
  if (Number.isFinite(number)) return number + 0;
  throw new InvalidInputError(
    `is numeric, but the value for gaps is ${JSON.stringify(value)}; give a number, or leave the column out`,
    { column: column.name },
  );
}

function fillNumbers(column: NumericColumn, filling: number): Column {
  const { valid, ...whole } = column;
  if (!valid) return column;
  return { ...whole, values: column.values.map((value, row) => (valid.get(row) ? value : filling)) };
}

function fillTexts(column: NominalColumn, filling: string): Column {
  const { valid, type, ...whole } = column;
  if (!valid) return column;
  const dictionary = Dictionary.from(column.dictionary.values);
  const code = dictionary.add(filling);
  const typed = type === undefined || (type === "binominal" && dictionary.size > 2) ? {} : { type };
  return {
    ...whole,
    ...typed,
    dictionary,
    codes: column.codes.map((own) => (own === MISSING_CODE ? code : own)),
  };
}
