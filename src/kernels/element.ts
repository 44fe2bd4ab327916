/** The snippets by which kernels read elements as values and combine them. What the values are, is core/primitives/element.ts. */
import type { ElementType } from "../core/primitives.ts";
import type { SourceName } from "./sources.ts";

export type Combination = "sum" | "min" | "max";

const combineSnippets: Record<Combination, SourceName> = {
  sum: "shared/combine_sum",
  min: "shared/combine_min",
  max: "shared/combine_max",
};

const keySnippets: Record<ElementType, SourceName> = {
  u32: "shared/value_key_u32",
  i32: "shared/value_key_i32",
  f32: "shared/value_key_f32",
};

/** Values are numbers for sums and keys for minima and maxima. */
export function valueSnippets(type: ElementType, op: Combination): readonly SourceName[] {
  return [combineSnippets[op], op === "sum" ? "shared/value_bits" : keySnippets[type]];
}

/** What `Value` stands for: i32 adds like u32. */
export function valueType(type: ElementType, op: Combination): "u32" | "f32" {
  return type === "f32" && op === "sum" ? "f32" : "u32";
}
