/**
 * This module says what a reader of CSV noticed and did not decide: columns of words that look like numbers,
 * and the option that reads them as such. Its functions are pure functions of the words; who says it, and
 * where, is not known here.
 */
import type { Guess } from "../../table/stream.ts";
import { parseNumber, type Decimal } from "../number.ts";
import { quote } from "../quote.ts";
import { hasLeadingZeros, signedNumber, type NumberSigns } from "./syntax.ts";

/** This holds the words of a column, and the first of them that is not a number as numbers are read. */
export interface WordColumn {
  readonly name: string;
  readonly values: readonly string[];
  readonly firstText: { readonly line: number; readonly text: string };
}

/** At most so many words are looked at, of a column that may have millions. */
const MOST_WORDS = 1000;
/** A column gets a hint where at least so many words of ten look like numbers. */
const LIKELY = 9;
const SEPARATORS = [",", ".", " ", "'", "_", "\u00a0", "\u202f"];
/**
 * A currency stands in front of a number. Letters there are no unit, since names such as A1 begin with them.
 */
const CURRENCY = /^[+-]?(\p{Sc})/u;
const UNIT = /\d[ \u00a0]?(%|\p{Sc}|[a-zA-Z\u00b0\u00b5\u03bc]+[\u00b2\u00b3]?)$/u;

/** These words multiply a number and are no units: without them 5k would be 5, less than 900. */
const PREFIXES = new Set(
  "k m g b t mn mm tn bn mio mrd bio mln mld mia tsd tsnd thousand million billion trillion lakh crore cr".split(
    " ",
  ),
);

/** Returns a hint for a column of words that look like numbers, and undefined for one of words alone. */
export function wordsHint({ name, values, firstText }: WordColumn, signs: NumberSigns): Guess | undefined {
  const words = values.slice(0, MOST_WORDS).map((word) => word.trim());
  const seen = `column ${JSON.stringify(name)} is read as text,`;
  const where = `${quote(firstText.text)} in line ${firstText.line}`;
  if (hasLeadingZeros(firstText.text)) {
    const areNumbers = words.every((word) => parseNumber(word, signs.decimal) !== undefined);
    if (!areNumbers) return undefined;
    return {
      column: name,
      what: "words",
      value: `${seen} since ${where} has leading zeros`,
      option: `--numeric ${name}`,
      remedy: `numeric: ${JSON.stringify([name])}`,
    };
  }
  for (const other of otherSigns(firstText.text.trim(), signs)) {
    const count = words.filter((word) => signedNumber(word, other) !== undefined).length;
    if (10 * count < LIKELY * words.length) continue;
    const mends = optionsFor(other, signs);
    return { column: name, what: "words", value: `${seen} but ${where} looks like a number`, ...mends };
  }
  return undefined;
}

/** Lists signs with which the word would be a number, those that add least first. */
function otherSigns(word: string, signs: NumberSigns): NumberSigns[] {
  const decimals: Decimal[] = [signs.decimal, signs.decimal === "." ? "," : "."];
  const unit = CURRENCY.exec(word)?.[1] ?? UNIT.exec(word)?.[1];
  const isUnit = unit !== undefined && !isPrefix(unit);
  const units = [signs.units, ...(!isUnit ? [] : [[...signs.units, unit]])];
  const all = decimals.flatMap((decimal) =>
    units.flatMap((some) =>
      [signs.thousands, ...SEPARATORS.filter((each) => each !== decimal)].map((thousands) => ({
        decimal,
        thousands,
        units: some,
      })),
    ),
  );
  return all.filter((each) => signedNumber(word, each) !== undefined);
}

function isPrefix(unit: string): boolean {
  // In small letters these are metres, grams and tonnes.
  return !["m", "g", "t", "mm"].includes(unit) && PREFIXES.has(unit.toLowerCase());
}

/** Returns the options that read such signs, of the command line and of the library. */
function optionsFor(signs: NumberSigns, now: NumberSigns): Pick<Guess, "option" | "remedy"> {
  const { decimal, thousands, units } = signs;
  const added = units.filter((unit) => !now.units.includes(unit));
  const changed = [
    ...(added.length === 0 ? [] : [["units", added.join(), units]]),
    ...(thousands === undefined || thousands === now.thousands ? [] : [["thousands", thousands, thousands]]),
    ...(decimal === now.decimal ? [] : [["decimal", decimal, decimal]]),
  ] as const;
  return {
    option: changed.map(([name, text]) => `--${String(name)} ${shellWord(String(text))}`).join(" "),
    remedy: changed.map(([name, , value]) => `${String(name)}: ${JSON.stringify(value)}`).join(", "),
  };
}

function shellWord(text: string): string {
  if (/^[\w.,%\u00b0-\u00b5]+$/.test(text)) return text;
  return text.includes("'") ? `"${text}"` : `'${text}'`;
}

/** Naming the first column as a feature says that it names no rows. */
export const NAMED = "its name among the features";

/** Says that the first column names the rows. */
export function rowNamesHint(name: string): Guess {
  return {
    column: name,
    what: "row names",
    value: `${JSON.stringify(name)} has no name in the header, so it names the rows and is not compared`,
    option: "--features",
    remedy: NAMED,
  };
}
