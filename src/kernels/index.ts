/**
 * The primitives a GPU can run: from parameters to passes and to the bytes their buffers need. Nothing here decides what
 * to run; the tables of numbers are policy.ts.
 *
 * To add one: name its parameters and bindings in core/primitives/, write its .wgsl bodies, write a function from
 * parameters to passes in a file of the same stem, and add a row here. Its bindings must be those of the primitive.
 */
import {
  elementBytes,
  knnFilterScratchBytes,
  OUTSIDE,
  RANGE_WORDS,
  reduceScratchBytes,
  scanScratchBytes,
  type BindingOf,
  type GpuPrimitiveName,
  type ParamsOf,
  type PrimitiveName,
  type PrimitiveStep,
} from "../core/primitives.ts";
import { assert } from "../core/errors.ts";
import { selectScratchBytes } from "../core/selectWays.ts";
import { histogramPasses } from "./histogram.ts";
import { knnFilterPasses } from "./knn.ts";
import type { KernelLimits, Pass } from "./pass.ts";
import { reducePasses } from "./reduce.ts";
import { scanPasses } from "./scan.ts";
import { selectPasses } from "./select.ts";

export interface Kernel<Name extends PrimitiveName> {
  /** The dispatches, in order; none for an empty problem. */
  passes(params: ParamsOf<Name>, limits: KernelLimits): readonly Pass[];
  /** Bytes that each buffer must have at least. */
  bytes(params: ParamsOf<Name>): Readonly<Record<BindingOf<Name>, number>>;
  /** (query, reference) pairs whose distance it computes, counted by backends; default none. */
  pairs?(params: ParamsOf<Name>): number;
  /** Whether its passes depend on the device's traits, which take a self-test to know. */
  readonly wantsTraits?: boolean;
}

export const kernels: { readonly [Name in GpuPrimitiveName]: Kernel<Name> } = {
  "knn.filter": {
    passes: knnFilterPasses,
    bytes: ({ queryRows, refBegin, refRows, stride, capacity }) => ({
      queries: queryRows * stride * 4,
      queryMeta: queryRows * 16,
      refs: (refBegin + refRows) * stride * 4,
      refMeta: (refBegin + refRows) * 16,
      heads: queryRows * 8,
      candidates: queryRows * capacity * 4,
      intervals: queryRows * capacity * 8,
      scratch: knnFilterScratchBytes(queryRows, refRows),
    }),
    pairs: ({ queryRows, refRows }) => queryRows * refRows,
  },
  histogram: {
    passes: histogramPasses,
    bytes: ({ bins, rows, cols, perRow }) => ({
      input: elementBytes(rows * cols),
      edges: (perRow ? rows : 1) * bins * 4,
      ranges: (perRow ? rows : 1) * RANGE_WORDS * 4,
      counts: rows * bins * 4,
      outside: rows * OUTSIDE * 4,
    }),
  },
  reduce: {
    passes: reducePasses,
    bytes: (params) => ({
      input: elementBytes(params.rows * params.cols),
      output: params.rows * 4,
      scratch: reduceScratchBytes(params),
    }),
  },
  scan: {
    passes: scanPasses,
    bytes: ({ count }) => ({
      input: elementBytes(count),
      output: elementBytes(count),
      scratch: scanScratchBytes(count),
    }),
    wantsTraits: true,
  },
  select: {
    passes: selectPasses,
    bytes: (params) => ({
      input: elementBytes(params.rows * params.cols),
      values: params.rows * params.k * 4,
      indices: params.rows * params.k * 4,
      scratch: selectScratchBytes(params),
    }),
  },
};

/** The passes of a step, whatever its primitive. */
export function passesOf(step: PrimitiveStep, limits: KernelLimits): readonly Pass[] {
  return kernelOf(step).passes(step.params, limits);
}

export function pairsOf(step: PrimitiveStep): number {
  return kernelOf(step).pairs?.(step.params) ?? 0;
}

export function wantsTraits(step: PrimitiveStep): boolean {
  return kernelOf(step).wantsTraits ?? false;
}

/** TypeScript cannot see that the row of a step's primitive takes the parameters of that step. */
function kernelOf({ primitive }: PrimitiveStep): Kernel<PrimitiveName> {
  assert(primitive in kernels, `${primitive} does not run on a GPU`);
  return kernels[primitive as GpuPrimitiveName] as Kernel<PrimitiveName>;
}
