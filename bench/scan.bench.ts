/**
 * Scan on a GPU, inputs and outputs in device memory, beside a copy kernel in the same run; then results at
 * full size, checked on the device, run after run. CUB's figures come from rivals/scan.cu. Not a test.
 *
 *     node dist-bench/scan.bench.js [--sizes 20,24,28] [--checks 100]
 */
import { parseArgs } from "node:util";
import { GpuPrimitives } from "../dist/node.js";
import { Health } from "../dist/runtime/gpu/health.js";
import { assumeTraits, traitsOf } from "../dist/runtime/gpu/traits.js";
import { Kernels, openBenchDevice, readWords, storage, time } from "./gpu.js";

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "20,22,24,26,28" },
    checks: { type: "string", default: "100" },
  },
});
const sizes = values.sizes.split(",").map((power) => 2 ** Number(power));

const device = await openBenchDevice();
const primitives = await GpuPrimitives.create(device);
const kernels = new Kernels(device);
const began = performance.now();
const found = await traitsOf(device, new Health(device));
console.log(`self-test ${(performance.now() - began).toFixed(0)} ms`);

const jobs = [
  ["u32", "sum"],
  ["f32", "sum"],
  ["f32", "max"],
  ["f32", "min"],
] as const;

for (const count of sizes) {
  const [input, output] = [storage(device, count * 4), storage(device, count * 4)];
  kernels.run("floats", input);
  const copy = await time(device, (encoder) => kernels.encode(encoder, "copy", input, output));
  const row = [`2^${Math.log2(count)}`, `copy ${speed(count, copy)}`];
  for (const [method, forwardProgress] of [
    ["chained", true],
    ["blocks", false],
  ] as const) {
    assumeTraits(device, { forwardProgress, subgroups: device.features.has("subgroups") });
    for (const [type, op] of jobs) {
      const scan = await primitives.scan({ type, op, count });
      const ms = await time(device, (encoder) => scan.encode(encoder, { input, output }));
      row.push(`${method} ${type} ${op} ${speed(count, ms)} ${(copy / ms).toFixed(2)}`);
      scan.dispose();
    }
  }
  console.log(row.join(" | "));
  input.destroy();
  output.destroy();
}
await check(sizes.at(-1)!, Number(values.checks));
process.exit(0);

/**
 * Races show as wrong sums of whole numbers, or as bits that differ from those of the variant that never
 * waits.
 */
async function check(count: number, runs: number): Promise<void> {
  const [input, output, first] = [
    storage(device, count * 4),
    storage(device, count * 4),
    storage(device, count * 4),
  ];
  const scratch = storage(device, 2 ** 24);
  for (const [type, op] of jobs) {
    const isTriangle = type === "u32";
    kernels.run(isTriangle ? "count" : "floats", input);
    assumeTraits(device, { ...found, forwardProgress: false });
    const blocks = await primitives.scan({ type, op, count });
    assumeTraits(device, found);
    const encoder = device.createCommandEncoder();
    blocks.encode(encoder, { input, output: first });
    device.queue.submit([encoder.finish()]);
    const scan = await primitives.scan({ type, op, count });
    let wrong = 0;
    let gaveUp = 0;
    for (let run = 0; run < runs; run++) {
      const encoder = device.createCommandEncoder();
      encoder.clearBuffer(output);
      scan.encode(encoder, { input, output, scratch });
      if (isTriangle) kernels.encode(encoder, "triangle", output, output);
      else kernels.encode(encoder, "same", output, first);
      device.queue.submit([encoder.finish()]);
      wrong += await kernels.takeWrong();
      gaveUp += (await readWords(device, scratch, 4))[2];
    }
    console.log(`${type} ${op} of ${count}, ${runs} runs: ${wrong} wrong vectors, ${gaveUp} runs gave up`);
    scan.dispose();
    blocks.dispose();
  }
}

function speed(count: number, ms: number): string {
  return `${ms.toFixed(4)} ms ${((count * 8) / ms / 1e6).toFixed(0)} GB/s`;
}
