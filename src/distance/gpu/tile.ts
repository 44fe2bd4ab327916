/**
 * These are the distances of all pairs of two sets of rows, tile by tile, as the parts of a pass. Every
 * primitive that compares all pairs stands on it; what it does with the distances is its epilogue
 * (epilogue.ts). Sums run over the columns in their order whatever the tile, so that a pair has one value.
 */
import { ceilDiv, roundUp } from "../../core/math.ts";
import type { Binding, ShaderParts, UniformField } from "../../runtime/gpu/passes/compose.ts";
import type { PassParts } from "../../runtime/gpu/passes/pass.ts";
import { pairTileThreads, type PairTile } from "./policy.ts";
import type { Epilogue } from "./epilogue.ts";
import * as wgsl from "./wgsl.generated.ts";

const metricSnippets = {
  dot: wgsl.metric_dot,
  l2: wgsl.metric_l2,
  l1: wgsl.metric_l1,
  linf: wgsl.metric_linf,
  lp: wgsl.metric_lp,
};

/** It says which rows' pairs are compared, and how. */
export interface TileProblem {
  readonly core: keyof typeof metricSnippets;
  /**
   * So many columns count, and so many float32 lie from one row to the next (a multiple of 4, at least dims).
   */
  readonly dims: number;
  readonly stride: number;
  /** It is the factor of inner products, and the exponent of the core lp. */
  readonly weight: number;
  readonly p: number;
  readonly queryRows: number;
  /** Rows [refBegin, refBegin + refRows) of the buffer `refs` are compared. */
  readonly refBegin: number;
  readonly refRows: number;
}

/** These texts and uniforms stand in for the metric's own, where rows are more than plain numbers. */
export interface TileVariant {
  readonly steps?: string;
  /** It replaces the metric of the core. */
  readonly metric?: string;
  readonly differences?: string;
  readonly row?: string;
  readonly constants?: Readonly<Record<string, boolean>>;
  readonly uniforms: readonly UniformField[];
}

/** This says how a workgroup makes a tile. */
export interface TileShape {
  readonly tile: PairTile;
  readonly variant?: TileVariant | undefined;
}

/**
 * Makes a pass of so many workgroups that makes all tiles and hands each to the epilogue.
 * @param groups tileGroups(...)
 */
export function tileParts(
  label: string,
  problem: TileProblem,
  { tile, variant }: TileShape,
  epilogue: Epilogue,
  groups: number,
): PassParts {
  const { core, dims } = problem;
  return {
    label,
    body: wgsl.distance_tile,
    snippets: [
      ...metricOf(core, variant),
      variant?.steps ?? wgsl.distance_steps,
      wgsl.pair_value,
      ...epilogue.snippets,
    ],
    constants: { ...tileConstants(tile, dims), ...variant?.constants, ...epilogue.constants },
    uniforms: [
      ["groups", "u32", groups],
      ["queryRows", "u32", problem.queryRows],
      ["refBegin", "u32", problem.refBegin],
      ["refRows", "u32", problem.refRows],
      ...rowUniforms(problem, variant),
      ...epilogue.uniforms,
    ],
    bindings: [...tileBindings(epilogue), ...epilogue.bindings],
    groups,
  };
}

/**
 * Returns the workgroups that share the tiles, equally many for every tile of queries: each makes `most`
 * tiles where at least `enough` of them are left.
 */
export function tileGroups(
  tile: PairTile,
  { queryRows, refRows }: Pick<TileProblem, "queryRows" | "refRows">,
  most = 1,
  enough = 1,
): number {
  const refTiles = ceilDiv(refRows, tile.refs);
  const queryTiles = ceilDiv(queryRows, tile.queries);
  return queryTiles * Math.min(refTiles, Math.max(ceilDiv(refTiles, most), ceilDiv(enough, queryTiles)));
}

/** Returns the snippets that say how a column is added to a sum, and what becomes of the sum. */
export function metricOf(core: TileProblem["core"], variant?: TileVariant): readonly string[] {
  if (core === "dot") return [variant?.metric ?? metricSnippets.dot];
  return [metricSnippets[core], variant?.differences ?? wgsl.distance_direct];
}

/** Returns the snippets by which one pair is computed again, with the bits that it has in a tile. */
export function pairSnippets(core: TileProblem["core"], variant?: TileVariant): readonly string[] {
  return [...metricOf(core, variant), wgsl.pair_value, variant?.row ?? wgsl.distance_row];
}

/**
 * Returns the columns that count of `queries` and `refs`, and the way from one row to the next, in vec4f; and
 * the metric's numbers.
 */
export function rowUniforms(
  { dims, stride, weight, p }: Pick<TileProblem, "dims" | "stride" | "weight" | "p">,
  variant?: TileVariant,
): readonly UniformField[] {
  return [
    ["depth", "u32", ceilDiv(dims, 4)],
    ["stride", "u32", stride / 4],
    ["weight", "f32", weight],
    ["p", "f32", p],
    ...(variant?.uniforms ?? []),
  ];
}

/** Every kernel that reads rows and their metas has these bindings. */
export const rowBindings = [
  { name: "queries", access: "read", type: "array<vec4f>" },
  { name: "queryMeta", access: "read", type: "array<vec4f>" },
  { name: "refs", access: "read", type: "array<vec4f>" },
  { name: "refMeta", access: "read", type: "array<vec4f>" },
] as const;

function tileBindings({ reads }: Epilogue): readonly Binding[] {
  const read: readonly string[] = ["queries", "refs", ...reads];
  return rowBindings.filter(({ name }) => read.includes(name));
}

function tileConstants(tile: PairTile, dims: number): ShaderParts["constants"] {
  return {
    THREADS: pairTileThreads(tile),
    TILE_QUERIES: tile.queries,
    TILE_REFS: tile.refs,
    TILE_DEPTH: tile.depth,
    WHOLE_SLABS: roundUp(dims, 4) % tile.depth === 0,
    PER_QUERY: tile.perQuery,
    PER_REF: tile.perRef,
  };
}
