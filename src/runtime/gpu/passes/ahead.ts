/**
 * Compiles what the steps of a segment will need before they are reached, all at once: a driver compiles
 * several shaders at a time. Faults are not reported here; the step that needs the shader finds them again.
 */
import type { Step } from "../../backend.ts";
import { kernelOf, loadKernels } from "../kernels.ts";
import type { GpuMachine } from "../machine.ts";

/** So many steps are looked at: those that follow need the same shaders, hardly ever others. */
const STEPS = 64;

/** Compiles the shaders of the first steps that have some. It resolves when all are there, or failed. */
export async function compileAhead(machine: GpuMachine, steps: readonly Step[]): Promise<void> {
  const { health, limits, limitsWithTraits, pipelines } = machine;
  const some = steps.filter((step) => step.kind === "run").slice(0, STEPS);
  try {
    await loadKernels(some);
    const compiling = some.map(async ({ primitive, params }) => {
      const kernel = kernelOf(primitive);
      const seen = kernel.wantsTraits?.(params) ? await limitsWithTraits() : limits;
      health.check();
      await pipelines.prepare(kernel.passes(params, seen));
    });
    await Promise.allSettled(compiling);
  } catch {
    // A kernel that does not load is an error of the segment that runs it.
  }
}
