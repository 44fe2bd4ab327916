/**
 * This module makes the passes of `unique`, which compact the elements that begin a run. The contract is
 * ops/compact/contract/unique.ts.
 */
import { elementBytes } from "../../../runtime/element.ts";
import { scanScratchBytes } from "../../../runtime/tileScan.ts";
import { type UniqueParams, type UniqueBinding } from "../contract/unique.ts";
import { inputBinding, keepPasses, wordsBinding } from "./compact.ts";
import type { GpuKernel } from "../../../runtime/gpu/passes/kernel.ts";
import type { KernelLimits, Pass } from "../../../runtime/gpu/passes/pass.ts";
import { uniquePolicy } from "../policy.ts";
import type { TileStage } from "../../../runtime/gpu/collectives/tileScan.ts";
import { wgsl } from "./wgsl.ts";

export { unpack } from "./wgsl.ts";

export const uniqueKernel: GpuKernel<UniqueParams, UniqueBinding> = {
  passes: uniquePasses,
  bytes: ({ count, capacity }) => ({
    input: elementBytes(count),
    values: capacity * 4,
    found: 4,
    scratch: scanScratchBytes(count),
  }),
  wantsTraits: () => true,
};

export function uniquePasses(params: UniqueParams, limits: KernelLimits): readonly Pass[] {
  return keepPasses(
    {
      label: "unique",
      count: params.count,
      tile: uniquePolicy.tile,
      load: headsOf(params),
      store: {
        snippets: [wgsl("fetch_held"), wgsl("compact_values"), wgsl("compact_store")],
        bindings: [wordsBinding("values"), wordsBinding("found")],
        uniforms: [
          ["capacity", "u32", params.capacity],
          ["firstIndex", "u32", 0],
        ],
      },
    },
    limits,
  );
}

/** Makes the flags of the elements that begin a run. */
export function headsOf({ type, continued }: UniqueParams): TileStage {
  return {
    snippets: [wgsl("kept_tile"), wgsl("heads")],
    bindings: [inputBinding],
    uniforms: [["continued", "u32", continued ? 1 : 0]],
    constants: { FLOAT: type === "f32" },
  };
}
