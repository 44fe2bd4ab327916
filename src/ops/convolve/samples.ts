/**
 * These are the samples of a row as a mask sees them: beyond the ends of the row a boundary says what is
 * there, by the rules of numpy.pad. Pure, on the host's arrays; gpu/convolve_samples.wgsl has the same rules.
 */

/**
 * The samples outside a signal are, by the names of numpy.pad, `fill` ("constant"), the samples mirrored
 * without the one at the edge ("reflect") or with it ("symmetric"), the one at the edge ("edge"), or the
 * signal over and over ("wrap").
 * @example
 * const sumsWith = async (boundary: Boundary) =>
 *   correlate(Float32Array.of(1, 2, 4), [1, 1, 1], { mode: "same", boundary });
 * await sumsWith("constant"); // => [3, 7, 6]
 * await sumsWith("reflect"); // => [5, 7, 8]
 * await sumsWith("symmetric"); // => [4, 7, 10]
 * await sumsWith("edge"); // => [4, 7, 10]
 * await sumsWith("wrap"); // => [7, 7, 7]
 */
export type Boundary = "constant" | "reflect" | "symmetric" | "edge" | "wrap";
export const boundaries: readonly Boundary[] = ["constant", "reflect", "symmetric", "edge", "wrap"];

/**
 * Samples of these types can be convolved.
 * @example
 * const smooth = (samples: Samples) => convolve(samples, [1, 2, 1], { mode: "same" });
 * await smooth(Int32Array.of(1, 2, 3)); // => Int32Array [4, 8, 8]
 * await smooth(Float64Array.of(1, 2, 3)); // => Float64Array [4, 8, 8]
 */
export type Samples = Float32Array | Float64Array | Int32Array;

/**
 * Elements copied in one go, as in runtime/cpu/arrayWasm.ts: longer copies go through instructions that take
 * twice as long.
 */
const COPY = 1024;

/** Returns the sample that stands at place `at` of `count`; -1 for what the boundary "constant" fills. */
export function sampleAt(boundary: Boundary, at: number, count: number): number {
  if (at >= 0 && at < count) return at;
  switch (boundary) {
    case "constant":
      return -1;
    case "edge":
      return at < 0 ? 0 : count - 1;
    case "wrap":
      return modulo(at, count);
    case "symmetric": {
      const place = modulo(at, 2 * count);
      return place < count ? place : 2 * count - 1 - place;
    }
    case "reflect": {
      if (count === 1) return 0;
      const place = modulo(at, 2 * count - 2);
      return place < count ? place : 2 * count - 2 - place;
    }
  }
}

function modulo(a: number, b: number): number {
  return a - Math.floor(a / b) * b;
}

/** Fills `target` with the samples from place `first` of a row on. */
export function copySamples(
  target: Samples,
  row: Samples,
  first: number,
  { boundary, fill }: { readonly boundary: Boundary; readonly fill: number },
): void {
  const begin = Math.min(Math.max(-first, 0), target.length);
  const end = Math.max(begin, Math.min(row.length - first, target.length));
  for (let at = begin; at < end; at += COPY) {
    target.set(row.subarray(first + at, first + Math.min(at + COPY, end)), at);
  }
  const outside = (at: number): void => {
    const sample = sampleAt(boundary, first + at, row.length);
    target[at] = sample < 0 ? fill : row[sample];
  };
  for (let at = 0; at < begin; at++) outside(at);
  for (let at = end; at < target.length; at++) outside(at);
}

/**
 * Returns by how many samples a copy of a row from place `at` on is to lie behind a multiple of eight bytes,
 * so that it lies there as the row does. V8 copies from and to shared memory in words of 64 bits where both
 * lie alike, and else byte by byte, which takes several times as long.
 */
export function skewOf({ byteOffset, BYTES_PER_ELEMENT }: Samples | Uint32Array, at: number): number {
  return BYTES_PER_ELEMENT === 8 ? 0 : (byteOffset / 4 + at) & 1;
}

/** Views `length` samples from byte `offset` of a buffer on. */
export function samplesIn(
  type: "f32" | "i32" | "f64",
  buffer: ArrayBufferLike,
  offset: number,
  length: number,
): Samples {
  if (type === "f64") return new Float64Array(buffer, offset, length);
  return type === "f32" ? new Float32Array(buffer, offset, length) : new Int32Array(buffer, offset, length);
}

/** Returns the bytes of a sample. */
export function sampleBytes(type: "f32" | "i32" | "f64"): number {
  return type === "f64" ? 8 : 4;
}
