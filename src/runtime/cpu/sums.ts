/**
 * How sums of float32 associate: whoever adds which part, and whatever sizes are chosen for speed, the bits are the same. Changing a
 * number here changes the bits of results.
 */
import { assert } from "../../core/errors.ts";

/** Elements that add up by themselves, in their order, before they are added to what comes before them, in float64. */
export const SUM_CHUNK = 65_536;
/** Elements of a chunk that a reduction adds up in float32 lanes: FLOATS in wasm/reduce.ts. */
export const SUM_WINDOW = 1024;

/** A part of a sum may begin only where a chunk does. */
export function assertChunk(begin: number): void {
  assert(begin % SUM_CHUNK === 0, `a part of a sum begins at ${begin}, within a chunk`);
}
