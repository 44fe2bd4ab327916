/** This is `distance.prepare` as one pass. Its promise stands in distance/contract/prepare.ts. */
import type { PrepareParams, PrepareBinding } from "../contract/prepare.ts";
import type { GpuKernel } from "../../runtime/gpu/passes/kernel.ts";
import { makePass, type KernelLimits, type Pass } from "../../runtime/gpu/passes/pass.ts";
import { preparePolicy } from "./policy.ts";
import { metasBinding, rowMetasParts } from "./rows/rowMetas.ts";
import { rows_prepared } from "./rows/wgsl.generated.ts";

export const prepareKernel: GpuKernel<PrepareParams, PrepareBinding> = {
  passes: preparePasses,
  bytes: ({ rows, stride }) => ({
    rows: rows * stride * 4,
    centre: stride * 4,
    metas: rows * 16,
    seen: 4,
  }),
};

function preparePasses(params: PrepareParams, limits: KernelLimits): readonly Pass[] {
  const { core, rows, dims, stride, exponent, limit } = params;
  if (rows === 0) return [];
  const parts = rowMetasParts(
    "distance.prepare",
    { rows, dims, stride, power: core === "linf" ? "largest" : core === "l1" ? "sizes" : "squares" },
    preparePolicy,
    {
      snippets: [rows_prepared],
      uniforms: [
        ["limit", "u32", new Uint32Array(Float32Array.of(limit).buffer)[0]],
        ["scale", "f32", 2 ** exponent],
        ["lost", "f32", stride * 2 ** -125],
        ["baseFactor", "f32", params.baseFactor],
        ["productFactor", "f32", params.productFactor],
        ["marginFactor", "f32", params.marginFactor],
        ["marginConstant", "f32", params.marginConstant],
      ],
      bindings: [
        { name: "rows", access: "read_write", type: "array<vec4u>" },
        { name: "centre", access: "read", type: "array<vec4f>" },
        metasBinding,
        { name: "seen", access: "read_write", type: "array<atomic<u32>>" },
      ],
    },
  );
  return [makePass(parts, limits)];
}
