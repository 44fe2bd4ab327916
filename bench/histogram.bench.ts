/**
 * Histograms on a GPU, input and counts in device memory, beside a kernel that only reads; counts are checked
 * against the CPU backend, and run after run at full size. torch's figures come from rivals/histogram.py. Not
 * a test.
 *
 *     node dist-bench/histogram.bench.js [--size 28] [--checks 100] && python3 bench/rivals/histogram.py
 */
import { parseArgs } from "node:util";
import { GpuPrimitives, binKeys, evenEdges, histogram } from "../dist/node.js";
import { openBenchDevice, readWords, storage, time } from "./gpu.ts";
import { fillWith, readRecorder } from "./wgsl.ts";

const { values } = parseArgs({
  options: { size: { type: "string", default: "28" }, checks: { type: "string", default: "100" } },
});
const count = 2 ** Number(values.size);
const checks = Number(values.checks);
/** Elements of the check against the CPU. */
const part = Math.min(count, 2 ** 24);
const [MIN, MAX] = [0, 1];

const inputs = {
  uniform: "bitcast<u32>(f32(h >> 8u) * 0x1p-24)",
  "one value": "bitcast<u32>(0.37f)",
  "few bins": "bitcast<u32>(0.37 + f32(h & 63u) * 0x1p-13)",
  "on edges": "bitcast<u32>(f32(h & 4095u) * 0x1p-12)",
  "half outside": "bitcast<u32>(f32(h >> 8u) * 0x1p-23 - 0.5)",
} as const;

const device = await openBenchDevice();
const primitives = await GpuPrimitives.create(device);

for (const [name, expression] of Object.entries(inputs)) {
  const input = fillWith(device, count, expression);
  const read = await time(device, readRecorder(device, input));
  console.log(`${name}: reading ${read.toFixed(3)} ms, ${((count * 4) / read / 1e6).toFixed(0)} GB/s`);
  for (const bins of [5, 256, 4096, 5000, 65_536]) {
    const buffers = buffersFor(input, bins);
    const whole = await recorderFor(buffers, bins, count);
    const ms = await time(device, whole);
    console.log(`  ${bins} bins ${ms.toFixed(3)} ms ${(read / ms).toFixed(2)} of reading`);
    const host = new Float32Array((await readWords(device, input, part)).buffer);
    const expected = await histogram(host, { bins, range: [MIN, MAX], backend: "cpu" });
    const found = await run(await recorderFor(buffers, bins, part), buffers.counts, bins);
    if (found.some((each, bin) => each !== expected.counts[bin]))
      throw new Error(`${name}, ${bins} bins: wrong`);
    if (bins === 5000) await checkRuns(whole, buffers, bins);
    for (const buffer of [buffers.edges, buffers.ranges, buffers.counts, buffers.outside]) buffer.destroy();
  }
  input.destroy();
}
process.exit(0);

function buffersFor(input: GPUBuffer, bins: number) {
  const keys = binKeys(evenEdges(MIN, MAX, bins), bins, "f32", true);
  const edges = storage(device, keys.edges.byteLength);
  const ranges = storage(device, keys.ranges.byteLength);
  device.queue.writeBuffer(edges, 0, keys.edges);
  device.queue.writeBuffer(ranges, 0, keys.ranges);
  return { input, edges, ranges, counts: storage(device, bins * 4), outside: storage(device, 16) };
}

async function recorderFor(buffers: ReturnType<typeof buffersFor>, bins: number, cols: number) {
  const operation = await primitives.histogram({ type: "f32", bins, cols });
  return (encoder: GPUCommandEncoder): void => {
    encoder.clearBuffer(buffers.counts);
    encoder.clearBuffer(buffers.outside);
    operation.encode(encoder, buffers);
  };
}

async function run(record: (encoder: GPUCommandEncoder) => void, counts: GPUBuffer, bins: number) {
  const encoder = device.createCommandEncoder();
  record(encoder);
  device.queue.submit([encoder.finish()]);
  return readWords(device, counts, bins);
}

/** Every run counts every element, and counts like the first one. */
async function checkRuns(
  record: (encoder: GPUCommandEncoder) => void,
  { counts, outside }: ReturnType<typeof buffersFor>,
  bins: number,
) {
  const first = await run(record, counts, bins);
  for (let i = 1; i < checks; i++) {
    const again = await run(record, counts, bins);
    if (again.some((each, bin) => each !== first[bin])) throw new Error(`run ${i} differs`);
  }
  const missed = await readWords(device, outside, 3);
  const total = [...first, ...missed].reduce((sum, each) => sum + each, 0);
  if (total !== count) throw new Error(`${total} counted of ${count}`);
  console.log(`  ${checks} runs at full size agree`);
}
