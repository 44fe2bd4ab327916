/**
 * Compiles what the steps of a segment will need before they are reached, all at once: a driver compiles
 * several shaders at a time. Faults are not reported here; the step that needs the shader finds them again.
 */
import type { Compiling, Step } from "../../backend.ts";
import { kernelOf, loadKernels } from "../kernels.ts";
import type { GpuMachine } from "../machine.ts";
import type { RunStep } from "../../primitive.ts";

/** So many steps are looked at: those that follow need the same shaders, hardly ever others. */
const STEPS = 64;

/** Compiles the shaders of the first steps that have some. */
export function compileAhead(machine: GpuMachine, steps: readonly Step[]): Compiling {
  const compiling = begin(machine, steps.filter((step) => step.kind === "run").slice(0, STEPS));
  return {
    begun: compiling.then(() => undefined),
    done: compiling.then((all) => Promise.allSettled(all)).then(() => undefined),
  };
}

async function begin(
  { health, limits, limitsWithTraits, pipelines }: GpuMachine,
  steps: readonly RunStep[],
): Promise<readonly Promise<void>[]> {
  try {
    await loadKernels(steps);
  } catch {
    // A kernel that does not load is an error of the segment that runs it.
    return [];
  }
  const compiling = steps.map(async ({ primitive, params }) => {
    const kernel = kernelOf(primitive);
    const seen = kernel.wantsTraits?.(params) ? await limitsWithTraits() : limits;
    health.check();
    await pipelines.prepare(kernel.passes(params, seen));
  });
  for (const each of compiling) each.catch(() => undefined);
  return compiling;
}
