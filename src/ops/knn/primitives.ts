/**
 * These are the primitives of k-NN, beside those of distances. Only GPUs have `knn.carry`, since on the host
 * no keys follow candidates. Primitives that few searches or other calls need are in treePrimitives.ts,
 * sketchPrimitives.ts, replayPrimitive.ts and searchPrimitive.ts, so that a page loads none of them in vain.
 */
import { primitive } from "../../runtime/primitive.ts";
import type { KnnCarryBinding, KnnCarryParams } from "./contract/carry.ts";
import type {
  KnnFilterBinding,
  KnnFilterParams,
  KnnMixedFilterParams,
  KnnPowerFilterParams,
} from "./contract/filter.ts";
import type { KnnSeedBinding, KnnSeedParams } from "./contract/seed.ts";

const gpu = () => import("./gpu/kernels.ts");
const mixedGpu = () => import("./gpu/mixed/filters.ts");
const cpu = () => import("./cpu/kernels.ts");
const filterOnCpu = async () => (await cpu()).filterOnCpu;

export const knnFilter = primitive<KnnFilterParams, KnnFilterBinding>({
  name: "knn.filter",
  gpu: async () => (await gpu()).knnFilterKernel,
  cpu: filterOnCpu,
});

export const knnMixedFilter = primitive<KnnMixedFilterParams, KnnFilterBinding>({
  name: "knn.mixedFilter",
  gpu: async () => (await mixedGpu()).knnMixedFilterKernel,
  cpu: filterOnCpu,
});

export const knnPowerFilter = primitive<KnnPowerFilterParams, KnnFilterBinding>({
  name: "knn.powerFilter",
  gpu: async () => (await mixedGpu()).knnPowerFilterKernel,
  cpu: filterOnCpu,
});

export const knnSeed = primitive<KnnSeedParams, KnnSeedBinding>({
  name: "knn.seed",
  gpu: async () => (await gpu()).knnSeedKernel,
  cpu: async () => (await cpu()).seedOnCpu,
});

export const knnCarry = primitive<KnnCarryParams, KnnCarryBinding>({
  name: "knn.carry",
  gpu: async () => (await gpu()).knnCarryKernel,
});
