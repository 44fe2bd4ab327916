/** This is the primitive `knn.search`, which only GPUs have. */
import { primitive } from "../../runtime/primitive.ts";
import type { KnnSearchBinding, KnnSearchParams } from "./contract/search.ts";
import type { KnnVariant } from "./contract/variant.ts";

/** GpuPrimitives runs this search on buffers of the caller. */
export const knnSearch = primitive<KnnSearchParams & { readonly variant: KnnVariant }, KnnSearchBinding>({
  name: "knn.search",
  gpu: async () => {
    const { knnSearchKernel, unpack } = await import("./gpu/search/operation.ts");
    await unpack();
    return knnSearchKernel;
  },
});
