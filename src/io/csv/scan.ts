/**
 * This module takes the first look at a CSV file: it finds cell by cell which columns are numeric and which
 * are not, without keeping any. The verdict is that of column.ts.
 */
import { InvalidInputError } from "../../core/errors.ts";
import type { ColumnSchema } from "../../table/stream.ts";
import { NumberCells, timeType, type ColumnRule } from "./cells.ts";
import type { RecordCells } from "./lines.ts";
import type { CsvSettings } from "./options.ts";
import { RowGate } from "./rows.ts";
import { shortened } from "../quote.ts";
import { unitOf } from "../time.ts";

export interface ScannedColumns {
  readonly schema: readonly ColumnSchema[];
  /** All columns of the file have rules, with their kinds settled. */
  readonly rules: readonly ColumnRule[];
  /** The columns of these rules, by index, are columns of the table. */
  readonly kept: readonly number[];
}

export class CsvScan {
  readonly #file: string;
  readonly #gate: RowGate;
  #columns: ColumnScan[] = [];

  constructor(file: string, settings: CsvSettings) {
    this.#file = file;
    this.#gate = new RowGate(file, settings);
  }

  set delimiter(delimiter: string) {
    this.#gate.delimiter = delimiter;
  }

  get rows(): number {
    return this.#gate.rows;
  }

  add(cells: RecordCells, line: number): void {
    const { rows } = this.#gate;
    if (!this.#gate.isRow(cells, line)) return;
    if (rows === 0) this.#columns = this.#gate.rules.map((rule) => new ColumnScan(rule));
    for (let j = 0; j < cells.count; j++) this.#columns[j].add(cells, j, line);
  }

  /** @param whole every row was seen. */
  finish(whole: boolean): ScannedColumns {
    if (whole) this.#gate.end();
    else if (this.rows === 0) {
      throw new InvalidInputError(
        "no row ends within the first 8 million characters; expected a text file of lines",
        {
          file: this.#file,
        },
      );
    }
    const seen = whole ? undefined : `the first ${this.rows} rows made the column`;
    const columns = this.#columns.map((column) => column.finish(seen));
    const kept = columns.flatMap(({ isColumn }, at) => (isColumn ? [at] : []));
    return { schema: kept.map((at) => columns[at].schema), rules: columns.map(({ rule }) => rule), kept };
  }
}

interface ScannedColumn {
  readonly schema: ColumnSchema;
  readonly rule: ColumnRule;
  /** The column is one of the table; false for a delimiter too many at the end of each line. */
  readonly isColumn: boolean;
}

class ColumnScan {
  readonly #rule: ColumnRule;
  readonly #cells: NumberCells;
  #nominal: boolean;
  #firstText: ColumnSchema["firstText"];
  /** A column without a name has had a cell; one with a name needs none. */
  #hasCell: boolean;

  constructor(rule: ColumnRule) {
    this.#rule = rule;
    this.#cells = new NumberCells(rule);
    this.#nominal = rule.kind === "nominal";
    this.#hasCell = rule.unnamed !== true;
  }

  add(cells: RecordCells, at: number, line: number): void {
    const { decimal } = this.#rule.signs;
    if (!this.#hasCell) this.#hasCell = !this.#rule.isMissing(cells, at);
    if (this.#nominal) return;
    if (this.#cells.kind === "number") {
      if (!Number.isNaN(cells.short(at, decimal)) || cells.isFraction(at, decimal)) return;
    }
    if (this.#rule.isMissing(cells, at)) return;
    if (this.#cells.valueOf(cells, at, line) !== undefined) return;
    this.#nominal = true;
    this.#firstText = { line, text: shortened(cells.text(at)) };
  }

  finish(seen: string | undefined): ScannedColumn {
    const { name, kind: asked } = this.#rule;
    if (!this.#nominal) this.#cells.check();
    const { type, zone } = timeType(this.#cells);
    const kind = this.#nominal ? "nominal" : "numeric";
    const settled = kind === "numeric" && type !== undefined ? "dates" : kind;
    const because = seen === undefined || asked !== "infer" ? {} : { because: `${seen} ${settled}` };
    const firstText = this.#firstText === undefined ? {} : { firstText: this.#firstText };
    const unit = this.#nominal || type === undefined ? {} : { unit: unitOf(type), ...(zone && { zone }) };
    const schema: ColumnSchema = { name, kind, ...unit, ...firstText };
    return { schema, rule: { ...this.#rule, kind: settled, ...because }, isColumn: this.#hasCell };
  }
}
