/**
 * The kernels of each primitive, loaded when a GPU first needs them. One constant each and no table of them, so that bundlers
 * leave out the primitives that a program does not use.
 */
import { addKernel } from "./passes/kernel.ts";

/** Makes kernels known; to be awaited before a step with that primitive runs. */
export type KernelLoader = () => Promise<void>;

export const loadKnn: KernelLoader = async () => {
  addKernel((await import("../../ops/knn/gpu/filter/filter.ts")).knnFilterKernel);
  addKernel((await import("../../ops/knn/gpu/carry.ts")).knnCarryKernel);
  addKernel((await import("../../distance/gpu/prepare.ts")).knnPrepareKernel);
  addKernel((await import("../../distance/gpu/refine.ts")).knnRefineKernel);
  addKernel((await import("../../ops/knn/gpu/seed.ts")).knnSeedKernel);
};
/** Those of searches that need the forms of plan/mixed.ts. */
export const loadMixedKnn: KernelLoader = async () => {
  const { knnMixedFilterKernel, knnPowerFilterKernel } = await import("../../ops/knn/gpu/mixed/filters.ts");
  addKernel(knnMixedFilterKernel);
  addKernel(knnPowerFilterKernel);
};
/** That of searches whose heap is replayed. */
export const loadReplay: KernelLoader = async () =>
  addKernel((await import("../../ops/knn/gpu/replay/replay.ts")).knnReplayKernel);
export const loadCompact: KernelLoader = async () =>
  addKernel((await import("../../ops/compact/gpu/compact.ts")).compactKernel);
export const loadHistogram: KernelLoader = async () =>
  addKernel((await import("../../ops/histogram/gpu.ts")).histogramKernel);
export const loadReduce: KernelLoader = async () =>
  addKernel((await import("../../ops/reduce/gpu.ts")).reduceKernel);
export const loadRunLength: KernelLoader = async () =>
  addKernel((await import("../../ops/compact/gpu/runLength.ts")).runLengthKernel);
export const loadScan: KernelLoader = async () =>
  addKernel((await import("../../ops/scan/gpu.ts")).scanKernel);
export const loadSelect: KernelLoader = async () =>
  addKernel((await import("../../ops/select/gpu.ts")).selectKernel);
export const loadUnique: KernelLoader = async () =>
  addKernel((await import("../../ops/compact/gpu/unique.ts")).uniqueKernel);
