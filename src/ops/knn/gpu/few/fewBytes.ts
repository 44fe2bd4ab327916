/**
 * These are `knn.quantize` and `knn.fewByteFilter` as passes. The kernel for few queries reads bytes of the
 * references instead of float32 rows, and the groups that may hold neighbours are compared in float32. The
 * contract is ops/knn/contract/fewBytes.ts, the proof distance/bound/bytes.ts.
 */
import type { GpuKernel } from "../../../../runtime/gpu/passes/kernel.ts";
import { makePass } from "../../../../runtime/gpu/passes/pass.ts";
import { knnByteWords, knnQuantizedPlaces } from "../../contract/bytes.ts";
import { knnFewScratchBytes } from "../../contract/few.ts";
import {
  knnQueryBytes,
  knnRefBytes,
  type KnnFewByteFilterBinding,
  type KnnFewByteFilterParams,
  type KnnQuantizeBinding,
  type KnnQuantizeParams,
} from "../../contract/fewBytes.ts";
import { quantizePass } from "../bytes/quantize.ts";
import { unpackShaders } from "../bytes/wgsl.ts";
import { knnFilterBuffers } from "../filter/filter.ts";
import { fewPasses, type FewReading } from "./few.ts";
import { unpack as unpackFew, wgsl } from "./wgsl.ts";

/** Unpacks the shaders, before which no kernel works. */
export async function unpack(): Promise<void> {
  await Promise.all([unpackFew(), unpackShaders()]);
}

export const knnQuantizeKernel: GpuKernel<KnnQuantizeParams, KnnQuantizeBinding> = {
  passes: (params, limits) =>
    params.refRows === 0
      ? []
      : [makePass(quantizePass({ ...params, refBegin: 0, queryRows: 0 }, "refs"), limits)],
  bytes: ({ refRows, dims, stride }) => ({
    refs: refRows * stride * 4,
    byteCentre: stride * 4,
    quantized: knnRefBytes(refRows, dims),
  }),
};

export const knnFewByteFilterKernel: GpuKernel<KnnFewByteFilterParams, KnnFewByteFilterBinding> = {
  passes: (params, limits) => fewPasses(params, limits, bytesRead, true),
  bytes: (params) => ({
    ...knnFilterBuffers(params),
    scratch: knnFewScratchBytes(params),
    refBytes: knnRefBytes(params.heldRows, params.dims),
    queryBytes: params.queryRows * knnQueryBytes(params.dims),
  }),
  work: ({ queryRows, refRows }) => queryRows * refRows,
};

function bytesRead({ scale, dims, heldRows, slack }: KnnFewByteFilterParams): FewReading {
  return {
    snippets: [wgsl("few_bytes")],
    uniforms: [
      ["depth", "u32", knnByteWords(dims) / 4],
      ["refFacts", "u32", knnQuantizedPlaces({ queryRows: 0, refRows: heldRows, dims }).refFacts],
      ["scale", "f32", scale],
      ["slack", "f32", slack],
    ],
    bindings: [
      { name: "refBytes", access: "read", type: "array<vec4u>" },
      { name: "queryBytes", access: "read", type: "array<vec4u>" },
    ],
  };
}
