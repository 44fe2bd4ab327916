/**
 * These are the primitives of distances for the runtime, which only GPUs have: on the host, rows are prepared
 * while they are uploaded, and candidates are evaluated where the caller's rows are.
 */
import { primitive } from "../runtime/primitive.ts";
import type { KnnPrepareBinding, KnnPrepareParams } from "./contract/prepare.ts";
import type { KnnRefineBinding, KnnRefineParams } from "./contract/refine.ts";

const gpu = () => import("./gpu/kernels.ts");

export const knnPrepare = primitive<KnnPrepareParams, KnnPrepareBinding>({
  name: "knn.prepare",
  gpu: async () => (await gpu()).knnPrepareKernel,
});

export const knnRefine = primitive<KnnRefineParams, KnnRefineBinding>({
  name: "knn.refine",
  gpu: async () => (await gpu()).knnRefineKernel,
});
