/**
 * Reads and writes the header of a model file as JSON, in which the numbers that JSON lacks (-0, infinities,
 * NaN) are { "$number": "-0" }. header.ts knows what the header says.
 */
import { InvalidInputError } from "../../core/errors.ts";
import type { Yielding } from "../../core/async/yielding.ts";

const oddNumbers: ReadonlyMap<unknown, number> = new Map([
  ["-0", -0],
  ["NaN", NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
]);

/** @throws InvalidInputError for more than a string can hold */
export function toJson(value: object): string {
  try {
    return JSON.stringify(value, (_, member: unknown) =>
      typeof member === "number" && (!Number.isFinite(member) || Object.is(member, -0))
        ? { $number: Object.is(member, -0) ? "-0" : String(member) }
        : member,
    );
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InvalidInputError(
      `the names, texts and notes of the model make a header larger than this program can write (${error.message}); leave ` +
        "out columns of many different texts",
      {},
      error,
    );
  }
}

/** @throws SyntaxError for text that is not JSON */
export function* fromJson(text: string): Yielding<unknown> {
  const value: unknown = JSON.parse(text);
  return text.includes('"$number"') ? yield* withOddNumbers(value) : value;
}

/**
 * Restores the odd numbers in place, and with a stack of its own, since deep nesting must not end the
 * program.
 */
function* withOddNumbers(value: unknown): Yielding<unknown> {
  const root: Record<string, unknown> = { value };
  const open: Record<string, unknown>[] = [root];
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    for (const [at, member] of Object.entries(holder)) {
      if (typeof member !== "object" || member === null) continue;
      const odd = oddNumbers.get((member as { readonly $number?: unknown }).$number);
      if (odd === undefined) open.push(member as Record<string, unknown>);
      else Object.defineProperty(holder, at, { value: odd });
    }
    yield;
  }
  return root.value;
}
