/**
 * This module records passes into a command encoder. It makes no decision and waits for nothing: it works on
 * the caller's own buffers and encoder, so that other WebGPU programs can run our kernels inside their own
 * submits. Pipelines must have been prepared before, and the uniforms must be committed right before the
 * submit.
 */
import { assert } from "../../../core/errors.ts";
import type { Pass, PassBinding } from "./pass.ts";
import type { Pipelines } from "./pipelines.ts";
import type { Timestamps } from "./profile.ts";
import type { Uniforms } from "../uniforms.ts";

/** Buffers by the name the primitive has for them, such as "queries". Usage must include STORAGE. */
export type PassBuffers = Readonly<Record<string, GPUBufferBinding>>;

export interface EncodeTools {
  readonly device: GPUDevice;
  readonly pipelines: Pipelines;
  readonly uniforms: Uniforms;
  /** Measures each pass; it then becomes a compute pass of its own. */
  readonly timestamps?: Timestamps | undefined;
}

/** A pass was bound to these buffers before. */
export interface BoundGroup {
  readonly resources: readonly GPUBufferBinding[];
  readonly group: GPUBindGroup;
}

/**
 * Runs the passes in order, each seeing what those before it wrote.
 * @param groups is where the groups of the passes are kept for the next time
 */
export function encodePasses(
  encoder: GPUCommandEncoder,
  passes: readonly Pass[],
  buffers: PassBuffers,
  tools: EncodeTools,
  groups: BoundGroup[] = [],
): void {
  if (passes.length === 0) return;
  if (tools.timestamps) {
    for (const pass of passes) {
      const timestampWrites = tools.timestamps.writes(pass.label);
      encodeTogether(
        encoder.beginComputePass({ label: pass.label, timestampWrites }),
        [pass],
        buffers,
        tools,
        [],
      );
    }
  } else {
    encodeTogether(encoder.beginComputePass({ label: passes[0].label }), passes, buffers, tools, groups);
  }
}

function encodeTogether(
  computePass: GPUComputePassEncoder,
  passes: readonly Pass[],
  buffers: PassBuffers,
  { device, pipelines, uniforms }: EncodeTools,
  groups: BoundGroup[],
): void {
  for (const [at, pass] of passes.entries()) {
    const { pipeline, layout } = pipelines.get(pass);
    const resources = [
      uniforms.place(pass.uniform),
      ...pass.bindings.map((binding) => partOf(binding, bufferFor(pass, binding.name, buffers))),
    ];
    computePass.setPipeline(pipeline);
    if (!isBoundTo(groups[at], resources)) {
      const entries = resources.map((resource, binding) => ({ binding, resource }));
      groups[at] = { resources, group: device.createBindGroup({ label: pass.label, layout, entries }) };
    }
    computePass.setBindGroup(0, groups[at].group);
    computePass.dispatchWorkgroups(...pass.workgroups);
  }
  computePass.end();
}

function isBoundTo(bound: BoundGroup | undefined, resources: readonly GPUBufferBinding[]): boolean {
  return (
    bound?.resources.every(({ buffer, offset, size }, at) => {
      const now = resources[at];
      return buffer === now.buffer && offset === now.offset && size === now.size;
    }) === true
  );
}

/** Returns what a binding of a pass takes of the buffer it is given. */
export function partOf({ part }: PassBinding, whole: GPUBufferBinding): GPUBufferBinding {
  if (!part) return whole;
  return { buffer: whole.buffer, offset: (whole.offset ?? 0) + part.offset, size: part.size };
}

function bufferFor(pass: Pass, name: string, buffers: PassBuffers): GPUBufferBinding {
  const binding = buffers[name];
  assert(binding, `${pass.label} has no buffer "${name}"`);
  return binding;
}
