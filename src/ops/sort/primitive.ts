/** This module makes the primitive `sort` for the runtime. */
import { primitive } from "../../runtime/primitive.ts";
import type { SortBinding, SortParams } from "./contract.ts";

export const sortPrimitive = primitive<SortParams, SortBinding>({
  name: "sort",
  gpu: async () => {
    const { sortKernel, unpack } = await import("./gpu.ts");
    await unpack();
    return sortKernel;
  },
  cpu: async () => (await import("./cpu/sort.ts")).onCpu,
});
