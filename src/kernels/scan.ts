/**
 * `scan` as passes: chained in one pass where a waiting workgroup is known not to block those it waits for, else in blocks.
 * What it promises stands in core/primitives/scan.ts. Both ways combine the same values in the same order, so they give the
 * same bits.
 */
import { ceilDiv } from "../core/math.ts";
import {
  elementBytes,
  SCAN_GROUP_TILES,
  SCAN_TILE,
  scanScratchBytes,
  type ScanParams,
} from "../core/primitives.ts";
import type { Binding, ShaderParts } from "./compose.ts";
import { valueSnippets, valueType } from "./element.ts";
import type { Kernel } from "./index.ts";
import { makePass, type KernelLimits, type Pass } from "./pass.ts";
import { scanPolicy } from "./policy.ts";
import * as wgsl from "./wgsl.generated.ts";

/** A lane has sixteen elements; and it looks at one tile of its group. */
const THREADS = SCAN_GROUP_TILES;

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
  if (params.count === 0) return [];
  const method = params.path?.method ?? (limits.traits?.forwardProgress ? "chained" : "blocks");
  if (method === "blocks") return blockPasses(params, limits, false);
  return [clearPass(params, limits), chainedPass(params, limits), ...blockPasses(params, limits, true)];
}

function clearPass({ count }: ScanParams, limits: KernelLimits): Pass {
  const words = scanScratchBytes(count) / 4;
  return makePass(
    {
      label: "scan.clear",
      body: wgsl.scan_clear,
      snippets: [wgsl.linear_group],
      constants: { THREADS },
      uniforms: [["words", "u32", words]],
      bindings: [{ name: "scratch", access: "read_write", type: "array<u32>" }],
      groups: ceilDiv(words, THREADS),
    },
    limits,
  );
}

function chainedPass(params: ScanParams, limits: KernelLimits): Pass {
  const parts = partsOf(params, limits);
  const patience = params.path?.patience ?? scanPolicy.patience;
  return makePass(
    {
      ...parts,
      label: "scan.chained",
      body: wgsl.scan_chained,
      snippets: [...tileSnippets(params, limits), wgsl.scan_store, wgsl.reduce_lanes],
      uniforms: [...parts.uniforms, ["patience", "u32", patience]],
      bindings: [inputBinding, outputBinding, scratchBinding("read_write", "array<atomic<u32>>")],
      groups: tilesOf(params),
    },
    limits,
  );
}

/** @param mend only when the chained pass gave up */
function blockPasses(params: ScanParams, limits: KernelLimits, mend: boolean): Pass[] {
  const common = partsOf(params, limits);
  const parts = { ...common, uniforms: [...common.uniforms, ["mend", "u32", mend ? 1 : 0]] as const };
  const tiles = mend ? Math.min(tilesOf(params), scanPolicy.mendGroups) : tilesOf(params);
  const values = [wgsl.linear_group, ...valueSnippets(params.type, params.op), wgsl.scan_state] as const;
  const loads = tileSnippets(params, limits);
  return [
    makePass(
      {
        ...parts,
        label: "scan.sums",
        body: wgsl.scan_sums,
        snippets: loads,
        bindings: [inputBinding, scratchBinding("read_write")],
        groups: tiles,
      },
      limits,
    ),
    makePass(
      {
        ...parts,
        label: "scan.groups",
        body: wgsl.scan_groups,
        snippets: [...values, wgsl.reduce_lanes],
        bindings: [scratchBinding("read_write")],
        groups: groupsOf(params),
      },
      limits,
    ),
    makePass(
      {
        ...parts,
        label: "scan.chain",
        body: wgsl.scan_chain,
        snippets: values,
        bindings: [scratchBinding("read_write")],
        groups: 1,
      },
      limits,
    ),
    makePass(
      {
        ...parts,
        label: "scan.apply",
        body: wgsl.scan_apply,
        snippets: [...loads, wgsl.scan_store, wgsl.reduce_lanes],
        bindings: [inputBinding, outputBinding, scratchBinding("read")],
        groups: tiles,
      },
      limits,
    ),
  ];
}

type Common = Required<Pick<ShaderParts, "directives" | "constants" | "aliases">> &
  Pick<ShaderParts, "uniforms">;

function partsOf(params: ScanParams, limits: KernelLimits): Common {
  return {
    directives: usesSubgroups(params, limits)
      ? ["enable subgroups", "diagnostic(off, subgroup_uniformity)"]
      : [],
    constants: { THREADS, GROUP_TILES: SCAN_GROUP_TILES },
    aliases: { Value: valueType(params.type, params.op) },
    uniforms: [
      ["count", "u32", params.count],
      ["tiles", "u32", tilesOf(params)],
      ["groups", "u32", groupsOf(params)],
      ["initial", "u32", params.initial],
      ["exclusive", "u32", params.exclusive ? 1 : 0],
    ],
  };
}

function tileSnippets(params: ScanParams, limits: KernelLimits): string[] {
  return [
    wgsl.linear_group,
    ...valueSnippets(params.type, params.op),
    usesSubgroups(params, limits) ? wgsl.strip_subgroup : wgsl.strip_workgroup,
    wgsl.scan_tile,
    wgsl.scan_state,
  ];
}

function usesSubgroups({ path }: ScanParams, { traits }: KernelLimits): boolean {
  return path?.subgroups ?? traits?.subgroups ?? false;
}

function tilesOf({ count }: ScanParams): number {
  return ceilDiv(count, SCAN_TILE);
}

function groupsOf(params: ScanParams): number {
  return ceilDiv(tilesOf(params), SCAN_GROUP_TILES);
}

const inputBinding: Binding = { name: "input", access: "read", type: "array<vec4u>" };
const outputBinding: Binding = { name: "output", access: "read_write", type: "array<vec4u>" };

function scratchBinding(access: Binding["access"], type = "array<u32>"): Binding {
  return { name: "scratch", access, type };
}
