/**
 * These are tasks for workers. A task is a name with the types of its request and its result, which the main
 * thread knows; a handler is what a worker does when a request of that name comes. Both stand in the room of
 * the primitive that needs them, and src/worker.ts lists the handlers.
 */
import { assert } from "../../core/errors.ts";
import { arrayWasm, type ArrayWasm } from "./arrayWasm.ts";
import type { WasmExports } from "./instance.ts";
import type { WorkerMemory } from "./memory.ts";

export interface Task<Request, Result> {
  /** It is unique among all tasks, such as "scan.write". */
  readonly name: string;
  /** This member is never there: it only carries the types. */
  readonly types?: (request: Request) => Result;
}

export function task<Request, Result>(name: string): Task<Request, Result> {
  return { name };
}

/** A handler gives this answer, and the buffers of it that move instead of being copied. */
export interface Answer<Result> {
  readonly result: Result;
  readonly transfer?: ArrayBuffer[];
}

/** One worker has this WASM module. */
export interface WorkerWasm {
  readonly kernels: WasmExports;
  readonly memory: WorkerMemory;
}

export interface Handler {
  readonly name: string;
  /** @param wasm undefined until the worker was started */
  answer(request: unknown, wasm: WorkerWasm | undefined): Answer<unknown>;
}

/** Has a worker answer a task without WASM. */
export function handler<Request, Result>(
  { name }: Task<Request, Result>,
  work: (request: Request) => Answer<Result>,
): Handler {
  return { name, answer: (request) => work(request as Request) };
}

/** Has a worker answer a task with its WASM module and memory. */
export function wasmHandler<Request, Result>(
  { name }: Task<Request, Result>,
  work: (request: Request, wasm: WorkerWasm) => Answer<Result>,
): Handler {
  return { name, answer: (request, wasm) => work(request as Request, started(wasm)) };
}

/**
 * A task on arrays in shared memory can be done by the main thread as well. Several results are arrays of
 * their own.
 */
export interface ArrayTask<Request, Result, Kernels = unknown> extends Task<Request, Result> {
  readonly work: (request: Request, wasm: ArrayWasm<Kernels>) => Result;
}

/** Makes a task on arrays. @typeParam Kernels the room's functions in its wasm.ts */
export function arrayTask<Request, Result, Kernels>(
  name: string,
  work: (request: Request, wasm: ArrayWasm<Kernels>) => Result,
): ArrayTask<Request, Result, Kernels> {
  return { name, work };
}

/** Has a worker answer a task on arrays. */
export function arrayHandler<Request, Result, Kernels>({
  name,
  work,
}: ArrayTask<Request, Result, Kernels>): Handler {
  const answer = (request: unknown, wasm: WorkerWasm | undefined): Answer<Result> => {
    const { kernels, memory } = started(wasm);
    return { result: work(request as Request, arrayWasm(kernels, memory) as ArrayWasm<Kernels>) };
  };
  return { name, answer };
}

function started(wasm: WorkerWasm | undefined): WorkerWasm {
  assert(wasm, "a task came before the start");
  return wasm;
}
