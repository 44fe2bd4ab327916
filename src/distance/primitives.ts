/**
 * These are the primitives of distances for the runtime, which only GPUs have: on the host, rows are prepared
 * while they are uploaded, and candidates are evaluated where the caller's rows are.
 */
import { primitive } from "../runtime/primitive.ts";
import type { PrepareBinding, PrepareParams } from "./contract/prepare.ts";
import type { RefineBinding, RefineParams } from "./contract/refine.ts";

const gpu = () => import("./gpu/kernels.ts");

export const preparePrimitive = primitive<PrepareParams, PrepareBinding>({
  name: "distance.prepare",
  gpu: async () => (await gpu()).prepareKernel,
});

export const refinePrimitive = primitive<RefineParams, RefineBinding>({
  name: "distance.refine",
  gpu: async () => (await gpu()).refineKernel,
});
