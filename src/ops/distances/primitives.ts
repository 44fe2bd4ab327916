/** These are the primitives of distance histograms, which only GPUs have. */
import { primitive } from "../../runtime/primitive.ts";
import type {
  CountBinding,
  CountParams,
  GroupsBinding,
  GroupsParams,
  LeastBinding,
  LeastParams,
  ThresholdsBinding,
  ThresholdsParams,
  ValuesBinding,
  ValuesParams,
  WholeBinding,
  WholeParams,
} from "./deviceContract.ts";
import type { DistanceHistogramBinding, DistanceHistogramParams } from "./histogramContract.ts";

async function gpu() {
  const kernels = await import("./gpu/kernels.ts");
  await kernels.unpack();
  return kernels;
}

export const valuesPrimitive = primitive<ValuesParams, ValuesBinding>({
  name: "distances.values",
  gpu: async () => (await gpu()).valuesKernel,
});

export const groupsPrimitive = primitive<GroupsParams, GroupsBinding>({
  name: "distances.groups",
  gpu: async () => (await gpu()).groupsKernel,
});

export const wholePrimitive = primitive<WholeParams, WholeBinding>({
  name: "distances.whole",
  gpu: async () => (await gpu()).wholeKernel,
});

export const leastPrimitive = primitive<LeastParams, LeastBinding>({
  name: "distances.least",
  gpu: async () => (await gpu()).leastKernel,
});

export const thresholdsPrimitive = primitive<ThresholdsParams, ThresholdsBinding>({
  name: "distances.thresholds",
  gpu: async () => (await gpu()).thresholdsKernel,
});

export const countPrimitive = primitive<CountParams, CountBinding>({
  name: "distances.count",
  gpu: async () => (await gpu()).countKernel,
});

/** GpuPrimitives runs this primitive on buffers of a caller. */
export const distanceHistogramPrimitive = primitive<DistanceHistogramParams, DistanceHistogramBinding>({
  name: "distances.histogram",
  gpu: async () => (await gpu()).histogramKernel,
});
