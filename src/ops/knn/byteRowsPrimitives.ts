/** These are the primitives of rows that are bytes, which only GPUs have; plan/bytes/rows.ts says when. */
import { primitive } from "../../runtime/primitive.ts";
import type {
  KnnByteRowsBinding,
  KnnByteRowsParams,
  KnnByteOrderBinding,
  KnnByteOrderParams,
  KnnTakeBytesParams,
} from "./contract/byteRows.ts";

const gpu = async () => {
  const kernels = await import("./gpu/bytes/rows.ts");
  await kernels.unpackShaders();
  return kernels;
};

export const knnTakeBytes = primitive<KnnTakeBytesParams, "rows" | "quantized">({
  name: "knn.takeBytes",
  gpu: async () => (await gpu()).takeBytesKernel,
});

export const knnByteRows = primitive<KnnByteRowsParams, KnnByteRowsBinding>({
  name: "knn.byteRows",
  gpu: async () => (await gpu()).byteRowsKernel,
});

export const knnByteOrder = primitive<KnnByteOrderParams, KnnByteOrderBinding>({
  name: "knn.byteOrder",
  gpu: async () => (await gpu()).byteOrderKernel,
});
