/**
 * These are the primitives for few queries, which only GPUs have; plan/few.ts and plan/bytes/few.ts say when
 * they are used.
 */
import { primitive } from "../../runtime/primitive.ts";
import type { KnnFewFilterParams } from "./contract/few.ts";
import type {
  KnnFewByteFilterBinding,
  KnnFewByteFilterParams,
  KnnQuantizeBinding,
  KnnQuantizeParams,
} from "./contract/fewBytes.ts";
import type { KnnFilterBinding } from "./contract/filter.ts";

export const knnFewFilter = primitive<KnnFewFilterParams, KnnFilterBinding>({
  name: "knn.fewFilter",
  gpu: async () => {
    const { knnFewFilterKernel, unpack } = await import("./gpu/few/few.ts");
    await unpack();
    return knnFewFilterKernel;
  },
});

export const knnQuantize = primitive<KnnQuantizeParams, KnnQuantizeBinding>({
  name: "knn.quantize",
  gpu: async () => (await loaded()).knnQuantizeKernel,
});

export const knnFewByteFilter = primitive<KnnFewByteFilterParams, KnnFewByteFilterBinding>({
  name: "knn.fewByteFilter",
  gpu: async () => (await loaded()).knnFewByteFilterKernel,
});

async function loaded() {
  const kernels = await import("./gpu/few/fewBytes.ts");
  await kernels.unpack();
  return kernels;
}
