/**
 * This is `knn.order` as passes: they take the roots of the keys, then find the place of every entry of a
 * list among the others. Of points the keys are their values, and distances are made of the first k.
 */
import { ceilDiv } from "../../../../core/math.ts";
import * as keys from "../../../../runtime/gpu/collectives/keys/wgsl.generated.ts";
import type { GpuKernel } from "../../../../runtime/gpu/passes/kernel.ts";
import {
  makePass,
  type KernelLimits,
  type Pass,
  type PassParts,
} from "../../../../runtime/gpu/passes/pass.ts";
import { knnOrderBytes, type KnnOrderBinding, type KnnOrderParams } from "../../contract/order.ts";
import * as wgsl from "./wgsl.generated.ts";

const THREADS = 256;

export const knnOrderKernel: GpuKernel<KnnOrderParams, KnnOrderBinding> = {
  passes: orderPasses,
  bytes({ queryBegin, queryRows, capacity, k }) {
    const rows = queryBegin + queryRows;
    const entries = rows * capacity;
    return {
      ...{ heads: rows * 8, candidates: entries * 4, keys: entries * 8 },
      ...knnOrderBytes({ queryRows: rows, k }),
    };
  },
};

function orderPasses(params: KnnOrderParams, limits: KernelLimits): readonly Pass[] {
  const { capacity, queryBegin, queryRows, k, root, rankExponent } = params;
  if (queryRows === 0) return [];
  const pass = (
    label: string,
    body: string,
    types: Readonly<Record<string, string>>,
    { snippets = [], constants = {}, uniforms = [], groups }: Partial<PassParts> = {},
  ) =>
    makePass(
      {
        label,
        body,
        snippets,
        constants: { THREADS, ...constants },
        uniforms: [
          ["queryBegin", "u32", queryBegin],
          ["queryRows", "u32", queryRows],
          ["capacity", "u32", capacity],
          ["k", "u32", k],
          ...uniforms,
        ],
        bindings: Object.entries(types).map(([name, type]) => ({
          name,
          access: type.endsWith("!") ? ("read_write" as const) : ("read" as const),
          type: `array<${type.replace("!", "")}>`,
        })),
        groups: groups ?? ceilDiv(queryRows * capacity, THREADS),
      },
      limits,
    );
  const lists = { heads: "vec2u", candidates: "u32", keys: "vec2u" };
  const keyed = { heads: "vec2u", keys: "vec2u!" };
  const order = pass("knn.order", wgsl.order_lists, { ...lists, nearRows: "u32!", nearDistances: "vec2u!" });
  if (rankExponent === undefined) {
    const roots = () => pass("knn.order.roots", wgsl.order_roots, keyed, { snippets: [wgsl.root64] });
    return root ? [roots(), order] : [order];
  }
  const points = { heads: "vec2u", nearDistances: "vec2u!" };
  return [
    pass("knn.order.values", wgsl.order_values, keyed, { snippets: [keys.ordered_key] }),
    order,
    pass("knn.order.points", wgsl.order_points, points, {
      snippets: [keys.ordered_key, wgsl.root64],
      constants: { ROOT: root },
      uniforms: [["rankExponent", "i32", rankExponent]],
      groups: ceilDiv(queryRows * k, THREADS),
    }),
  ];
}
