/**
 * What the pool and its workers say to each other: one request and one reply per task, matched by id. To add a kind of task,
 * give it a line in `Tasks` and a handler in worker.ts; pool.ts does not change.
 */
import type { ErrorTag } from "../../core/errors.ts";
import type { SelectList } from "../../ops/select/keys.ts";
import { DeviceError, isNearfieldError, OutOfMemoryError } from "../../core/errors.ts";
import type { CompactCountTask, CompactTask } from "../../ops/compact/cpu/compact.ts";
import type { HistogramTask, HistogramTaskResult } from "../../ops/histogram/cpu.ts";
import type { FilterTask, FilterTaskResult } from "../../ops/knn/cpu/filterTask.ts";
import type { Nearest, NearestTask } from "../../distance/exact/task.ts";
import type { ReduceTask, Total } from "../../ops/reduce/cpu.ts";
import type { RunCount, RunCountTask, RunWriteTask } from "../../ops/compact/cpu/runs.ts";
import type { ScanTask, ScanWriteTask } from "../../ops/scan/cpu.ts";
import type { SelectTask } from "../../ops/select/cpu.ts";
import type { SketchTask, SketchTaskResult } from "../../ops/knn/cpu/sketch.ts";
import type {
  TreeFilterTask,
  TreeFilterTaskResult,
  TreeTask,
  TreeTaskResult,
} from "../../ops/knn/cpu/tree.ts";

/** Tasks on arrays, which lie in shared memory. Several values that come back are arrays of their own. */
export interface ArrayTasks {
  "compact.count": { readonly request: CompactCountTask; readonly result: number };
  "compact.write": { readonly request: CompactTask; readonly result: number };
  histogram: { readonly request: HistogramTask; readonly result: HistogramTaskResult };
  "reduce.rows": { readonly request: ReduceTask; readonly result: Uint32Array };
  "reduce.totals": { readonly request: ReduceTask; readonly result: readonly Total[] };
  "runs.count": { readonly request: RunCountTask; readonly result: RunCount };
  "runs.write": { readonly request: RunWriteTask; readonly result: void };
  "scan.totals": { readonly request: ScanTask; readonly result: Float64Array };
  "scan.write": { readonly request: ScanWriteTask; readonly result: number };
  select: { readonly request: SelectTask; readonly result: SelectList };
}

export type ArrayTaskKind = keyof ArrayTasks;

/** Every kind of task: what is sent and what comes back. */
export interface Tasks extends ArrayTasks {
  start: { readonly request: StartRequest; readonly result: undefined };
  "knn.filter": { readonly request: FilterTask; readonly result: FilterTaskResult };
  "knn.nearest": { readonly request: NearestTask; readonly result: Nearest };
  "knn.tree": { readonly request: TreeTask; readonly result: TreeTaskResult };
  "knn.treeFilter": { readonly request: TreeFilterTask; readonly result: TreeFilterTaskResult };
  "knn.sketch": { readonly request: SketchTask; readonly result: SketchTaskResult };
}

export type TaskKind = keyof Tasks;

/** The first task of every worker. The module is compiled once, by the main thread. */
export interface StartRequest {
  readonly module: WebAssembly.Module;
  /** Bytes the worker's memory may grow to. */
  readonly memoryLimit: number;
}

export interface Request<Kind extends TaskKind = TaskKind> {
  readonly id: number;
  readonly kind: Kind;
  readonly request: Tasks[Kind]["request"];
}

/** A handler's answer, and the buffers of it that move instead of being copied. */
export interface Answer<Kind extends TaskKind> {
  readonly result: Tasks[Kind]["result"];
  readonly transfer?: ArrayBuffer[];
}

export type Reply =
  { readonly id: number; readonly result: unknown } | { readonly id: number; readonly error: Failure };

/** An error as plain data, since structured cloning keeps no class of ours. */
export interface Failure {
  readonly message: string;
  readonly stack: string | undefined;
  readonly tag: ErrorTag | undefined;
  readonly bytes: number | undefined;
}

export function toFailure(error: unknown): Failure {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return {
    message,
    stack,
    tag: isNearfieldError(error) ? error.tag : undefined,
    bytes: error instanceof OutOfMemoryError ? error.bytes : undefined,
  };
}

/** The error to throw on the main thread; the worker's stack is its cause. */
export function fromFailure({ message, stack, tag, bytes }: Failure): Error {
  if (tag === "OutOfMemory") return new OutOfMemoryError(message, bytes ?? 0, stack);
  return new DeviceError(`a CPU worker failed: ${message}`, stack);
}
