/**
 * Parses the values of options from text: numbers, sizes in bytes, lists of names. Each parser throws
 * commander's InvalidArgumentError, which commander prints with the option's name.
 */
import { InvalidArgumentError } from "commander";
import { resolveKernel } from "../../distance/measures/kernels.ts";
import type { KernelOptions } from "../../node.ts";

export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    if (value >= least && Number.isSafeInteger(value)) return value;
    throw new InvalidArgumentError(`Expected a whole number of at least ${least}.`);
  };
}

/** Accepts one of the known names, as commander's choices do, but without listing them in every help. */
export function oneName(known: readonly string[]): (text: string) => string {
  return (text) => {
    if (known.includes(text)) return text;
    throw new InvalidArgumentError(`Allowed choices are ${known.join(", ")}.`);
  };
}

export function aboveZero(text: string): number {
  const value = text.trim() === "" ? NaN : Number(text);
  if (value > 0 && value < Infinity) return value;
  throw new InvalidArgumentError("Expected a number above 0.");
}

/** Parses the exponent of minkowski. */
export function exponent(text: string): number {
  const value = /^inf(inity)?$/i.test(text) ? Infinity : text.trim() === "" ? NaN : Number(text);
  if (value > 0) return value;
  throw new InvalidArgumentError("Expected a number above 0, or inf.");
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
    throw new InvalidArgumentError(`${(error as Error).message}.`);
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
export function names(text: string): string[] {
  const list = items(text);
  if (list.includes("")) throw new InvalidArgumentError("Expected column names between the commas.");
  return list;
}

/** Parses texts of missing cells: like names, but the empty cell is always one of them. */
export function missingTokens(text: string): string[] {
  return [...new Set(["", ...items(text)])];
}

/** Parses a delimiter: one character, "tab", or "blanks" for runs of blanks. */
export function delimiter(text: string): string {
  if (text === "blanks") return text;
  const value = text === "tab" || text === "\\t" ? "\t" : text;
  if (value.length === 1 && !/["\r\n\0]/.test(value)) return value;
  throw new InvalidArgumentError('Expected one character, such as ";", tab, or blanks.');
}

function items(text: string): string[] {
  const item = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
  const list: string[] = [];
  for (let last = false; !last;) {
    const match = item.exec(text);
    if (!match) {
      throw new InvalidArgumentError('Expected a list such as a,"b, c",d, each quote closed before a comma.');
    }
    list.push(match[1]?.replaceAll('""', '"') ?? match[2]);
    last = match[3] === "";
  }
  return list;
}

/** Collects "name=value" from an option that may be repeated. */
export function assigned(
  text: string,
  before: readonly (readonly [string, string])[],
): readonly (readonly [string, string])[] {
  const at = text.indexOf("=");
  if (at > 0) return [...before, [text.slice(0, at), text.slice(at + 1)]];
  throw new InvalidArgumentError("Expected a name, = and a value.");
}
