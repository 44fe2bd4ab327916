/**
 * These are the primitives of trees, which searches of few columns need, and the one that sorts candidates,
 * which searches of many queries need, too.
 */
import { primitive } from "../../runtime/primitive.ts";
import type { KnnOrderBinding, KnnOrderParams } from "./contract/order.ts";
import type {
  KnnSpreadBinding,
  KnnSpreadParams,
  KnnTreeBinding,
  KnnTreeFilterBinding,
  KnnTreeFilterParams,
  KnnTreeParams,
  QueryScratch,
  TreeScratch,
} from "./contract/tree.ts";

const gpu = async () => {
  const kernels = await import("./gpu/tree/kernels.ts");
  await kernels.unpack();
  return kernels;
};
const cpu = () => import("./cpu/kernels.ts");

export const knnTree = primitive<KnnTreeParams, KnnTreeBinding | TreeScratch>({
  name: "knn.tree",
  gpu: async () => (await gpu()).knnTreeKernel,
  cpu: async () => (await cpu()).treeOnCpu,
});

export const knnTreeFilter = primitive<
  KnnTreeFilterParams,
  KnnTreeFilterBinding | QueryScratch | "intervals"
>({
  name: "knn.treeFilter",
  gpu: async () => (await gpu()).knnTreeFilterKernel,
  cpu: async () => (await cpu()).treeFilterOnCpu,
});

export const knnOrder = primitive<KnnOrderParams, KnnOrderBinding>({
  name: "knn.order",
  gpu: async () => (await import("./gpu/order/order.ts")).knnOrderKernel,
});

export const knnSpread = primitive<KnnSpreadParams, KnnSpreadBinding>({
  name: "knn.spread",
  gpu: async () => (await gpu()).knnSpreadKernel,
});
