/**
 * Inputs for histograms and selection: every type, with the contents on which they go wrong. Runs anywhere.
 */
import type { Random } from "../../oracle/random.ts";

export type Elements = Uint32Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Float32Array<ArrayBuffer>;

export interface ElementInput {
  /** Completes "for ...". */
  readonly name: string;
  make(random: Random, length: number): Elements;
}

const special = [NaN, Infinity, -Infinity, -0, 0, 1, -1, 2 ** -149, -(2 ** -149), 3.4e38, -3.4e38];

const floats = (value: (random: Random, at: number) => number) => (random: Random, length: number) =>
  Float32Array.from({ length }, (_, at) => value(random, at));

/** NaN of either sign and with a payload; a JavaScript number keeps neither. */
function withNaNs(random: Random, length: number): Float32Array<ArrayBuffer> {
  const array = floats((r) => (r.int(0, 3) === 0 ? r.pick(special) : r.normal()))(random, length);
  const bits = new Uint32Array(array.buffer);
  for (let at = 0; at < length; at++) {
    if (random.int(0, 9) === 0) bits[at] = random.pick([0xffc00001, 0x7f800123, 0xffffffff]);
  }
  return array;
}

export const elementInputs: readonly ElementInput[] = [
  { name: "normal f32", make: floats((random) => random.normal()) },
  { name: "f32 with NaN, infinities and zeros of both signs", make: withNaNs },
  { name: "equal f32", make: floats(() => 2.5) },
  { name: "ascending f32", make: floats((_, at) => at / 8) },
  { name: "descending f32", make: floats((_, at) => -at) },
  { name: "few different f32", make: floats((random) => random.int(-2, 3) / 2) },
  { name: "random u32", make: (random, length) => Uint32Array.from({ length }, () => random.bits()) },
  { name: "small u32", make: (random, length) => Uint32Array.from({ length }, () => random.int(0, 40)) },
  { name: "random i32", make: (random, length) => Int32Array.from({ length }, () => random.bits()) },
  { name: "small i32", make: (random, length) => Int32Array.from({ length }, () => random.int(-9, 9)) },
];

export function bitsOf(elements: Elements): Uint32Array<ArrayBuffer> {
  return new Uint32Array(elements.buffer, elements.byteOffset, elements.length);
}

/** As a binding wants it: whole groups of four. */
export function padded(elements: Elements): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(Math.max(4, Math.ceil(elements.length / 4) * 4)).fill(0x7fc00000);
  words.set(bitsOf(elements));
  return words;
}

export function typeOf(elements: Elements): "u32" | "i32" | "f32" {
  if (elements instanceof Float32Array) return "f32";
  return elements instanceof Int32Array ? "i32" : "u32";
}
