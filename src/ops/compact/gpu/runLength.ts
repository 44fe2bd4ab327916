/**
 * This module makes the passes of `runLength`: compact of the elements that begin a run, then the lengths of
 * runs that go on past what a workgroup saw at once. The contract is ops/compact/contract/runLength.ts.
 */
import { ceilDiv } from "../../../core/math.ts";
import { elementBytes } from "../../../runtime/element.ts";
import { scanScratchBytes } from "../../../runtime/tileScan.ts";
import { type RunLengthParams, type RunLengthBinding } from "../contract/runLength.ts";
import { keepPasses, wordsBinding } from "./compact.ts";
import type { GpuKernel } from "../../../runtime/gpu/passes/kernel.ts";
import { makePass, type KernelLimits, type Pass } from "../../../runtime/gpu/passes/pass.ts";
import { runLengthPolicy } from "../policy.ts";
import { headsOf } from "./unique.ts";
import { wgsl } from "./wgsl.ts";

export { unpack } from "./wgsl.ts";

export const runLengthKernel: GpuKernel<RunLengthParams, RunLengthBinding> = {
  passes: runLengthPasses,
  bytes: ({ count, capacity }) => ({
    input: elementBytes(count),
    values: capacity * 4,
    counts: capacity * 4,
    offsets: capacity * 4,
    found: 4,
    scratch: scanScratchBytes(count),
  }),
  wantsTraits: () => true,
};

export function runLengthPasses(params: RunLengthParams, limits: KernelLimits): readonly Pass[] {
  const { count, capacity, firstIndex } = params;
  const written = ["values", "offsets", "counts", "found"].map(wordsBinding);
  const passes = keepPasses(
    {
      label: "runLength",
      count,
      tile: runLengthPolicy.tile,
      load: headsOf(params),
      store: {
        snippets: [wgsl("fetch_held"), wgsl("compact_runs"), wgsl("compact_store")],
        bindings: written,
        uniforms: [
          ["capacity", "u32", capacity],
          ["firstIndex", "u32", firstIndex],
        ],
      },
    },
    limits,
  );
  return count === 0 ? passes : [...passes, countsPass(params, limits)];
}

/** Makes the pass with at least one lane for each part of a tile that compact_store writes at a time. */
function countsPass({ count, capacity, firstIndex }: RunLengthParams, limits: KernelLimits): Pass {
  const { tile, threads } = runLengthPolicy;
  const part = tile / 4;
  return makePass(
    {
      label: "runLength.counts",
      body: wgsl("run_counts"),
      constants: { THREADS: threads },
      uniforms: [
        ["capacity", "u32", capacity],
        ["count", "u32", count],
        ["firstIndex", "u32", firstIndex],
        ["part", "u32", part],
      ],
      bindings: [
        wordsBinding("counts"),
        { ...wordsBinding("offsets"), access: "read" },
        { ...wordsBinding("found"), access: "read" },
      ],
      groups: ceilDiv(count, part * threads),
    },
    limits,
  );
}
