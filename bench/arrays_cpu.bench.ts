/**
 * The array primitives on the CPU backend beside numpy, typed array in, `out` given, 2^24 elements: plain
 * arrays, which one thread works on, and the same in shared memory, which workers share. Runs alternate, so
 * that all see the same machine. Prints the table of results/arrays-cpu.md; run it where nothing else runs.
 * Not a test.
 *
 *     node dist-bench/arrays_cpu.bench.js [--python /usr/bin/python3] [--jobs scan]
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

const { values: given } = parseArgs({
  options: {
    python: { type: "string", default: "/usr/bin/python3" },
    /** Only jobs whose names begin so. */
    jobs: { type: "string", default: "" },
  },
});
const COUNT = 2 ** 24;
const [WARM_UPS, RUNS] = [2, 9];

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
console.log("| job | numpy, ms | plain, ms | of numpy | shared, ms | of numpy |");
console.log("| --- | --- | --- | --- | --- | --- |");

/** An array like another, in memory of the kind that is being measured. */
type Take = <A extends Values>(array: A) => A;
type Values = Uint8Array | Uint32Array | Int32Array | Float32Array;
const plain: Take = (array) => array;
const copies = new Map<Values, Values>();
const shared: Take = (array) => {
  const made = copies.get(array) ?? new (constructorOf(array))(new SharedArrayBuffer(array.byteLength));
  if (!copies.has(array)) made.set(array);
  copies.set(array, made);
  return made as typeof array;
};

for (const [type, values] of [
  ["f32", input],
  ["i32", whole],
] as const) {
  const out = values.slice();
  for (const op of ["sum", "min"] as const) {
    await compare(`scan ${type} ${op}`, (take) => scan(take(values), { op, out: take(out), device }));
  }
  for (const op of ["sum", "min", "argmin"] as const) {
    await compare(`reduce ${type} ${op}`, (take) => reduce(take(values), { op, device }));
  }
}
for (const bins of [5, 5000]) {
  const out = new Uint32Array(bins);
  const range = [0, 1] as const;
  await compare(`histogram ${bins} given`, (take) => histogram(take(input), { bins, range, out, device }));
  await compare(`histogram ${bins} found`, (take) => histogram(take(input), { bins, out, device }));
}
for (const [rows, k] of [
  [1, 10],
  [1, 1000],
  [4096, 10],
] as const) {
  const out = { values: new Float32Array(rows * k), indices: new Uint32Array(rows * k) };
  await compare(`select ${rows} ${k}`, (take) => select(take(input), { k, rows, out, device }));
}
const values = new Float32Array(COUNT).fill(1);
const [indices, counts] = [new Uint32Array(COUNT).fill(1), new Uint32Array(COUNT).fill(1)];
const elements = new Int32Array(COUNT).fill(1);
for (const [name, flags] of [
  ["half", half],
  ["few", few],
] as const) {
  await compare(`compact ${name}`, (take) =>
    compact(take(input), take(flags), { out: take(values), device }),
  );
  await compare(`flatnonzero ${name}`, (take) => flatnonzero(take(flags), { out: take(indices), device }));
}
await compare("unique", (take) => unique(take(runs), { out: take(elements), device }));
await compare("runLength", (take) => {
  const out = { values: take(elements), counts: take(counts), offsets: take(indices) };
  return runLength(take(runs), { out, device });
});
device.dispose();
peer.stdin.end();

async function compare(job: string, run: (take: Take) => Promise<unknown>): Promise<void> {
  if (!job.startsWith(given.jobs)) return;
  const times: Record<"numpy" | "plain" | "shared", number[]> = { numpy: [], plain: [], shared: [] };
  for (let i = 0; i < WARM_UPS + RUNS; i++) {
    peer.stdin.write(`${job}\n`);
    const theirs = Number(await answer());
    const ours = [await timeOf(() => run(plain)), await timeOf(() => run(shared))];
    if (i < WARM_UPS) continue;
    times.numpy.push(theirs);
    times.plain.push(ours[0]);
    times.shared.push(ours[1]);
  }
  const numpy = median(times.numpy);
  const columns = [median(times.plain), median(times.shared)].map(
    (ms) => `${ms.toFixed(1)} | ${(ms / numpy).toFixed(2)}`,
  );
  console.log(`| ${job} | ${numpy.toFixed(1)} | ${columns.join(" | ")} |`);
}

/** Milliseconds. */
async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await run();
  return performance.now() - began;
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1];
}

function constructorOf<A extends Values>(array: A): new (buffer: ArrayBufferLike) => A {
  return array.constructor as new (buffer: ArrayBufferLike) => A;
}

async function answer(): Promise<string> {
  const { value, done } = await answers.next();
  if (done) throw new Error("numpy ended");
  return value;
}
