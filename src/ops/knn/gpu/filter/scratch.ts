/**
 * The passes of `knn.filter` find at these places in `scratch` what others left: counts, limits, and appended
 * pairs or minima.
 */
import { roundUp } from "../../../../core/math.ts";
import type { Binding, UniformField } from "../../../../runtime/gpu/passes/compose.ts";

/**
 * Returns where in `scratch` the limits begin, which follow the counts; where the pairs begin, which follow
 * the limits; and how many pairs of a query can be appended there.
 */
export function appendedUniforms(queryRows: number, room: number): readonly UniformField[] {
  return [
    ["limits", "u32", limitsBegin(queryRows)],
    ["begin", "u32", appendedBegin(queryRows)],
    ["room", "u32", room],
  ];
}

/** Returns the first word of the appended pairs, or of the minima that take their place. */
export function appendedBegin(queryRows: number): number {
  return limitsBegin(queryRows) + 4 * queryRows;
}

export function scratchAs(type: string): Binding {
  return { name: "scratch", access: "read_write", type };
}

function limitsBegin(queryRows: number): number {
  return roundUp(queryRows + 1, 4);
}
