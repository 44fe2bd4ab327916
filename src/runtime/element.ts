/**
 * This module has the elements that array primitives work on: 32 bits each, of one of three types. It also
 * has the order in which they compare, as keys: u32 whose order is the elements' order, so that minima and
 * maxima are those of whole numbers on every device.
 *
 * Floats order as -Infinity ... -0, +0 ... Infinity; NaN is none of them, whatever its bits.
 */

/**
 * It is the type of an element, as WGSL calls it.
 * @example
 * const keysOf = (type: ElementType) => binKeys(Float64Array.of(0, 1, 2), 2, type, false).edges;
 * keysOf("u32"); // => [0, 1]
 * keysOf("i32"); // => [2 ** 31, 2 ** 31 + 1]
 */
export type ElementType = "u32" | "i32" | "f32";
/**
 * The host has elements in one of these.
 * @example
 * const sumOf = async (elements: ElementArray) => (await reduce(elements))[0];
 * await sumOf(Int32Array.of(1, -2)); // => -1
 * await sumOf(Uint32Array.of(2 ** 32 - 1, 2)); // => 1
 */
export type ElementArray = Uint32Array | Int32Array | Float32Array;

export const elementTypes: readonly ElementType[] = ["u32", "i32", "f32"];

/** An element has this many bytes. */
export const ELEMENT_BYTES = 4;

/** Kernels read so many elements at a time, so that buffers of elements hold a multiple of it. */
export const ELEMENT_STEP = 4;

/**
 * Returns the bytes that a buffer of `count` elements must have. What lies past `count` is neither used nor
 * changed.
 */
export function elementBytes(count: number): number {
  return Math.ceil(count / ELEMENT_STEP) * ELEMENT_STEP * ELEMENT_BYTES;
}

export function elementTypeOf(array: ElementArray): ElementType {
  if (array instanceof Float32Array) return "f32";
  return array instanceof Int32Array ? "i32" : "u32";
}

/** Returns a new array of that type. */
export function newElements(type: ElementType, count: number): ElementArray {
  if (type === "f32") return new Float32Array(count);
  return type === "i32" ? new Int32Array(count) : new Uint32Array(count);
}

/** Views the elements in a buffer, from `offset` bytes on. */
export function elementsIn(
  type: ElementType,
  buffer: ArrayBufferLike,
  offset: number,
  count: number,
): ElementArray {
  if (type === "f32") return new Float32Array(buffer, offset, count);
  return type === "i32" ? new Int32Array(buffer, offset, count) : new Uint32Array(buffer, offset, count);
}

/**
 * Returns the bits that change nothing when they are combined: those of +0, of the largest key, or of the
 * smallest.
 */
export function identityBits(op: "sum" | "min" | "max"): number {
  return op === "min" ? 0xffffffff : 0;
}
