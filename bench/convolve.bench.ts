/**
 * Convolution on a GPU, all in device memory, beside a copy kernel in the same run; some
 * outputs of each job are compared with float64 sums. torch's and CuPy's figures come from
 * rivals/convolve.py. Not a test.
 *
 *     node dist-bench/convolve.bench.js [--samples N] [--taps 3,10,63] [--techniques tiled,fft]
 *     node dist-bench/convolve.bench.js --variants direct|window|fft [--samples N]
 */
import { parseArgs } from "node:util";
import { GpuPrimitives, type GpuConvolveParams } from "../dist/node.js";
import type { CheckedBinding, ConvolveParams } from "../dist/ops/convolve/contract.js";
import {
  convolveKernel,
  convolvePasses,
  unpack,
  type ConvolveVariant,
  type DirectVariant,
} from "../dist/ops/convolve/gpu/gpu.js";
import { Preparer } from "../dist/runtime/gpu/operation.js";
import { primitive } from "../dist/runtime/primitive.js";
import { Kernels, openBenchDevice, readWords, storage, time } from "./gpu.js";

const { values } = parseArgs({
  options: {
    samples: { type: "string", default: "100000000" },
    taps: { type: "string", default: "3,10,32,63,96,128,192,255,512,1023,4095,20000" },
    techniques: { type: "string", default: "plain,tiled,fft" },
    /** Compares variants of some of the kernels, other than those that are chosen. */
    variants: { type: "string" },
  },
});
const samples = Number(values.samples);
const tapCounts = values.taps.split(",").map(Number);
const techniques = values.techniques.split(",") as NonNullable<GpuConvolveParams["technique"]>[];
/** Products of a job at most, so that the slow variants of long masks are left out. */
const MOST_PRODUCTS = 3e10;

await unpack();
const device = await openBenchDevice();
const primitives = await GpuPrimitives.create(device);
const kernels = new Kernels(device);
const longest = Math.max(255, ...tapCounts);
const [signal, output] = [samples, samples].map((count) => storage(device, Math.ceil(count / 4) * 16));
const mask = storage(device, Math.ceil(longest / 4) * 16);
kernels.run("floats", signal);
kernels.run("floats", mask);
/** So long that a card has its full clock. */
const often = { repeats: 4, warmUps: 10, warmMs: 50 };
/** A copy and a job take turns. */
const ROUNDS = 3;
const copy = await copyTime();
console.log(
  `${samples} samples; copy ${copy.toFixed(4)} ms, ${((samples * 8) / copy / 1e6).toFixed(0)} GB/s\n`,
);
console.log("| job | technique | ms | GB/s | of copy | G multiply-adds/s | worst error |");
console.log("| --- | --- | --- | --- | --- | --- | --- |");

if (values.variants) {
  await compareVariants(values.variants);
  process.exit(0);
}
for (const taps of tapCounts) await compare("f32", 1, taps);
for (const taps of [10, 63]) await compare("i32", 1, taps);
await compare("f32", 100, 10);
await compare("f32", 100, 255);
process.exit(0);

async function compare(type: "f32" | "i32", rows: number, taps: number): Promise<void> {
  const count = samples / rows;
  for (const technique of techniques) {
    if (technique === "fft" && (type === "i32" || taps < 32)) continue;
    if (technique !== "fft" && samples * taps > MOST_PRODUCTS) continue;
    const params = { type, rows, count, taps, mode: "same", technique } as const;
    using operation = await primitives.convolve(params);
    const scratch = storage(device, Math.max(operation.scratchBytes, 4));
    const buffers = { signal, mask, output, scratch };
    const rounds: { copy: number; ms: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const copy = await copyTime();
      rounds.push({ copy, ms: await time(device, (encoder) => operation.encode(encoder, buffers), often) });
    }
    const { copy, ms } = rounds.toSorted((a, b) => a.copy / a.ms - b.copy / b.ms)[ROUNDS >> 1];
    const error = await worstError(type, count, rows, taps);
    const row = [
      `${type} ${rows > 1 ? `${rows} x ` : ""}${count}, ${taps} taps`,
      technique,
      ms.toFixed(4),
      ((samples * 8) / ms / 1e6).toFixed(0),
      (copy / ms).toFixed(2),
      ((samples * taps) / ms / 1e6).toFixed(0),
      error,
    ];
    console.log(`| ${row.join(" | ")} |`);
    scratch.destroy();
  }
}

interface Job {
  readonly type: "f32" | "i32";
  /** Sums are looked at for overflow, of which there is none. */
  readonly checked?: boolean;
  readonly taps: number;
  readonly technique: "tiled" | "fft";
  readonly variant: ConvolveVariant;
}

/**
 * Measures variants of the kernels in rounds, with a copy before each, so that a card that changes its clock
 * in between is noticed. All are compiled before.
 */
async function compareVariants(kind: string): Promise<void> {
  const preparer = new Preparer(device);
  const jobs = await Promise.all(variantJobs(kind).map((job) => prepared(preparer, job)));
  for (let round = 1; round <= ROUNDS; round++) {
    for (const { job, operation, scratch, status } of jobs) {
      const { type, checked = false, taps, variant } = job;
      const buffers = { signal, mask, output, scratch, status } as Parameters<typeof operation.encode>[1];
      const copy = await copyTime();
      const ms = await time(device, (encoder) => operation.encode(encoder, buffers), often);
      const error = await worstError(type, samples, 1, taps);
      const cells = [
        round,
        `${type}${checked ? " checked" : ""}`,
        taps,
        JSON.stringify(variant),
        ms.toFixed(4),
        copy.toFixed(4),
        (copy / ms).toFixed(2),
      ];
      console.log(`| ${cells.join(" | ")} | ${error} |`);
    }
  }
}

function variantJobs(kind: string): Job[] {
  if (kind === "direct") {
    const variants: DirectVariant[] = [
      { turns: 2, threads: 256 },
      { turns: 4, threads: 256 },
      { turns: 6, threads: 256 },
      { turns: 8, threads: 256 },
      { turns: 16, threads: 256 },
      { turns: 8, threads: 128 },
      { turns: 4, threads: 64 },
    ];
    const kinds = [
      { type: "i32", taps: 10 },
      { type: "i32", checked: true, taps: 10 },
      { type: "f32", taps: 3 },
      { type: "f32", taps: 10 },
      { type: "f32", taps: 12 },
      { type: "f32", taps: 16 },
    ] as const;
    return kinds.flatMap((kind) =>
      variants.map((direct): Job => {
        return { ...kind, technique: "tiled", variant: { direct } };
      }),
    );
  }
  if (kind === "window") {
    const variants = [
      { vectors: 3, threads: 64 },
      { vectors: 3, threads: 128 },
      { vectors: 5, threads: 64 },
      { vectors: 5, threads: 128 },
      { vectors: 7, threads: 64 },
    ];
    return [3, 10, 32, 63, 96].flatMap((taps) =>
      variants.map((window): Job => ({ type: "f32", taps, technique: "tiled", variant: { window } })),
    );
  }
  return [8, 16, 24].map((chain): Job => {
    return { type: "f32", taps: 4095, technique: "fft", variant: { fft: { chain } } };
  });
}

async function prepared(preparer: Preparer, job: Job) {
  const { type, checked, taps, technique, variant } = job;
  const params: ConvolveParams = {
    ...{ type, rows: 1, masks: 1, count: samples, length: samples },
    ...{ taps, before: Math.floor(taps / 2), flip: true, boundary: "constant", fill: 0, technique },
    limit: checked ? 0xffffffff : undefined,
  };
  const varied = primitive<ConvolveParams, CheckedBinding>({
    name: "convolve",
    gpu: () =>
      Promise.resolve({ ...convolveKernel, passes: (p, limits) => convolvePasses(p, limits, variant) }),
  });
  const operation = await preparer.prepare(varied, params);
  const { scratch, status } = operation.bytes;
  return {
    job,
    operation,
    scratch: storage(device, Math.max(scratch, 4)),
    status: checked ? storage(device, status) : undefined,
  };
}

/** Milliseconds. */
function copyTime(): Promise<number> {
  return time(device, (encoder) => kernels.encode(encoder, "copy", signal, output));
}

/**
 * Returns the largest difference from float64 sums over the root of the taps, at both ends and in between.
 */
async function worstError(type: "f32" | "i32", count: number, rows: number, taps: number): Promise<string> {
  const view = (words: Uint32Array) =>
    type === "f32" ? new Float32Array(words.buffer) : new Int32Array(words.buffer);
  const weights = view(await part(mask, 0, taps)).toReversed();
  let worst = 0;
  const before = Math.floor(taps / 2);
  for (const at of [0, Math.floor(count / 3), count - 64]) {
    const row = rows - 1;
    const first = Math.max(0, at - before);
    const some = view(await part(signal, row * count + first, Math.min(taps + 63, count - first)));
    const found = view(await part(output, row * count + at, 64));
    for (let i = 0; i < 64; i++) {
      let sum = 0;
      let wrapped = 0;
      weights.forEach((weight, tap) => {
        const sample = some[at + i - before + tap - first] ?? 0;
        sum += weight * sample;
        wrapped = (wrapped + Math.imul(weight, sample)) | 0;
      });
      worst = Math.max(worst, Math.abs(found[i] - (type === "f32" ? sum : wrapped)));
    }
  }
  return type === "f32" ? `${(worst / Math.sqrt(taps)).toExponential(1)} sqrt(taps)` : String(worst);
}

/** Some words of a buffer. */
async function part(buffer: GPUBuffer, begin: number, count: number): Promise<Uint32Array<ArrayBuffer>> {
  const size = Math.ceil(count / 4) * 16 + 16;
  const copied = storage(device, size);
  const encoder = device.createCommandEncoder();
  const bytes = Math.min(size, buffer.size - begin * 4);
  encoder.copyBufferToBuffer(buffer, begin * 4, copied, 0, bytes);
  device.queue.submit([encoder.finish()]);
  const words = await readWords(device, copied, size / 4);
  copied.destroy();
  return words.slice(0, count);
}
