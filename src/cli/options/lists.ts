/** Parses lists in options: numbers with ranges, and names of which the nearest is named for a wrong one. */
import { InvalidArgumentError } from "commander";
import { oneOf } from "../../core/errors.ts";
import { asked } from "./meant.ts";

/** Parses whole numbers from 1: `1,3,5` or `1:31:2`, or both. */
export function numbers(text: string): number[] {
  return text.split(",").flatMap((part) => {
    const [, first, last = first, step = "1"] = /^(\d+)(?::(\d+)(?::(\d+))?)?$/.exec(part.trim()) ?? [];
    const [from, to, by] = [first, last, step].map(Number);
    if (!(from >= 1 && to >= from && by >= 1 && to - from < by * MOST))
      throw new InvalidArgumentError("Expected whole numbers from 1, such as 1,3,5 or 1:31:2.");
    return Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, at) => from + at * by);
  });
}

/** A list of more numbers than these is a slip. */
const MOST = 100_000;

/**
 * Makes the parser of names with commas between.
 * @param aliases other names of some of them
 * @param unknown makes the error for another name
 */
export function choices<Name extends string>(
  names: readonly Name[],
  aliases: ReadonlyMap<string, Name> = new Map(),
  unknown = (name: string) =>
    new InvalidArgumentError(
      `${JSON.stringify(name)} is not one of them. ${asked(name, names)}Expected ${oneOf(names)}.`,
    ),
): (text: string) => Name[] {
  return (text) =>
    text.split(",").map((part) => {
      const name = part.trim();
      const found = aliases.get(name) ?? names.find((each) => each === name);
      if (found !== undefined) return found;
      throw unknown(name);
    });
}

/** Parses a number of folds, or leave-one-out. */
export function folds(text: string): number | "leave-one-out" {
  if (text === "leave-one-out" || text === "loo") return "leave-one-out";
  const value = Number(text);
  if (Number.isInteger(value) && value >= 2) return value;
  throw new InvalidArgumentError("Expected a whole number of at least 2, or leave-one-out.");
}
