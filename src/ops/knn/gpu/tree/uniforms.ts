/** Every pass of a search along a tree has these uniforms. */
import type { PassParts } from "../../../../runtime/gpu/passes/pass.ts";
import type { KnnTreeFilterParams } from "../../contract/tree.ts";

export function treeUniforms({
  queryRows,
  k,
  capacity,
  slack,
  tree,
}: KnnTreeFilterParams): PassParts["uniforms"] {
  return [
    ["queryRows", "u32", queryRows],
    ["k", "u32", k],
    ["capacity", "u32", capacity],
    ["slack", "f32", slack],
    ["rows", "u32", tree.rows],
    ["levels", "u32", tree.levels],
    ["first", "u32", 2 ** tree.levels],
  ];
}
