/** This module makes the primitive `scan` for the runtime. */
import { primitive } from "../../runtime/primitive.ts";
import type { ScanBinding, ScanParams } from "./contract.ts";

export const scanPrimitive = primitive<ScanParams, ScanBinding>({
  name: "scan",
  gpu: async () => {
    const { scanKernel, unpack } = await import("./gpu.ts");
    await unpack();
    return scanKernel;
  },
  cpu: async () => (await import("./cpu.ts")).onCpu,
});
