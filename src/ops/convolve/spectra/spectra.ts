/**
 * This module computes `convolve` on the CPU by overlap-save: it multiplies spectra of blocks of samples, two
 * at a time as the real and the imaginary parts, by those of the mask. A long mask is cut into parts.
 * ../BOUND.md says how exact that is. Sums of products are cpu.ts.
 */
import { ceilDiv } from "../../../core/math.ts";
import type { ArrayWasm } from "../../../runtime/cpu/arrayWasm.ts";
import type { ConvolveParams } from "../contract.ts";
import { copySamples, skewOf, type Samples } from "../samples.ts";

/** These are the functions in wasm.ts. */
export interface SpectraKernels {
  transformForth(re: number, im: number, n: number, twiddles: number): void;
  transformBack(re: number, im: number, n: number, twiddles: number): void;
  multiplySpectra(x: number, h: number, y: number, n: number, add: boolean): void;
}

/** It has the parts of a mask, and the blocks of samples. */
export interface Blocks {
  /** A transform has so many points, a power of four. */
  readonly points: number;
  readonly parts: number;
  /** Every part has so many taps, but the last may have fewer. */
  readonly partTaps: number;
  /** A block gives so many outputs. */
  readonly hop: number;
}

const [SHORT, LONG] = [4096, 16_384];
/** Short blocks take less time up to so many taps. */
const SHORT_TAPS = 800;

export function blocksOf(taps: number): Blocks {
  const [points, most] = taps <= SHORT_TAPS ? [SHORT, SHORT_TAPS] : [LONG, LONG / 2];
  const parts = ceilDiv(taps, most);
  const partTaps = ceilDiv(taps, parts);
  // An even number of outputs, so that all blocks lie alike in words of 64 bits (samples.ts).
  return { points, parts, partTaps, hop: Math.floor((points + 1 - partTaps) / 2) * 2 };
}

/** The areas begin at this byte of the memory; cpu.ts uses what lies before. */
const SPECTRA_AT = 2 ** 18;

/** Makes outputs of masks, two blocks at a time, in areas of the module's memory. */
export class Spectra {
  readonly blocks: Blocks;
  readonly #params: ConvolveParams;
  readonly #kernels: SpectraKernels;
  readonly #at: readonly [block: number, sum: number, mask: number, twiddles: number];
  /** They are the block, the sum of products and the spectrum of a part, real parts first. */
  readonly #block: Float32Array;
  readonly #sum: Float32Array;
  readonly #maskArea: Float32Array;
  #mask: Samples | undefined;
  #spectra: Float32Array[] = [];

  constructor(params: ConvolveParams, { kernels, rest, words }: ArrayWasm<SpectraKernels>) {
    this.#params = params;
    this.#kernels = kernels;
    this.blocks = blocksOf(params.taps);
    const { points } = this.blocks;
    const begin = rest.at + SPECTRA_AT;
    const area = 8 * points + 16;
    this.#at = [begin, begin + area, begin + 2 * area, begin + 3 * area];
    const [block, sum, mask, twiddles] = this.#at.map((at) => new Float32Array(words.buffer, at, area / 4));
    twiddles.set(twiddlesOf(points));
    [this.#block, this.#sum, this.#maskArea] = [block, sum, mask];
  }

  /**
   * Makes up to two blocks of outputs, whose samples begin at a place of a row.
   * @returns the blocks, which the next call overwrites; undefined where they are not finite
   */
  make(row: Samples, first: number, mask: Samples): readonly [Float32Array, Float32Array] | undefined {
    const { points, parts, partTaps, hop } = this.blocks;
    const [block, sum, maskAt, twiddles] = this.#at;
    this.#load(mask);
    for (let part = 0; part < parts; part++) {
      if (parts > 1) this.#maskArea.set(this.#spectra[part]);
      const begin = first + part * partTaps;
      const skew = skewOf(row, begin);
      const at = block + 4 * skew;
      const samples = this.#block.subarray(skew);
      copySamples(samples.subarray(0, points), row, begin, this.#params);
      copySamples(samples.subarray(points, 2 * points), row, begin + hop, this.#params);
      this.#kernels.transformForth(at, at + 4 * points, points, twiddles);
      this.#kernels.multiplySpectra(at, maskAt, sum, points, part > 0);
    }
    this.#kernels.transformBack(sum, sum + 4 * points, points, twiddles);
    // A sample that is not finite, or a product that is too large, has reached all outputs of both blocks.
    const [one, other] = [this.#sum.subarray(0, hop), this.#sum.subarray(points, points + hop)];
    return Number.isFinite(one[0] + other[0]) ? [one, other] : undefined;
  }

  /**
   * Transforms the parts of a mask, turned round, and divided by the points, which the inverse leaves out.
   */
  #load(mask: Samples): void {
    if (this.#mask?.byteOffset === mask.byteOffset) return;
    const { points, parts, partTaps } = this.blocks;
    const [, , maskAt, twiddles] = this.#at;
    this.#spectra = Array.from({ length: parts }, (_, part) => {
      this.#maskArea.fill(0);
      mask.subarray(part * partTaps, (part + 1) * partTaps).forEach((tap, at) => {
        this.#maskArea[(points - at) % points] = tap / points;
      });
      this.#kernels.transformForth(maskAt, maskAt + 4 * points, points, twiddles);
      return parts > 1 ? this.#maskArea.slice() : this.#maskArea;
    });
    this.#mask = mask;
  }
}

const tables = new Map<number, Float32Array>();

/** Returns the twiddle factors of all layers, as wasm.ts wants them. */
function twiddlesOf(points: number): Float32Array {
  let table = tables.get(points);
  if (table) return table;
  table = new Float32Array(2 * points - 8);
  let at = 0;
  for (let quarter = points / 4; quarter >= 4; quarter /= 4) {
    for (let times = 1; times <= 3; times++) {
      for (let j = 0; j < quarter; j++) {
        const angle = (-Math.PI * times * j) / (2 * quarter);
        table[at + j] = Math.cos(angle);
        table[at + quarter + j] = Math.sin(angle);
      }
      at += 2 * quarter;
    }
  }
  tables.set(points, table);
  return table;
}
