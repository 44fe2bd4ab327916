/** This module makes the primitive `select` for the runtime. */
import { primitive } from "../../runtime/primitive.ts";
import type { SelectBinding, SelectParams } from "./contract.ts";

export const selectPrimitive = primitive<SelectParams, SelectBinding>({
  name: "select",
  gpu: async () => {
    const { selectKernel, unpack } = await import("./gpu.ts");
    await unpack();
    return selectKernel;
  },
  cpu: async () => (await import("./cpu.ts")).onCpu,
});
