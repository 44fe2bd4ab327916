/** These are the primitives of searches within a radius. */
import { primitive } from "../../../runtime/primitive.ts";
import type { WithinBinding, WithinOrderBinding, WithinOrderParams, WithinParams } from "./contract.ts";

const gpu = async () => {
  const kernels = await import("../gpu/tree/radius/radius.ts");
  await kernels.unpack();
  return kernels;
};

export const knnWithin = primitive<WithinParams, WithinBinding>({
  name: "knn.within",
  gpu: async () => (await gpu()).withinKernel,
});

export const knnWithinOrder = primitive<WithinOrderParams, WithinOrderBinding>({
  name: "knn.withinOrder",
  gpu: async () => (await gpu()).withinOrderKernel,
});
