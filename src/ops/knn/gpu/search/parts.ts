/**
 * The code that the variants of `knn.search` share: the arithmetic of its metrics, and the places of the
 * bindings of its passes, which are windows of the caller's buffers and parts of the one scratch buffer.
 */
import { roundDown, roundUp } from "../../../../core/math.ts";
import type { DistanceCore } from "../../contract/filter.ts";
import type { KnnSearchBinding, KnnSearchMetric } from "../../contract/search.ts";
import {
  DEFAULT_BINDING_BYTES,
  type KernelLimits,
  type Pass,
  type PassBinding,
} from "../../../../runtime/gpu/passes/pass.ts";

export interface MetricForm {
  readonly core: DistanceCore;
  readonly weight: number;
  /** True where the bases are squared lengths; false where they are 0. */
  readonly norms: boolean;
}

export const metricForms: Record<KnnSearchMetric, MetricForm> = {
  euclidean: { core: "dot", weight: -2, norms: true },
  sqeuclidean: { core: "dot", weight: -2, norms: true },
  inner_product: { core: "dot", weight: -1, norms: false },
  manhattan: { core: "l1", weight: 0, norms: false },
  chebyshev: { core: "linf", weight: 0, norms: false },
};

/**
 * Rows of a batch and of a window are multiples of this, so that all their parts begin at multiples of 256
 * bytes.
 */
export const PART_ROWS = 64;

/** Returns the rows of a window that one binding holds. */
export function windowRows(rowBytes: number, { bindingBytes = DEFAULT_BINDING_BYTES }: KernelLimits): number {
  return Math.max(PART_ROWS, roundDown(bindingBytes / rowBytes, PART_ROWS));
}

export interface Part {
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
  ) as Record<Name, Part>;
  return { parts, bytes };
}

/** The places of a pass's bindings: a buffer of knn.search, and a part of it. */
export type Places = Readonly<Record<string, Pick<PassBinding, "name" | "part">>>;

export function place(pass: Pass, places: Places): Pass {
  return { ...pass, bindings: pass.bindings.map((binding) => ({ ...binding, ...places[binding.name] })) };
}

/** Returns rows `begin` to `end` of a buffer. */
export function windowOf(name: KnnSearchBinding, begin: number, end: number, rowBytes: number, offset = 0) {
  return { name, part: { offset: offset + begin * rowBytes, size: (end - begin) * rowBytes } };
}
