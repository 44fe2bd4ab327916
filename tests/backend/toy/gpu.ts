/** `toy.negate` as one pass: a lane flips the sign of one number. */
import type { GpuKernel } from "../../../dist/runtime/gpu/passes/kernel.js";
import { makePass } from "../../../dist/runtime/gpu/passes/pass.js";
import type { NegateBinding, NegateParams } from "./contract.ts";

const THREADS = 64;

const body = `@each_lane(params.count)
fn main(at: u32) {
  output[at] = input[at] ^ 0x80000000u;
}`;

export const onGpu: GpuKernel<NegateParams, NegateBinding> = {
  bytes: ({ count }) => ({ input: count * 4, output: count * 4 }),
  passes: ({ count }, limits) => [
    makePass(
      {
        label: "toy.negate",
        body,
        constants: { THREADS },
        uniforms: [["count", "u32", count]],
        bindings: [
          { name: "input", access: "read", type: "array<u32>" },
          { name: "output", access: "read_write", type: "array<u32>" },
        ],
        groups: Math.ceil(count / THREADS),
      },
      limits,
    ),
  ],
};
