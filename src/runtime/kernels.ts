/** The kernels that operators ask for: an executor loads them when its device is a GPU, since the CPU backend has its own. */
export {
  loadCompact,
  loadHistogram,
  loadKnn,
  loadMixedKnn,
  loadReduce,
  loadReplay,
  loadRunLength,
  loadScan,
  loadSelect,
  loadUnique,
} from "./gpu/kernels.ts";
export type { KernelLoader } from "./gpu/kernels.ts";
