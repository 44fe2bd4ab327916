/** `knn.prepare` as one pass. What it promises stands in core/primitives/prepare.ts. */
import { ceilDiv } from "../../core/math.ts";
import type { KnnPrepareParams } from "../contract/prepare.ts";
import type { Kernel } from "../../runtime/gpu/passes/kernel.ts";
import { makePass, type KernelLimits, type Pass } from "../../runtime/gpu/passes/pass.ts";
import { knnPreparePolicy } from "./policy.ts";
import * as collectives from "../../runtime/gpu/collectives/wgsl.generated.ts";
import * as wgsl from "./wgsl.generated.ts";

export const knnPrepareKernel: Kernel<"knn.prepare"> = {
  name: "knn.prepare",
  passes: preparePasses,
  bytes: ({ rows, stride }) => ({
    rows: rows * stride * 4,
    centre: stride * 4,
    metas: rows * 16,
    look: 4,
  }),
};

function preparePasses(params: KnnPrepareParams, limits: KernelLimits): readonly Pass[] {
  const { core, rows, dims, stride, exponent, limit } = params;
  if (rows === 0) return [];
  const { threads, rowLanes } = knnPreparePolicy;
  const pass = makePass(
    {
      label: "knn.prepare",
      body: wgsl.knn_prepare,
      snippets: [collectives.linear_group],
      constants: {
        THREADS: threads,
        ROW_LANES: rowLanes,
        SQUARES: core === "dot" || core === "l2",
        LARGEST: core === "linf",
      },
      uniforms: [
        ["count", "u32", rows],
        ["depth", "u32", ceilDiv(dims, 4)],
        ["stride", "u32", stride / 4],
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
        { name: "metas", access: "read_write", type: "array<vec4f>" },
        { name: "look", access: "read_write", type: "array<atomic<u32>>" },
      ],
      groups: ceilDiv(rows, threads / rowLanes),
    },
    limits,
  );
  return [pass];
}
