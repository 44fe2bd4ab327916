/**
 * `runLength` as passes: compact, of the elements that begin a run, which are the ends of the runs before; then lengths from
 * begins and ends. What it promises stands in core/primitives/runLength.ts.
 */
import { ceilDiv } from "../core/math.ts";
import { elementBytes, scanScratchBytes, type RunLengthParams } from "../core/primitives.ts";
import { inputBinding, keepPasses, wordsBinding } from "./compact.ts";
import type { Kernel } from "./index.ts";
import { makePass, type KernelLimits, type Pass } from "./pass.ts";
import { runLengthPolicy } from "./policy.ts";
import { headsOf } from "./unique.ts";
import * as wgsl from "./wgsl.generated.ts";

export const runLengthKernel: Kernel<"runLength"> = {
  name: "runLength",
  passes: runLengthPasses,
  bytes: ({ count, capacity }) => ({
    input: elementBytes(count),
    values: capacity * 4,
    counts: capacity * 4,
    offsets: capacity * 4,
    found: 4,
    scratch: scanScratchBytes(count),
  }),
  wantsTraits: true,
};

export function runLengthPasses(params: RunLengthParams, limits: KernelLimits): readonly Pass[] {
  const { count, capacity, firstIndex, path } = params;
  const written = ["values", "offsets", "counts", "found"].map(wordsBinding);
  const passes = keepPasses(
    {
      label: "runLength",
      count,
      path,
      load: headsOf(params),
      store: {
        snippets: [wgsl.compact_runs, wgsl.compact_store],
        bindings: [inputBinding, ...written],
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

/** Few workgroups go over as many runs as there are, which only the device knows. */
function countsPass({ count, capacity, firstIndex }: RunLengthParams, limits: KernelLimits): Pass {
  const { threads, groups } = runLengthPolicy;
  return makePass(
    {
      label: "runLength.counts",
      body: wgsl.run_counts,
      snippets: [wgsl.linear_group],
      constants: { THREADS: threads },
      uniforms: [
        ["capacity", "u32", capacity],
        ["end", "u32", firstIndex + count],
      ],
      bindings: [
        wordsBinding("counts"),
        { ...wordsBinding("offsets"), access: "read" },
        { ...wordsBinding("found"), access: "read" },
      ],
      groups: Math.max(1, Math.min(groups, ceilDiv(Math.min(capacity, count), threads))),
    },
    limits,
  );
}
