/**
 * This module reads and prints dates and times as text files write them, by ISO 8601 and its common
 * relatives: 2024-01-31, 2024/01/31, 2024-01-31 12:30, 2024-01-31T12:30:00.125Z, 12:30:00. They are
 * milliseconds since 1970 or since midnight, printed so that they are read back to the same. It refuses
 * 01/02/2024, whose month nobody knows.
 */
import type { Column, NumericColumn } from "../table/column.ts";
import { cellOf } from "../table/column.ts";
import type { ColumnSchema, TimeUnit } from "../table/stream.ts";
import { formatNumber } from "./number.ts";
import { quote } from "./quote.ts";

export type TimeKind = "date" | "time";

export function unitOf(kind: TimeKind): TimeUnit {
  return kind === "date" ? "ms since 1970" : "ms since midnight";
}

/** This part of a schema is about times; other columns have no unit. */
interface TimeFacts {
  readonly unit?: TimeUnit | undefined;
  readonly zone?: ColumnSchema["zone"] | undefined;
}

/** Returns the type of a column whose numbers count this unit, or nothing for other numbers. */
export function typeOfUnit({ unit, zone }: TimeFacts): Pick<NumericColumn, "type" | "zone"> {
  if (unit === undefined) return {};
  return { type: unit === "ms since 1970" ? "date" : "time", ...(zone === undefined ? {} : { zone }) };
}

const DATE =
  /^[ \t]*(\d{4})([-/])(\d{2})\2(\d{2})(?:([T ])(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?( ?(?:Z|z|UTC|[+-]\d{2}(?::?\d{2})?))?)?[ \t]*$/;
const TIME = /^[ \t]*(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?[ \t]*$/;
const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

/** The first cell of a column has this form, which is kept so that most others need no text of their own. */
interface Style {
  readonly separator: string;
  /** This character stands between date and time; "" where there is no time. */
  readonly joint: string;
  readonly seconds: boolean;
  readonly digits: number;
  /** The zone is written so; "" for none. */
  readonly zone: string;
}

/**
 * Reads the cells of a column, which are all dates, with times or without, or all times of day. Those with a
 * time either all say which zone, or none does.
 */
export class TimeReader {
  kind: TimeKind | undefined;
  #style: Style | undefined;
  /** The times have a zone; undefined as long as all cells are dates alone. */
  #zoned: boolean | undefined;

  /** @param kind what all cells must be, where that is known */
  constructor(kind?: TimeKind) {
    this.kind = kind;
  }

  /** Says whether cells with a time have a zone, so that their milliseconds are those of UTC. */
  get zoned(): boolean {
    return this.#zoned === true;
  }

  /** Reads a cell. It returns undefined for a text that is no date or time, or none of this column's kind. */
  read(text: string): number | undefined {
    return this.kind === "time" ? this.#time(text) : (this.#date(text) ?? this.#firstTime(text));
  }

  /** Prints a number in the form of the first cell, which need not be the form that its own cell had. */
  print(value: number): string {
    const style = this.#style ?? PLAIN;
    return this.kind === "time" ? clock(Math.round(value * 1000), style) : dateText(value, style);
  }

  #firstTime(text: string): number | undefined {
    return this.kind === undefined ? this.#time(text) : undefined;
  }

  #date(text: string): number | undefined {
    const match = DATE.exec(text);
    if (match === null) return undefined;
    const [, year, separator, month, day, joint = "", hour, minute, second = "0", digits = "", zone] = match;
    const days = dayOf(Number(year), Number(month), Number(day));
    const micros = joint === "" ? 0 : microsOf(Number(hour), Number(minute), Number(second), digits);
    const offset = offsetOf(zone ?? "");
    if (days === undefined || micros === undefined || offset === undefined) return undefined;
    if (joint !== "") {
      const zoned = zone !== undefined;
      if (this.#zoned !== undefined && this.#zoned !== zoned) return undefined;
      this.#zoned = zoned;
    }
    this.kind = "date";
    const hasSeconds = match[8] !== undefined;
    this.#style ??= { separator, joint, seconds: hasSeconds, digits: digits.length, zone: zone ?? "" };
    // One division of whole numbers, so that the result is the nearest to the microsecond.
    return micros % 1000 === 0 ? days - offset + micros / 1000 : ((days - offset) * 1000 + micros) / 1000;
  }

  #time(text: string): number | undefined {
    const match = TIME.exec(text);
    if (match === null) return undefined;
    const [, hour, minute, second = "0", digits = ""] = match;
    const micros = microsOf(Number(hour), Number(minute), Number(second), digits);
    if (micros === undefined) return undefined;
    this.kind = "time";
    this.#style ??= { ...PLAIN, seconds: match[3] !== undefined, digits: digits.length };
    return micros / 1000;
  }
}

/**
 * Says that a text in a column of dates is none.
 * @param because the reason why the column is one of dates, where the caller has not said so
 */
export function notATime(
  text: string,
  { because, name }: { readonly because?: string; readonly name: string },
): string {
  const remedy = because === undefined ? "" : `; ${because}; read it as text (option nominal: ${name})`;
  return (
    `${quote(text)} is not a date or time as the cells above are; expected such as 2024-01-31, 2024-01-31T12:30:00 or ` +
    `12:30:00, all of a column alike${remedy}`
  );
}

const PLAIN: Style = { separator: "-", joint: "T", seconds: true, digits: 0, zone: "" };

/** Returns the milliseconds from 1970 to the day's midnight; undefined for a day that no calendar has. */
function dayOf(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? date.getTime() : undefined;
}

/**
 * Returns the microseconds since midnight; undefined for what no clock shows, and for parts of a microsecond,
 * which float64 cannot tell apart.
 */
function microsOf(hour: number, minute: number, second: number, digits: string): number | undefined {
  if (hour > 23 || minute > 59 || second > 59 || /[1-9]/.test(digits.slice(6))) return undefined;
  const whole = hour * HOUR + minute * MINUTE + second * SECOND;
  return whole * 1000 + Number(digits.slice(0, 6).padEnd(6, "0"));
}

function offsetOf(zone: string): number | undefined {
  const match = /([+-])(\d{2}):?(\d{2})?$/.exec(zone);
  if (match === null) return 0;
  const [hours, minutes] = [Number(match[2]), Number(match[3] ?? 0)];
  if (hours > 23 || minutes > 59) return undefined;
  return (match[1] === "-" ? -1 : 1) * (hours * HOUR + minutes * MINUTE);
}

function dateText(value: number, { separator, joint, seconds, digits, zone }: Style): string {
  const midnight = Math.floor(value / DAY) * DAY;
  const micros = Math.round((value - midnight) * 1000);
  // What is less than half a microsecond before midnight is the next day.
  const date = new Date(micros < DAY * 1000 ? midnight : midnight + DAY);
  // A year has four digits in all texts that are read; others are told by who calls.
  const year = String(date.getUTCFullYear()).padStart(4, "0");
  const parts = [year, two(date.getUTCMonth() + 1), two(date.getUTCDate())].join(separator);
  return joint === "" ? parts : `${parts}${joint}${clock(micros % (DAY * 1000), { seconds, digits })}${zone}`;
}

/** Prints microseconds since midnight. */
function clock(micros: number, { seconds, digits }: Pick<Style, "seconds" | "digits">): string {
  const whole = Math.floor(micros / 1_000_000);
  const minutes = `${two(Math.floor(whole / 3600))}:${two(Math.floor(whole / 60) % 60)}`;
  if (!seconds) return minutes;
  const fraction = String(micros % 1_000_000).padStart(6, "0");
  return `${minutes}:${two(whole % 60)}${digits === 0 ? "" : `.${fraction.slice(0, digits).padEnd(digits, "0")}`}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** Years from the first to the last of these milliseconds are printed and read back. */
const [FIRST, LAST] = [-62_167_219_200_000, 253_402_300_799_999];

/**
 * Returns how cells are written to text files: dates and times by ISO 8601, all of a column alike, other
 * cells as they are, and so are numbers beyond the years or the hours that are read. A column of midnights
 * has no times.
 */
export function printedCells(column: Column): (row: number) => number | string | null {
  const type = column.kind === "numeric" ? column.type : undefined;
  if (column.kind !== "numeric" || (type !== "date" && type !== "time")) return (row) => cellOf(column, row);
  const style = styleOf(column);
  return (row) => {
    const value = cellOf(column, row);
    return typeof value === "number" ? (timeText(value, type, style) ?? value) : value;
  };
}

/**
 * Prints milliseconds as a date or a time, or as a number where they are beyond the years or the hours that
 * are read.
 */
export function printedTime(value: number, type: TimeKind, style: Style = PLAIN): string {
  return timeText(value, type, style) ?? formatNumber(value);
}

/** Returns undefined for what is beyond the years or the hours that are read. */
function timeText(value: number, type: TimeKind, style: Style): string | undefined {
  if (type === "date") return value >= FIRST && value <= LAST ? dateText(value, style) : undefined;
  const micros = Math.round(value * 1000);
  return micros >= 0 && micros < DAY * 1000 ? clock(micros, style) : undefined;
}

function styleOf({ values, type, zone }: NumericColumn): Style {
  let digits = 0;
  let joint = zone === undefined ? "" : "T";
  for (const value of values) {
    if (type === "date" && value % DAY !== 0 && !Number.isNaN(value)) joint = "T";
    if (value % SECOND === 0 || Number.isNaN(value) || digits === 6) continue;
    digits = Math.max(digits, Number.isInteger(value) ? 3 : 6);
  }
  return { ...PLAIN, joint, digits, zone: zone === undefined || joint === "" ? "" : "Z" };
}
