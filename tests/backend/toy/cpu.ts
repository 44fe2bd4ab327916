/** `toy.negate` on the main thread. */
import { wordsOf } from "../../../dist/runtime/cpu/buffers.js";
import { addressesOf, type CpuKernel } from "../../../dist/runtime/cpu/kernel.js";
import type { NegateBinding, NegateParams } from "./contract.ts";

export const onCpu: CpuKernel<NegateParams, NegateBinding> = {
  run: ({ count }, buffers, { onTask }) => {
    const { input, output } = addressesOf(buffers);
    const words = wordsOf(input, 0, count);
    wordsOf(output, 0, count).set(words.map((word) => word ^ 0x80000000));
    onTask(1, 0);
  },
};
