/** `scan` as passes over tiles (tileScan.ts). What it promises stands in core/primitives/scan.ts. */
import { elementBytes, SCAN_TILE, scanScratchBytes, type ScanParams } from "../../runtime/primitives.ts";
import { valueSnippets, valueType } from "../../runtime/gpu/collectives/element.ts";
import type { Kernel } from "../../runtime/gpu/passes/kernel.ts";
import type { KernelLimits, Pass } from "../../runtime/gpu/passes/pass.ts";
import { tileScanPasses } from "../../runtime/gpu/collectives/tileScan.ts";
import * as tileScanWgsl from "../../runtime/gpu/collectives/tileScan/wgsl.generated.ts";
import * as wgsl from "./wgsl.generated.ts";

export const scanKernel: Kernel<"scan"> = {
  name: "scan",
  passes: scanPasses,
  bytes: ({ count }) => ({
    input: elementBytes(count),
    output: elementBytes(count),
    scratch: scanScratchBytes(count),
  }),
  wantsTraits: true,
};

export function scanPasses(params: ScanParams, limits: KernelLimits): readonly Pass[] {
  const { type, op, exclusive, count, initial, path } = params;
  if (count === 0) return [];
  const floatKeys = type === "f32" && op !== "sum";
  return tileScanPasses(
    {
      label: "scan",
      count,
      initial,
      path,
      tile: SCAN_TILE,
      valueType: valueType(type, op),
      combine: valueSnippets(type, op),
      load: {
        snippets: [floatKeys ? wgsl.scan_floats : tileScanWgsl.scan_plain, tileScanWgsl.scan_load],
        bindings: [{ name: "input", access: "read", type: "array<vec4u>" }],
      },
      store: {
        snippets: [tileScanWgsl.scan_store, floatKeys ? wgsl.run_floats : tileScanWgsl.run_plain],
        bindings: [{ name: "output", access: "read_write", type: "array<vec4u>" }],
        uniforms: [["exclusive", "u32", exclusive ? 1 : 0]],
      },
    },
    limits,
  );
}
