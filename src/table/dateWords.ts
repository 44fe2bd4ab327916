/**
 * This module says whether the words of a column are dates that readers do not read as such, since a month is
 * named, or since nobody knows whether 10/11/2002 is in October or in November. It reads none of them.
 */

/** A column of words has dates among them. */
export interface DateWords {
  /** This word is one of the dates. */
  readonly date: string;
  /** Readers would read the dates, but for this word; undefined for dates in other forms. */
  readonly other: string | undefined;
}

/** Only this many words of a column are looked at, since it may have millions. */
const MOST_WORDS = 1000;
/** Longer words are cut at this length where they are shown. */
const SHOWN_CHARS = 40;
/** A column has dates if at least this many of ten words are dates. */
const LIKELY = 9;

const MONTH =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|" +
  "oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
const DAY = "(?<day>\\d{1,2})(?:st|nd|rd|th)?";
const WEEKDAY =
  "(?:(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)\\.?,? )?";
const ZONE = "(?: ?(?:z|utc|gmt|[+-]\\d{2}:?\\d{2}))?";
const CLOCK = `(?:(?:t|,? )\\d{1,2}:\\d{2}(?::\\d{2}(?:\\.\\d+)?)?(?: ?[ap]\\.?m\\.?)?${ZONE})?`;

/** Oct 11 2002, 11 October 2002, 11-Oct-02, Fri, 11 Oct 2002 10:00:00 GMT */
const NAMED = [
  `${WEEKDAY}${MONTH}[ -]${DAY}(?:,? |-)\\d{4}${CLOCK}`,
  `${WEEKDAY}${DAY}(?:[ -]|\\. )${MONTH}(?:,? |-)(?:\\d{4}|\\d{2})${CLOCK}`,
].map(whole);
/** 10/11/2002, 31.12.2002, 10/11/02 3:05 PM: day and month in either order */
const NUMBERS = [
  `(?<first>\\d{1,2})([-/.])(?<second>\\d{1,2})\\2\\d{4}${CLOCK}`,
  `(?<first>\\d{1,2})/(?<second>\\d{1,2})/\\d{2}${CLOCK}`,
].map(whole);
/** 2002-10-11, which readers read, and 2002-1-5 and 2002.10.11, which they do not */
const YEAR_FIRST = [
  `\\d{4}([-/])(?<first>\\d{1,2})\\1(?<day>\\d{1,2})${CLOCK}`,
  `\\d{4}\\.(?<first>\\d{2})\\.(?<day>\\d{2})${CLOCK}`,
].map(whole);
const ISO = /^\d{4}([-/])\d{2}\1\d{2}(?!\d)/;

function whole(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`, "i");
}

/** Returns which words are dates that are not read; undefined if most are no dates, or all are read. */
export function dateWords(words: readonly string[]): DateWords | undefined {
  const some = words.slice(0, MOST_WORDS).map((word) => word.trim());
  const dates = some.filter(isDate);
  if (dates.length === 0 || 10 * dates.length < LIKELY * some.length) return undefined;
  const other = some.find((word) => !isDate(word));
  const unread = dates.find((word) => !ISO.test(word));
  if (unread === undefined && other === undefined) return undefined;
  return { date: unread ?? dates[0], other: unread === undefined ? other : undefined };
}

/** Says what becomes of the dates, as the rest of a sentence that begins with the column. */
export function dateWordsText({ date, other }: DateWords): string {
  if (other !== undefined)
    return `is compared as words, since ${quoted(other)} stands among its dates; as a missing cell it would not matter`;
  return `has dates such as ${quoted(date)}, which are compared as words; those written as 2024-01-31 are compared by time`;
}

function quoted(word: string): string {
  return JSON.stringify(word.length > SHOWN_CHARS ? `${word.slice(0, SHOWN_CHARS)}...` : word);
}

function isDate(word: string): boolean {
  const { day, first, second } = partsOf(word) ?? { day: "0" };
  if (second !== undefined) return areDayAndMonth(Number(first), Number(second));
  return isWithin(Number(day), 31) && isWithin(Number(first ?? 1), 12);
}

function partsOf(word: string): Partial<Record<string, string>> | undefined {
  for (const pattern of [...NAMED, ...NUMBERS, ...YEAR_FIRST]) {
    const groups = pattern.exec(word)?.groups;
    if (groups !== undefined) return groups;
  }
  return undefined;
}

function areDayAndMonth(one: number, two: number): boolean {
  return isWithin(Math.min(one, two), 12) && isWithin(Math.max(one, two), 31);
}

function isWithin(value: number, most: number): boolean {
  return value >= 1 && value <= most;
}
