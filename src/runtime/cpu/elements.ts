/** Elements as the WASM module takes them: numbered types, and keys, i32 whose order is that of the elements. */
import { type ElementType, scanIdentity } from "../primitives.ts";

/** As in wasm/reduce.ts and wasm/scan.ts. */
export const TYPES: readonly ElementType[] = ["u32", "i32", "f32"];

/** Key of the least of nothing, or the largest; also that of NaN. */
export function noKey(op: "min" | "max"): number {
  return scanIdentity(op) ^ 0x80000000;
}

/** The bits of an element. */
export function bitsOfKey(type: ElementType, key: number): number {
  if (type === "i32") return key;
  if (type === "u32") return key ^ 0x80000000;
  const bits = key ^ ((key >> 31) & 0x7fffffff);
  return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : bits;
}

/** float64 rounded to float32, as bits; of every NaN the same. */
export function bitsOfFloat(value: number): number {
  if (Number.isNaN(value)) return 0x7fc00000;
  floats[0] = value;
  return words[0];
}

export function floatOfBits(bits: number): number {
  words[0] = bits;
  return floats[0];
}

const floats = new Float32Array(1);
const words = new Uint32Array(floats.buffer);
