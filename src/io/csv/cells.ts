/**
 * This module reads the cells of one CSV column as numbers, by the same rules for everyone who looks at them:
 * the builder of a whole column, the scan that finds out its type, and the chunks of a stream.
 */
import { InvalidInputError, type Place } from "../../core/errors.ts";
import type { RecordCells } from "./lines.ts";
import { DASHES } from "./options.ts";
import { formatNumber, largeInteger, numberOf, parseNumber, reasonAgainstLarge } from "../number.ts";
import { quote, shortened } from "../quote.ts";
import { notATime, TimeReader, type TimeKind } from "../time.ts";
import { hasLeadingZeros, signedNumber, type NumberSigns } from "./syntax.ts";

export interface ColumnRule {
  readonly file: string;
  readonly name: string;
  /**
   * Cells are of this kind: "infer" is numeric, a date or a time until text is met; "dates" holds dates or
   * times alone.
   */
  readonly kind: "infer" | "numeric" | "nominal" | "dates";
  /**
   * The reason why the column is numeric when the caller has not said so, for the error about a cell that is
   * not a number.
   */
  readonly because?: string;
  /** The header has no name for the column. */
  readonly unnamed?: boolean;
  /** Numbers are written with these signs. */
  readonly signs: NumberSigns;
  readonly isMissing: (cells: RecordCells, cell: number) => boolean;
  /** Dashes among numbers mean "no value". */
  readonly dashes: boolean;
}

/** Judges cells that are not missing. */
export class NumberCells {
  readonly #rule: ColumnRule;
  /**
   * The cells above have this kind, by which numbers are read the fast way. It is undefined before the first
   * one where the rule leaves it open.
   */
  kind: "number" | TimeKind | undefined;
  readonly #times = new TimeReader();
  /**
   * The first number that float64 cannot hold gave this error, which counts only if the column stays numeric.
   */
  #unfit: InvalidInputError | undefined;

  constructor(rule: ColumnRule) {
    this.#rule = rule;
    this.kind = rule.kind === "numeric" ? "number" : undefined;
  }

  /** Says whether the dates of the column have a zone. */
  get zoned(): boolean {
    return this.#times.zoned;
  }

  /** Prints a value as the column's cells are mostly written. */
  print(value: number): string {
    return this.kind === "date" || this.kind === "time"
      ? this.#times.print(value)
      : formatNumber(value, this.#rule.signs.decimal);
  }

  /**
   * Returns the number, date or time that a cell stands for; undefined for a text, NaN for a dash that means
   * "no value".
   * @throws InvalidInputError for a text, and for a number that float64 cannot hold, in a column that must be
   *   numeric; for any other cell in one that must hold dates or times.
   */
  valueOf(cells: RecordCells, at: number, line: number): number | undefined {
    const { kind, dashes, signs, because } = this.#rule;
    const { decimal } = signs;
    if (this.kind !== "number" && (kind === "dates" || this.kind !== undefined))
      return this.#timeOf(cells.text(at), line);
    const short = cells.short(at, decimal);
    if (!Number.isNaN(short)) {
      this.kind = "number";
      return short;
    }
    const cell = cells.text(at);
    if (cells.isFraction(at, decimal)) {
      this.kind = "number";
      return numberOf(cell, decimal);
    }
    const value = signedNumber(cell, signs);
    if (value === undefined) {
      if (dashes && DASHES.test(cell)) return NaN;
      if (kind === "numeric") throw this.#notANumber(cell, line);
      return this.kind === undefined ? this.#timeOf(cell, line) : undefined;
    }
    if (hasLeadingZeros(cell)) {
      if (kind !== "numeric") return undefined;
      if (because !== undefined) throw this.#leadingZeros(cell, line);
    }
    this.kind = "number";
    const reason = this.#reasonAgainst(cell, value);
    if (reason !== undefined) {
      this.#unfit ??= new InvalidInputError(reason, this.#place(line));
      if (kind === "numeric") throw this.#unfit;
    }
    return value;
  }

  #timeOf(cell: string, line: number): number | undefined {
    const value = this.#times.read(cell);
    if (value !== undefined) {
      this.kind = this.#times.kind;
      return value;
    }
    const { kind, dashes } = this.#rule;
    if (dashes && DASHES.test(cell)) return NaN;
    if (kind === "dates") throw new InvalidInputError(notATime(cell, this.#rule), this.#place(line));
    return undefined;
  }

  /** @throws InvalidInputError when a number met so far is one that float64 cannot hold. */
  check(): void {
    if (this.#unfit !== undefined) throw this.#unfit;
  }

  #reasonAgainst(cell: string, value: number): string | undefined {
    const remedy = `read the column as text (option nominal: ${this.#rule.name})`;
    if (!Number.isFinite(value)) {
      return `${quote(cell)} is not a finite number; correct the cell, leave it empty, or ${remedy}`;
    }
    const large = largeInteger(cell, value);
    return large === undefined
      ? undefined
      : `${reasonAgainstLarge(large, shortened(cell.trim()))}; ${remedy}`;
  }

  #notANumber(cell: string, line: number): InvalidInputError {
    const { because, name, signs } = this.#rule;
    const { decimal } = signs;
    const other = decimal === "." ? "," : ".";
    const hint =
      parseNumber(cell, other) === undefined
        ? ""
        : ` (option decimal: ${other} reads numbers written with ${JSON.stringify(other)})`;
    const remedy =
      because === undefined
        ? "correct the cell, or name what stands for a missing value (option na)"
        : `${because}; read it as text (option nominal: ${name}), or name what stands for a missing value (option na)`;
    return new InvalidInputError(`${quote(cell)} is not a number${hint}; ${remedy}`, this.#place(line));
  }

  #leadingZeros(cell: string, line: number): InvalidInputError {
    const { because, name } = this.#rule;
    return new InvalidInputError(
      `${quote(cell)} has leading zeros, as words have; ${because}; read it as text (option nominal: ${name}) or as numbers ` +
        `(option numeric: ${name})`,
      this.#place(line),
    );
  }

  #place(line: number): Place {
    return { file: this.#rule.file, line, column: this.#rule.name };
  }
}

interface TimeType {
  readonly type?: TimeKind;
  readonly zone?: "UTC";
}

/** Returns the type of a column of dates or times, and nothing for others. */
export function timeType({ kind, zoned }: Pick<NumberCells, "kind" | "zoned">): TimeType {
  if (kind !== "date" && kind !== "time") return {};
  return { type: kind, ...(zoned ? { zone: "UTC" } : {}) };
}
