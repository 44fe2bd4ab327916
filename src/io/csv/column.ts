/**
 * This is one column of a CSV file, cell by cell. It is numeric as long as every cell that is not missing is
 * a number; the first one that is not makes it nominal, and all earlier cells get their text back, however
 * late that happens.
 */
import { Bitset } from "../../table/bitset.ts";
import { cellOf, MISSING_CODE, type Column } from "../../table/column.ts";
import { NumberCells, timeType, type ColumnRule } from "./cells.ts";
import { float64List, SparseTexts, uint32List } from "../lists.ts";
import type { DictionaryBudget, SharedDictionary } from "../sharedDictionary.ts";
import type { RecordCells } from "./lines.ts";
import { DASHES } from "./options.ts";
import { shortened } from "../quote.ts";

export interface FinishedColumn {
  readonly column: Column;
  /** This cell made the column nominal. */
  readonly firstText: FirstText | undefined;
  /** The header has no name for the column. */
  readonly unnamed: boolean;
  /** Returns the cell exactly as it was in the file. */
  readonly textOf: (row: number) => string;
}

interface FirstText {
  readonly line: number;
  readonly text: string;
}

export class ColumnBuilder {
  readonly #rule: ColumnRule;
  #gaps = uint32List();
  #numbers = float64List();
  /**
   * It keeps the text of cells that is not what their number prints, or that is not empty although missing.
   */
  #texts = new SparseTexts();
  #codes = uint32List();
  readonly #budget: DictionaryBudget;
  #nominal: SharedDictionary | undefined;
  #rows = 0;
  #firstText: FirstText | undefined;
  readonly #cells: NumberCells;

  constructor(rule: ColumnRule, budget: DictionaryBudget) {
    this.#rule = rule;
    this.#cells = new NumberCells(rule);
    this.#budget = budget;
    if (rule.kind === "nominal") this.#nominal = budget.dictionary(rule.name);
  }

  /** Returns the bytes that the cells take so far, without the texts of a nominal column. */
  get bytes(): number {
    return 8 * this.#numbers.length + 4 * (this.#codes.length + this.#gaps.length) + this.#texts.bytes;
  }

  add(cells: RecordCells, at: number, line: number): void {
    const row = this.#rows++;
    if (this.#rule.isMissing(cells, at)) this.#addGap(row, cells.text(at));
    else if (this.#nominal !== undefined) this.#codes.push(this.#nominal.codeOf(cells.text(at)));
    else this.#addNumber(row, cells, at, line);
  }

  /**
   * Ends the column; call it once.
   * @throws InvalidInputError when the column is numeric and holds a number that float64 cannot.
   */
  finish(): FinishedColumn {
    const column = this.#column();
    this.#numbers = float64List();
    this.#codes = uint32List();
    return {
      column,
      firstText: this.#firstText,
      unnamed: this.#rule.unnamed ?? false,
      textOf: textReader(column, this.#texts, this.#cells),
    };
  }

  #column(): Column {
    const { name } = this.#rule;
    const gaps = this.#gaps.length === 0 ? {} : { valid: this.#validity() };
    if (this.#nominal !== undefined) {
      const { dictionary } = this.#nominal;
      return { kind: "nominal", name, codes: this.#codes.toArray(), dictionary, ...gaps };
    }
    this.#cells.check();
    const type = timeType(this.#cells);
    return { kind: "numeric", name, ...type, values: this.#numbers.toArray(), ...gaps };
  }

  #addGap(row: number, cell: string): void {
    this.#gaps.push(row);
    if (cell !== "") this.#texts.push(row, cell);
    if (this.#nominal === undefined) this.#numbers.push(NaN);
    else this.#codes.push(MISSING_CODE);
  }

  #addNumber(row: number, cells: RecordCells, at: number, line: number): void {
    if (this.#cells.kind === "number") {
      const shortest = cells.shortest(at, this.#rule.signs.decimal);
      if (!Number.isNaN(shortest)) {
        this.#numbers.push(shortest);
        return;
      }
    }
    const value = this.#cells.valueOf(cells, at, line);
    const cell = cells.text(at);
    if (value === undefined) {
      this.#becomeNominal(cell, line);
      return;
    }
    if (Number.isNaN(value)) {
      this.#addGap(row, cell);
      return;
    }
    this.#numbers.push(value);
    if (this.#cells.print(value) !== cell) this.#texts.push(row, cell);
  }

  #becomeNominal(cell: string, line: number): void {
    const nominal = this.#budget.dictionary(this.#rule.name);
    const gapTexts = new SparseTexts();
    const gaps = uint32List();
    for (let row = 0; row < this.#rows - 1; row++) {
      const text = this.#texts.get(row);
      if (!Number.isNaN(this.#numbers.at(row))) {
        this.#codes.push(nominal.codeOf(text ?? this.#cells.print(this.#numbers.at(row))));
        continue;
      }
      if (text !== undefined && this.#rule.dashes && DASHES.test(text)) {
        this.#codes.push(nominal.codeOf(text));
        continue;
      }
      this.#codes.push(MISSING_CODE);
      gaps.push(row);
      if (text !== undefined) gapTexts.push(row, text);
    }
    this.#gaps = gaps;
    this.#codes.push(nominal.codeOf(cell));
    this.#nominal = nominal;
    this.#texts = gapTexts;
    this.#numbers = float64List();
    this.#firstText = { line, text: shortened(cell) };
  }

  #validity(): Bitset {
    const valid = Bitset.full(this.#rows);
    for (let at = 0; at < this.#gaps.length; at++) valid.clear(this.#gaps.at(at));
    return valid;
  }
}

function textReader(column: Column, texts: SparseTexts, cells: NumberCells): (row: number) => string {
  return (row) => {
    const text = texts.get(row);
    if (text !== undefined) return text;
    const cell = cellOf(column, row) ?? "";
    return typeof cell === "number" ? cells.print(cell) : cell;
  };
}
