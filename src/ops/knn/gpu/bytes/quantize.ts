/** This makes the pass that quantizes rows to bytes. The shader is knn_quantize.wgsl. */
import { ceilDiv } from "../../../../core/math.ts";
import type { UniformField } from "../../../../runtime/gpu/passes/compose.ts";
import type { PassParts } from "../../../../runtime/gpu/passes/pass.ts";
import { knnByteWords, knnQuantizedPlaces, type KnnByteFilterParams } from "../../contract/bytes.ts";
import { knnBytePolicy } from "./policy.ts";
import { wgsl } from "./wgsl.ts";

/** Rows are quantized by these parameters of `knn.byteFilter`. */
type QuantizeParams = Pick<
  KnnByteFilterParams,
  "bytes" | "turned" | "dims" | "stride" | "refBegin" | "refRows" | "queryRows"
>;

export function quantizePass(params: QuantizeParams, side: "refs" | "queries"): PassParts {
  const { bytes, dims, stride, refBegin, refRows, queryRows } = params;
  const { threads, rowLanes } = knnBytePolicy;
  const places = knnQuantizedPlaces(params);
  const words = knnByteWords(dims);
  const isRefs = side === "refs";
  const count = isRefs ? refRows : queryRows;
  return {
    label: "knn.quantize",
    body: wgsl("knn_quantize"),
    snippets: [isRefs ? wgsl("quantize_refs") : wgsl("quantize_queries")],
    constants: { THREADS: threads, ROW_LANES: rowLanes },
    uniforms: [
      ["count", "u32", count],
      ["first", "u32", isRefs ? refBegin : 0],
      ["depth", "u32", ceilDiv(dims, 4)],
      ["stride", "u32", stride / 4],
      ["words", "u32", words],
      ["bytes", "u32", 4 * (isRefs ? places.refBytes : places.queryBytes)],
      ["facts", "u32", 4 * (isRefs ? places.refFacts : places.queryFacts)],
      ["turned", "u32", params.turned ? 1 : 0],
      ...scaleUniforms(bytes.scale),
      ["most", "f32", 127 * bytes.scale],
      ["factor", "f32", bytes.factor],
      ["constant", "f32", bytes.constant],
      ["lost", "f32", 4 * words * 2 ** -125],
      ["enlarge", "f32", 1 + (4 * words + 32) * 2 ** -23],
    ],
    bindings: [
      { name: side, access: "read", type: "array<vec4f>" },
      { name: "byteCentre", access: "read", type: "array<vec4f>" },
      { name: "quantized", access: "read_write", type: "array<u32>" },
    ],
    groups: ceilDiv(count, threads / rowLanes),
  };
}

export function scaleUniforms(scale: number): readonly UniformField[] {
  return [
    ["scale", "f32", scale],
    ["inverse", "f32", 1 / scale],
  ];
}
