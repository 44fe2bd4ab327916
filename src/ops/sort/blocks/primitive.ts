/** This module makes the primitive `sort.merge` for the runtime. */
import { primitive } from "../../../runtime/primitive.ts";
import type { MergeBinding, MergeParams } from "./contract.ts";

export const mergePrimitive = primitive<MergeParams, MergeBinding>({
  name: "sort.merge",
  gpu: async () => {
    const { mergeKernel, unpack } = await import("./gpu.ts");
    await unpack();
    return mergeKernel;
  },
});
