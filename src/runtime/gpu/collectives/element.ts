/**
 * These are the snippets by which kernels read elements as values and combine them. What the values are is
 * said in runtime/element.ts.
 */
import type { ElementType } from "../../element.ts";
import * as wgsl from "./wgsl.generated.ts";
import * as keys from "./keys/elements/wgsl.generated.ts";

export type Combination = "sum" | "min" | "max";

const combineSnippets: Record<Combination, string> = {
  sum: wgsl.combine_sum,
  min: wgsl.combine_min,
  max: wgsl.combine_max,
};

const keySnippets: Record<ElementType, readonly string[]> = {
  u32: [keys.value_key_u32],
  i32: [keys.value_key_i32],
  f32: [keys.float_key, keys.value_key_f32],
};

/** Returns the snippets that make values, which are numbers for sums and keys for minima and maxima. */
export function valueSnippets(type: ElementType, op: Combination): readonly string[] {
  return [combineSnippets[op], ...(op === "sum" ? [keys.value_bits] : keySnippets[type])];
}

/** Returns the type that `Value` stands for: i32 adds like u32. */
export function valueType(type: ElementType, op: Combination): "u32" | "f32" {
  return type === "f32" && op === "sum" ? "f32" : "u32";
}
