/** This is the primitive `knn.byteFilter`, which only GPUs have; plan/bytes/choose.ts says when it runs. */
import { primitive } from "../../runtime/primitive.ts";
import type { KnnByteFilterBinding, KnnByteFilterParams } from "./contract/bytes.ts";

export const knnByteFilter = primitive<KnnByteFilterParams, KnnByteFilterBinding>({
  name: "knn.byteFilter",
  async gpu() {
    const { knnByteFilterKernel, unpackShaders } = await import("./gpu/bytes/bytes.ts");
    await unpackShaders();
    return knnByteFilterKernel;
  },
});
