/**
 * This module makes the passes of `scan` over tiles (runtime/gpu/collectives/tileScan.ts). The contract is
 * ops/scan/contract.ts.
 */
import { elementBytes } from "../../runtime/element.ts";
import { SCAN_TILE, scanScratchBytes } from "../../runtime/tileScan.ts";
import type { ScanBinding, ScanParams } from "./contract.ts";
import { valueSnippets, valueType } from "../../runtime/gpu/collectives/element.ts";
import type { GpuKernel } from "../../runtime/gpu/passes/kernel.ts";
import type { KernelLimits, Pass } from "../../runtime/gpu/passes/pass.ts";
import { fromInput, tileScanPasses, toOutput } from "../../runtime/gpu/collectives/tileScan.ts";
import * as wgsl from "./wgsl.generated.ts";

export { unpack } from "../../runtime/gpu/collectives/tileScan.ts";

export const scanKernel: GpuKernel<ScanParams, ScanBinding> = {
  passes: scanPasses,
  bytes: ({ count }) => ({
    input: elementBytes(count),
    output: elementBytes(count),
    scratch: scanScratchBytes(count),
  }),
  wantsTraits: () => true,
};

export function scanPasses(params: ScanParams, limits: KernelLimits): readonly Pass[] {
  const { type, op, exclusive, count, initial } = params;
  if (count === 0) return [];
  const floatKeys = type === "f32" && op !== "sum";
  return tileScanPasses(
    {
      label: "scan",
      count,
      initial,
      tile: SCAN_TILE,
      valueType: valueType(type, op),
      combine: valueSnippets(type, op),
      load: fromInput(floatKeys ? wgsl.scan_floats : undefined),
      store: toOutput(exclusive, floatKeys ? wgsl.run_floats : undefined),
    },
    limits,
  );
}
