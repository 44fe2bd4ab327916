/**
 * Parses the values of options from text: numbers, sizes in bytes, lists of names. Each parser throws
 * commander's InvalidArgumentError, which commander prints with the option's name. What the catalogue has is
 * parsed by its rules; the forms of a command line alone are here.
 */
import { InvalidArgumentError } from "commander";
import { resolveKernel } from "../../distance/measures/kernels.ts";
import * as kinds from "../../graph/catalogue/parameters.ts";
import { kernelParameters, measureParameters } from "../../graph/parameters/measure.ts";
import { readingParameters } from "../../graph/parameters/reading.ts";
import type { KernelOptions } from "../../node.ts";
import { asked } from "./meant.ts";
import { parserOf } from "./parameter.ts";

/** Parses a number that is no parameter of the catalogue. */
export function wholeNumber(least: number): (text: string) => number {
  return parserOf(kinds.wholeNumber({ min: least, default: least, says: "" }));
}

export const aboveZero = parserOf(kinds.number({ above: 0, default: 1, says: "" }));

const power = parserOf(measureParameters.p);

/** Parses the exponent of minkowski. */
export function exponent(text: string): number {
  const value = power(text);
  return value === "inf" ? Infinity : value;
}

/** Parses a kernel and its parameters: `polynomial:degree=2,shift=0`. */
export function kernel(text: string): KernelOptions {
  const [type, parameters, ...rest] = text.split(":");
  const pairs = parameters === undefined ? [] : parameters.split(",").map((pair) => pair.split("="));
  const numbers = new Map(pairs.map(([name, value]) => [name, Number(value)]));
  const areClear = pairs.every((pair) => pair.length === 2 && pair[1].trim() !== "" && pair[0] !== "type");
  if (rest.length > 0 || !areClear || numbers.size < pairs.length)
    throw new InvalidArgumentError("Expected a kernel such as radial, or polynomial:degree=2,shift=0.");
  const options = { type, ...Object.fromEntries(numbers) } as KernelOptions;
  try {
    resolveKernel(options);
    return options;
  } catch (error) {
    const nearest = asked(type, kernelParameters.kernel.choices);
    throw new InvalidArgumentError(`${nearest}${(error as Error).message}.`);
  }
}

const powers = ["", "k", "m", "g", "t"];

/** Parses a size: "512M" and "1.5GiB" count in powers of 1024, "2GB" in powers of 1000. */
export function bytes(text: string): number {
  const [, digits, prefix = "", suffix = ""] = /^(\d+\.?\d*|\.\d+) ?([kmgt]?)(i?b)?$/i.exec(text) ?? [];
  const base = suffix.toLowerCase() === "b" ? 1000 : 1024;
  const value = Math.floor(Number(digits) * base ** powers.indexOf(prefix.toLowerCase()));
  if (value >= 1 && Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError("Expected a number of bytes, such as 512M, 1.5GiB or 2GB.");
}

/** Parses column names: `a,"b, c",d`, where a quote inside quotes is doubled. */
export const names = parserOf(kinds.columns({ says: "" }));

const tokens = parserOf(readingParameters.missing);

/** Parses texts of missing cells: the empty cell is always one of them. */
export function missingTokens(text: string): string[] {
  return [...new Set(["", ...tokens(text)])];
}

/** Parses a delimiter: one character, "tab", or "blanks" for runs of blanks. */
export const delimiter = parserOf(readingParameters.delimiter);

/** Collects "name=value" from an option that may be repeated. */
export function assigned(
  text: string,
  before: readonly (readonly [string, string])[],
): readonly (readonly [string, string])[] {
  const at = text.indexOf("=");
  if (at > 0) return [...before, [text.slice(0, at), text.slice(at + 1)]];
  throw new InvalidArgumentError("Expected a name, = and a value.");
}
