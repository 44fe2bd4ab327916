/** The snippets by which kernels read elements as values and combine them. What the values are, is core/primitives/element.ts. */
import type { ElementType } from "../../primitives.ts";
import * as elementKeys from "./keys/elements/wgsl.generated.ts";
import * as wgsl from "./wgsl.generated.ts";

export type Combination = "sum" | "min" | "max";

const combineSnippets: Record<Combination, string> = {
  sum: wgsl.combine_sum,
  min: wgsl.combine_min,
  max: wgsl.combine_max,
};

const keySnippets: Record<ElementType, string> = {
  u32: elementKeys.value_key_u32,
  i32: elementKeys.value_key_i32,
  f32: elementKeys.value_key_f32,
};

/** Values are numbers for sums and keys for minima and maxima. */
export function valueSnippets(type: ElementType, op: Combination): readonly string[] {
  return [combineSnippets[op], op === "sum" ? elementKeys.value_bits : keySnippets[type]];
}

/** What `Value` stands for: i32 adds like u32. */
export function valueType(type: ElementType, op: Combination): "u32" | "f32" {
  return type === "f32" && op === "sum" ? "f32" : "u32";
}
