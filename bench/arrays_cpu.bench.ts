/**
 * The array primitives on the CPU backend beside numpy, typed array in, `out` given, 2^24 elements. Runs alternate, so that
 * both see the same machine; beside the time on the clock stands the time on the processor, which other work disturbs less.
 * Prints the table of results/arrays-cpu.md. Not a test.
 *
 *     node dist-bench/arrays_cpu.bench.js [--python /usr/bin/python3]
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import {
  compact,
  Device,
  flatnonzero,
  histogram,
  reduce,
  runLength,
  scan,
  select,
  unique,
} from "../dist/node.js";

const { values: given } = parseArgs({ options: { python: { type: "string", default: "/usr/bin/python3" } } });
const COUNT = 2 ** 24;
const [WARM_UPS, RUNS] = [2, 9];

/** Milliseconds on the clock and on the processor. */
type Times = readonly [clock: number, processor: number];

let state = 1;
const random = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
const input = Float32Array.from({ length: COUNT }, random);
const whole = Int32Array.from(input, (x) => Math.floor(x * 1000) - 500);
const half = Uint8Array.from(input, (x) => (x < 0.5 ? 1 : 0));
const few = Uint8Array.from(input, (x) => (x < 0.01 ? 1 : 0));
/** Runs of about four elements. */
const runs = Int32Array.from(input, (_, at) => at >> 2).map((x) => Math.imul(x, 0x9e3779b1) >> 8);
const device = await Device.create({ backend: "cpu" });

const peer = spawn(given.python, ["bench/rivals/arrays_cpu.py"], { stdio: ["pipe", "pipe", "inherit"] });
const answers = createInterface({ input: peer.stdout })[Symbol.asyncIterator]();
console.log(`numpy ${await answer()}, node ${process.version}\n`);
console.log("| job | Nearfield, ms | numpy, ms | ratio | of processor time |");
console.log("| --- | --- | --- | --- | --- |");

for (const [type, values] of [
  ["f32", input],
  ["i32", whole],
] as const) {
  const out = values.slice();
  for (const op of ["sum", "min"] as const) {
    await compare(`scan ${type} ${op}`, () => scan(values, { op, out, device }));
  }
  for (const op of ["sum", "min", "argmin"] as const) {
    await compare(`reduce ${type} ${op}`, () => reduce(values, { op, device }));
  }
}
for (const bins of [5, 5000]) {
  const out = new Uint32Array(bins);
  await compare(`histogram ${bins} given`, () => histogram(input, { bins, range: [0, 1], out, device }));
  await compare(`histogram ${bins} found`, () => histogram(input, { bins, out, device }));
}
for (const [rows, k] of [
  [1, 10],
  [1, 1000],
  [4096, 10],
] as const) {
  const out = { values: new Float32Array(rows * k), indices: new Uint32Array(rows * k) };
  await compare(`select ${rows} ${k}`, () => select(input, { k, rows, out, device }));
}
const values = new Float32Array(COUNT).fill(1);
const [indices, counts] = [new Uint32Array(COUNT).fill(1), new Uint32Array(COUNT).fill(1)];
const elements = new Int32Array(COUNT).fill(1);
await compare("compact half", () => compact(input, half, { out: values, device }));
await compare("compact few", () => compact(input, few, { out: values, device }));
await compare("flatnonzero half", () => flatnonzero(half, { out: indices, device }));
await compare("flatnonzero few", () => flatnonzero(few, { out: indices, device }));
await compare("unique", () => unique(runs, { out: elements, device }));
const out = { values: elements, counts, offsets: indices };
await compare("runLength", () => runLength(runs, { out, device }));
device.dispose();
peer.stdin.end();

async function compare(job: string, run: () => Promise<unknown>): Promise<void> {
  const [ours, theirs]: [Times[], Times[]] = [[], []];
  for (let i = 0; i < WARM_UPS + RUNS; i++) {
    const before = process.cpuUsage();
    const began = performance.now();
    await run();
    const clock = performance.now() - began;
    const { user, system } = process.cpuUsage(before);
    peer.stdin.write(`${job}\n`);
    const [theirClock, theirProcessor] = (await answer()).split(" ").map(Number);
    if (i < WARM_UPS) continue;
    ours.push([clock, (user + system) / 1000]);
    theirs.push([theirClock, theirProcessor]);
  }
  const [a, b] = [medians(ours), medians(theirs)];
  const ratio = (at: 0 | 1) => (a[at] / b[at]).toFixed(2);
  console.log(`| ${job} | ${a[0].toFixed(1)} | ${b[0].toFixed(1)} | ${ratio(0)} | ${ratio(1)} |`);
}

function medians(times: readonly Times[]): Times {
  const middle = (at: 0 | 1) => times.map((each) => each[at]).sort((a, b) => a - b)[times.length >> 1];
  return [middle(0), middle(1)];
}

async function answer(): Promise<string> {
  const { value, done } = await answers.next();
  if (done) throw new Error("numpy ended");
  return value;
}
