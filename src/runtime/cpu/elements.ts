/**
 * This module has elements as the WASM module takes them: numbered types, and keys, i32 whose order is that
 * of the elements.
 */
import { floatOfKey, isNaNBits, keyOfInt } from "../../core/float/keys.ts";
import { type ElementType } from "../element.ts";
import { identityBits } from "../element.ts";

/** The WASM of the rooms has these numbers for element types. */
export const TYPES: readonly ElementType[] = ["u32", "i32", "f32"];

/** Returns the key of the least of nothing, or of the largest, which is also that of NaN. */
export function noKey(op: "min" | "max"): number {
  return keyOfInt(identityBits(op)) | 0;
}

/** Returns the bits of an element by its key. */
export function bitsOfKey(type: ElementType, key: number): number {
  if (type === "i32") return key;
  if (type === "u32") return keyOfInt(key);
  const bits = floatOfKey(keyOfInt(key));
  return isNaNBits(bits) ? 0x7fc00000 : bits;
}
