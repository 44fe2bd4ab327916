/** The primitive `knn.search` for GpuPrimitives, which only GPUs have. */
import { primitive } from "../../runtime/primitive.ts";
import type { KnnSearchBinding, KnnSearchParams } from "./contract/search.ts";
import type { KnnVariant } from "./contract/variant.ts";

/** A search on buffers of the caller, as GpuPrimitives has it. */
export const knnSearch = primitive<KnnSearchParams & { readonly variant: KnnVariant }, KnnSearchBinding>({
  name: "knn.search",
  gpu: async () => (await import("./gpu/search/operation.ts")).knnSearchKernel,
});
