/** These are the things that single WebGPU implementations need beyond the standard, each with its reason. */

import { DeviceLostError } from "../../core/errors.ts";

const keptAlive = new Set<GPU>();

/**
 * Keeps the object from create() for good. In Node, webgpu 0.6.2 crashes the process at its end (segmentation
 * fault or "futex facility returned an unexpected error code") when that object was garbage-collected while
 * there were devices. A program makes one.
 */
export function keepAlive(gpu: GPU): void {
  keptAlive.add(gpu);
}

/**
 * Unmaps a buffer. In Deno 2.9, whose wgpu precedes https://github.com/gfx-rs/wgpu/pull/10242, unmap() throws
 * on a lost device, where the standard has it do nothing. health.ts hears that the device is lost; a buffer
 * still mapped for another reason fails the submit that uses it.
 */
export function unmap(buffer: GPUBuffer): void {
  try {
    buffer.unmap();
  } catch {
    return;
  }
}

/**
 * Returns the memory of a buffer that was mapped at its creation. A lost device gives some all the same, says
 * the standard (https://www.w3.org/TR/webgpu/#dom-gpudevice-createbuffer); in Deno 2.9 it refuses.
 * @throws DeviceLostError there
 */
export function mappedAtCreation(buffer: GPUBuffer): Uint8Array {
  try {
    return new Uint8Array(buffer.getMappedRange());
  } catch (error) {
    throw new DeviceLostError(
      `the GPU was lost: a new buffer cannot be written to (${String(error)})`,
      error,
    );
  }
}
