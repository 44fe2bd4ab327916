/**
 * This module reads numbers as binary files store them, as the float64 that a table holds: a value that
 * float64 cannot hold gives the reason instead, never a rounded number.
 */
import type { TimeUnit } from "../table/stream.ts";
import { isLarge, reasonAgainstLarge } from "./number.ts";

/** A number, or the reason why it is none that float64 holds. */
export type Reading = number | string;

/** Stored numbers of each physical kind are read in these ways. */
export interface NumericReading {
  readonly unit?: TimeUnit;
  /** Reads an INT32, FLOAT or DOUBLE. */
  ofNumber(value: number): Reading;
  /** Reads an INT64 that float64 holds. */
  ofSafeLong(value: number): Reading;
  /** Reads any INT64. */
  ofLong(value: bigint): Reading;
  ofBytes(bytes: Uint8Array): Reading;
}

export const same = (value: number): Reading => value;
export const notThisType = (): Reading => "is not of the type that the column declares";

export const integers: NumericReading = {
  ofNumber: same,
  ofSafeLong: same,
  ofLong: (value) => {
    if (!isLarge(value)) return Number(value);
    return `${reasonAgainstLarge(value, String(value))}; read the column as text (option nominal)`;
  },
  ofBytes: notThisType,
};

export const unsigned: NumericReading = {
  ofNumber: (value) => value >>> 0,
  ofSafeLong: (value) => (value >= 0 ? value : integers.ofLong(BigInt.asUintN(64, BigInt(value)))),
  ofLong: (value) => integers.ofLong(BigInt.asUintN(64, value)),
  ofBytes: notThisType,
};

/**
 * Returns how times are read, in units of which `perMs` (1, 1000 or a million) make a millisecond. Parts of a
 * millisecond are read only where the number leads back to the time, so that it differs from that of every
 * other time; whole microseconds count as such.
 */
export function times(perMs: number, unit: TimeUnit): NumericReading {
  const tooFine = (value: bigint) =>
    `the time ${value} in 1/${1000 * perMs} seconds is finer than milliseconds in float64 can tell; store it in coarser units`;
  const micros = perMs > 1000 ? times(1000, unit) : undefined;
  const ofSafeLong = (value: number): Reading => {
    if (micros !== undefined && value % 1000 === 0) return micros.ofSafeLong(value / 1000);
    const ms = value / perMs;
    return Math.round(ms * perMs) === value ? ms : tooFine(BigInt(value));
  };
  const ofLong = (value: bigint): Reading => {
    if (!isLarge(value)) return ofSafeLong(Number(value));
    if (value % 1000n === 0n && micros !== undefined) return micros.ofLong(value / 1000n);
    return tooFine(value);
  };
  return { unit, ofNumber: ofSafeLong, ofSafeLong, ofLong, ofBytes: notThisType };
}

/**
 * Returns how decimals are read: unscaled whole numbers with so many decimal places; bytes are big-endian, in
 * two's complement.
 */
export function decimals(places: number): NumericReading {
  const ofLong = (value: bigint): Reading => {
    if (places === 0) return integers.ofLong(value);
    // Both are exact, so their quotient is the nearest float64; otherwise the digits are read as text is.
    if (!isLarge(value) && places <= 22) return Number(value) / 10 ** places;
    return Number(`${value}e-${places}`);
  };
  const ofSafeLong = (value: number) => ofLong(BigInt(value));
  return {
    ofNumber: ofSafeLong,
    ofSafeLong,
    ofLong,
    ofBytes: (bytes) => {
      if (bytes.length > MAX_DECIMAL_BYTES) return `a decimal of ${bytes.length} bytes`;
      let value = 0n;
      for (const byte of bytes) value = (value << 8n) | BigInt(byte);
      return ofLong(BigInt.asIntN(8 * bytes.length, value));
    },
  };
}

/** A decimal has at most this many bytes: those of 256 bits are the longest that anyone writes. */
const MAX_DECIMAL_BYTES = 32;
