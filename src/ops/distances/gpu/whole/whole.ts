/**
 * This is `distances.whole` as one pass, and the tile that makes values of rows of whole numbers. Their
 * promise stands in deviceContract.ts, the proof in plan/whole.ts.
 */
import { ceilDiv } from "../../../../core/math.ts";
import type { Epilogue } from "../../../../distance/gpu/epilogue.ts";
import { pairTileThreads, preparePolicy } from "../../../../distance/gpu/policy.ts";
import type { GpuKernel } from "../../../../runtime/gpu/passes/kernel.ts";
import { makePass, type PassParts } from "../../../../runtime/gpu/passes/pass.ts";
import type { ValuesParams, WholeBinding, WholeParams } from "../../deviceContract.ts";
import { distancesPolicy } from "../policy.ts";
import { wgsl } from "../shaders/wgsl.ts";

export const wholeKernel: GpuKernel<WholeParams, WholeBinding> = {
  passes({ rows, stride, exponent, offset, constant }, limits) {
    const { threads, rowLanes } = preparePolicy;
    if (rows === 0) return [];
    return [
      makePass(
        {
          label: "distances.whole",
          body: wgsl("whole_rows"),
          constants: { THREADS: threads, ROW_LANES: rowLanes },
          uniforms: [
            ["count", "u32", rows],
            ["depth", "u32", stride / 4],
            ["scale", "f32", 2 ** exponent],
            ["offset", "i32", offset],
            ["unit", "f32", 2 ** -exponent],
            ["constant", "f32", constant],
          ],
          bindings: [
            { name: "rows", access: "read", type: "array<vec4f>" },
            { name: "whole", access: "read_write", type: "array<vec4u>" },
            { name: "metas", access: "read_write", type: "array<vec4f>" },
          ],
          groups: ceilDiv(rows, threads / rowLanes),
        },
        limits,
      ),
    ];
  },
  bytes: ({ rows, stride }) => ({ rows: rows * stride * 4, whole: rows * stride * 4, metas: rows * 16 }),
};

/** Makes the tile as distance/gpu/tile.ts makes that of float32. */
export function wholeTileParts(
  params: ValuesParams,
  factor: number,
  epilogue: Epilogue,
  groups: number,
): PassParts {
  const tile = distancesPolicy.wholeTile;
  const { queryRows, refBegin, refRows, stride } = params;
  return {
    label: "distances.values",
    body: wgsl("distances_whole"),
    snippets: epilogue.snippets,
    constants: {
      THREADS: pairTileThreads(tile),
      TILE_QUERIES: tile.queries,
      TILE_REFS: tile.refs,
      TILE_DEPTH: tile.depth,
      PER_QUERY: tile.perQuery,
      PER_REF: tile.perRef,
      ...epilogue.constants,
    },
    uniforms: [
      ["groups", "u32", groups],
      ["queryRows", "u32", queryRows],
      ["refBegin", "u32", refBegin],
      ["refRows", "u32", refRows],
      ["depth", "u32", stride / 4],
      ["stride", "u32", stride / 4],
      ["factor", "f32", factor],
      ...epilogue.uniforms,
    ],
    bindings: [
      { name: "queries", access: "read", type: "array<vec4u>" },
      { name: "queryMeta", access: "read", type: "array<vec4f>" },
      { name: "refs", access: "read", type: "array<vec4u>" },
      { name: "refMeta", access: "read", type: "array<vec4f>" },
      ...epilogue.bindings,
    ],
    groups,
  };
}
