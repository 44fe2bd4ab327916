/**
 * Compiles what the steps of a segment will need before they are reached, all at once, for which one driver
 * took two thirds of the time of one after the other. Faults are not reported here: the step that needs the
 * shader finds them again.
 */
import { otherEvents } from "../../../core/async/yielding.ts";
import type { Compiling, Step } from "../../backend.ts";
import { areLoaded, kernelOf, loadKernels } from "../kernels.ts";
import type { GpuMachine } from "../machine.ts";
import type { Pass } from "./pass.ts";
import type { RunStep } from "../../primitive.ts";

/** So many steps are looked at: those that follow need the same shaders, hardly ever others. */
const STEPS = 64;

/**
 * Compiles the shaders of the first steps that have some.
 * @param gently other events have their turn between shaders, each of which takes this thread some
 *   milliseconds; default false
 */
export function compileAhead(machine: GpuMachine, steps: readonly Step[], gently?: boolean): Compiling {
  const compiling = begin(machine, steps.filter((step) => step.kind === "run").slice(0, STEPS), gently);
  return {
    begun: compiling.then(() => undefined),
    done: compiling.then((all) => Promise.allSettled(all)).then(() => undefined),
  };
}

/** Says whether the shaders of these steps are there: they are not where kernels were never loaded. */
export async function isCompiled(machine: GpuMachine, steps: readonly Step[]): Promise<boolean> {
  const runs = steps.filter((step) => step.kind === "run").slice(0, STEPS);
  if (!areLoaded(runs)) return false;
  for (const step of runs) if (!machine.pipelines.has(await passesOf(machine, step))) return false;
  return true;
}

async function passesOf({ limits, limitsWithTraits }: GpuMachine, { primitive, params }: RunStep) {
  const kernel = kernelOf(primitive);
  return kernel.passes(params, kernel.wantsTraits?.(params) ? await limitsWithTraits() : limits);
}

async function begin(
  machine: GpuMachine,
  steps: readonly RunStep[],
  gently?: boolean,
): Promise<readonly Promise<void>[]> {
  try {
    await loadKernels(steps);
  } catch {
    // A kernel that does not load is an error of the segment that runs it.
    return [];
  }
  let turn = Promise.resolve();
  const begun: Record<string, Promise<void>> = {};
  const compile = async (pass: Pass) => {
    if (gently) await (turn = turn.then(otherEvents));
    machine.health.check();
    return machine.pipelines.prepare([pass]);
  };
  const compiling = steps.map(async (step) => {
    const passes = await passesOf(machine, step);
    await Promise.allSettled(passes.map((pass) => (begun[pass.code] ??= compile(pass))));
  });
  for (const each of compiling) each.catch(() => undefined);
  return compiling;
}
