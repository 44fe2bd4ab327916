/**
 * This module reads the cells of one CSV column as numbers, by the same rules for everyone who looks at them:
 * the builder of a whole column, the scan that finds out its type, and the chunks of a stream.
 */
import { InvalidInputError, type Place } from "../../core/errors.ts";
import type { Cells } from "./lines.ts";
import { DASHES } from "./options.ts";
import { largeInteger, numberOf, parseNumber, reasonAgainstLarge, type Decimal } from "../number.ts";
import { quote, shortened } from "../quote.ts";

export interface ColumnRule {
  readonly file: string;
  readonly name: string;
  /** The kind of the column; "infer" is numeric until text is met. */
  readonly kind: "infer" | "numeric" | "nominal";
  /**
   * The reason why the column is numeric when the caller has not said so, for the error about a cell that is
   * not a number.
   */
  readonly because?: string;
  /** The header has no name for the column. */
  readonly unnamed?: boolean;
  readonly decimal: Decimal;
  readonly isMissing: (cells: Cells, cell: number) => boolean;
  /** Dashes among numbers mean "no value". */
  readonly dashes: boolean;
}

/** Judges cells that are not missing. */
export class NumberCells {
  readonly #rule: ColumnRule;
  /** The first number that float64 cannot hold; an error only if the column stays numeric. */
  #unfit: InvalidInputError | undefined;

  constructor(rule: ColumnRule) {
    this.#rule = rule;
  }

  /**
   * Undefined for a cell that is not a number, NaN for one that means "no value" among numbers.
   * @throws InvalidInputError for that, and for a number that float64 cannot hold, in a column that must be
   *   numeric.
   */
  valueOf(cells: Cells, at: number, line: number): number | undefined {
    const { kind, decimal, dashes } = this.#rule;
    const short = cells.short(at, decimal);
    if (!Number.isNaN(short)) return short;
    const cell = cells.text(at);
    if (cells.isFraction(at, decimal)) return numberOf(cell, decimal);
    const value = parseNumber(cell, decimal);
    if (value === undefined) {
      if (dashes && DASHES.test(cell)) return NaN;
      if (kind === "numeric") throw this.#notANumber(cell, line);
      return undefined;
    }
    const reason = this.#reasonAgainst(cell, value);
    if (reason !== undefined) {
      this.#unfit ??= new InvalidInputError(reason, this.#place(line));
      if (kind === "numeric") throw this.#unfit;
    }
    return value;
  }

  /** @throws InvalidInputError when a number met so far is one that float64 cannot hold. */
  check(): void {
    if (this.#unfit !== undefined) throw this.#unfit;
  }

  #reasonAgainst(cell: string, value: number): string | undefined {
    const remedy = `read the column as text (--nominal ${this.#rule.name})`;
    if (!Number.isFinite(value)) {
      return `${quote(cell)} is not a finite number; correct the cell, leave it empty, or ${remedy}`;
    }
    const large = largeInteger(cell, value);
    return large === undefined
      ? undefined
      : `${reasonAgainstLarge(large, shortened(cell.trim()))}; ${remedy}`;
  }

  #notANumber(cell: string, line: number): InvalidInputError {
    const { decimal, because, name } = this.#rule;
    const other = decimal === "." ? "," : ".";
    const hint =
      parseNumber(cell, other) === undefined
        ? ""
        : ` (numbers written with ${JSON.stringify(other)} need --decimal ${other})`;
    const remedy =
      because === undefined
        ? "correct the cell, or name what stands for a missing value (--na)"
        : `${because}; read it as text (--nominal ${name}), or name what stands for a missing value (--na)`;
    return new InvalidInputError(`${quote(cell)} is not a number${hint}; ${remedy}`, this.#place(line));
  }

  #place(line: number): Place {
    return { file: this.#rule.file, line, column: this.#rule.name };
  }
}
