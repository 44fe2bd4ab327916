/**
 * The entry of a CPU worker: one ES module for browsers and Node, which imports nothing of either. Answers each request in turn;
 * what a handler throws goes back as the request's error, so that no caller waits for ever.
 */
import { assert } from "./core/errors.ts";
import { arrayWasm, type ArrayWasm } from "./runtime/cpu/arrayWasm.ts";
import { compactCountTask, compactTask } from "./ops/compact/cpu/compact.ts";
import { histogramTask } from "./ops/histogram/cpu.ts";
import { importsOf, kernelsOf } from "./runtime/cpu/instance.ts";
import type { ArrayKernels, KnnKernels, SketchKernels, TreeKernels } from "./ops/knn/cpu/exports.ts";
import { returned, runKnnTask } from "./ops/knn/cpu/filterTask.ts";
import { WorkerMemory } from "./runtime/cpu/memory.ts";
import { nearestTask } from "./distance/exact/task.ts";
import { reduceRowsTask, reduceTotalsTask } from "./ops/reduce/cpu.ts";
import { runCountTask, runWriteTask } from "./ops/compact/cpu/runs.ts";
import { scanTotalsTask, scanWriteTask } from "./ops/scan/cpu.ts";
import { selectTask } from "./ops/select/cpu.ts";
import { runSketchTask } from "./ops/knn/cpu/sketch.ts";
import { runTreeFilterTask, runTreeTask } from "./ops/knn/cpu/tree.ts";
import { copiesIn } from "./runtime/cpu/buffers.ts";
import {
  toFailure,
  type Answer,
  type Reply,
  type Request,
  type StartRequest,
  type TaskKind,
  type Tasks,
} from "./runtime/cpu/protocol.ts";

type Handlers = {
  readonly [Kind in TaskKind]: (request: Tasks[Kind]["request"]) => Answer<Kind>;
};

interface Wasm {
  readonly kernels: ArrayKernels & KnnKernels & SketchKernels & TreeKernels;
  readonly memory: WorkerMemory;
}

let wasm: Wasm | undefined;

const handlers: Handlers = {
  start(request) {
    wasm = instantiate(request);
    return { result: undefined };
  },
  "knn.filter"(task) {
    assert(wasm, "a task came before the start");
    const result = runKnnTask(task, wasm.kernels, wasm.memory);
    return { result, transfer: returned(result) };
  },
  "knn.nearest"(task) {
    const result = nearestTask(task);
    return { result, transfer: [result.keys.buffer as ArrayBuffer, result.indices.buffer as ArrayBuffer] };
  },
  "knn.tree"(task) {
    const result = runTreeTask(task);
    return { result, transfer: copiesIn(Object.values(result)) };
  },
  "knn.treeFilter"(task) {
    assert(wasm, "a task came before the start");
    const result = runTreeFilterTask(task, wasm.kernels, wasm.memory);
    return { result, transfer: copiesIn([result.heads, result.candidates]) };
  },
  "knn.sketch"(task) {
    assert(wasm, "a task came before the start");
    const result = runSketchTask(task, wasm.kernels, wasm.memory);
    return { result, transfer: copiesIn([result.sketches, result.floors]) };
  },
  "compact.count": onArrays(compactCountTask),
  "compact.write": onArrays(compactTask),
  histogram: onArrays(histogramTask),
  "reduce.rows": onArrays(reduceRowsTask),
  "reduce.totals": onArrays(reduceTotalsTask),
  "runs.count": onArrays(runCountTask),
  "runs.write": onArrays(runWriteTask),
  "scan.totals": onArrays(scanTotalsTask),
  "scan.write": onArrays(scanWriteTask),
  select: onArrays(selectTask),
};

function onArrays<Request, Result>(task: (request: Request, wasm: ArrayWasm) => Result) {
  return (request: Request): { readonly result: Result } => {
    assert(wasm, "a task came before the start");
    return { result: task(request, arrayWasm(wasm.kernels, wasm.memory)) };
  };
}

function instantiate({ module, memoryLimit }: StartRequest): Wasm {
  const memory = new WorkerMemory(memoryLimit);
  const instance = new WebAssembly.Instance(module, importsOf(memory));
  return { kernels: kernelsOf<Wasm["kernels"]>(instance, memory), memory };
}

function answer<Kind extends TaskKind>({ id, kind, request }: Request<Kind>): void {
  try {
    const { result, transfer } = handlers[kind](request);
    port.post({ id, result }, transfer ?? []);
  } catch (error) {
    port.post({ id, error: toFailure(error) }, []);
  }
}

interface Port {
  post(reply: Reply, transfer: ArrayBuffer[]): void;
  listen(listener: (message: unknown) => void): void;
}

/** The other end of the WorkerHandle: worker_threads' port in Node, the global scope in browsers. */
function openPort(): Port {
  const parent = globalThis.process?.getBuiltinModule?.("node:worker_threads").parentPort;
  if (parent) {
    return {
      post: (reply, transfer) => parent.postMessage(reply, transfer),
      listen: (listener) => parent.on("message", listener),
    };
  }
  const scope = globalThis as unknown as {
    postMessage(message: unknown, transfer: ArrayBuffer[]): void;
    onmessage: (event: { readonly data: unknown }) => void;
  };
  return {
    post: (reply, transfer) => scope.postMessage(reply, transfer),
    listen: (listener) => {
      scope.onmessage = ({ data }) => listener(data);
    },
  };
}

const port = openPort();
port.listen((message) => answer(message as Request));
