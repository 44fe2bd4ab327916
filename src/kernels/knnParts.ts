/** Where the bindings of the passes of `knn.search` lie: windows of the caller's buffers, and parts of the one scratch buffer. */
import { ceilDiv, roundUp } from "../core/math.ts";
import type { KnnSearchBinding } from "../core/primitives/knnSearch.ts";
import type { Pass, PassBinding } from "./pass.ts";

export interface Part {
  readonly offset: number;
  readonly size: number;
}

/** Parts of these sizes one after the other, and the bytes of all. */
export function partsOf<Name extends string>(sizes: Readonly<Record<Name, number>>) {
  let bytes = 0;
  const parts = Object.fromEntries(
    Object.entries<number>(sizes).map(([name, size]) => {
      const offset = bytes;
      bytes += roundUp(size, 256);
      return [name, { offset, size }];
    }),
  ) as Record<Name, Part>;
  return { parts, bytes };
}

/** Where a binding of a pass is found: a buffer of knn.search, and which part of it. */
export type Places = Readonly<Record<string, Pick<PassBinding, "name" | "part">>>;

export function place(pass: Pass, places: Places): Pass {
  return { ...pass, bindings: pass.bindings.map((binding) => ({ ...binding, ...places[binding.name] })) };
}

/** Rows `begin` to `end` of a buffer. */
export function windowOf(name: KnnSearchBinding, begin: number, end: number, rowBytes: number, offset = 0) {
  return { name, part: { offset: offset + begin * rowBytes, size: (end - begin) * rowBytes } };
}

export function spans(count: number, step: number): { begin: number; end: number }[] {
  return Array.from({ length: ceilDiv(count, step) }, (_, at) => ({
    begin: at * step,
    end: Math.min(count, (at + 1) * step),
  }));
}
