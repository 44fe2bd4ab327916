/** Profiles the columns of a file: it takes chunk by chunk, and becomes text for people. */
import { formatNumber, parseNumber } from "../io/index.ts";
import { isMissing } from "../table/index.ts";
import type { Column, ColumnSchema, Guess, NominalColumn, NumericColumn } from "../table/index.ts";
import { count, plural } from "./format.ts";
import { visible } from "./visible.ts";

export interface FileProfile {
  readonly file: string;
  readonly format: string;
  readonly rows: number;
  readonly columns: readonly ColumnFacts[];
  readonly guesses: readonly Guess[];
}

export interface ColumnFacts {
  readonly name: string;
  readonly type: "numeric" | "nominal";
  /** The type that the file declares. */
  readonly stored?: string;
  readonly unit?: string;
  readonly missing: number;
  /** The smallest number; only numeric columns with at least one number have it. */
  readonly min?: number;
  readonly max?: number;
  /** The number of distinct values; only nominal columns have it. */
  readonly distinct?: number;
  /** The most frequent value; among several, the first one to appear. */
  readonly mostFrequent?: { readonly value: string; readonly count: number };
  /** The cell that made the column nominal. */
  readonly because?: { readonly line: number; readonly text: string };
}

export class ColumnProfile {
  readonly #schema: ColumnSchema;
  #missing = 0;
  #min = Infinity;
  #max = -Infinity;
  /** Counts by code; all chunks share their dictionary. */
  #counts = new Float64Array(0);
  #values: readonly string[] = [];

  constructor(schema: ColumnSchema) {
    this.#schema = schema;
  }

  add(column: Column): void {
    if (column.kind === "numeric") this.#addNumbers(column);
    else this.#addTexts(column);
  }

  result(): ColumnFacts {
    const { name, kind, stored, unit, firstText } = this.#schema;
    return {
      name,
      type: kind,
      ...(stored === undefined ? {} : { stored }),
      ...(unit === undefined ? {} : { unit }),
      missing: this.#missing,
      ...(kind === "numeric" ? this.#range() : this.#texts()),
      ...(firstText === undefined ? {} : { because: firstText }),
    };
  }

  #addNumbers(column: NumericColumn): void {
    const { values } = column;
    for (let row = 0; row < values.length; row++) {
      if (isMissing(column, row)) {
        this.#missing++;
        continue;
      }
      if (values[row] < this.#min) this.#min = values[row];
      if (values[row] > this.#max) this.#max = values[row];
    }
  }

  #addTexts(column: NominalColumn): void {
    const { codes, dictionary } = column;
    this.#values = dictionary.values;
    if (this.#counts.length < dictionary.size) {
      const larger = new Float64Array(Math.max(dictionary.size, 2 * this.#counts.length));
      larger.set(this.#counts);
      this.#counts = larger;
    }
    for (let row = 0; row < codes.length; row++) {
      if (isMissing(column, row)) this.#missing++;
      else this.#counts[codes[row]]++;
    }
  }

  #range(): Pick<ColumnFacts, "min" | "max"> {
    return this.#min > this.#max ? {} : { min: this.#min, max: this.#max };
  }

  #texts(): Pick<ColumnFacts, "distinct" | "mostFrequent"> {
    const counts = this.#counts.subarray(0, this.#values.length);
    const most = counts.reduce((best, count, code) => (count > counts[best] ? code : best), 0);
    if (this.#values.length === 0) return { distinct: 0 };
    return {
      distinct: counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0),
      mostFrequent: { value: this.#values[most], count: counts[most] },
    };
  }
}

/** The length at which longer texts are cut, so that a line stays a line. */
const SHOWN_CHARS = 40;

export function schemaText({ file, format, rows, columns, guesses }: FileProfile): string {
  const table = [
    ["column", "type", "missing", "values", "stored as"],
    ...columns.map((column) => [
      shown(column.name),
      column.type,
      count(column.missing),
      valuesText(column, rows),
      visible([column.stored, column.unit].filter((part) => part !== undefined).join(", ")),
    ]),
  ];
  const widths = table[0].map((_, at) => table.reduce((most, row) => Math.max(most, row[at].length), 0));
  const lines = table.map((row) =>
    row
      .map((cell, at) => (at === 2 ? cell.padStart(widths[at]) : cell.padEnd(widths[at])))
      .join("  ")
      .trimEnd(),
  );
  return [
    `${visible(file)}: ${format}, ${plural(rows, "row")}, ${plural(columns.length, "column")}`,
    ...lines,
    ...guessLines(format === "csv" ? columns : [], guesses),
  ].join("\n");
}

function valuesText({ type, min, max, distinct, mostFrequent }: ColumnFacts, rows: number): string {
  if (type === "numeric")
    return min === undefined || max === undefined ? "none" : `${formatNumber(min)} to ${formatNumber(max)}`;
  if (mostFrequent === undefined) return "none";
  const share = ((100 * mostFrequent.count) / rows).toFixed(1);
  return `${count(distinct ?? 0)} different, ${share} % ${shown(JSON.stringify(mostFrequent.value))}`;
}

function guessLines(columns: readonly ColumnFacts[], guesses: readonly Guess[]): string[] {
  return [
    ...guesses.map(({ what, value, option }) => visible(`${what}: ${value} (${option} says otherwise)`)),
    ...columns.flatMap(({ name, because }) =>
      because === undefined
        ? []
        : [
            `${shown(name)} is nominal because of ${shown(JSON.stringify(because.text))} in line ${because.line} ` +
              `(${remedyFor(because.text)})`,
          ],
    ),
  ];
}

function remedyFor(text: string): string {
  const decimal = ([".", ","] as const).find((each) => parseNumber(text, each) !== undefined);
  return decimal === undefined
    ? "correct the cell, or name what means no value with --na"
    : `numbers written with ${JSON.stringify(decimal)} need --decimal ${decimal}`;
}

function shown(text: string): string {
  const all = visible(text);
  return all.length <= SHOWN_CHARS ? all : `${all.slice(0, SHOWN_CHARS - 1)}…`;
}
