/**
 * Which function runs which primitive on the CPU. To add one: write it in a file of the primitive's stem, and add a row
 * here; when it works in workers, give its kind of task a line in protocol.ts and a handler in worker.ts.
 */
import type { InPlaceOptions } from "../backend.ts";
import { assert } from "../../core/errors.ts";
import type { BindingOf, ParamsOf, PrimitiveName, RunStep } from "../primitives.ts";
import type { ArrayWasm } from "./arrayWasm.ts";
import type { BufferSpace, HostBuffer, Place } from "./buffers.ts";
import { runCompact } from "../../ops/compact/cpu/compact.ts";
import { runHistogram } from "../../ops/histogram/cpu.ts";
import { runKnnFilter, type KnnBuffers, type KnnContext, type KnnParams } from "../../ops/knn/cpu/filter.ts";
import { runReduce } from "../../ops/reduce/cpu.ts";
import { runRunLength, runUnique } from "../../ops/compact/cpu/runs.ts";
import { runScan } from "../../ops/scan/cpu.ts";
import { runSeed } from "../../ops/knn/cpu/seed.ts";
import { runSelect } from "../../ops/select/cpu.ts";
import { runSketch } from "../../ops/knn/cpu/sketch.ts";
import { runTree, runTreeFilter } from "../../ops/knn/cpu/tree.ts";

/** What a run is given beside its parameters and buffers. */
export interface RunContext extends Omit<KnnContext, "onPairs"> {
  /** Called when a task has finished, with its share of the step, which add up to 1, and the pairs it computed. */
  readonly onTask: (share: number, pairs: number) => void;
  /** The WASM module on the main thread, for primitives that mostly read or that also write. */
  readonly local: (use: "reads" | "writes") => Promise<ArrayWasm>;
  /** The bytes that the backend may have. */
  readonly space: BufferSpace;
  /** Which workers may share arrays of the caller. */
  readonly workers: NonNullable<InPlaceOptions["workers"]>;
}

/** Whole buffers, or arrays of the caller. Workers get at buffers by `lend`, so theirs cannot be arrays of the caller. */
export type RunBuffers<Name extends PrimitiveName> = Readonly<Record<BindingOf<Name>, HostBuffer>>;
export type RunArrays<Name extends PrimitiveName> = Readonly<Record<BindingOf<Name>, Place>>;

type Runner<Name extends PrimitiveName> = (
  params: ParamsOf<Name>,
  buffers: RunBuffers<Name>,
  context: RunContext,
) => Promise<void>;

/** On the host rows are prepared, candidates refined, so that no keys follow them, and heaps replayed. */
type RunnerName = Exclude<PrimitiveName, "knn.carry" | "knn.prepare" | "knn.refine" | "knn.replay">;

const runners: { readonly [Name in RunnerName]: Runner<Name> } = {
  "knn.filter": runFilter,
  "knn.mixedFilter": runFilter,
  "knn.powerFilter": runFilter,
  "knn.seed": (params, buffers) => Promise.resolve(runSeed(params, placesOf(buffers))),
  "knn.tree": runTree,
  "knn.treeFilter": runTreeFilter,
  "knn.sketch": runSketch,
  "knn.sketchedFilter": runFilter,
  compact: (params, buffers, context) => runCompact(params, placesOf(buffers), context),
  histogram: (params, buffers, context) => runHistogram(params, placesOf(buffers), context),
  reduce: (params, buffers, context) => runReduce(params, placesOf(buffers), context),
  runLength: (params, buffers, context) => runRunLength(params, placesOf(buffers), context),
  scan: (params, buffers, context) => runScan(params, placesOf(buffers), context),
  select: (params, buffers, context) => runSelect(params, placesOf(buffers), context),
  unique: (params, buffers, context) => runUnique(params, placesOf(buffers), context),
};

/** Runs a step on buffers by the names its primitive has for them; bindings that it leaves out must not be needed. */
export function runStep(
  { primitive, params }: RunStep,
  buffers: Readonly<Record<string, HostBuffer>>,
  context: RunContext,
): Promise<void> {
  assert(primitive in runners, `the CPU does not run ${primitive}`);
  return (runners[primitive as RunnerName] as Runner<PrimitiveName>)(params, buffers, context);
}

function runFilter(params: KnnParams, buffers: KnnBuffers, context: RunContext): Promise<void> {
  const all = params.queryRows * params.refRows;
  return runKnnFilter(params, buffers, {
    ...context,
    onPairs: (pairs) => context.onTask(pairs / all, pairs),
  });
}

function placesOf<Binding extends string>(
  buffers: Readonly<Record<Binding, HostBuffer>>,
): Record<Binding, Place> {
  const entries = Object.entries<HostBuffer>(buffers).map(([name, buffer]) => [name, buffer.place]);
  return Object.fromEntries(entries) as Record<Binding, Place>;
}
