/** This module makes the primitives `compact`, `unique` and `runLength` for the runtime. */
import { primitive } from "../../runtime/primitive.ts";
import type { CompactBinding, CompactParams } from "./contract/compact.ts";
import type { RunLengthBinding, RunLengthParams } from "./contract/runLength.ts";
import type { UniqueBinding, UniqueParams } from "./contract/unique.ts";

export const compactPrimitive = primitive<CompactParams, CompactBinding>({
  name: "compact",
  gpu: async () => {
    const { compactKernel, unpack } = await import("./gpu/compact.ts");
    await unpack();
    return compactKernel;
  },
  cpu: async () => (await import("./cpu/compact.ts")).onCpu,
});

export const uniquePrimitive = primitive<UniqueParams, UniqueBinding>({
  name: "unique",
  gpu: async () => {
    const { uniqueKernel, unpack } = await import("./gpu/unique.ts");
    await unpack();
    return uniqueKernel;
  },
  cpu: async () => (await import("./cpu/runs.ts")).uniqueOnCpu,
});

export const runLengthPrimitive = primitive<RunLengthParams, RunLengthBinding>({
  name: "runLength",
  gpu: async () => {
    const { runLengthKernel, unpack } = await import("./gpu/runLength.ts");
    await unpack();
    return runLengthKernel;
  },
  cpu: async () => (await import("./cpu/runs.ts")).runLengthOnCpu,
});
