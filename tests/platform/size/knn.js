// What a page needs for k-NN on the GPU alone. The size check bundles it and leaves out what only the CPU backend loads.
import { kneighbors } from "nearfield";

export const search = (train, queries) => kneighbors(train, queries, { k: 10, backend: "gpu" });
