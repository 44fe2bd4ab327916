/** This module holds the kernels that were loaded: those of a segment's primitives are, before it runs. */
import { assert } from "../../core/errors.ts";
import type { AnyPrimitive } from "../primitive.ts";
import type { Step } from "../backend.ts";
import type { GpuKernel } from "./passes/kernel.ts";

const loaded = new WeakMap<AnyPrimitive, GpuKernel<unknown, string>>();

/** Says whether the steps' primitives were loaded. */
export function areLoaded(steps: readonly Step[]): boolean {
  return steps.every((step) => step.kind !== "run" || loaded.has(step.primitive));
}

/** Loads what runs the steps' primitives, unless it was loaded before. */
export async function loadKernels(steps: readonly Step[]): Promise<void> {
  const missing = new Set<AnyPrimitive>();
  for (const step of steps)
    if (step.kind === "run" && !loaded.has(step.primitive)) missing.add(step.primitive);
  await Promise.all([...missing].map(loadKernel));
}

async function loadKernel(primitive: AnyPrimitive): Promise<void> {
  const { name, gpu } = primitive;
  assert(gpu, `no GPU runs ${name}`);
  loaded.set(primitive, (await gpu()) as GpuKernel<unknown, string>);
}

export function kernelOf(primitive: AnyPrimitive): GpuKernel<unknown, string> {
  const kernel = loaded.get(primitive);
  assert(kernel, `${primitive.name} was not loaded`);
  return kernel;
}
