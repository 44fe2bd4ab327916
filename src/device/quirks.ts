/** What single WebGPU implementations need beyond the standard, each with its reason. */

const keptAlive = new Set<GPU>();

/**
 * In Node, webgpu 0.6.2 crashes the process at its end (segmentation fault or "futex facility returned an unexpected
 * error code") when the object from create() was garbage-collected while there were devices. It is kept for good: a
 * program makes one.
 */
export function keepAlive(gpu: GPU): void {
  keptAlive.add(gpu);
}
