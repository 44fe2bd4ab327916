/**
 * These are the messages between the pool and its workers: one request and one reply per task, matched by id.
 * Which tasks there are is not said here: task.ts leaves them to the rooms of primitives.
 */
import type { ErrorTag } from "../../core/errors.ts";
import { DeviceError, isNearfieldError, OutOfMemoryError } from "../../core/errors.ts";

/** The first request of every worker is of this kind. */
export const START = "start";

/** This is the first task of every worker. The module is compiled once, by the main thread. */
export interface StartRequest {
  readonly module: WebAssembly.Module;
  /** The worker's memory may grow to so many bytes. */
  readonly memoryLimit: number;
}

export interface Request {
  readonly id: number;
  /** It is the name of a task. */
  readonly kind: string;
  readonly request: unknown;
}

export type Reply =
  { readonly id: number; readonly result: unknown } | { readonly id: number; readonly error: TaskFailure };

/** It is an error as plain data, since structured cloning keeps no class of ours. */
export interface TaskFailure {
  readonly message: string;
  readonly stack: string | undefined;
  readonly tag: ErrorTag | undefined;
  readonly bytes: number | undefined;
}

export function toFailure(error: unknown): TaskFailure {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return {
    message,
    stack,
    tag: isNearfieldError(error) ? error.tag : undefined,
    bytes: error instanceof OutOfMemoryError ? error.bytes : undefined,
  };
}

/** Makes the error to throw on the main thread; the worker's stack is its cause. */
export function fromFailure({ message, stack, tag, bytes }: TaskFailure): Error {
  if (tag === "OutOfMemory") return new OutOfMemoryError(message, bytes ?? 0, stack);
  return new DeviceError(`a CPU worker failed: ${message}`, stack);
}
