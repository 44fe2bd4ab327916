/**
 * This module makes the two passes of `sort.merge`: one cuts the merge into tiles by merge path, the other
 * merges each tile in workgroup memory. The contract is contract.ts beside this file.
 */
import { ceilDiv } from "../../../core/math.ts";
import type { Binding, UniformField } from "../../../runtime/gpu/passes/compose.ts";
import type { GpuKernel } from "../../../runtime/gpu/passes/kernel.ts";
import { makePass, type KernelLimits, type Pass } from "../../../runtime/gpu/passes/pass.ts";
import { flips, isFloat, keyBytes, keyWords, maskOf } from "../contract.ts";
import type { MergeBinding, MergeParams } from "./contract.ts";
import { wgsl } from "../wgsl.ts";
import { cutBytes, mergeTile, MERGE_THREADS } from "./layout.ts";

export { unpack } from "../wgsl.ts";

export const mergeKernel: GpuKernel<MergeParams, MergeBinding> = {
  passes: mergePasses,
  bytes: ({ type, left, right, count, carries }) => {
    const words = keyWords(type);
    const valueBytes = (some: number) => (carries ? keyBytes(some) : 0);
    return {
      leftKeys: keyBytes(left, words),
      rightKeys: keyBytes(right, words),
      leftValues: valueBytes(left),
      rightValues: valueBytes(right),
      keys: keyBytes(count, words),
      values: valueBytes(count),
      cuts: cutBytes(count, words),
    };
  },
};

export function mergePasses(params: MergeParams, limits: KernelLimits): readonly Pass[] {
  const { type, left, right, begin, count, carries, leftAdd, rightAdd } = params;
  if (count === 0) return [];
  const words = keyWords(type);
  const TILE = mergeTile(words);
  const tiles = ceilDiv(count, TILE);
  const { low, high } = flips(params);
  const [maskLow, maskHigh] = maskOf(params.beginBit, params.endBit);
  const uniforms: UniformField[] = Object.entries({
    ...{ low, high, maskLow, maskHigh },
    ...{ left, right, begin, count, tiles, cuts: tiles + 1, leftAdd, rightAdd },
  }).map(([name, value]) => [name, "u32", value]);
  const common = {
    snippets: [words === 1 ? wgsl("sort_key_narrow") : wgsl("sort_key_wide"), wgsl("sort_order")],
    constants: { THREADS: MERGE_THREADS, TILE, FLOAT: isFloat(type) },
    uniforms,
  };
  const keyType = words === 1 ? "array<u32>" : "array<vec2u>";
  const bind = (name: MergeBinding, access: Binding["access"], type = "array<u32>"): Binding => {
    return { name, access, type };
  };
  const runs = [bind("leftKeys", "read", keyType), bind("rightKeys", "read", keyType)];
  const carried = [bind("leftValues", "read"), bind("rightValues", "read"), bind("values", "read_write")];
  return [
    makePass(
      {
        ...common,
        label: "sort.cuts",
        body: wgsl("sort_merge_cuts"),
        bindings: [...runs, bind("cuts", "read_write")],
        groups: ceilDiv(tiles + 1, MERGE_THREADS),
      },
      limits,
    ),
    makePass(
      {
        ...common,
        label: "sort.merge",
        body: wgsl("sort_merge"),
        snippets: [...common.snippets, carries ? wgsl("sort_carry_words") : wgsl("sort_carry_none")],
        constants: { ...common.constants, ITEMS: TILE / MERGE_THREADS },
        bindings: [
          ...runs,
          bind("keys", "read_write", keyType),
          bind("cuts", "read"),
          ...(carries ? carried : []),
        ],
        groups: tiles,
      },
      limits,
    ),
  ];
}
