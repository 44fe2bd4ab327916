/**
 * This module reads and prints numbers as text files write them: digits with an optional sign, decimal
 * separator and exponent; no hexadecimal, no grouping. Reading and printing agree: what formatNumber prints,
 * parseNumber reads back to the same bits.
 */

/**
 * This character begins the fraction of a number.
 * @example
 * const decimal: Decimal = ",";
 * const table = await readCsv(textSource("width\n1,5\n2,25\n", "leaves.csv"), { decimal });
 * encode(table, ["width"]).data; // => [1.5, 2.25]
 */
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
 * Returns the number nearest to the text; spaces and tabs around it are allowed. An overflow, "inf" and
 * "infinity" in any case give an infinity, for the caller to refuse. Anything else is undefined, "NaN" too.
 */
export function parseNumber(text: string, decimal: Decimal): number | undefined {
  if (NUMBER[decimal].test(text)) return numberOf(text, decimal);
  const infinite = INFINITE.exec(text);
  if (infinite === null) return undefined;
  return infinite[1] === "-" ? -Infinity : Infinity;
}

/** Returns the number nearest to a text that is one. */
export function numberOf(text: string, decimal: Decimal): number {
  return Number(decimal === "," ? text.replace(",", ".") : text);
}

/**
 * Returns the value of a part of a text: an optional minus and at most 15 digits, with or without a decimal
 * separator and without leading zeros, or NaN for any other: a fast way round parseNumber. Digits and power
 * of ten are exact in float64, so that one division rounds as reading the text does (W. Clinger, How to read
 * floating point numbers accurately, 1990).
 */
export function shortNumberIn(text: string, begin: number, end: number, decimal: Decimal): number {
  const negative = begin < end && text.charCodeAt(begin) === MINUS;
  const first = negative ? begin + 1 : begin;
  if (end > first + 1 + SAFE_DIGITS) return NaN;
  const separator = decimal === "." ? POINT : COMMA;
  let digits = 0;
  let value = 0;
  let fraction = -1;
  for (let at = first; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= ZERO && unit <= NINE) {
      value = value * 10 + (unit - ZERO);
      digits++;
    } else if (unit === separator && fraction < 0) fraction = digits;
    else return NaN;
  }
  if (digits === 0 || digits > SAFE_DIGITS) return NaN;
  if (digits > 1 && fraction !== 1 && text.charCodeAt(first) === ZERO) return NaN;
  if (fraction >= 0) value /= POWERS_OF_TEN[digits - fraction];
  return negative ? -value : value;
}

/**
 * Returns true where a part of the text is an optional minus and digits on both sides of one decimal
 * separator, no more than float64 has room for: a number that parseNumber takes, finite and no integer.
 */
export function isFractionIn(text: string, begin: number, end: number, decimal: Decimal): boolean {
  const separator = decimal === "." ? POINT : COMMA;
  let point = -1;
  const first = text.charCodeAt(begin) === MINUS ? begin + 1 : begin;
  for (let at = first; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= ZERO && unit <= NINE) continue;
    if (unit !== separator || point >= 0) return false;
    point = at;
  }
  return point > first && point < end - 1 && end - first < MOST_DIGITS;
}

/** Numbers are below 1e308 up to so many digits before the separator. */
const MOST_DIGITS = 300;

/**
 * Returns the short number of a part of a text that is what formatNumber prints for it, or NaN. Digits that
 * float64 holds are the shortest for their number when no zero is left over at either end.
 */
export function shortestNumberIn(text: string, begin: number, end: number, decimal: Decimal): number {
  const value = shortNumberIn(text, begin, end, decimal);
  if (Number.isNaN(value) || (value !== 0 && Math.abs(value) < LEAST_PLAIN)) return NaN;
  const first = text.charCodeAt(begin) === MINUS ? begin + 1 : begin;
  const separator = decimal === "." ? POINT : COMMA;
  let point = first;
  while (point < end && text.charCodeAt(point) !== separator) point++;
  const before = point - first;
  if (before === 0 || (before > 1 && text.charCodeAt(first) === ZERO)) return NaN;
  return point === end || (point + 1 < end && text.charCodeAt(end - 1) !== ZERO) ? value : NaN;
}

/** JavaScript prints no lesser number without an exponent. */
const LEAST_PLAIN = 1e-6;
const [MINUS, COMMA, POINT, ZERO, NINE] = [45, 44, 46, 48, 57];
const POWERS_OF_TEN = Array.from({ length: SAFE_DIGITS + 1 }, (_, power) => 10 ** power);

/** Returns the integer that a text is, where it is beyond 2^53; given what the text was read as. */
export function largeInteger(text: string, value: number): bigint | undefined {
  if (Math.abs(value) < EXACT_INTEGERS || !Number.isFinite(value) || !INTEGER.test(text)) return undefined;
  const integer = BigInt(text.trim().replace("+", ""));
  return isLarge(integer) ? integer : undefined;
}

/** Says whether an integer is beyond 2^53: float64 holds only some of those. */
export function isLarge(integer: bigint): boolean {
  return integer > BigInt(EXACT_INTEGERS) || integer < -BigInt(EXACT_INTEGERS);
}

/** Says why it is not read as a number. @param text as it is written */
export function reasonAgainstLarge(integer: bigint, text: string): string {
  const rounded = BigInt(Number(integer));
  const loss = rounded === integer ? ", where float64 skips integers" : ` and would be rounded to ${rounded}`;
  return `the integer ${text} is beyond 2^53${loss}`;
}

/**
 * Returns the shortest text that reads back to the same bits. Integers beyond 2^53 are printed with an
 * exponent, because their shortest digits are not their value: 2^64 is 1.8446744073709552e+19.
 */
export function formatNumber(value: number, decimal: Decimal = "."): string {
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const large = Math.abs(value) > EXACT_INTEGERS && Number.isFinite(value);
  const text = large ? value.toExponential() : String(value);
  return decimal === "," ? text.replace(".", ",") : text;
}
