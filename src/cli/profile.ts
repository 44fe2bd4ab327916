/**
 * A profile says of each column of a file what it holds; it grows chunk by chunk and becomes text for people.
 */
import { formatNumber, printedTime, wordsHint, type NumberSigns } from "../io/index.ts";
import { dateHint } from "../models/hints.ts";
import { isMissing } from "../table/index.ts";
import type { Column, ColumnSchema, Guess, NominalColumn, NumericColumn, Table } from "../table/index.ts";
import { count, plural } from "./format.ts";
import { likeHints } from "./inputs/likeHints.ts";
import { BARS, NumberSample, sampleSize, sparkline } from "./sample.ts";
import { visible } from "./visible.ts";

/** A guess names the option of the command line alone. */
export type FlagGuess = Omit<Guess, "remedy">;

/** The option of some mends what was noticed, rather than reads it otherwise. */
export type ProfileHint = FlagGuess & { readonly mends?: boolean };

export interface FileProfile {
  readonly file: string;
  readonly format: string;
  readonly rows: number;
  readonly columns: readonly ColumnSummary[];
  readonly guesses: readonly FlagGuess[];
  /** Columns of words look like numbers or dates, and these options read them so or leave them out. */
  readonly hints: readonly ProfileHint[];
}

export interface ColumnSummary {
  readonly name: string;
  readonly type: "numeric" | "nominal";
  /** The file declares this type. */
  readonly stored?: string;
  readonly unit?: string;
  readonly missing: number;
  /** The smallest number; only numeric columns with at least one number have it. */
  readonly min?: number;
  readonly max?: number;
  /**
   * The numbers have these quartiles, first to third; an even share of them has, where they are very many.
   */
  readonly quartiles?: readonly [number, number, number];
  readonly quartilesAreExact?: boolean;
  /** It counts the numbers in eight ranges of equal width between min and max. */
  readonly histogram?: readonly number[];
  /** The number of different texts; only nominal columns have it. */
  readonly distinct?: number;
  /** It is the most frequent value; among several, the first one to appear. */
  readonly mostFrequent?: { readonly value: string; readonly count: number };
  /** It counts the eight most frequent texts. */
  readonly frequencies?: readonly number[];
  /** This cell made the column nominal. */
  readonly because?: { readonly line: number; readonly text: string };
}

/** Holds the profiles of all columns of a file. */
export class TableProfile {
  rows = 0;
  readonly columns: readonly ColumnProfile[];
  /** Each name has here its last column that was gaps alone: where a key is rare, chunks repeat it. */
  readonly #gaps: Column[] = [];

  constructor(schema: readonly ColumnSchema[]) {
    const size = sampleSize(schema.length);
    this.columns = schema.map((column) => new ColumnProfile(column, size));
  }

  add({ rows, columns }: Table): void {
    this.rows += rows;
    columns.forEach((column, at) => {
      if (column === this.#gaps[at]) return;
      if (column.valid?.count() === 0) this.#gaps[at] = column;
      else this.columns[at].add(column);
    });
  }

  results(): ColumnSummary[] {
    return this.columns.map((column) => column.result(this.rows));
  }
}

class ColumnProfile {
  readonly #schema: ColumnSchema;
  readonly #sample: NumberSample;
  #present = 0;
  #min = Infinity;
  #max = -Infinity;
  /** Each code has its count here; all chunks share their dictionary. */
  #counts = new Float64Array(0);
  #values: readonly string[] = [];

  /** @param sample how many numbers are kept for the quartiles */
  constructor(schema: ColumnSchema, sample: number) {
    this.#schema = schema;
    this.#sample = new NumberSample(sample);
  }

  /** Returns a hint where the column is nominal, but its words look like numbers or like dates. */
  hint(signs: NumberSigns): ProfileHint | undefined {
    const { name, firstText } = this.#schema;
    const values = this.#values;
    const words = firstText && wordsHint({ name, values, firstText }, signs);
    if (words !== undefined) return withoutRemedy(words);
    const dates = dateHint(name, values);
    return dates && { column: name, what: dates.what, value: dates.value, option: dates.option, mends: true };
  }

  add(column: Column): void {
    if (column.kind === "numeric") this.#addNumbers(column);
    else this.#addTexts(column);
  }

  /** @param rows the number of them in the file */
  result(rows: number): ColumnSummary {
    const { name, kind, stored, unit, firstText } = this.#schema;
    return {
      name,
      type: kind,
      ...(stored === undefined ? {} : { stored }),
      ...(unit === undefined ? {} : { unit }),
      missing: rows - this.#present,
      ...(kind === "numeric" ? this.#range() : this.#texts()),
      ...(firstText === undefined ? {} : { because: firstText }),
    };
  }

  #addNumbers(column: NumericColumn): void {
    const { values } = column;
    for (let row = 0; row < values.length; row++) {
      if (isMissing(column, row)) continue;
      this.#present++;
      if (values[row] < this.#min) this.#min = values[row];
      if (values[row] > this.#max) this.#max = values[row];
      this.#sample.add(values[row]);
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
      if (isMissing(column, row)) continue;
      this.#present++;
      this.#counts[codes[row]]++;
    }
  }

  #range(): Pick<ColumnSummary, "min" | "max" | "quartiles" | "quartilesAreExact" | "histogram"> {
    const quartiles = this.#sample.quartiles();
    if (quartiles === undefined) return {};
    const [min, max] = [this.#min, this.#max];
    const histogram = this.#sample.histogram(min, max);
    return { min, max, quartiles, quartilesAreExact: this.#sample.isWhole, histogram };
  }

  #texts(): Pick<ColumnSummary, "distinct" | "mostFrequent" | "frequencies"> {
    const counts = this.#counts.subarray(0, this.#values.length);
    const most = counts.reduce((best, count, code) => (count > counts[best] ? code : best), 0);
    if (this.#values.length === 0) return { distinct: 0 };
    return {
      distinct: counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0),
      mostFrequent: { value: this.#values[most], count: counts[most] },
      frequencies: Array.from(counts.slice().sort().reverse().subarray(0, BARS)),
    };
  }
}

/** Leaves out what mends it in the library, which is no news to the command line. */
export function withoutRemedy({ column, what, value, option }: Guess): FlagGuess {
  return { ...(column === undefined ? {} : { column }), what, value, option };
}

/** Longer texts are cut at this length, so that a line stays a line. */
const SHOWN_CHARS = 40;

export function schemaText({ file, format, rows, columns, guesses, hints }: FileProfile): string {
  const stored = columns.map((column) => visible(column.stored ?? ""));
  const isStored = stored.some((text) => text !== "");
  const table = [
    ["column", "type", "gaps", "", "values", ...(isStored ? ["stored as"] : [])],
    ...columns.map((column, at) => [
      shown(column.name),
      typeText(column),
      share(column.missing, rows),
      sparkline(column.histogram ?? column.frequencies ?? []),
      valuesText(column, rows),
      ...(isStored ? [stored[at]] : []),
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
    ...guesses.map(({ what, value, option }) => visible(`${what}: ${value} (override with ${option})`)),
    ...likeHints(hints).map(({ value, option, mends = false }) =>
      visible(`hint: ${value} (${mends ? "try" : "override with"} ${option})`),
    ),
  ].join("\n");
}

export function typeText({ type, unit }: ColumnSummary): string {
  return unit === undefined ? type : unit === "ms since midnight" ? "time" : "date";
}

/** Returns the share of missing cells as text, in which a few are never shown as none. */
function share(missing: number, rows: number): string {
  if (missing === 0) return "-";
  const percent = (100 * missing) / rows;
  return percent < 0.1 ? "<0.1 %" : `${percent.toFixed(1)} %`;
}

export function valuesText(column: ColumnSummary, rows: number): string {
  const { type, min, max, quartiles, distinct, mostFrequent } = column;
  if (type === "numeric") {
    if (min === undefined || max === undefined || quartiles === undefined) return "none";
    const text = numberText(column);
    const about = column.quartilesAreExact === false ? "about " : "";
    const middle =
      min === max ? "" : `, quartiles ${about}${quartiles.map((value) => text(value, true)).join(", ")}`;
    return `${text(min)} to ${text(max)}${middle}`;
  }
  if (mostFrequent === undefined) return "none";
  const most = ((100 * mostFrequent.count) / rows).toFixed(1);
  return `${count(distinct ?? 0)} different, ${most} % ${shown(JSON.stringify(mostFrequent.value))}`;
}

/**
 * Returns how numbers of a column become text: quartiles rounded to what people read, least and greatest as
 * they are.
 */
function numberText({ unit }: ColumnSummary): (value: number, rounded?: boolean) => string {
  if (unit === undefined)
    return (value, rounded = false) => formatNumber(rounded ? Number(value.toPrecision(4)) : value);
  const type = unit === "ms since midnight" ? "time" : "date";
  return (value) => printedTime(Math.round(value), type).replace(/T00:00:00$/, "");
}

function shown(text: string): string {
  const all = visible(text);
  return all.length <= SHOWN_CHARS ? all : `${all.slice(0, SHOWN_CHARS - 1)}…`;
}
