/** This module makes the primitive `select` for the runtime. */
import { primitive } from "../../runtime/primitive.ts";
import type { SelectBinding, SelectParams } from "./contract.ts";

export const selectPrimitive = primitive<SelectParams, SelectBinding>({
  name: "select",
  gpu: async () => (await import("./gpu.ts")).selectKernel,
  cpu: async () => (await import("./cpu.ts")).onCpu,
});
