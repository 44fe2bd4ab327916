/** This module makes the primitive `reduce` for the runtime. */
import { primitive } from "../../runtime/primitive.ts";
import type { ReduceBinding, ReduceParams } from "./contract.ts";

export const reducePrimitive = primitive<ReduceParams, ReduceBinding>({
  name: "reduce",
  gpu: async () => (await import("./gpu.ts")).reduceKernel,
  cpu: async () => (await import("./cpu.ts")).onCpu,
});
