/** This is `distances.thresholds` as two passes. Its promise stands in deviceContract.ts. */
import { ceilDiv } from "../../../core/math.ts";
import * as keys from "../../../runtime/gpu/collectives/keys/wgsl.generated.ts";
import type { GpuKernel } from "../../../runtime/gpu/passes/kernel.ts";
import { makePass, type PassParts } from "../../../runtime/gpu/passes/pass.ts";
import {
  BOUNDS_WORDS,
  EXTREMES_WORDS,
  FOUND_WORDS,
  thresholdWords,
  type ThresholdsBinding,
  type ThresholdsParams,
} from "../deviceContract.ts";
import { float64Snippets } from "./pairs.ts";
import { distancesPolicy } from "./policy.ts";
import { wgsl } from "./shaders/wgsl.ts";

export const thresholdsKernel: GpuKernel<ThresholdsParams, ThresholdsBinding> = {
  passes(params, limits) {
    return params.queryRows === 0 ? [] : thresholdsParts(params).map((each) => makePass(each, limits));
  },
  bytes: ({ queryRows, bins, parts, known = false }) => ({
    found: known ? 0 : queryRows * (parts > 0 ? parts * FOUND_WORDS : EXTREMES_WORDS) * 4,
    bounds: queryRows * BOUNDS_WORDS * 4,
    thresholds: bins > 0 ? queryRows * thresholdWords(bins, parts > 0) * 4 : 0,
  }),
};

const { threads } = distancesPolicy;
const snippets = () => [keys.ordered_key, ...float64Snippets()];

export function thresholdsParts(params: ThresholdsParams): readonly PassParts[] {
  return [
    ...(params.known === true ? [] : [boundsParts(params)]),
    ...(params.bins > 0 ? [edgesParts(params)] : []),
  ];
}

function boundsParts({ queryRows, parts, rankExponent, root }: ThresholdsParams): PassParts {
  return {
    label: "distances.bounds",
    body: wgsl("distances_bounds"),
    snippets: snippets(),
    constants: { THREADS: threads, EXACT: parts > 0, ROOT: root },
    uniforms: [
      ["queryRows", "u32", queryRows],
      ["parts", "u32", parts],
      ["rankExponent", "i32", rankExponent],
    ],
    bindings: [
      { name: "found", access: "read", type: "array<u32>" },
      { name: "bounds", access: "read_write", type: "array<vec2u>" },
    ],
    groups: ceilDiv(queryRows, threads),
  };
}

function edgesParts({ queryRows, bins, parts, rankExponent, root }: ThresholdsParams): PassParts {
  return {
    label: "distances.thresholds",
    body: wgsl("distances_thresholds"),
    snippets: snippets(),
    constants: { THREADS: threads, EXACT: parts > 0, ROOT: root },
    uniforms: [
      ["queryRows", "u32", queryRows],
      ["bins", "u32", bins],
      ["rowWords", "u32", thresholdWords(bins, parts > 0)],
      ["rankExponent", "i32", rankExponent],
    ],
    bindings: [
      { name: "bounds", access: "read", type: "array<vec2u>" },
      { name: "thresholds", access: "read_write", type: "array<u32>" },
    ],
    groups: ceilDiv(queryRows * (bins + 1), threads),
  };
}
