/**
 * The primitive `toy.negate`: output[i] = -input[i] for float32. Its descriptor is the only thing that names
 * its kernels.
 */
import { primitive } from "../../../dist/runtime/primitive.js";
import type { NegateBinding, NegateParams } from "./contract.ts";

export const negate = primitive<NegateParams, NegateBinding>({
  name: "toy.negate",
  gpu: async () => (await import("./gpu.ts")).onGpu,
  cpu: async () => (await import("./cpu.ts")).onCpu,
});
