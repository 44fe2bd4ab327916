/** This is the primitive `knn.fewFilter`, which only GPUs have; plan/few.ts says when it is used. */
import { primitive } from "../../runtime/primitive.ts";
import type { KnnFewFilterParams } from "./contract/few.ts";
import type { KnnFilterBinding } from "./contract/filter.ts";

export const knnFewFilter = primitive<KnnFewFilterParams, KnnFilterBinding>({
  name: "knn.fewFilter",
  gpu: async () => {
    const { knnFewFilterKernel, unpack } = await import("./gpu/few/few.ts");
    await unpack();
    return knnFewFilterKernel;
  },
});
