/** These are the primitives of rows that are bytes, which only GPUs have; plan/bytes/rows.ts says when. */
import { primitive } from "../../runtime/primitive.ts";
import type { KnnByteRowsParams, KnnTakeBytesParams, KnnWidenBytesParams } from "./contract/byteRows.ts";
import type { KnnFilterBinding } from "./contract/filter.ts";

const gpu = async () => {
  const kernels = await import("./gpu/bytes/rows.ts");
  await kernels.unpackShaders();
  return kernels;
};

export const knnTakeBytes = primitive<KnnTakeBytesParams, "rows" | "quantized">({
  name: "knn.takeBytes",
  gpu: async () => (await gpu()).takeBytesKernel,
});

export const knnWidenBytes = primitive<KnnWidenBytesParams, "quantized" | "values" | "metas">({
  name: "knn.widenBytes",
  gpu: async () => (await gpu()).widenBytesKernel,
});

export const knnByteRows = primitive<KnnByteRowsParams, KnnFilterBinding | "quantized">({
  name: "knn.byteRows",
  gpu: async () => (await gpu()).byteRowsKernel,
});
