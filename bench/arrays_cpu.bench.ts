/**
 * The array primitives on the CPU backend, typed array in, `out` given, 2^24 elements; numpy's figures come from
 * rivals/arrays_cpu.py. Not a test.
 *
 *     node dist-bench/arrays_cpu.bench.js && python3 bench/rivals/arrays_cpu.py
 */
import { Device, histogram, reduce, scan, select } from "../dist/node.js";

const COUNT = 2 ** 24;
const [WARM_UPS, RUNS] = [2, 5];

let state = 1;
const random = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
const input = Float32Array.from({ length: COUNT }, random);
const device = await Device.create({ backend: "cpu" });

const whole = Int32Array.from(input, (x) => Math.floor(x * 1000) - 500);
for (const [name, values] of [
  ["f32", input],
  ["i32", whole],
] as const) {
  const out = values.slice();
  await report(`scan ${name} sum`, () => scan(values, { op: "sum", out, device }));
  await report(`scan ${name} min`, () => scan(values, { op: "min", out, device }));
  for (const op of ["sum", "min", "argmin"] as const) {
    await report(`reduce ${name} ${op}`, () => reduce(values, { op, device }));
  }
}
for (const bins of [5, 5000]) {
  const out = new Uint32Array(bins);
  await report(`histogram, ${bins} bins`, () => histogram(input, { bins, range: [0, 1], out, device }));
  await report(`histogram, ${bins} bins, range found`, () => histogram(input, { bins, out, device }));
}
for (const [rows, k] of [
  [1, 10],
  [1, 1000],
  [4096, 10],
] as const) {
  const out = { values: new Float32Array(rows * k), indices: new Uint32Array(rows * k) };
  await report(`select, ${rows} rows, k = ${k}`, () => select(input, { k, rows, out, device }));
}
device.dispose();

async function report(name: string, run: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < WARM_UPS + RUNS; i++) {
    const began = performance.now();
    await run();
    if (i >= WARM_UPS) times.push(performance.now() - began);
  }
  console.log(`${name}: ${times.sort((a, b) => a - b)[Math.floor(RUNS / 2)].toFixed(1)} ms`);
}
