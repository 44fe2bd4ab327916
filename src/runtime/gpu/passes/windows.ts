/**
 * These are the places of bindings where a pass reads and writes windows of large buffers and parts of one
 * scratch buffer: primitives on other programs' buffers are composed of passes that way.
 */
import { roundDown, roundUp } from "../../../core/math.ts";
import { DEFAULT_BINDING_BYTES, type KernelLimits, type Pass, type PassBinding } from "./pass.ts";

/**
 * Rows of a batch and of a window are multiples of this, so that all their parts begin at multiples of 256
 * bytes.
 */
export const PART_ROWS = 64;

/** Returns the rows of a window that one binding holds. */
export function windowRows(rowBytes: number, { bindingBytes = DEFAULT_BINDING_BYTES }: KernelLimits): number {
  return Math.max(PART_ROWS, roundDown(bindingBytes / rowBytes, PART_ROWS));
}

export interface ScratchRange {
  readonly offset: number;
  readonly size: number;
}

/** Puts parts of these sizes one after the other, and returns them with the bytes of all. */
export function partsOf<Name extends string>(sizes: Readonly<Record<Name, number>>) {
  let bytes = 0;
  const parts = Object.fromEntries(
    Object.entries<number>(sizes).map(([name, size]) => {
      const offset = bytes;
      bytes += roundUp(size, 256);
      return [name, { offset, size }];
    }),
  ) as Record<Name, ScratchRange>;
  return { parts, bytes };
}

/** A pass's bindings have places: a buffer of whoever composes the passes, and a part of it. */
export type Places = Readonly<Record<string, Pick<PassBinding, "name" | "part">>>;

export function place(pass: Pass, places: Places): Pass {
  return { ...pass, bindings: pass.bindings.map((binding) => ({ ...binding, ...places[binding.name] })) };
}

/** Returns rows `begin` to `end` of a buffer. */
export function windowOf(name: string, begin: number, end: number, rowBytes: number, offset = 0) {
  return { name, part: { offset: offset + begin * rowBytes, size: (end - begin) * rowBytes } };
}
