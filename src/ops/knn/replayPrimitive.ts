/** This is the primitive `knn.replay`, which only GPUs have: the host replays heaps by models/rapidminer/. */
import { primitive } from "../../runtime/primitive.ts";
import type { KnnReplayBinding, KnnReplayParams } from "./contract/replay.ts";

export const knnReplay = primitive<KnnReplayParams, KnnReplayBinding>({
  name: "knn.replay",
  gpu: async () => (await import("./gpu/replay/replay.ts")).knnReplayKernel,
});
