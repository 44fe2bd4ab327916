/**
 * The primitives a GPU can run: from parameters to passes and to the bytes of scratch they need. Nothing here decides what
 * to run; the tables of numbers are policy.ts.
 *
 * To add one: name its parameters and bindings in core/primitives.ts, write its .wgsl bodies, write a function from
 * parameters to passes in a file of the same stem, and add a row here. Its bindings must be those of the primitive.
 */
import { knnFilterScratchBytes, type PrimitiveName, type PrimitiveStep } from "../core/primitives.ts";
import { knnFilterPasses } from "./knn.ts";
import type { KernelLimits, Pass } from "./pass.ts";

export type ParamsOf<Name extends PrimitiveName> = Extract<PrimitiveStep, { primitive: Name }>["params"];

export interface Kernel<Name extends PrimitiveName> {
  /** The dispatches, in order; none for an empty problem. */
  passes(params: ParamsOf<Name>, limits: KernelLimits): readonly Pass[];
  /** Bytes of the binding `scratch`. */
  scratchBytes(params: ParamsOf<Name>): number;
  /** (query, reference) pairs whose distance it computes; counted by backends. */
  pairs(params: ParamsOf<Name>): number;
}

export const kernels: { readonly [Name in PrimitiveName]: Kernel<Name> } = {
  "knn.filter": {
    passes: knnFilterPasses,
    scratchBytes: ({ queryRows, refRows }) => knnFilterScratchBytes(queryRows, refRows),
    pairs: ({ queryRows, refRows }) => queryRows * refRows,
  },
};

/** The passes of a step, whatever its primitive. */
export function passesOf(step: PrimitiveStep, limits: KernelLimits): readonly Pass[] {
  return kernelOf(step).passes(step.params, limits);
}

export function pairsOf(step: PrimitiveStep): number {
  return kernelOf(step).pairs(step.params);
}

/** TypeScript cannot see that the row of a step's primitive takes the parameters of that step. */
function kernelOf(step: PrimitiveStep): Kernel<PrimitiveName> {
  return kernels[step.primitive];
}
