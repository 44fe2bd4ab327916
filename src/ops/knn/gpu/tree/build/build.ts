/**
 * This is `knn.tree` as passes, for rows of up to three columns. Points are put in order by cells that are
 * halves of halves of the box of all. Cells that hold many are divided again in the box of their own points,
 * so that clusters and empty space cost little. A tree with `cells` puts them in order once, by the cells of
 * a uniform grid. Leaves are points that follow each other. What is promised stands in contract/tree.ts; the
 * order of points within a cell differs from run to run, and leads to the same neighbours.
 */
import { ceilDiv } from "../../../../../core/math.ts";
import * as keys from "../../../../../runtime/gpu/collectives/keys/wgsl.generated.ts";
import { valueSnippets, valueType } from "../../../../../runtime/gpu/collectives/element.ts";
import { fromInput, tileScanPasses, toOutput } from "../../../../../runtime/gpu/collectives/tileScan.ts";
import type { GpuKernel } from "../../../../../runtime/gpu/passes/kernel.ts";
import {
  makePass,
  type KernelLimits,
  type Pass,
  type PassParts,
} from "../../../../../runtime/gpu/passes/pass.ts";
import { SCAN_TILE } from "../../../../../runtime/tileScan.ts";
import {
  cellSlots,
  gpuTreeBytes,
  leavesOf,
  treeScratchBytes,
  type KnnTreeBinding,
  type KnnTreeParams,
  type TreeScratch,
} from "../../../contract/tree.ts";
import { RUN_PLACES, treeRuns } from "../../../contract/treeRuns.ts";
import { knnTreePolicy } from "../policy.ts";
import { nodeUniforms } from "../uniforms.ts";
import { wgsl } from "../wgsl.ts";

export const knnTreeKernel: GpuKernel<KnnTreeParams, KnnTreeBinding | TreeScratch> = {
  passes: (tree, limits) => buildPasses(tree, limits),
  bytes: (tree) => ({
    refs: tree.rows * tree.stride * 4,
    refMeta: tree.rows * 16,
    ...noBytes,
    ...gpuTreeBytes(tree),
    ...treeScratchBytes(tree),
  }),
};

/** The CPU's trees have these buffers, of which a GPU needs none. */
const noBytes = { points: 0, order: 0, margins: 0, boxes: 0, nodeMargins: 0 };

/**
 * These names replace those by which a kernel calls its bindings: the buffers of a round are those of the
 * next one turned.
 */
export type Names = Readonly<Record<string, string>>;

export function renamed(pass: Pass, names: Names): Pass {
  const bindings = pass.bindings.map((each) => ({ ...each, name: names[each.name] ?? each.name }));
  return { ...pass, bindings };
}

/** Makes the passes that sum counts up to starts. */
export function startsPasses(count: number, names: Names, limits: KernelLimits): readonly Pass[] {
  const scan = {
    ...{ label: "knn.tree.starts", count, initial: 0, path: undefined, tile: SCAN_TILE },
    ...{ valueType: valueType("u32", "sum"), combine: valueSnippets("u32", "sum") },
    ...{ load: fromInput(), store: toOutput(true) },
  };
  return tileScanPasses(scan, limits).map((pass) => renamed(pass, { scratch: "sums", ...names }));
}

/**
 * Makes a pass of lanes that have one item each. `types` are those of its bindings, and "!" marks those that
 * it writes.
 */
export function itemsPass(
  label: string,
  body: string,
  items: number,
  types: Names,
  { constants, ...more }: Partial<PassParts>,
  limits: KernelLimits,
): Pass {
  const { threads: THREADS } = knnTreePolicy;
  const bindings = Object.entries(types).map(([name, type]) => ({
    name,
    access: type.endsWith("!") ? ("read_write" as const) : ("read" as const),
    type: `array<${type.replace("!", "")}>`,
  }));
  const parts = { label, body, bindings, uniforms: [], groups: ceilDiv(items, THREADS), ...more };
  return makePass({ ...parts, constants: { THREADS, ...constants } }, limits);
}

/** Makes the passes that build a tree; of rows without `refMeta` where they have no margins. */
export function buildPasses(tree: KnnTreeParams, limits: KernelLimits, hasMargins = true): readonly Pass[] {
  const { rows } = tree;
  const uniforms: PassParts["uniforms"] = [["rows", "u32", rows]];
  const begin = itemsPass(
    "knn.tree.begin",
    wgsl("tree_begin"),
    rows,
    { refs: "vec4u", items: "vec4u!", cells: "u32!", counts: "u32!", starts: "u32!", extents: "u32!" },
    { uniforms: [...uniforms, ["flag", "u32", flagOf(tree)]] },
    limits,
  );
  const rounds = tree.cells === undefined ? knnTreePolicy.rounds : 1;
  const [first = [], ...later] = Array.from({ length: rounds }, (_, round) =>
    roundPasses(tree, round, limits),
  );
  const splits = tree.cells === undefined ? splitPass(tree, limits) : [];
  return [
    begin,
    ...first,
    runsPass(tree, limits),
    ...later.flat(),
    ...splits,
    ...boxPasses(tree, limits, hasMargins),
  ];
}

/** Makes the pass that puts runs of points in the order of a k-d tree. */
function splitPass(tree: KnnTreeParams, limits: KernelLimits): readonly Pass[] {
  const { runs: groups, leafPlaces: PART } = treeRuns(tree);
  const RUN = RUN_PLACES;
  return [
    itemsPass(
      "knn.tree.split",
      wgsl("kd_order"),
      tree.rows,
      { points: "vec4u!" },
      {
        uniforms: [...nodeUniforms(tree), ["groups", "u32", groups]],
        snippets: [wgsl("leaf_begin"), wgsl("split_points")],
        constants: { THREADS: RUN / 8, RUN, PART },
        groups,
      },
      limits,
    ),
  ];
}

/** Every other round has its buffers by other names. The last one leaves items in `points`. */
const names: Names = { nextItems: "points" };
const turned: Names = {
  ...{ items: "points", nextItems: "items", cells: "nextCells", nextCells: "cells" },
  ...{ counts: "nextCounts", nextCounts: "counts", starts: "nextStarts", nextStarts: "starts" },
};

/** The word of `extents` with this number says whether a cell is crowded after the first round. */
function flagOf({ rows }: KnnTreeParams): number {
  return 6 * ceilDiv(rows, knnTreePolicy.crowded);
}

/**
 * Makes the passes that divide the crowded cells and move their items. Those of rounds after the first do
 * nothing where no cell is crowded then.
 */
function roundPasses(tree: KnnTreeParams, round: number, limits: KernelLimits): readonly Pass[] {
  const { rows, cells: CELLS = 0 } = tree;
  const slots = cellSlots(tree);
  const { crowded: CROWDED, span: SPAN } = knnTreePolicy;
  const groups = ceilDiv(rows, SPAN);
  const flag = flagOf(tree);
  const uniforms: PassParts["uniforms"] = [
    ["rows", "u32", rows],
    ["flag", "u32", flag],
    ["round", "u32", round],
  ];
  const snippets = [keys.ordered_key];
  const cellTypes = { items: "vec4u", cells: "u32", counts: "u32", starts: "u32" };
  const now = round % 2 === 0 ? names : turned;
  const passes = [
    itemsPass(
      "knn.tree.clear",
      wgsl("tree_clear"),
      Math.max(slots, flag),
      { nextCounts: "u32!", extents: "u32!" },
      { uniforms: [...uniforms, ["slots", "u32", slots]] },
      limits,
    ),
    itemsPass(
      "knn.tree.extents",
      wgsl("tree_extents"),
      rows,
      { ...cellTypes, extents: "atomic<u32>!" },
      { uniforms: [...uniforms, ["groups", "u32", groups]], snippets, constants: { CROWDED, SPAN }, groups },
      limits,
    ),
    itemsPass(
      "knn.tree.cells",
      wgsl("tree_cells"),
      rows,
      { ...cellTypes, cells: "u32!", extents: "atomic<u32>!", nextCounts: "atomic<u32>!", ranks: "u32!" },
      {
        uniforms,
        snippets: [...snippets, CELLS === 0 ? wgsl("tree_path") : wgsl("grid_path")],
        constants: { CROWDED, ...(CELLS === 0 ? {} : { CELLS }) },
      },
      limits,
    ),
    ...startsPasses(slots, { input: "nextCounts", output: "nextStarts" }, limits),
    itemsPass(
      "knn.tree.move",
      wgsl("tree_move"),
      rows,
      {
        items: "vec4u",
        cells: "u32",
        ranks: "u32",
        nextStarts: "u32",
        extents: "u32",
        nextItems: "vec4u!",
        nextCells: "u32!",
      },
      { uniforms },
      limits,
    ),
  ];
  return passes.map((pass) => renamed(pass, now));
}

/** Makes the pass that says where runs of leaves begin, which follows the first round. */
function runsPass(tree: KnnTreeParams, limits: KernelLimits): Pass {
  const { rows, cells } = tree;
  const { runs, least, most } = treeRuns(tree);
  const isDivided = cells === undefined && rows > knnTreePolicy.crowded;
  return itemsPass(
    "knn.tree.runs",
    wgsl("tree_runs"),
    Math.floor(runs / 4) + 1,
    { nextStarts: "u32", points: "vec4u!" },
    {
      uniforms: [
        ["rows", "u32", rows],
        ["runs", "u32", runs],
        ["least", "u32", least],
        ["most", "u32", most],
        ["halvings", "u32", isDivided ? Math.floor(Math.log2(rows)) : 0],
      ],
    },
    limits,
  );
}

function boxPasses(tree: KnnTreeParams, limits: KernelLimits, hasMargins: boolean): readonly Pass[] {
  const { levels } = tree;
  const leaves = leavesOf(tree);
  const leafPass = itemsPass(
    "knn.tree.leaves",
    wgsl("tree_leaves"),
    leaves,
    { points: "vec4u", boxes: "vec4f!", ...(hasMargins && { refMeta: "vec4f" }) },
    {
      uniforms: nodeUniforms(tree),
      snippets: [wgsl("leaf_begin"), hasMargins ? wgsl("ref_margins") : wgsl("no_margins")],
    },
    limits,
  );
  const passes = [leafPass];
  const { joined } = knnTreePolicy;
  for (let level = levels; level > 0;) {
    const up = Math.min(level, joined);
    level -= up;
    const first = 2 ** level;
    const uniforms: PassParts["uniforms"] = [
      ["first", "u32", first],
      ["up", "u32", up],
    ];
    const parts = { uniforms, constants: { THREADS: 2 ** (joined - 1) }, groups: first };
    passes.push(itemsPass("knn.tree.nodes", wgsl("tree_nodes"), first, { boxes: "vec4f!" }, parts, limits));
  }
  return passes;
}
