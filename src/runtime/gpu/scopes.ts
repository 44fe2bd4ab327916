/**
 * This module puts WebGPU error scopes around synchronous calls: the device's own complaints become our
 * errors.
 */
import { DeviceError, OutOfMemoryError } from "../../core/errors.ts";

const filters = ["validation", "internal", "out-of-memory"] as const;

export interface Scoped<T> {
  readonly value: T;
  /** Rejects with DeviceError or OutOfMemoryError once the device has found fault with a call. */
  readonly checked: Promise<void>;
}

/**
 * Does something within error scopes.
 * @param label what is being done, for messages
 * @param bytes how much memory the action asks for, for an OutOfMemoryError
 */
export function scoped<T>(device: GPUDevice, label: string, bytes: number, action: () => T): Scoped<T> {
  for (const filter of filters) device.pushErrorScope(filter);
  let value: T;
  let errors: Promise<(GPUError | null)[]>;
  try {
    value = action();
  } finally {
    errors = Promise.all(filters.map(() => device.popErrorScope()));
    errors.catch(() => undefined);
  }
  return { value, checked: errors.then((found) => throwFirst(found, label, bytes)) };
}

function throwFirst(errors: readonly (GPUError | null)[], label: string, bytes: number): void {
  const [memory, ...others] = errors;
  if (memory)
    throw new OutOfMemoryError(`${label}: the GPU is out of memory (${memory.message})`, bytes, memory);
  const error = others.find((each) => each !== null);
  if (error) throw new DeviceError(`${label}: ${error.message}`, error);
}
