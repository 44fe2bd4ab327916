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

/**
 * In Deno 2.9, whose wgpu precedes https://github.com/gfx-rs/wgpu/pull/10242, unmap() throws on a lost device, where the standard
 * has it do nothing. That the device is lost, health.ts hears; a buffer still mapped for another reason fails the submit that uses
 * it.
 */
export function unmap(buffer: GPUBuffer): void {
  try {
    buffer.unmap();
  } catch {
    return;
  }
}
