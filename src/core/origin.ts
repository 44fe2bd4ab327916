/**
 * Where numbers in memory lie besides, such as in the file that they were read from: another thread can fetch them from there while
 * this one, which would have to copy them, does something else.
 */
import type { NumericArray } from "./matrix.ts";

/** Fills `target`, which must not go away meanwhile, with bytes from byte `begin` on. */
export type Fetch = (target: Uint8Array, begin: number) => Promise<void>;

/** By the array itself, so that none that was made of it is taken for it. */
const origins = new WeakMap<NumericArray, Fetch>();

export function setOrigin(data: NumericArray, fetch: Fetch): void {
  origins.set(data, fetch);
}

export function originOf(data: NumericArray): Fetch | undefined {
  return origins.get(data);
}
