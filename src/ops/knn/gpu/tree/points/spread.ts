/** This runs `knn.spread` as one pass. Its promise stands in contract/tree.ts. */
import type { GpuKernel } from "../../../../../runtime/gpu/passes/kernel.ts";
import type { KnnSpreadBinding, KnnSpreadParams } from "../../../contract/tree.ts";
import { itemsPass } from "../build/build.ts";
import { wgsl } from "../wgsl.ts";

export const knnSpreadKernel: GpuKernel<KnnSpreadParams, KnnSpreadBinding> = {
  bytes: ({ rows, dims }) => ({ packed: rows * dims * 4, rows: rows * 16 }),
  passes: ({ rows, dims }, limits) => [
    itemsPass(
      "knn.spread",
      wgsl("spread_points"),
      rows,
      { packed: "u32", rows: "vec4u!" },
      { uniforms: [["count", "u32", rows]], constants: { DIMS: dims } },
      limits,
    ),
  ],
};
