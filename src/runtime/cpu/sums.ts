/**
 * These numbers say how sums of float32 associate: whoever adds which part, and whatever sizes are chosen for
 * speed, the bits are the same. Changing a number here changes the bits of results.
 */
import { assert } from "../../core/errors.ts";

/**
 * So many elements add up by themselves, in their order, before they are added to what comes before them, in
 * float64.
 */
export const SUM_CHUNK = 65_536;
/** A reduction adds up so many elements of a chunk in float32 lanes; its WASM has the same number. */
export const SUM_WINDOW = 1024;

/** Fails unless a part of a sum begins where a chunk does, since it may begin nowhere else. */
export function assertChunk(begin: number): void {
  assert(begin % SUM_CHUNK === 0, `a part of a sum begins at ${begin}, within a chunk`);
}
