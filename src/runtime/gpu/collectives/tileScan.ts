/**
 * This is a scan over tiles as passes: chained in one pass where a waiting workgroup is known not to block
 * those it waits for, else in blocks. Both variants combine the same values in the same order, so they give
 * the same bits. Where values come from and where prefixes go is the caller's, as snippets: one may write the
 * prefixes, another may write elements to the places that they name.
 */
import { ceilDiv } from "../../../core/math.ts";
import { SCAN_GROUP_TILES, scanScratchBytes } from "../../tileScan.ts";
import type { Binding, ShaderParts, UniformField } from "../passes/compose.ts";
import { makePass, type KernelLimits, type Pass } from "../passes/pass.ts";
import { scan_clear } from "./clear/wgsl.generated.ts";
import { scanPolicy } from "./policy.ts";
import { wgsl } from "./tileScan/wgsl.ts";

export { unpack } from "./tileScan/wgsl.ts";

export interface TileScan {
  /** The labels of its passes begin with it. */
  readonly label: string;
  /** There are so many elements, at least 1. */
  readonly count: number;
  /** These bits come before the first value. */
  readonly initial: number;
  /**
   * A tile has so many elements, a multiple of SCAN_TILE. Scratch is sized by SCAN_TILE, and sums of float32
   * associate by it.
   */
  readonly tile: number;
  readonly valueType: "u32" | "f32";
  /** These snippets combine values. */
  readonly combine: readonly string[];
  /**
   * These snippets have `loadTile` and `vectorSums`, which make values; and those of `store` have
   * `storeTile`, which is given prefixes.
   */
  readonly load: TileStage;
  readonly store: TileStage;
}

/** A stage has these snippets, with what they need beside the globals of scan_tile. */
export interface TileStage {
  readonly snippets: readonly string[];
  readonly bindings: readonly Binding[];
  readonly uniforms?: readonly UniformField[];
  readonly constants?: ShaderParts["constants"];
}

/**
 * Makes the stage that takes values from the binding `input`, as they are.
 * @param held the snippet that says what a tile holds of words
 */
export function fromInput(held: string = wgsl("scan_plain")): TileStage {
  return {
    snippets: [held, wgsl("scan_load")],
    bindings: [{ name: "input", access: "read", type: "array<vec4u>" }],
  };
}

/**
 * Makes the stage that writes prefixes to the binding `output`.
 * @param run the snippet that makes elements of what a tile holds
 */
export function toOutput(exclusive: boolean, run: string = wgsl("run_plain")): TileStage {
  return {
    snippets: [wgsl("scan_store"), run],
    bindings: [{ name: "output", access: "read_write", type: "array<vec4u>" }],
    uniforms: [["exclusive", "u32", exclusive ? 1 : 0]],
  };
}

/** A workgroup has this many lanes: each looks at one tile of its group. */
const THREADS = SCAN_GROUP_TILES;

export function tileScanPasses(scan: TileScan, limits: KernelLimits): readonly Pass[] {
  if (!limits.traits?.forwardProgress) return blockPasses(scan, limits);
  return [clearPass(scan, limits), chainedPass(scan, limits), recomputePass(scan, limits)];
}

function clearPass({ label, count }: TileScan, limits: KernelLimits): Pass {
  const words = scanScratchBytes(count) / 4;
  return makePass(
    {
      label: `${label}.clear`,
      body: scan_clear,
      constants: { THREADS },
      uniforms: [["words", "u32", words]],
      bindings: [{ name: "scratch", access: "read_write", type: "array<u32>" }],
      groups: ceilDiv(words, THREADS),
    },
    limits,
  );
}

function chainedPass(scan: TileScan, limits: KernelLimits): Pass {
  const parts = partsOf(scan, limits, [scan.load, scan.store]);
  const patience = limits.traits?.patience ?? scanPolicy.patience;
  return makePass(
    {
      ...parts,
      snippets: [...parts.snippets, wgsl("scan_halves")],
      uniforms: [...parts.uniforms, ["patience", "u32", patience]],
      label: `${scan.label}.chained`,
      body: wgsl("scan_chained"),
      bindings: [...bindingsOf([scan.load, scan.store]), scratchBinding("read_write", "array<atomic<u32>>")],
      groups: Math.min(tilesOf(scan), scanPolicy.chainedGroups),
    },
    limits,
  );
}

/** Makes the pass that does again what chainedPass gave up. */
function recomputePass(scan: TileScan, limits: KernelLimits): Pass {
  const { label, load, store } = scan;
  const parts = partsOf(scan, limits, [load, store]);
  return makePass(
    {
      ...parts,
      snippets: [...parts.snippets, wgsl("scan_halves")],
      label: `${label}.recompute`,
      body: wgsl("scan_recompute"),
      bindings: [...bindingsOf([load, store]), scratchBinding("read_write")],
      groups: Math.min(tilesOf(scan), scanPolicy.recomputeGroups),
    },
    limits,
  );
}

function blockPasses(scan: TileScan, limits: KernelLimits): Pass[] {
  const { label, load, store } = scan;
  const tiles = tilesOf(scan);
  const parts = (stages: readonly TileStage[]) => partsOf(scan, limits, stages);
  return [
    makePass(
      {
        ...parts([load]),
        label: `${label}.sums`,
        body: wgsl("scan_sums"),
        bindings: [...load.bindings, scratchBinding("read_write")],
        groups: tiles,
      },
      limits,
    ),
    makePass(
      {
        ...parts([]),
        label: `${label}.groups`,
        body: wgsl("scan_groups"),
        bindings: [scratchBinding("read_write")],
        groups: groupsOf(scan),
      },
      limits,
    ),
    makePass(
      {
        ...parts([]),
        label: `${label}.chain`,
        body: wgsl("scan_chain"),
        bindings: [scratchBinding("read_write")],
        groups: 1,
      },
      limits,
    ),
    makePass(
      {
        ...parts([load, store]),
        label: `${label}.apply`,
        body: wgsl("scan_apply"),
        bindings: [...bindingsOf([load, store]), scratchBinding("read")],
        groups: tiles,
      },
      limits,
    ),
  ];
}

type StageParts = Required<Pick<ShaderParts, "directives" | "snippets" | "constants" | "aliases">> &
  Pick<ShaderParts, "uniforms">;

/**
 * Returns all but body and bindings of a pass. Without stages it has no tile, and its text is the same for
 * whoever scans.
 */
function partsOf(scan: TileScan, limits: KernelLimits, stages: readonly TileStage[]): StageParts {
  const subgroups = limits.traits?.subgroups ?? false;
  return {
    directives: subgroups ? ["enable subgroups", "diagnostic(off, subgroup_uniformity)"] : [],
    constants: {
      THREADS,
      GROUP_TILES: SCAN_GROUP_TILES,
      ...(stages.length > 0 ? { VECTORS: scan.tile / (4 * THREADS) } : {}),
      ...Object.fromEntries(stages.flatMap(({ constants }) => Object.entries(constants ?? {}))),
    },
    aliases: { Value: scan.valueType },
    snippets: [
      ...scan.combine,
      subgroups ? wgsl("lanes_subgroup") : wgsl("lanes_workgroup"),
      wgsl("scan_state"),
      ...(stages.length > 0 ? [wgsl("scan_tile"), wgsl("scan_begin")] : []),
      ...stages.flatMap((stage) => stage.snippets),
    ],
    uniforms: [
      ["count", "u32", scan.count],
      ["tiles", "u32", tilesOf(scan)],
      ["groups", "u32", groupsOf(scan)],
      ["initial", "u32", scan.initial],
      ...stages.flatMap((stage) => stage.uniforms ?? []),
    ],
  };
}

/** Returns the bindings of all stages, each once. */
function bindingsOf(stages: readonly TileStage[]): Binding[] {
  const all = stages.flatMap(({ bindings }) => bindings);
  return [...new Map(all.map((binding) => [binding.name, binding])).values()];
}

function scratchBinding(access: Binding["access"], type = "array<u32>"): Binding {
  return { name: "scratch", access, type };
}

function tilesOf({ count, tile }: TileScan): number {
  return ceilDiv(count, tile);
}

function groupsOf(scan: TileScan): number {
  return ceilDiv(tilesOf(scan), SCAN_GROUP_TILES);
}
