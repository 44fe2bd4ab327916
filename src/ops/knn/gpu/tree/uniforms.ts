/** Every pass of a search along a tree has these uniforms. */
import type { PassParts } from "../../../../runtime/gpu/passes/pass.ts";
import type { KnnTreeFilterParams, KnnTreeParams } from "../../contract/tree.ts";
import { treeRuns } from "../../contract/treeRuns.ts";

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
    ...nodeUniforms(tree),
  ];
}

/** Every pass that looks at the nodes of a tree has these. `first` is the first leaf. */
export function nodeUniforms(tree: Pick<KnnTreeParams, "rows" | "levels">): PassParts["uniforms"] {
  return [
    ["rows", "u32", tree.rows],
    ["levels", "u32", tree.levels],
    ["first", "u32", 2 ** tree.levels],
    ["runLevels", "u32", treeRuns(tree).runLevels],
  ];
}
