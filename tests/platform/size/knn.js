// What a page needs for k-NN on the GPU alone. The size check bundles it and leaves out what only the CPU
// backend loads. It exports nothing, as pages do not: else a bundler must keep out of the entry what other
// files share with it.
import { kneighbors } from "nearfield";

globalThis.search = (train, queries) => kneighbors(train, queries, { k: 10, backend: "gpu" });
