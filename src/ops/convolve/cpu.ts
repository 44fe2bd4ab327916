/**
 * This module computes `convolve` on the CPU: windows of outputs go through the WASM module, into which the
 * samples and the taps that they need are copied. Floats are added in the order of the taps, whoever works on
 * which part; blocks of spectra (spectra/spectra.ts) begin at the same outputs of a row. The contract is
 * ops/convolve/contract.ts.
 */
import { ceilDiv } from "../../core/math.ts";
import type { ArrayWasm } from "../../runtime/cpu/arrayWasm.ts";
import { addressAt, wordsOf, type Address } from "../../runtime/cpu/buffers.ts";
import { addressesOf, type CpuContext, type CpuKernel } from "../../runtime/cpu/kernel.ts";
import { arrayHandler, arrayTask } from "../../runtime/cpu/task.ts";
import { cutElements, doHere, mayShare, shareOut } from "../../runtime/cpu/shares.ts";
import type { CheckedBinding, ConvolveParams } from "./contract.ts";
import { copySamples, sampleBytes, samplesIn, skewOf, type Samples } from "./samples.ts";
import { blocksOf, Spectra, type SpectraKernels } from "./spectra/spectra.ts";

type Convolve = (x: number, w: number, taps: number, y: number, count: number, add: boolean) => void;

/** These are the functions in wasm.ts. */
interface ConvolveKernels extends SpectraKernels {
  convolveFloats: Convolve;
  convolveDoubles: Convolve;
  convolveInts: Convolve;
  largestInt(x: number, count: number): number;
  addWideInts(x: number, w: number, taps: number, wide: number, count: number): void;
  firstOverflow(wide: number, count: number): number;
}

/** A window has so many outputs, a multiple of what wasm.ts makes at a time; as float32 they take 32 KiB. */
const WINDOW = 8192;
/** The module's memory has so many taps at one time. */
const TAPS = 8192;
/** Samples that wasm.ts may read past those of a window, and by which a window is skewed. */
const PAST = 32 + 2;
/** A share of the main thread has so many products, which take some ten milliseconds. */
const LOCAL_PRODUCTS = 2 ** 27;
/** So many taps take as long as copying a sample in and an output out. */
const TAPS_OF_A_COPY = 8;

/** So many taps take as long, for each output, as two blocks of spectra. */
const SPECTRA_TAPS = 64;

/**
 * Outputs [begin, end), counted over all rows and masks, or with the technique "fft" pairs of blocks. The
 * masks lie as they are multiplied.
 */
export interface ConvolveTask {
  readonly params: ConvolveParams;
  readonly signal: Address;
  readonly masks: Samples;
  readonly output: Address;
  readonly begin: number;
  readonly end: number;
}

export const onCpu: CpuKernel<ConvolveParams, CheckedBinding> = {
  run: (params, buffers, context) => convolve(params, addressesOf(buffers), context),
};

async function convolve(
  params: ConvolveParams,
  { signal, mask, output, status }: Readonly<Record<CheckedBinding, Address>>,
  context: CpuContext,
): Promise<void> {
  const { rows, masks: several, length, taps } = params;
  const masks = masksOf(params, mask);
  const pair = params.technique === "fft" ? 2 * blocksOf(taps).hop : 1;
  const count = rows * several * ceilDiv(length, pair) * pair;
  const cost = pair > 1 ? SPECTRA_TAPS : taps;
  const workers = mayShare(count * ceilDiv(cost, TAPS_OF_A_COPY), [signal, output], context);
  const size = Math.max(WINDOW, pair * ceilDiv(LOCAL_PRODUCTS, cost * pair));
  const elements = workers ? cutElements(count, pair > 1 ? pair : WINDOW, context) : stretches(count, size);
  const cuts = elements.map(([begin, end]) => [begin / pair, end / pair] as const);
  const requests = cuts.map(([begin, end]) => ({ params, signal, masks, output, begin, end }));
  const found = wordsOf(status, 0, 1);
  await (workers ? shareOut : doHere)({ task: convolveTask, requests, writes: true }, context, (overflow) => {
    if (overflow !== undefined) found[0] = Math.max(found[0], 0xffffffff - overflow);
  });
}

function stretches(count: number, size: number): (readonly [begin: number, end: number])[] {
  return Array.from({ length: ceilDiv(count, size) }, (_, i) => [i * size, Math.min((i + 1) * size, count)]);
}

/** Copies the masks, each turned round where it is to be flipped. */
function masksOf({ type, masks, taps, flip }: ConvolveParams, { buffer, byteOffset }: Address): Samples {
  const copy = samplesIn(type, buffer, byteOffset, masks * taps).slice();
  if (flip) for (let m = 0; m < masks; m++) copy.subarray(m * taps, (m + 1) * taps).reverse();
  return copy;
}

/** @returns the first output whose sum overflows, where that is asked for */
function work(task: ConvolveTask, wasm: ArrayWasm<ConvolveKernels>): number | undefined {
  const windows = new Windows(task.params, wasm);
  if (task.params.technique === "fft") return multiply(task, wasm, windows);
  const { length } = task.params;
  let overflow: number | undefined;
  for (let at = task.begin; at < task.end;) {
    const line = lineOf(task, Math.floor(at / length));
    const first = at - line.begin;
    const outputs = Math.min(WINDOW, length - first, task.end - at);
    const found = addUp(task, windows, line, first, outputs);
    if (found >= 0) overflow ??= at + found;
    at += outputs;
  }
  return overflow;
}

/** It is a row with one of the masks, and says where its outputs begin. */
interface Line {
  readonly row: Samples;
  readonly mask: Samples;
  readonly begin: number;
}

function lineOf({ params, signal, masks }: ConvolveTask, line: number): Line {
  const { type, count, taps, length } = params;
  const row = Math.floor(line / params.masks) * count * sampleBytes(type);
  const mask = (line % params.masks) * taps;
  return {
    row: samplesIn(type, signal.buffer, signal.byteOffset + row, count),
    mask: masks.subarray(mask, mask + taps),
    begin: line * length,
  };
}

/** Makes up to a window of outputs as sums of products; returns the first that overflows, or -1. */
function addUp(
  { params, output }: ConvolveTask,
  windows: Windows,
  { row, mask, begin }: Line,
  first: number,
  outputs: number,
): number {
  const to = addressAt(output, ((begin + first) * sampleBytes(params.type)) / 4);
  return windows.make(row, first - params.before, mask, outputs, to);
}

/** Makes pairs of blocks as products of spectra, and those that are not finite as sums of products. */
function multiply(task: ConvolveTask, wasm: ArrayWasm<ConvolveKernels>, windows: Windows): undefined {
  const { length, before, taps } = task.params;
  const spectra = new Spectra(task.params, wasm);
  const { hop } = blocksOf(taps);
  const pairs = ceilDiv(length, 2 * hop);
  for (let pair = task.begin; pair < task.end; pair++) {
    const line = lineOf(task, Math.floor(pair / pairs));
    const begin = (pair % pairs) * 2 * hop;
    const end = Math.min(begin + 2 * hop, length);
    const blocks = spectra.make(line.row, begin - before, line.mask);
    if (blocks) {
      blocks.forEach((block, at) => {
        const first = begin + at * hop;
        const outputs = block.subarray(0, Math.max(0, Math.min(hop, length - first)));
        copyWords(addressAt(task.output, line.begin + first), outputs);
      });
    } else {
      for (let at = begin; at < end; at += WINDOW) addUp(task, windows, line, at, Math.min(WINDOW, end - at));
    }
  }
}

function copyWords(to: Address, { buffer, byteOffset, length }: Float32Array | Uint32Array): void {
  const words = new Uint32Array(buffer, byteOffset, length);
  for (let at = 0; at < length; at += 1024) {
    const some = words.subarray(at, at + 1024);
    wordsOf(to, at, some.length).set(some);
  }
}

/** Takes areas of the module's memory, and works in them. */
class Windows {
  readonly #params: ConvolveParams;
  readonly #kernels: ConvolveKernels;
  readonly #convolve: Convolve;
  /** A sample has so many bytes. */
  readonly #bytes: number;
  readonly #x: number;
  readonly #w: number;
  readonly #y: number;
  readonly #wide: number;
  readonly #wideWords: Uint32Array;
  readonly #samples: Samples;
  readonly #taps: Samples;
  readonly #outputs: Uint32Array;
  #loaded: Samples | undefined;

  constructor(params: ConvolveParams, { kernels, rest, block, words }: ArrayWasm<ConvolveKernels>) {
    const { type } = params;
    const bytes = sampleBytes(type);
    const { buffer } = words;
    this.#params = params;
    this.#bytes = bytes;
    this.#kernels = kernels;
    const { convolveFloats, convolveDoubles, convolveInts } = kernels;
    this.#convolve = type === "f32" ? convolveFloats : type === "f64" ? convolveDoubles : convolveInts;
    this.#y = block;
    this.#outputs = new Uint32Array(buffer, block, (WINDOW * bytes) / 4 + 1);
    this.#x = rest.at;
    this.#samples = samplesIn(type, buffer, this.#x, WINDOW + TAPS + PAST);
    this.#w = this.#x + (WINDOW + TAPS + PAST) * bytes;
    this.#taps = samplesIn(type, buffer, this.#w, TAPS);
    this.#wide = this.#w + TAPS * bytes;
    this.#wideWords = new Uint32Array(buffer, this.#wide, WINDOW * 4);
  }

  /** Writes some outputs, which begin at a place of a row; returns the first that overflows, or -1. */
  make(row: Samples, first: number, mask: Samples, outputs: number, to: Address): number {
    const { limit } = this.#params;
    const words = (outputs * this.#bytes) / 4;
    const skew = this.#bytes === 8 ? 0 : skewOf(wordsOf(to, 0, words), 0);
    if (limit !== undefined) this.#wideWords.fill(0);
    let largest = 0;
    for (let tap = 0; tap < mask.length; tap += TAPS) {
      const taps = Math.min(TAPS, mask.length - tap);
      if (mask.length > TAPS || this.#loaded?.byteOffset !== mask.byteOffset) {
        this.#taps.set(mask.subarray(tap, tap + taps));
      }
      const samples = outputs + taps - 1;
      const x = this.#load(row, first + tap, samples);
      this.#convolve(x, this.#w, taps, this.#y + 4 * skew, outputs, tap > 0);
      if (limit === undefined) continue;
      largest = Math.max(largest, this.#kernels.largestInt(x, samples) >>> 0);
    }
    this.#loaded = mask;
    copyWords(to, this.#outputs.subarray(skew, skew + words));
    if (limit === undefined || largest <= limit) return -1;
    return this.#overflow(row, first, mask, outputs);
  }

  /** Adds once more, in as many bits as it takes. */
  #overflow(row: Samples, first: number, mask: Samples, outputs: number): number {
    for (let tap = 0; tap < mask.length; tap += TAPS) {
      const taps = Math.min(TAPS, mask.length - tap);
      this.#taps.set(mask.subarray(tap, tap + taps));
      const x = this.#load(row, first + tap, outputs + taps - 1);
      this.#kernels.addWideInts(x, this.#w, taps, this.#wide, outputs);
    }
    return this.#kernels.firstOverflow(this.#wide, outputs);
  }

  /** Copies samples in, and returns where they are. */
  #load(row: Samples, first: number, samples: number): number {
    const skew = skewOf(row, first);
    copySamples(this.#samples.subarray(skew, skew + samples), row, first, this.#params);
    return this.#x + skew * this.#bytes;
  }
}

export const convolveTask = arrayTask("convolve", work);

export const handlers = [arrayHandler(convolveTask)];
