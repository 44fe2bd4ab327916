/** This module makes the primitive `scan` for the runtime. */
import { primitive } from "../../runtime/primitive.ts";
import type { ScanBinding, ScanParams } from "./contract.ts";

export const scanPrimitive = primitive<ScanParams, ScanBinding>({
  name: "scan",
  gpu: async () => (await import("./gpu.ts")).scanKernel,
  cpu: async () => (await import("./cpu.ts")).onCpu,
});
