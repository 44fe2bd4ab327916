/**
 * A primitive is one piece of work that backends do on named buffers. Its descriptor is all that the runtime
 * knows of it: a name, and how to load what runs it on a GPU and on a CPU. A step is one use of it. The
 * promise of a primitive is not here: it is its room's contract.
 */
import type { CpuKernel } from "./cpu/kernel.ts";
import type { GpuKernel } from "./gpu/passes/kernel.ts";
import type { BufferUse } from "./source.ts";

/** It is a primitive whose parameters do not matter, as a step holds it. */
export interface AnyPrimitive {
  /** It is unique and names the primitive in messages, such as "knn.filter". */
  readonly name: string;
  /** Loads what runs it on a GPU, when one first needs it; left out where no GPU runs it. */
  readonly gpu?: () => Promise<object>;
  /** Loads what runs it on a CPU; left out where no CPU runs it. */
  readonly cpu?: () => Promise<object>;
}

export interface Primitive<Params, Binding extends string> extends AnyPrimitive {
  readonly gpu?: () => Promise<GpuKernel<Params, Binding>>;
  readonly cpu?: () => Promise<CpuKernel<Params, Binding>>;
}

/**
 * Runs one primitive; bindings name buffers of the segment or the session, or parts of them. `cost` is in
 * multiply-adds.
 */
export interface RunStep<Params = unknown, Binding extends string = string> {
  readonly kind: "run";
  readonly primitive: AnyPrimitive;
  readonly params: Params;
  readonly bindings: Readonly<Partial<Record<Binding, BufferUse>>>;
  readonly cost: number;
}

/** Describes a primitive; bundlers leave out the ones that a program does not use. */
export function primitive<Params, Binding extends string>(
  descriptor: Primitive<Params, Binding>,
): Primitive<Params, Binding> {
  return descriptor;
}

/** Makes the step that runs a primitive once. */
export function run<Params, Binding extends string>(
  primitive: Primitive<Params, Binding>,
  use: Pick<RunStep<Params, Binding>, "params" | "bindings" | "cost">,
): RunStep<Params, Binding> {
  return { kind: "run", primitive, ...use };
}

/** Tells whether a step runs that primitive, and thereby the type of its parameters. */
export function isRunOf<Params, Binding extends string>(
  step: { readonly kind: string },
  primitive: Primitive<Params, Binding>,
): step is RunStep<Params, Binding> {
  return step.kind === "run" && (step as RunStep).primitive === primitive;
}

/** Returns what a step binds, binding by binding. */
export function bindingsOf({ bindings }: RunStep): (readonly [binding: string, use: BufferUse])[] {
  return Object.entries(bindings).flatMap(([binding, use]) =>
    use === undefined ? [] : [[binding, use] as const],
  );
}
