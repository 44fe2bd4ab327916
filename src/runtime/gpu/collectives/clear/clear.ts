/** This is a pass that sets words of scratch to zero, for operators that are passes alone. */
import { ceilDiv } from "../../../../core/math.ts";
import { makePass, type KernelLimits, type Pass } from "../../passes/pass.ts";
import { scan_clear } from "./wgsl.generated.ts";

const THREADS = 256;

/** Makes the pass; its binding is called `scratch`. */
export function clearPass(label: string, words: number, limits: KernelLimits): Pass {
  return makePass(
    {
      label,
      body: scan_clear,
      constants: { THREADS },
      uniforms: [["words", "u32", words]],
      bindings: [{ name: "scratch", access: "read_write", type: "array<u32>" }],
      groups: ceilDiv(words, THREADS),
    },
    limits,
  );
}
