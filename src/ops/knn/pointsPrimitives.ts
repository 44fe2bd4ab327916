/** These are the primitives of trees for GpuPrimitives, which only GPUs have. */
import { primitive } from "../../runtime/primitive.ts";
import type {
  NearestPointsBinding,
  NearestPointsParams,
  PointTreeBinding,
  PointTreeParams,
} from "./contract/nearestPoints.ts";

const gpu = async () => {
  const kernels = await import("./gpu/tree/points/nearest.ts");
  await kernels.unpack();
  return kernels;
};

/** GpuPrimitives builds this tree over points of the caller. */
export const pointTree = primitive<PointTreeParams, PointTreeBinding>({
  name: "knn.pointTree",
  gpu: async () => (await gpu()).pointTreeKernel,
});

/** GpuPrimitives searches along such a tree. */
export const nearestPoints = primitive<NearestPointsParams, NearestPointsBinding>({
  name: "knn.nearestPoints",
  gpu: async () => (await gpu()).nearestPointsKernel,
});
