/**
 * Reduce on a GPU, inputs in device memory, beside a copy kernel in the same run; then results at full size,
 * run after run. CUB's figures come from rivals/scan.cu. Not a test.
 *
 *     node dist-bench/reduce.bench.js [--sizes 20,24,28] [--checks 100]
 */
import { parseArgs } from "node:util";
import { GpuPrimitives } from "../dist/node.js";
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
const cases = [
  ["u32", "sum", 1],
  ["f32", "sum", 1],
  ["f32", "max", 1],
  ["f32", "argmax", 1],
  ["f32", "sum", 1024],
  ["f32", "sum", 2 ** 18],
] as const;

for (const count of sizes) {
  const [input, output] = [storage(device, count * 4), storage(device, count * 4)];
  kernels.run("floats", input);
  const copy = await time(device, (encoder) => kernels.encode(encoder, "copy", input, output));
  const bandwidth = (count * 8) / copy;
  const row = [`2^${Math.log2(count)}`, `copy ${copy.toFixed(4)} ms ${(bandwidth / 1e6).toFixed(0)} GB/s`];
  for (const [type, op, rows] of cases) {
    const reduce = await primitives.reduce({ type, op, rows, cols: count / rows });
    const ms = await time(device, (encoder) => reduce.encode(encoder, { input, output }));
    const read = (count * 4) / ms;
    row.push(
      `${type} ${op} x${rows} ${ms.toFixed(4)} ms ${(read / 1e6).toFixed(0)} GB/s ${(read / bandwidth).toFixed(2)}`,
    );
    reduce.dispose();
  }
  console.log(row.join(" | "));
  input.destroy();
  output.destroy();
}
await check(sizes.at(-1)!, Number(values.checks));
process.exit(0);

async function check(count: number, runs: number): Promise<void> {
  const [input, output] = [storage(device, count * 4), storage(device, 16)];
  for (const type of ["u32", "f32"] as const) {
    kernels.run(type === "u32" ? "count" : "floats", input);
    const reduce = await primitives.reduce({ type, op: "sum", cols: count });
    const results = new Set<number>();
    for (let run = 0; run < runs; run++) {
      const encoder = device.createCommandEncoder();
      encoder.clearBuffer(output);
      reduce.encode(encoder, { input, output });
      device.queue.submit([encoder.finish()]);
      results.add((await readWords(device, output, 1))[0]);
    }
    // 0 + 1 + ... modulo 2^32; counts are powers of two.
    const right =
      type === "u32" ? [Number(BigInt.asUintN(32, (BigInt(count) * BigInt(count - 1)) / 2n))] : [...results];
    console.log(
      `${type} sum of ${count}, ${runs} runs: bits ${[...results].join()}, expected ${right.join()}`,
    );
  }
}
