/** This module makes the primitive `reduce` for the runtime. */
import { primitive } from "../../runtime/primitive.ts";
import type { ReduceBinding, ReduceParams } from "./contract.ts";

export const reducePrimitive = primitive<ReduceParams, ReduceBinding>({
  name: "reduce",
  gpu: async () => {
    const { reduceKernel, unpack } = await import("./gpu.ts");
    await unpack();
    return reduceKernel;
  },
  cpu: async () => (await import("./cpu.ts")).onCpu,
});
