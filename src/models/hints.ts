/**
 * `dataHints` says what about a table makes nearest neighbours answer badly, and what mends it: columns of
 * unlike scales, gaps, names among the features, a number for a label. It changes nothing, and where it is
 * not sure it is silent.
 */
import { checkOptions, type OptionNames } from "../core/options.ts";
import { plural } from "../core/plural.ts";
import type { MetricName } from "../distance/metric.ts";
import { isMissing, type Column, type NominalColumn, type NumericColumn } from "../table/column.ts";
import { dateWords, dateWordsText } from "../table/dateWords.ts";
import type { Table } from "../table/table.ts";
import { Normalize, ReplaceMissingValues, type Preparation } from "./preparation/index.ts";

/**
 * It is a finding about the data of a model, and says what to do about it.
 * @example
 * const table = Table.fromColumns({ grams: [3700, 5100, 4400, 3900], bill: [39.1, 46.5, 50, 36.7] });
 * const [hint]: DataHint[] = dataHints(table, ["grams", "bill"]);
 * hint.what; // => "scale"
 * hint.columns; // => ["grams", "bill"]
 * hint.option; // => "--normalize z"
 */
export interface DataHint {
  readonly what: "scale" | "gaps" | "nothing to compare" | "dates" | "all different" | "numeric classes";
  /** It is about these columns; if they are many, only the first are listed. */
  readonly columns: readonly string[];
  /** It states the finding, as the beginning of a sentence. */
  readonly value: string;
  /** This option of the command line fixes it. */
  readonly option: string;
  /** This part of the library fixes it. */
  readonly remedy: string;
}

/**
 * `dataHints` takes these options.
 * @example
 * const options: DataHintOptions = { preparation: [new Normalize()] };
 * const table = Table.fromColumns({ grams: [3700, 5100, 4400], bill: [39.1, 46.5, 50] });
 * dataHints(table, ["grams", "bill"], options); // => []
 */
export interface DataHintOptions {
  /** Rows are compared by this metric; default Euclidean. */
  readonly metric?: MetricName | undefined;
  /** It says how missing cells are treated, as in estimators; default "skip". */
  readonly missing?: string | undefined;
  /** Columns have these weights, if any; with weights there is no hint on scales. */
  readonly columnWeights?: ArrayLike<number> | undefined;
  /** These steps prepare the rows. */
  readonly preparation?: readonly Preparation[] | undefined;
  /** Values of this column are the classes to predict. */
  readonly classes?: string | undefined;
}

const names: OptionNames<DataHintOptions> = {
  metric: 1,
  missing: 1,
  columnWeights: 1,
  preparation: 1,
  classes: 1,
};

/**
 * Returns what a table's columns hint at, most important first; empty for data that need nothing.
 *
 * There is a hint for numbers that vary 30 times as much as others in the middle nine tenths of their rows;
 * for gaps, which add nothing to a distance; for rows without any feature; for dates that are texts, such as
 * Oct 11 2002; for other texts (or ids in whole numbers) that differ in nearly every row; and for classes
 * that are numbers, more than 100 of them, or more than 20 with fractions.
 * @param features the columns that are compared
 * @example
 * const name = Array.from({ length: 30 }, (_, row) => `film ${row}`);
 * const minutes = name.map((_, row) => 90 + (row % 7));
 * const [hint] = dataHints(Table.fromColumns({ name, minutes }), ["name", "minutes"]);
 * hint.value; // => '"name" has a different value in each of 30 rows, so it says nothing about any other row'
 * hint.option; // => "--ignore name"
 */
export function dataHints(
  table: Table,
  features: readonly string[],
  options: DataHintOptions = {},
): DataHint[] {
  checkOptions(options, "dataHints", names);
  const { columns } = table.select(features);
  const { metric, missing = "skip", columnWeights, preparation = [], classes } = options;
  const addsUp = metric === undefined || sums.has(metric);
  const isScaled =
    columnWeights !== undefined || preparation.some((step) => !(step instanceof ReplaceMissingValues));
  const isFilled = preparation.some((step) => !(step instanceof Normalize));
  const gaps = isFilled ? undefined : gapsOf(columns, table.rows);
  return [
    ...(addsUp && !isScaled ? scaleHints(columns) : []),
    ...(gaps && addsUp && missing === "skip" ? gapHints(gaps, columns, table.rows) : []),
    ...(gaps ? emptyHints(gaps.empty) : []),
    ...(columns.length > 1 ? columns.flatMap(wordHints) : []),
    ...(classes === undefined ? [] : classHints(table.column(classes))),
  ];
}

/** Every column adds its difference as it is to these metrics. */
const sums: ReadonlySet<MetricName> = new Set([
  "euclidean",
  "sqeuclidean",
  "manhattan",
  "chebyshev",
  "minkowski",
  "mixed_euclidean",
]);

/** Columns of numbers whose spreads are so many times apart are not compared alike. */
const UNLIKE = 30;
/** At most so many numbers of a column are looked at, evenly. */
const MOST_NUMBERS = 1 << 14;

interface ColumnSpread {
  readonly column: NumericColumn;
  readonly width: number;
}

function scaleHints(columns: readonly Column[]): DataHint[] {
  const spreads = columns
    .flatMap((column) => (column.kind === "numeric" ? (spreadOf(column) ?? []) : []))
    .sort((a, b) => b.width - a.width);
  if (spreads.length < 2) return [];
  const [widest, narrowest] = [spreads[0], spreads[spreads.length - 1]];
  if (widest.width < UNLIKE * narrowest.width) return [];
  const small = spreads.filter(({ width }) => widest.width >= UNLIKE * width).length;
  const rest = small === 1 ? "the latter hardly counts" : `the latter and ${small - 1} more hardly count`;
  return [
    {
      what: "scale",
      columns: [widest.column.name, narrowest.column.name],
      value:
        `${quoted(widest.column.name)} varies by ${widthText(widest)} and ${quoted(narrowest.column.name)} by ` +
        `${widthText(narrowest)}, so ${rest}`,
      option: "--normalize z",
      remedy: "a Pipeline that begins with new Normalize()",
    },
  ];
}

/**
 * Returns the range of the middle nine tenths of the numbers. A column tells nothing of its scale where one
 * number stands in half of the rows or more, such as a pixel at the edge of pictures.
 */
function spreadOf(column: NumericColumn): ColumnSpread | undefined {
  const { values } = column;
  const stride = Math.max(1, Math.ceil(values.length / MOST_NUMBERS));
  const sorted = values.filter((value, row) => row % stride === 0 && !Number.isNaN(value)).sort();
  if (sorted.length < 2 || longestRun(sorted) * 2 >= sorted.length) return undefined;
  const tail = Math.floor(0.05 * (sorted.length - 1));
  const width = sorted[sorted.length - 1 - tail] - sorted[tail];
  return width > 0 ? { column, width } : undefined;
}

/** Returns how often the most frequent of sorted numbers stands there. */
function longestRun(sorted: Float64Array): number {
  let longest = 0;
  for (let begin = 0, at = 1; at <= sorted.length; at++) {
    if (at < sorted.length && sorted[at] === sorted[begin]) continue;
    longest = Math.max(longest, at - begin);
    begin = at;
  }
  return longest;
}

interface MissingCounts {
  /** These columns have gaps. */
  readonly columns: readonly Column[];
  /** This many rows lack some features. */
  readonly some: number;
  /** This many rows lack every feature. */
  readonly empty: number;
}

function gapsOf(columns: readonly Column[], rows: number): MissingCounts {
  const withGaps = columns.filter(({ valid }) => valid !== undefined && valid.count() < rows);
  let some = 0;
  let empty = 0;
  for (let row = 0; row < rows && withGaps.length > 0; row++) {
    const missing = withGaps.filter((column) => isMissing(column, row)).length;
    if (missing === columns.length) empty++;
    else if (missing > 0) some++;
  }
  return { columns: withGaps, some, empty };
}

function gapHints(
  { columns: withGaps, some }: MissingCounts,
  columns: readonly Column[],
  rows: number,
): DataHint[] {
  if (some === 0) return [];
  const isNumeric = columns.every(({ kind }) => kind === "numeric");
  const lack = some === 1 ? "lacks" : "lack";
  const what = withGaps.length === 1 ? quoted(withGaps[0].name) : `some of ${withGaps.length} columns`;
  return [
    {
      what: "gaps",
      columns: withGaps.slice(0, SHOWN).map(({ name }) => name),
      value: `${some} of ${plural(rows, "row")} ${lack} ${what}; a gap adds nothing to a distance, so such rows look nearer`,
      option: `--impute average${isNumeric ? " or --metric nan_euclidean" : ""}`,
      remedy: `new ReplaceMissingValues()${isNumeric ? ' or metric: "nan_euclidean"' : ""}`,
    },
  ];
}

const SHOWN = 20;

function emptyHints(empty: number): DataHint[] {
  if (empty === 0) return [];
  const [have, them] = empty === 1 ? ["has", "it"] : ["have", "them"];
  return [
    {
      what: "nothing to compare",
      columns: [],
      value: `${plural(empty, "row")} ${have} none of the features, so no other row is nearer to ${them} than any other`,
      option: "--impute average",
      remedy: "new ReplaceMissingValues(), or leave such rows out",
    },
  ];
}

/**
 * At least so many rows can show that values differ by design, and at least this share of them must differ.
 */
const FEWEST_ROWS = 20;
const NEARLY_ALL = 0.95;
/** Columns of numbers that name rows are called by these words. */
const ID = /^(id|index|idx|key|nr|no|row|rowid|rownum|uuid|number)$|[_ .-](id|key|nr|no)$|[a-z]Id$/i;

function wordHints(column: Column): DataHint[] {
  const hint = column.kind === "nominal" ? dateHint(column.name, column.dictionary.values) : undefined;
  return hint === undefined ? allDifferentHints(column) : [hint];
}

/** Returns a hint for a column whose words are dates in a form that is not read as such. */
export function dateHint(name: string, words: readonly string[]): DataHint | undefined {
  const found = dateWords(words);
  if (found === undefined) return undefined;
  return {
    what: "dates",
    columns: [name],
    value: `${quoted(name)} ${dateWordsText(found)}`,
    option: `--ignore ${argument(name)}`,
    remedy: `roles: { date: ${quoted(name)} }, or numbers in place of the dates`,
  };
}

function allDifferentHints(column: Column): DataHint[] {
  const present = column.valid?.count() ?? lengthOf(column);
  if (present < FEWEST_ROWS) return [];
  const distinct = column.kind === "nominal" ? distinctTexts(column) : distinctIds(column);
  if (distinct === undefined || distinct < NEARLY_ALL * present) return [];
  const { name } = column;
  const share = distinct === present ? `each of ${present}` : `${distinct} of ${present}`;
  return [
    {
      what: "all different",
      columns: [name],
      value: `${quoted(name)} has a different value in ${share} rows, so it says nothing about any other row`,
      option: `--ignore ${argument(name)}`,
      remedy: `roles: { id: ${quoted(name)} }`,
    },
  ];
}

function lengthOf(column: Column): number {
  return column.kind === "numeric" ? column.values.length : column.codes.length;
}

function distinctTexts(column: NominalColumn): number {
  const codes = new Set<number>();
  column.codes.forEach((code, row) => {
    if (!isMissing(column, row)) codes.add(code);
  });
  return codes.size;
}

/** Counts whole numbers of a column that is called as ids are; undefined for other columns. */
function distinctIds({ name, values, type = "real" }: NumericColumn): number | undefined {
  if (type === "date" || type === "time" || !ID.test(name.trim())) return undefined;
  const present = values.filter((value) => !Number.isNaN(value));
  return present.every(Number.isInteger) ? new Set(present).size : undefined;
}

/** More different numbers than these hardly name classes, and with fractions even fewer do. */
const MANY_CLASSES = 100;
const MANY_FRACTIONS = 20;

function classHints(column: Column): DataHint[] {
  if (column.kind === "nominal") return [];
  const classes = [...new Set(column.values.filter((value) => !Number.isNaN(value)))];
  if (classes.length <= (classes.every(Number.isInteger) ? MANY_CLASSES : MANY_FRACTIONS)) return [];
  const { name } = column;
  return [
    {
      what: "numeric classes",
      columns: [name],
      value: `the label ${quoted(name)} has ${classes.length} different numbers, each a class; if they measure something, predict numbers`,
      option: "nearfield regress",
      remedy: "KNeighborsRegressor",
    },
  ];
}

function quoted(name: string): string {
  return JSON.stringify(name);
}

/** Writes a name as a word of a shell, in a list of names. */
function argument(name: string): string {
  if (/^[\w.%-]+$/.test(name)) return name;
  const listed = /[",]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
  return `'${listed.replaceAll("'", "'\\''")}'`;
}

function widthText({ column: { type }, width }: ColumnSpread): string {
  const value = Number(width.toPrecision(2));
  const text = value < 1 ? String(value) : value.toLocaleString("en-US");
  return type === "date" || type === "time" ? `${text} milliseconds` : text;
}
