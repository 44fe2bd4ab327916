/** This module makes the primitive `histogram` for the runtime. */
import { primitive } from "../../runtime/primitive.ts";
import type { HistogramBinding, HistogramParams } from "./contract.ts";

export const histogramPrimitive = primitive<HistogramParams, HistogramBinding>({
  name: "histogram",
  gpu: async () => {
    const { histogramKernel, unpack } = await import("./gpu.ts");
    await unpack();
    return histogramKernel;
  },
  cpu: async () => (await import("./cpu.ts")).onCpu,
});
