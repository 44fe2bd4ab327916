/** This module makes the primitive `convolve` for the runtime. */
import { primitive } from "../../runtime/primitive.ts";
import type { CheckedBinding, ConvolveParams } from "./contract.ts";

export const convolvePrimitive = primitive<ConvolveParams, CheckedBinding>({
  name: "convolve",
  gpu: async () => {
    const { convolveKernel, unpack } = await import("./gpu/gpu.ts");
    await unpack();
    return convolveKernel;
  },
  cpu: async () => (await import("./cpu.ts")).onCpu,
});
