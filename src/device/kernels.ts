/**
 * The kernels of each primitive, loaded when a GPU first needs them. One constant each and no table of them, so that bundlers
 * leave out the primitives that a program does not use.
 */
import { addKernel } from "../kernels/index.ts";

/** Makes kernels known; to be awaited before a step with that primitive runs. */
export type KernelLoader = () => Promise<void>;

export const loadKnn: KernelLoader = async () => {
  addKernel((await import("../kernels/knn.ts")).knnFilterKernel);
  addKernel((await import("../kernels/carry.ts")).knnCarryKernel);
  addKernel((await import("../kernels/prepare.ts")).knnPrepareKernel);
  addKernel((await import("../kernels/refine.ts")).knnRefineKernel);
  addKernel((await import("../kernels/seed.ts")).knnSeedKernel);
};
/** Those of searches that need the forms of plan/mixed.ts. */
export const loadMixedKnn: KernelLoader = async () => {
  const { knnMixedFilterKernel, knnPowerFilterKernel } = await import("../kernels/mixed/knn.ts");
  addKernel(knnMixedFilterKernel);
  addKernel(knnPowerFilterKernel);
};
/** That of searches whose heap is replayed. */
export const loadReplay: KernelLoader = async () =>
  addKernel((await import("../kernels/heap/replay.ts")).knnReplayKernel);
export const loadCompact: KernelLoader = async () =>
  addKernel((await import("../kernels/compact.ts")).compactKernel);
export const loadHistogram: KernelLoader = async () =>
  addKernel((await import("../kernels/histogram.ts")).histogramKernel);
export const loadReduce: KernelLoader = async () =>
  addKernel((await import("../kernels/reduce.ts")).reduceKernel);
export const loadRunLength: KernelLoader = async () =>
  addKernel((await import("../kernels/runLength.ts")).runLengthKernel);
export const loadScan: KernelLoader = async () => addKernel((await import("../kernels/scan.ts")).scanKernel);
export const loadSelect: KernelLoader = async () =>
  addKernel((await import("../kernels/select.ts")).selectKernel);
export const loadUnique: KernelLoader = async () =>
  addKernel((await import("../kernels/unique.ts")).uniqueKernel);
