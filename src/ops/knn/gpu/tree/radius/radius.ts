/**
 * These are `knn.within` and `knn.withinOrder` as passes. A lane takes one query down the tree, whose
 * threshold stays, so that it is in one node after the other, and goes on in the next pass from there.
 * Candidates are put in order by merging runs of theirs. What is promised stands in ../../../radius/.
 */
import { float64 } from "../../../../../distance/gpu/wgsl.generated.ts";
import { ceilDiv, spans } from "../../../../../core/math.ts";
import type { GpuKernel } from "../../../../../runtime/gpu/passes/kernel.ts";
import type { KernelLimits, Pass } from "../../../../../runtime/gpu/passes/pass.ts";
import {
  withinBytes,
  withinOrderBytes,
  type WithinBinding,
  type WithinOrderBinding,
  type WithinOrderParams,
  type WithinParams,
} from "../../../radius/contract.ts";
import { itemsPass, renamed, startsPasses } from "../build/build.ts";
import { knnTreePolicy } from "../policy.ts";
import { cores, orderPasses, restPass, wordConstants } from "../search.ts";
import { nodeUniforms } from "../uniforms.ts";
import { root64 } from "../../order/wgsl.generated.ts";
import { wgsl } from "../wgsl.ts";

export { unpack } from "../wgsl.ts";

export const withinKernel: GpuKernel<WithinParams, WithinBinding> = {
  passes: withinPasses,
  bytes: withinBytes,
};

/** Passes count what waits in so many words in turn. */
const TURNS = 6;
const MOST_WORD = 2 ** 32 - 1;

function withinPasses(params: WithinParams, limits: KernelLimits): readonly Pass[] {
  const { queryRows, core, slack, threshold, tree, listed, passes, part, pairs = Infinity } = params;
  const { most = knnTreePolicy.most } = params;
  if (queryRows === 0) return [];
  const { searchThreads: THREADS, restGroups } = knnTreePolicy;
  const whole = ceilDiv(queryRows, THREADS);
  // Counting and listing are one shader, so that both find the same.
  const search = (round: number, groups: number) =>
    itemsPass(
      "knn.within",
      wgsl("radius_search"),
      queryRows,
      {
        ...{ queries: "vec4f", queryMeta: "vec4f", points: "vec4u", boxes: "vec4f" },
        ...{ heads: "vec2u!", offsets: "u32", entries: "vec2u!", scratch: "atomic<u32>!" },
      },
      {
        uniforms: [
          ["queryRows", "u32", queryRows],
          ["slack", "f32", slack],
          ["threshold", "f32", threshold],
          ...nodeUniforms(tree),
          ["lists", "u32", listed === undefined ? 0 : 1],
          ["lanes", "u32", groups * THREADS],
          ["round", "u32", round % TURNS],
          ["pairs", "u32", Math.min(pairs, MOST_WORD)],
          ["most", "u32", Math.min(most, knnTreePolicy.most)],
        ],
        constants: { ...wordConstants, THREADS, TURNS, CORE: cores.indexOf(core) },
        snippets: [wgsl("leaf_begin"), wgsl("query_gap")],
        groups,
      },
      limits,
    );
  const names = { input: "room", output: "offsets" };
  const starts = listed === undefined ? [] : startsPasses(queryRows + 1, names, limits);
  const rounds = Array.from({ length: part.end - part.begin }, (_, i) => part.begin + i);
  return [
    ...(part.begin > 0 ? [] : [...starts, ...orderPasses(queryRows, limits)]),
    ...rounds.map((round) => search(round, round === 0 ? whole : Math.min(whole, restGroups))),
    ...(part.end < passes ? [] : [restPass(queryRows, passes % TURNS, limits)]),
  ];
}

export const withinOrderKernel: GpuKernel<WithinOrderParams, WithinOrderBinding> = {
  passes: withinOrderPasses,
  bytes: ({ queryRows, refRows, listed }) => ({
    queries: queryRows * 16,
    refs: refRows * 16,
    offsets: 16 * ceilDiv(queryRows + 1, 4),
    entries: listed * 8,
    ...withinOrderBytes(listed),
  }),
};

function withinOrderPasses(params: WithinOrderParams, limits: KernelLimits): readonly Pass[] {
  const { listed, longest, root, most } = params;
  if (listed === 0) return [];
  const evaluate = spans(listed, most).map(({ begin, end }) =>
    itemsPass(
      "knn.withinOrder.evaluate",
      wgsl("radius_evaluate"),
      end - begin,
      { queries: "vec4u", refs: "vec4u", entries: "vec2u", keys: "vec2u!" },
      {
        uniforms: [
          ["begin", "u32", begin],
          ["count", "u32", end - begin],
        ],
        snippets: [float64, root64],
        constants: { ROOT: root ? 1 : 0 },
      },
      limits,
    ),
  );
  const merges = Math.max(1, Math.ceil(Math.log2(longest)));
  const merge = Array.from({ length: merges }, (_, level) => {
    const isLast = level === merges - 1;
    const pass = itemsPass(
      "knn.withinOrder.merge",
      wgsl("radius_merge"),
      listed,
      {
        ...{ offsets: "u32", entries: "vec2u", keys: "vec2u", nextKeys: "vec2u!" },
        ...(isLast ? { nearRows: "u32!" } : { nextEntries: "vec2u!" }),
      },
      {
        uniforms: [
          ["listed", "u32", listed],
          ["width", "u32", 2 ** level],
        ],
        snippets: [isLast ? wgsl("put_row") : wgsl("put_entry")],
      },
      limits,
    );
    const turned = { entries: "nextEntries", nextEntries: "entries", keys: "nextKeys", nextKeys: "keys" };
    return renamed(pass, { ...(level % 2 === 1 && turned), ...(isLast && { nextKeys: "nearDistances" }) });
  });
  return [...evaluate, ...merge];
}
