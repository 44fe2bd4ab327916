/**
 * `knn.filter` does three things with tiles of distances: it stores the values, appends the pairs that pass a
 * limit, or stores the least ends of groups of references. The tile itself is in distance/gpu/tile.ts;
 * listPasses.ts makes the passes that follow.
 */
import { ceilDiv } from "../../../../core/math.ts";
import { knnGroupPitch, type KnnFilterParams } from "../../contract/filter.ts";
import type { Epilogue } from "../../../../distance/gpu/epilogue.ts";
import { appendedUniforms, scratchAs } from "./scratch.ts";
import * as distanceWgsl from "../../../../distance/gpu/wgsl.generated.ts";
import * as wgsl from "./wgsl.generated.ts";
import * as keys from "../../../../runtime/gpu/collectives/keys/wgsl.generated.ts";

/** Stores the values of all pairs. */
export function valuesEpilogue({ refRows }: KnnFilterParams): Epilogue {
  return {
    snippets: [wgsl.epilogue_values],
    // The distance from one row of `scratch` to the next, in its elements.
    uniforms: [["pitch", "u32", ceilDiv(refRows, 4)]],
    reads: ["queryMeta", "refMeta"],
    bindings: [scratchAs("array<vec4f>")],
  };
}

/** Appends the pairs that pass the limit of their query, as long as there is room. */
export function appendEpilogue(params: KnnFilterParams, room: number): Epilogue {
  return {
    snippets: [wgsl.epilogue_append, ...intervalSnippets, wgsl.knn_append],
    constants: { CUT: params.cut },
    uniforms: [
      ["firstRow", "u32", params.refOffset + params.refBegin],
      ["k", "u32", params.k],
      ["slack", "f32", params.slack],
      ...appendedUniforms(params.queryRows, room),
    ],
    reads: ["refMeta"],
    bindings: [{ name: "heads", access: "read", type: "array<vec2u>" }, scratchAs("array<atomic<u32>>")],
  };
}

/** Stores the least low and the least high end of every group of references. */
export function minimaEpilogue(params: KnnFilterParams, room: number): Epilogue {
  const { queryRows, refRows, group = 0 } = params;
  return {
    snippets: [wgsl.epilogue_minima, ...intervalSnippets],
    constants: { GROUP: group, CUT: params.cut },
    uniforms: [
      // The distance from one row of minima to the next, in pairs of words.
      ["pitch", "u32", knnGroupPitch(refRows, group)],
      ["slack", "f32", params.slack],
      ...appendedUniforms(queryRows, room),
    ],
    reads: ["queryMeta", "refMeta"],
    bindings: [scratchAs("array<u32>")],
  };
}

const intervalSnippets = [keys.ordered_key, distanceWgsl.distance_interval];
