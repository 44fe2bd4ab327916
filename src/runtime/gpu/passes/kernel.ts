/**
 * The primitives a GPU can run: from parameters to passes and to the bytes their buffers need. Nothing here decides what
 * to run; the tables of numbers are policy.ts. Each kernel is a module of its own, known here once it was loaded, so that a
 * program carries only those it uses.
 *
 * To add one: name its parameters and bindings in core/primitives/, write its .wgsl bodies, write a `Kernel` in a file of the
 * same stem, and add a row to device/kernels.ts. Its bindings must be those of the primitive.
 */
import { assert } from "../../../core/errors.ts";
import type { BindingOf, ParamsOf, PrimitiveName, RunStep } from "../../primitives.ts";
import type { KernelLimits, Pass } from "./pass.ts";

export interface Kernel<Name extends PrimitiveName> {
  readonly name: Name;
  /** The dispatches, in order; none for an empty problem. */
  passes(params: ParamsOf<Name>, limits: KernelLimits): readonly Pass[];
  /** Bytes that each buffer must have at least; a buffer of none may be left out. */
  bytes(params: ParamsOf<Name>): Readonly<Record<BindingOf<Name>, number>>;
  /** (query, reference) pairs whose distance it computes, counted by backends; default none. */
  pairs?(params: ParamsOf<Name>): number;
  /** Whether its passes depend on the device's traits, which take a self-test to know. */
  readonly wantsTraits?: boolean;
}

const kernels = new Map<PrimitiveName, Kernel<PrimitiveName>>();

/** Makes a kernel known. */
export function addKernel<Name extends PrimitiveName>(kernel: Kernel<Name>): void {
  kernels.set(kernel.name, kernel);
}

export function kernelOf<Name extends PrimitiveName>(name: Name): Kernel<Name> {
  const kernel = kernels.get(name);
  assert(kernel, `the kernel of ${name} was not loaded`);
  return kernel as Kernel<Name>;
}

/** The passes of a step, whatever its primitive. */
export function passesOf({ primitive, params }: RunStep, limits: KernelLimits): readonly Pass[] {
  return kernelOf(primitive).passes(params, limits);
}

export function pairsOf({ primitive, params }: RunStep): number {
  return kernelOf(primitive).pairs?.(params) ?? 0;
}

export function wantsTraits({ primitive }: RunStep): boolean {
  return kernelOf(primitive).wantsTraits ?? false;
}
