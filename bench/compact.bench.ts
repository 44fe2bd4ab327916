/**
 * Compact, unique and run-length on a GPU, buffers in device memory, beside a copy kernel in the same run;
 * then results at full size, run after run, of which the smallest is checked against the CPU backend. CUB's
 * figures come from rivals/compact.cu. Not a test.
 *
 *     node dist-bench/compact.bench.js [--sizes 20,24,28] [--checks 100]
 */
import { parseArgs } from "node:util";
import { GpuPrimitives, compact, runLength, unique } from "../dist/node.js";
import { Kernels, openBenchDevice, readWords, storage, time } from "./gpu.ts";
import { fillWith } from "./wgsl.ts";

const { values: given } = parseArgs({
  options: {
    sizes: { type: "string", default: "20,22,24,26,28" },
    checks: { type: "string", default: "100" },
  },
});
const sizes = given.sizes.split(",").map((power) => 2 ** Number(power));

/** Flags of one byte, four in a word, by the share that they keep. */
const shares = {
  half: "(h & 0x01010101u)",
  "one in 128": "select(0u, 1u << (8u * ((h >> 8u) & 3u)), (h & 31u) == 0u)",
  all: "0x01010101u",
} as const;

const device = await openBenchDevice();
const primitives = await GpuPrimitives.create(device);
const kernels = new Kernels(device);

for (const count of sizes) await measure(count);
await check(Math.min(...sizes), 1, true);
await check(Math.max(...sizes), Number(given.checks), false);
process.exit(0);

/** Elements in runs of about four, and room for what three operations write. */
function buffersFor(count: number) {
  const [values, counts, offsets] = [0, 1, 2].map(() => storage(device, count * 4));
  const input = fillWith(device, count, "(i >> 2u) * 0x9e3779b1u");
  return { input, values, counts, offsets, found: storage(device, 4) };
}

async function measure(count: number): Promise<void> {
  const { input, values, counts, offsets, found } = buffersFor(count);
  const copy = await time(device, (encoder) => kernels.encode(encoder, "copy", input, values));
  const row = [`2^${Math.log2(count)}`, `copy ${copy.toFixed(4)} ms ${gigabytes(count * 8, copy)}`];
  for (const [name, expression] of Object.entries(shares)) {
    const flags = fillWith(device, count / 4, expression);
    const operation = await primitives.compact({ count, flags: "u8" });
    const ms = await time(device, (encoder) => operation.encode(encoder, { input, flags, values, found }));
    row.push(`compact ${name} ${ms.toFixed(4)} ms ${(copy / ms).toFixed(2)} of copy`);
    operation.dispose();
    flags.destroy();
  }
  const once = await primitives.unique({ type: "u32", count });
  const uniqueMs = await time(device, (encoder) => once.encode(encoder, { input, values, found }));
  const runs = await primitives.runLength({ type: "u32", count });
  const runsMs = await time(device, (encoder) =>
    runs.encode(encoder, { input, values, counts, offsets, found }),
  );
  row.push(`unique ${uniqueMs.toFixed(4)} ms ${(copy / uniqueMs).toFixed(2)} of copy`);
  row.push(`runLength ${runsMs.toFixed(4)} ms ${(copy / runsMs).toFixed(2)} of copy`);
  console.log(row.join(" | "));
  for (const buffer of [input, values, counts, offsets, found]) buffer.destroy();
  once.dispose();
  runs.dispose();
}

/** Races show as words that differ from run to run. */
async function check(count: number, runs: number, onHost: boolean): Promise<void> {
  const { input, values, counts, offsets, found } = buffersFor(count);
  const flags = fillWith(device, count / 4, shares.half);
  const first = storage(device, count * 4);
  const compaction = await primitives.compact({ count, flags: "u8" });
  const once = await primitives.unique({ type: "u32", count });
  const lengths = await primitives.runLength({ type: "u32", count });
  const all = {
    compact: (encoder: GPUCommandEncoder, values: GPUBuffer) =>
      compaction.encode(encoder, { input, flags, values, found }),
    unique: (encoder: GPUCommandEncoder, values: GPUBuffer) => once.encode(encoder, { input, values, found }),
    runLength: (encoder: GPUCommandEncoder, counts: GPUBuffer) =>
      lengths.encode(encoder, { input, values, counts, offsets, found }),
  };
  for (const [name, encode] of Object.entries(all)) {
    const totals = new Set<number>();
    let wrong = 0;
    for (let run = 0; run < Math.max(runs, 2); run++) {
      const encoder = device.createCommandEncoder();
      const target = run === 0 ? first : counts;
      encoder.clearBuffer(target);
      encode(encoder, target);
      if (run > 0) kernels.encode(encoder, "same", target, first);
      device.queue.submit([encoder.finish()]);
      wrong += await kernels.takeWrong();
      totals.add((await readWords(device, found, 1))[0]);
    }
    console.log(`${name} of ${count}, ${runs} runs: ${wrong} wrong vectors, found ${[...totals].join()}`);
    if (onHost) await checkOnHost(name as keyof typeof all, await readWords(device, first, count));
  }

  async function checkOnHost(name: keyof typeof all, words: Uint32Array): Promise<void> {
    const host = await readWords(device, input, count);
    const options = { backend: "cpu" } as const;
    const bytes = new Uint8Array((await readWords(device, flags, count / 4)).buffer);
    const expected = {
      compact: () => compact(host, bytes, options),
      unique: () => unique(host, options),
      runLength: async () => (await runLength(host, options)).counts,
    };
    const right = await expected[name]();
    if (right.some((word, at) => word !== words[at])) throw new Error(`${name} of ${count}: wrong`);
  }
}

function gigabytes(bytes: number, ms: number): string {
  return `${(bytes / ms / 1e6).toFixed(0)} GB/s`;
}
