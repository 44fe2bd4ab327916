/**
 * A pass is one compute dispatch as plain data, whatever the primitive. Kernels make passes, encode.ts
 * records them; a primitive is a list of passes run in order. A pass is no pipeline and holds no buffer:
 * bindings are names.
 */
import { ceilDiv } from "../../../core/math.ts";
import { compose, packUniforms, type Binding, type ShaderParts } from "./compose.ts";

/** Passes must know these limits of a device. `defaultKernelLimits` are those every WebGPU device has. */
export interface KernelLimits {
  readonly workgroupsPerDimension: number;
  /** Workgroup memory has this many bytes; default DEFAULT_WORKGROUP_BYTES. */
  readonly workgroupBytes?: number | undefined;
  /** A workgroup has at most this many lanes; default 256. */
  readonly workgroupThreads?: number | undefined;
  /** So many bytes of a storage buffer can be bound at a time; default 128 MiB. */
  readonly bindingBytes?: number | undefined;
  /** The device was seen to have these traits (runtime/gpu/traits.ts); default none, where nobody looked. */
  readonly traits?: DeviceTraits | undefined;
  /** A subgroup has so many lanes, where those are numbered in order; default unknown. */
  readonly subgroupSize?: number | undefined;
}

/** A workgroup must keep these limits of a device. */
export type WorkgroupLimits = Pick<KernelLimits, "workgroupBytes" | "workgroupThreads">;

export interface DeviceTraits {
  /** A workgroup that waits for others does not prevent them from running. */
  readonly forwardProgress: boolean;
  /** Lanes are numbered in order within a subgroup, and subgroups within a workgroup. */
  readonly subgroups: boolean;
  /** Subgroups of 32 lanes multiply matrices of bytes (matrixUnits.ts); default they do not. */
  readonly byteMatrices?: boolean | undefined;
  /** Looks at another workgroup's state before a wait is given up; default what the kernels' policies say. */
  readonly patience?: number | undefined;
}

/** Every WebGPU device has so many bytes of workgroup memory. */
export const DEFAULT_WORKGROUP_BYTES = 16_384;

/** Every WebGPU device can bind so many bytes of a storage buffer at a time. */
export const DEFAULT_BINDING_BYTES = 2 ** 27;

export const defaultKernelLimits: KernelLimits = { workgroupsPerDimension: 65_535 };

/** Returns the limits of a device. Its traits are not among them, since they take a self-test to know. */
export function kernelLimits({
  limits,
  adapterInfo,
}: Pick<GPUDevice, "limits" | "adapterInfo">): KernelLimits {
  return {
    workgroupsPerDimension: limits.maxComputeWorkgroupsPerDimension,
    workgroupBytes: limits.maxComputeWorkgroupStorageSize,
    workgroupThreads: Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX),
    bindingBytes: limits.maxStorageBufferBindingSize,
    subgroupSize: adapterInfo.subgroupMinSize,
  };
}

export type Grid = readonly [x: number, y: number, z: number];

export interface Pass {
  /** Traces and error messages name the pass so, such as "knn.select". */
  readonly label: string;
  /** It is the whole WGSL text; its entry point is `main`. */
  readonly code: string;
  /** It lists the bindings in the order of @binding(1), @binding(2), ... of group 0. */
  readonly bindings: readonly PassBinding[];
  /** The struct at @binding(0) has these 32-bit words. */
  readonly uniform: readonly number[];
  readonly workgroups: Grid;
}

export interface PassBinding extends Pick<Binding, "name" | "access"> {
  /** These bytes of the buffer are bound; default all that the caller gives. */
  readonly part?: { readonly offset: number; readonly size: number };
}

export interface PassParts extends ShaderParts {
  readonly label: string;
  /** There are so many workgroups; the shader numbers them by `linearGroup` (compose.ts). */
  readonly groups: number;
}

export function makePass(parts: PassParts, limits: KernelLimits): Pass {
  return {
    label: parts.label,
    code: compose(parts),
    bindings: parts.bindings,
    uniform: packUniforms(parts.uniforms),
    workgroups: foldGroups(parts.groups, limits.workgroupsPerDimension),
  };
}

/**
 * Returns a grid of at least `groups` workgroups, none of its sides above `side`. It may hold a few more than
 * asked for, which the shader must leave idle.
 * @throws RangeError when three dimensions do not suffice.
 */
export function foldGroups(groups: number, side: number): Grid {
  if (groups <= side) return [groups, 1, 1];
  const rows = ceilDiv(groups, side);
  if (rows <= side) return [ceilDiv(groups, rows), rows, 1];
  const layers = ceilDiv(rows, side);
  if (layers > side) throw new RangeError(`${groups} workgroups do not fit a grid of side ${side}`);
  const perLayer = ceilDiv(rows, layers);
  return [ceilDiv(groups, perLayer * layers), perLayer, layers];
}
