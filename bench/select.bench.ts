/**
 * Selection on a GPU, rows and results in device memory, in chunks that one binding holds, beside a kernel
 * that only reads; a part is checked against the CPU backend, and run after run of a chunk on the device.
 * torch's figures come from rivals/select.py. Not a test.
 *
 *     node dist-bench/select.bench.js [--rows 10000] [--cols 100000] [--k 1,10,100,1000,5000] [--checks 100]
 *       && python3 bench/rivals/select.py
 */
import { parseArgs } from "node:util";
import { GpuPrimitives, select, type GpuOperation } from "../dist/node.js";
import { Kernels, openBenchDevice, readWords, storage, time } from "./gpu.ts";
import { fillWith, readRecorder } from "./wgsl.ts";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "10000" },
    cols: { type: "string", default: "100000" },
    k: { type: "string", default: "1,10,100,1000,5000" },
    checks: { type: "string", default: "100" },
  },
});
const [rows, cols] = [Number(values.rows), Number(values.cols)];
const checks = Number(values.checks);
const CHUNK_WORDS = 2 ** 28;
const CHECKED_ROWS = 40;
const chunkRows = Math.min(rows, Math.max(1, Math.floor(CHUNK_WORDS / cols)));

const inputs = {
  uniform: "bitcast<u32>(f32(h >> 8u) * 0x1p-24)",
  descending: `bitcast<u32>(f32(${cols}u - i % ${cols}u))`,
  ascending: `bitcast<u32>(f32(i % ${cols}u))`,
  "descending sixteen times": `bitcast<u32>(f32((i % ${cols}u) % ${Math.ceil(cols / 16)}u) * -1f)`,
  equal: "bitcast<u32>(1f)",
  "half zeros": "bitcast<u32>(max(0f, f32(h >> 8u) * 0x1p-24 - 0.5))",
  "100 values": "bitcast<u32>(f32(h % 100u))",
} as const;

const device = await openBenchDevice();
const primitives = await GpuPrimitives.create(device);
const kernels = new Kernels(device);

for (const [name, expression] of Object.entries(inputs)) {
  const chunks = Array.from({ length: Math.ceil(rows / chunkRows) }, (_, at) => {
    const size = Math.min(chunkRows, rows - at * chunkRows);
    return { size, input: fillWith(device, size * cols, expression) };
  });
  const reads = chunks.map(({ input }) => readRecorder(device, input));
  const read = await time(device, (encoder) => reads.forEach((record) => record(encoder)));
  console.log(`${name}: reading ${read.toFixed(3)} ms, ${((rows * cols * 4) / read / 1e6).toFixed(0)} GB/s`);
  for (const k of values.k.split(",").map(Number)) {
    if (k > cols) continue;
    const work = await Promise.all(
      chunks.map(async ({ size, input }) => ({
        operation: await primitives.select({ type: "f32", rows: size, cols, k }),
        buffers: { input, values: storage(device, size * k * 4), indices: storage(device, size * k * 4) },
      })),
    );
    const ms = await time(
      device,
      (encoder) => {
        for (const { operation, buffers } of work) operation.encode(encoder, buffers);
      },
      { repeats: 2 },
    );
    console.log(`  k = ${k} ${ms.toFixed(3)} ms ${(read / ms).toFixed(2)} of reading`);
    await check(work[0].buffers, k);
    if (k === 10 || k === 1000) await checkRuns(work[0], k);
    for (const { operation, buffers } of work) {
      operation.dispose();
      buffers.values.destroy();
      buffers.indices.destroy();
    }
  }
  for (const { input } of chunks) input.destroy();
}
process.exit(0);

async function check(
  { input, indices }: { readonly input: GPUBuffer; readonly indices: GPUBuffer },
  k: number,
): Promise<void> {
  const some = Math.min(CHECKED_ROWS, chunkRows);
  const host = new Float32Array((await readWords(device, input, some * cols)).buffer);
  const expected = await select(host, { k, rows: some, backend: "cpu" });
  const found = await readWords(device, indices, some * k);
  if (found.some((each, at) => each !== expected.indices[at])) throw new Error(`k = ${k}: wrong`);
}

/** Every run gives the indices of the first one, compared on the device. */
async function checkRuns(
  {
    operation,
    buffers,
  }: {
    readonly operation: GpuOperation<"input" | "values" | "indices" | "scratch">;
    readonly buffers: Readonly<Record<"input" | "values" | "indices", GPUBuffer>>;
  },
  k: number,
): Promise<void> {
  const first = storage(device, buffers.indices.size);
  for (let run = 0; run < checks; run++) {
    const encoder = device.createCommandEncoder();
    encoder.clearBuffer(buffers.indices);
    operation.encode(encoder, buffers);
    kernels.encode(encoder, run === 0 ? "copy" : "same", buffers.indices, first);
    device.queue.submit([encoder.finish()]);
  }
  const wrong = await kernels.takeWrong();
  if (wrong > 0) throw new Error(`k = ${k}: ${wrong} vectors differ between runs`);
  console.log(`  ${checks} runs agree`);
  first.destroy();
}
