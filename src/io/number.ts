/**
 * Numbers as text files write them: digits with an optional sign, decimal separator and exponent; no hexadecimal, no
 * grouping. Reading and printing agree: what formatNumber prints, parseNumber reads back to the same bits.
 */

/** The character before the fraction of a number. */
export type Decimal = "." | ",";

const NUMBER = {
  ".": /^[ \t]*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[ \t]*$/,
  ",": /^[ \t]*[+-]?(?:\d+,?\d*|,\d+)(?:[eE][+-]?\d+)?[ \t]*$/,
};
const INFINITE = /^[ \t]*([+-]?)inf(?:inity)?[ \t]*$/i;
const INTEGER = /^[ \t]*[+-]?\d+[ \t]*$/;
/** Any integer of so many digits is below 2^53. */
const SAFE_DIGITS = 15;
const EXACT_INTEGERS = 2 ** 53;

/**
 * The number nearest to the text; spaces and tabs around it are allowed. An overflow, "inf" and "infinity" in any case give
 * an infinity, for the caller to refuse. Anything else is undefined, "NaN" too.
 */
export function parseNumber(text: string, decimal: Decimal): number | undefined {
  if (NUMBER[decimal].test(text)) return Number(decimal === "," ? text.replace(",", ".") : text);
  const infinite = INFINITE.exec(text);
  if (infinite === null) return undefined;
  return infinite[1] === "-" ? -Infinity : Infinity;
}

/** The value of the most common cells, 0 to 999999999999999 without leading zeros, or -1: a fast way round parseNumber. */
export function plainInteger(text: string): number {
  const { length } = text;
  if (length === 0 || length > SAFE_DIGITS) return -1;
  let value = 0;
  for (let at = 0; at < length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return length > 1 && text.charCodeAt(0) === 48 ? -1 : value;
}

/**
 * The value of an optional minus and at most 15 digits, with or without a decimal separator, or NaN for any other text: a fast way
 * round parseNumber. Digits and power of ten are exact in float64, so that one division rounds as reading the text does
 * (W. Clinger, How to read floating point numbers accurately, 1990).
 */
export function shortNumber(text: string, decimal: Decimal): number {
  const { length } = text;
  const negative = text.charCodeAt(0) === MINUS;
  const first = negative ? 1 : 0;
  if (length > first + 1 + SAFE_DIGITS) return NaN;
  const separator = decimal === "." ? POINT : COMMA;
  let digits = 0;
  let value = 0;
  let fraction = -1;
  for (let at = first; at < length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= ZERO && unit <= NINE) {
      value = value * 10 + (unit - ZERO);
      digits++;
    } else if (unit === separator && fraction < 0) fraction = digits;
    else return NaN;
  }
  if (digits === 0 || digits > SAFE_DIGITS) return NaN;
  if (fraction >= 0) value /= POWERS_OF_TEN[digits - fraction];
  return negative ? -value : value;
}

const [MINUS, COMMA, POINT, ZERO, NINE] = [45, 44, 46, 48, 57];
const POWERS_OF_TEN = Array.from({ length: SAFE_DIGITS + 1 }, (_, power) => 10 ** power);

/** True when the text is an integer that float64 cannot hold, given what it was rounded to. */
export function isRoundedInteger(text: string, value: number): boolean {
  if (Math.abs(value) < EXACT_INTEGERS || !Number.isFinite(value) || !INTEGER.test(text)) return false;
  return BigInt(text.trim().replace("+", "")) !== BigInt(value);
}

/**
 * The shortest text that reads back to the same bits. Integers beyond 2^53 are printed with an exponent, because their
 * shortest digits are not their value: 2^64 is 1.8446744073709552e+19.
 */
export function formatNumber(value: number, decimal: Decimal = "."): string {
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const large = Math.abs(value) > EXACT_INTEGERS && Number.isFinite(value);
  const text = large ? value.toExponential() : String(value);
  return decimal === "," ? text.replace(".", ",") : text;
}
