/**
 * This module makes the passes of `compact`: a scan of flags, 1 for each element that is kept, whose prefixes
 * are the places of those elements. The contract is ops/compact/contract/compact.ts.
 */
import { elementBytes } from "../../../runtime/element.ts";
import { flagBytes, type CompactParams, type FlagType, type CompactBinding } from "../contract/compact.ts";
import { scanScratchBytes } from "../../../runtime/tileScan.ts";
import type { Binding } from "../../../runtime/gpu/passes/compose.ts";
import { valueSnippets } from "../../../runtime/gpu/collectives/element.ts";
import type { GpuKernel } from "../../../runtime/gpu/passes/kernel.ts";
import { makePass, type KernelLimits, type Pass } from "../../../runtime/gpu/passes/pass.ts";
import { compactPolicy } from "../policy.ts";
import { tileScanPasses, type TileScan } from "../../../runtime/gpu/collectives/tileScan.ts";
import { wgsl } from "./wgsl.ts";

export { unpack } from "./wgsl.ts";

export const compactKernel: GpuKernel<CompactParams, CompactBinding> = {
  passes: compactPasses,
  bytes: (params) => ({
    input: params.values ? elementBytes(params.count) : 0,
    flags: flagBytes(params),
    values: params.values ? params.capacity * 4 : 0,
    indices: params.indices ? params.capacity * 4 : 0,
    found: 4,
    scratch: scanScratchBytes(params.count),
  }),
  wantsTraits: () => true,
};

export function compactPasses(params: CompactParams, limits: KernelLimits): readonly Pass[] {
  const { flags } = params;
  return keepPasses(
    {
      label: "compact",
      count: params.count,
      tile: compactPolicy.tile,
      load: {
        snippets: [wgsl("kept_tile"), wgsl(`flags_${flags}`), wgsl("compact_load")],
        bindings: [{ name: "flags", access: "read", type: flagArrays[flags] }],
      },
      store: {
        snippets: [
          params.values ? wgsl("fetch_elements") : wgsl("fetch_nothing"),
          storeSnippet(params),
          wgsl("compact_store"),
        ],
        bindings: [
          ...(params.values ? [inputBinding, wordsBinding("values")] : []),
          ...(params.indices ? [wordsBinding("indices")] : []),
          wordsBinding("found"),
        ],
        uniforms: [
          ["capacity", "u32", params.capacity],
          ["firstIndex", "u32", params.firstIndex],
        ],
      },
    },
    limits,
  );
}

const flagArrays: Record<FlagType, string> = { u8: "array<u32>", u32: "array<vec4u>" };

function storeSnippet({ values, indices }: CompactParams) {
  if (values && indices) return wgsl("compact_both");
  return values ? wgsl("compact_values") : wgsl("compact_indices");
}

/** Makes the passes of a scan of flags. */
export function keepPasses(
  scan: Pick<TileScan, "label" | "count" | "tile" | "load" | "store">,
  limits: KernelLimits,
): readonly Pass[] {
  if (scan.count === 0) return [nonePass(scan.label, limits)];
  return tileScanPasses(
    { ...scan, initial: 0, valueType: "u32", combine: valueSnippets("u32", "sum") },
    limits,
  );
}

function nonePass(label: string, limits: KernelLimits): Pass {
  return makePass(
    {
      label: `${label}.none`,
      body: wgsl("compact_none"),
      uniforms: [["unused", "u32", 0]],
      bindings: [wordsBinding("found")],
      groups: 1,
    },
    limits,
  );
}

export const inputBinding: Binding = { name: "input", access: "read", type: "array<vec4u>" };

export function wordsBinding(name: string): Binding {
  return { name, access: "read_write", type: "array<u32>" };
}
