/** These are the parts that the kernels over stored values share: their uniforms, bindings and snippets. */
import { ceilDiv } from "../../../core/math.ts";
import type { PairParams } from "../../../distance/core.ts";
import * as distanceWgsl from "../../../distance/gpu/wgsl.generated.ts";
import * as keys from "../../../runtime/gpu/collectives/keys/wgsl.generated.ts";
import type { Binding, UniformField } from "../../../runtime/gpu/passes/compose.ts";
import { areSquares, type StoredPairs } from "../deviceContract.ts";
import { wgsl } from "./shaders/wgsl.ts";

/** Returns the uniforms by which a kernel finds the value of a pair. */
export function placeUniforms({ pitch, column, self = 0 }: StoredPairs): readonly UniformField[] {
  return [
    ["pitch", "u32", pitch],
    ["column", "u32", column],
    ["ownRow", "u32", self >>> 0],
  ];
}

/** Returns the uniforms of a kernel that evaluates some of the pairs in float64. */
export function pairUniforms(
  params: StoredPairs & Pick<PairParams, "slack" | "dims" | "stride">,
): readonly UniformField[] {
  return [
    ...placeUniforms(params),
    ["refBegin", "u32", params.refBegin],
    ["refRows", "u32", params.refRows],
    ["slack", "f32", params.slack],
    ["depth", "u32", ceilDiv(params.dims, 4)],
    ["stride", "u32", params.stride / 4],
  ];
}

/** Such a kernel binds these rows and metas, and the values. */
export const pairBindings: readonly Binding[] = [
  { name: "queries", access: "read", type: "array<vec4u>" },
  { name: "queryMeta", access: "read", type: "array<vec4f>" },
  { name: "refs", access: "read", type: "array<vec4u>" },
  { name: "refMeta", access: "read", type: "array<vec4f>" },
  { name: "values", access: "read", type: "array<f32>" },
];

/** Such a kernel knows the rank of a pair by these constants. */
export const rankConstants = (core: PairParams["core"]) => {
  return { ABSOLUTE: !areSquares(core), LARGEST: core === "linf" };
};

export const float64Snippets = () => [distanceWgsl.float64, wgsl("positive64")];

/** Such a kernel is made of these snippets, which expect a constant CUT. */
export const pairSnippets = () => [
  keys.ordered_key,
  distanceWgsl.distance_interval,
  ...float64Snippets(),
  wgsl("pair_float64"),
];

/** Returns how many bytes every kernel over pairs binds. */
export function pairBytes(params: StoredPairs & Pick<PairParams, "stride">) {
  const { queryRows, refBegin, refRows, pitch, stride } = params;
  const refs = refBegin + refRows;
  return {
    queries: queryRows * stride * 4,
    queryMeta: queryRows * 16,
    refs: refs * stride * 4,
    refMeta: refs * 16,
    values: queryRows * pitch * 4,
  };
}
