/** This module makes the primitive `histogram` for the runtime. */
import { primitive } from "../../runtime/primitive.ts";
import type { HistogramBinding, HistogramParams } from "./contract.ts";

export const histogramPrimitive = primitive<HistogramParams, HistogramBinding>({
  name: "histogram",
  gpu: async () => (await import("./gpu.ts")).histogramKernel,
  cpu: async () => (await import("./cpu.ts")).onCpu,
});
