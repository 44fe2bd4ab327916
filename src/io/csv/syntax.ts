/**
 * This module reads numbers as people write them: with separators of thousands, units, leading zeros. It
 * reads them only where the caller names the signs, since "1,200" is 1.2 in half of the world; others are
 * hinted (hints.ts).
 */
import { InvalidInputError } from "../../core/errors.ts";
import { numberOf, parseNumber, type Decimal } from "../number.ts";

/** Numbers may have these signs besides digits. */
export interface NumberSigns {
  readonly decimal: Decimal;
  /** This character stands between groups of three digits. */
  readonly thousands: string | undefined;
  /** These signs may stand before or behind a number; "%" divides it by 100, all others mean nothing. */
  readonly units: readonly string[];
}

const PADDED = /^[ \t]*[+-]?0\d+[ \t]*$/;

/**
 * Says whether a text is a whole number with leading zeros: a code of a place or a thing rather than a
 * number.
 */
export function hasLeadingZeros(text: string): boolean {
  return PADDED.test(text);
}

/** Returns the number that the text is with these signs, or undefined. */
export function signedNumber(text: string, { decimal, thousands, units }: NumberSigns): number | undefined {
  const plain = parseNumber(text, decimal);
  if (plain !== undefined || (units.length === 0 && thousands === undefined)) return plain;
  const bare = withoutUnit(text.replace(/^[ \t]+|[ \t]+$/g, ""), units);
  const digits = thousands === undefined ? bare.text : ungrouped(bare.text, thousands, decimal);
  const value = parseNumber(digits, decimal);
  if (value === undefined || bare.unit !== "%") return value;
  // Both of the text's digits and of the exponent, so that 12% is the number nearest to 0.12.
  return /e/i.test(digits) ? value / 100 : numberOf(`${digits.trim()}e-2`, decimal);
}

/** Takes a unit off the text, before or behind which the sign of the number may stand. */
function withoutUnit(
  text: string,
  units: readonly string[],
): { readonly text: string; readonly unit: string } {
  const sign = /^[+-]/.exec(text)?.[0] ?? "";
  const unsigned = text.slice(sign.length);
  for (const unit of units) {
    if (unsigned.startsWith(unit)) {
      const rest = unsigned.slice(unit.length).trim();
      if (sign === "" || /^[\d.,]/.test(rest)) return { text: sign + rest, unit };
    }
    if (unsigned.endsWith(unit)) return { text: sign + unsigned.slice(0, -unit.length).trim(), unit };
  }
  return { text, unit: "" };
}

/**
 * Returns the digits without separators where these stand between groups of three; else the text as it is.
 */
function ungrouped(text: string, thousands: string, decimal: Decimal): string {
  if (!text.includes(thousands)) return text;
  const [whole, ...fractions] = text.split(decimal);
  const [first, ...groups] = whole.split(thousands);
  const isGrouped = /^[+-]?[1-9]\d{0,2}$/.test(first) && groups.every((group) => /^\d{3}$/.test(group));
  return isGrouped ? [first + groups.join(""), ...fractions].join(decimal) : text;
}

/**
 * Checks the signs.
 * @throws InvalidInputError for signs that cannot be told from a number's own.
 */
export function checkSigns({ decimal, thousands, units }: NumberSigns): void {
  if (thousands !== undefined && (!/^[^\d+\-\r\n"]$/.test(thousands) || thousands === decimal)) {
    throw new InvalidInputError(
      `the separator of thousands is ${JSON.stringify(thousands)}; expected one character that is neither a digit nor the ` +
        `decimal separator ${JSON.stringify(decimal)}`,
    );
  }
  for (const unit of units) {
    if (unit.trim() === "") throw new InvalidInputError('a unit is empty; expected signs such as "$" or "%"');
    if (/^[\d.,]|\d$/.test(unit)) {
      throw new InvalidInputError(
        `the unit ${JSON.stringify(unit)} ends with a digit or starts as a number does; expected signs such as "$" or "kg"`,
      );
    }
  }
}
