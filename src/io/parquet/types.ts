/**
 * This module gives the meaning that the stored values of a Parquet column have in a table: numbers,
 * milliseconds for dates and times, texts. A value that float64 cannot hold is marked with a reason, never
 * rounded. hyparquet multiplies decimals by a rounded power of ten, which makes another number of 46 of 270
 * in our fixture, cuts times to milliseconds, and replaces what is no UTF-8.
 */
import type { SchemaElement } from "hyparquet";
import type { ColumnSchema, TimeUnit } from "../../table/stream.ts";
import { formatNumber } from "../number.ts";
import {
  decimals,
  integers,
  notThisType,
  same,
  times,
  unsigned,
  type NumericReading,
  type Reading,
} from "../readings.ts";
import { PageError } from "./errors.ts";
import type { RawValues } from "./values.ts";

/** A column of a table in the making says what it is, and how its values get there. */
export interface ColumnType {
  readonly kind: ColumnSchema["kind"];
  /** The file declares this type. */
  readonly stored: string;
  readonly unit?: TimeUnit;
  convert(raw: RawValues): Converted;
}

/** Numbers of a numeric column (NaN is a missing cell), texts of a nominal one. */
export interface Converted {
  readonly values: Float64Array | readonly string[];
  /** These values cannot be in a table, for the reason given. */
  readonly bad: ReadonlyMap<number, string>;
}

/** A reason stands in place of a type: the column cannot be part of a table. */
export type Unsupported = { readonly reason: string };

/** Finds the type of a column. @param asText the caller wants texts, whatever the column holds. */
export function columnType(element: SchemaElement, asText: boolean): ColumnType | Unsupported {
  const stored = storedName(element);
  if (element.num_children !== undefined && element.num_children > 0)
    return { reason: "holds nested values" };
  if (element.repetition_type === "REPEATED") return { reason: "holds lists" };
  const numeric = numericReading(element);
  if (numeric !== undefined) {
    if (asText) return { kind: "nominal", stored, convert: (raw) => numberTexts(raw, numeric) };
    const { unit } = numeric;
    return {
      kind: "numeric",
      stored,
      ...(unit === undefined ? {} : { unit }),
      convert: (raw) => numbers(raw, numeric),
    };
  }
  const text = textReading(element);
  if (text === undefined) return { reason: `holds ${stored} values, which are neither numbers nor texts` };
  return { kind: "nominal", stored, convert: (raw) => texts(raw, text) };
}

export function storedName({
  type,
  type_length,
  converted_type,
  logical_type,
  scale,
  precision,
}: SchemaElement): string {
  const physical = type === "FIXED_LEN_BYTE_ARRAY" ? `${type}(${type_length ?? "?"})` : String(type);
  if (logical_type?.type === "TIMESTAMP" || logical_type?.type === "TIME")
    return `${logical_type.type}(${logical_type.unit})`;
  if (converted_type === "DECIMAL") return `DECIMAL(${precision ?? "?"}, ${scale ?? 0})`;
  if (converted_type === "UTF8") return "STRING";
  if (converted_type !== undefined) return converted_type;
  if (logical_type === undefined) return physical;
  if (logical_type.type === "INTEGER")
    return `${logical_type.isSigned ? "INT" : "UINT"}_${logical_type.bitWidth}`;
  return logical_type.type;
}

const MS_PER_DAY = 86_400_000;

/** Returns how numbers are read; undefined for columns of texts, booleans and bytes. */
function numericReading(element: SchemaElement): NumericReading | undefined {
  const { type, converted_type: converted, logical_type: logical } = element;
  if (converted === "DECIMAL" || logical?.type === "DECIMAL")
    return decimals(logical?.type === "DECIMAL" ? logical.scale : (element.scale ?? 0));
  if (type === "INT96") return { ...times(1_000_000, "ms since 1970"), ofBytes: (bytes) => int96(bytes) };
  if (type === "FLOAT" || type === "DOUBLE")
    return { ofNumber: same, ofSafeLong: notThisType, ofLong: notThisType, ofBytes: notThisType };
  if (logical?.type === "FLOAT16" && element.type_length === 2)
    return { ofNumber: notThisType, ofSafeLong: notThisType, ofLong: notThisType, ofBytes: float16 };
  if (type !== "INT32" && type !== "INT64") return undefined;
  if (converted === "DATE" || logical?.type === "DATE")
    return { ...integers, unit: "ms since 1970", ofNumber: (days) => days * MS_PER_DAY };
  const unit = unitOf(element);
  if (unit !== undefined) return times(unit.perMs, unit.unit);
  if (converted?.startsWith("UINT_") || (logical?.type === "INTEGER" && !logical.isSigned)) return unsigned;
  return integers;
}

function unitOf({ converted_type: converted, logical_type: logical }: SchemaElement) {
  const perMs = { MILLIS: 1, MICROS: 1000, NANOS: 1_000_000 };
  if (logical?.type === "TIMESTAMP") return { perMs: perMs[logical.unit], unit: "ms since 1970" } as const;
  if (logical?.type === "TIME") return { perMs: perMs[logical.unit], unit: "ms since midnight" } as const;
  if (converted === "TIMESTAMP_MILLIS") return { perMs: 1, unit: "ms since 1970" } as const;
  if (converted === "TIMESTAMP_MICROS") return { perMs: 1000, unit: "ms since 1970" } as const;
  if (converted === "TIME_MILLIS") return { perMs: 1, unit: "ms since midnight" } as const;
  if (converted === "TIME_MICROS") return { perMs: 1000, unit: "ms since midnight" } as const;
  return undefined;
}

/** Reads nanoseconds of the day, then the Julian day. */
function int96(bytes: Uint8Array): Reading {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const days = BigInt(view.getInt32(8, true) - 2_440_588);
  return times(1_000_000, "ms since 1970").ofLong(days * 86_400_000_000_000n + view.getBigInt64(0, true));
}

function float16(bytes: Uint8Array): Reading {
  const bits = bytes[0] | (bytes[1] << 8);
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

function numbers(raw: RawValues, reading: NumericReading): Converted & { readonly values: Float64Array } {
  const bad = new Map<number, string>();
  const count = lengthOf(raw);
  const values = new Float64Array(count);
  const readingAt = readerOf(raw, reading);
  for (let i = 0; i < count; i++) {
    const value = readingAt(i);
    if (typeof value === "string") bad.set(i, value);
    else if (value === Infinity || value === -Infinity) bad.set(i, `${value} is not a finite number`);
    else values[i] = value;
  }
  return { values, bad };
}

function readerOf(raw: RawValues, reading: NumericReading): (i: number) => Reading {
  if (raw.kind === "numbers") return (i) => reading.ofNumber(raw.values[i]);
  if (raw.kind === "bits") return notThisType;
  if (raw.kind === "bytes") return (i) => reading.ofBytes(raw.bytes.subarray(raw.begins[i], raw.ends[i]));
  // It reads halves, because a bigint per value costs more than all the rest; the low one comes first on
  // every machine of today.
  const { values } = raw;
  const halves = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
  return (i) => {
    const high = halves[2 * i + 1];
    if (high >= SAFE_HIGH || high < -SAFE_HIGH) return reading.ofLong(values[i]);
    return reading.ofSafeLong(high * 2 ** 32 + (halves[2 * i] >>> 0));
  };
}

/** This is 2^53 in units of 2^32. */
const SAFE_HIGH = 2 ** 21;

/**
 * Returns the digits of whole numbers, however many; of others the shortest that read back to the same
 * float64.
 */
function numberTexts(raw: RawValues, reading: NumericReading): Converted {
  const plain = reading === integers || reading === unsigned;
  if (raw.kind === "longs" && plain) {
    const values = Array.from(raw.values, (value) =>
      String(reading === unsigned ? BigInt.asUintN(64, value) : value),
    );
    return { values, bad: new Map() };
  }
  const { values, bad } = numbers(raw, reading);
  return { values: Array.from(values, (value) => formatNumber(value)), bad };
}

type TextReading = "boolean" | "uuid" | "utf8";

function textReading({
  type,
  type_length,
  converted_type,
  logical_type,
}: SchemaElement): TextReading | undefined {
  if (type === "BOOLEAN") return "boolean";
  if (logical_type?.type === "UUID" && type_length === 16) return "uuid";
  if (type !== "BYTE_ARRAY") return undefined;
  const meaning = converted_type ?? logical_type?.type ?? "UTF8";
  return ["UTF8", "STRING", "ENUM", "JSON"].includes(meaning) ? "utf8" : undefined;
}

function texts(raw: RawValues, reading: TextReading): Converted {
  const bad = new Map<number, string>();
  if (raw.kind === "bits")
    return { values: Array.from(raw.values, (bit) => (bit === 1 ? "true" : "false")), bad };
  if (raw.kind !== "bytes" || reading === "boolean") throw new PageError("its values are not texts");
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const values = Array.from(raw.begins, (begin, i) => {
    const bytes = raw.bytes.subarray(begin, raw.ends[i]);
    if (reading === "uuid") return uuid(bytes);
    try {
      return shortAscii(bytes) ?? decoder.decode(bytes);
    } catch {
      bad.set(i, "the text is not valid UTF-8; columns of bytes are not supported");
      return "";
    }
  });
  return { values, bad };
}

/**
 * Decodes a short text, several times faster than a TextDecoder for the short texts that most columns hold.
 */
function shortAscii(bytes: Uint8Array): string | undefined {
  if (bytes.length > 16) return undefined;
  let text = "";
  for (const byte of bytes) {
    if (byte >= 0x80) return undefined;
    text += String.fromCharCode(byte);
  }
  return text;
}

function uuid(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

function lengthOf(raw: RawValues): number {
  return raw.kind === "bytes" ? raw.begins.length : raw.values.length;
}
