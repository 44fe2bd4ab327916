/** Flags as callers give them: finds the type of their words, and refuses what is no array of flags. */
import { InvalidInputError } from "../../core/errors.ts";
import { typeNameOf } from "../../runtime/arrayArguments.ts";
import type { FlagType } from "./contract/compact.ts";

/**
 * Each element has a flag: any but 0 keeps it.
 * @example
 * const prices = [4, 20, 9];
 * const flags: FlagArray = Uint8Array.from(prices, (price) => Number(price > 5));
 * await flatnonzero(flags); // => [1, 2]
 */
export type FlagArray = Uint8Array | Uint32Array;

export function flagTypeOf(flags: FlagArray): FlagType {
  return flags instanceof Uint8Array ? "u8" : "u32";
}

export function checkFlags(flags: unknown): asserts flags is FlagArray {
  if (flags instanceof Uint8Array || flags instanceof Uint32Array) return;
  throw new InvalidInputError(
    `flags is of type ${typeNameOf(flags)}; expected a Uint8Array or a Uint32Array, such as Uint8Array.from(flags)`,
  );
}
