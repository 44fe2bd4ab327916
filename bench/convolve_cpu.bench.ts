/**
 * Convolution on the CPU beside numpy.convolve and scipy.signal.oaconvolve: 2^24 samples of float32, `out`
 * given, in plain arrays, which one thread works on, and in shared memory, which workers share. Runs
 * alternate, so that all see the same machine. Prints the table of results/convolve-cpu.md; run it where
 * nothing else runs. Not a test.
 *
 *     node dist-bench/convolve_cpu.bench.js [--python python3] [--taps 10,63] [--technique tiled] [--runs 9]
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { convolve, Device, type ConvolveTechnique } from "../dist/node.js";

const { values: given } = parseArgs({
  options: {
    python: { type: "string", default: "/usr/bin/python3" },
    taps: { type: "string", default: "3,10,63,128,255,1023,4095,20000" },
    technique: { type: "string", default: "auto" },
    runs: { type: "string", default: "9" },
  },
});
const COUNT = 2 ** 24;
const WARM_UPS = 2;
/** Taps up to which numpy, which adds up products, is asked as well. */
const NUMPY_TAPS = 255;

let state = 1;
const random = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32 - 0.5;
const plain = { signal: Float32Array.from({ length: COUNT }, random), out: new Float32Array(COUNT) };
const shared = {
  signal: new Float32Array(new SharedArrayBuffer(COUNT * 4)),
  out: new Float32Array(new SharedArrayBuffer(COUNT * 4)),
};
shared.signal.set(plain.signal);
const device = await Device.create({ backend: "cpu" });
const technique = given.technique as "auto" | ConvolveTechnique;

const peer = spawn(given.python, ["bench/rivals/convolve_cpu.py"], { stdio: ["pipe", "pipe", "inherit"] });
const answers = createInterface({ input: peer.stdout })[Symbol.asyncIterator]();
console.log(`${await answer()}, node ${process.version}\n`);
console.log(
  "| taps | numpy.convolve, ms | oaconvolve, ms | plain, ms | of the faster | shared, ms | of the faster |",
);
console.log("| --- | --- | --- | --- | --- | --- | --- |");
for (const taps of given.taps.split(",").map(Number)) {
  const mask = Float32Array.from({ length: taps }, random);
  const ours = (arrays: typeof plain | typeof shared) =>
    timeOf(() =>
      convolve<Float32Array>(arrays.signal, mask, { mode: "same", technique, out: arrays.out, device }),
    );
  const times: number[][] = [[], [], [], []];
  for (let i = 0; i < WARM_UPS + Number(given.runs); i++) {
    const found = [
      taps <= NUMPY_TAPS ? await theirs("convolve", taps) : Infinity,
      await theirs("oaconvolve", taps),
      await ours(plain),
      await ours(shared),
    ];
    if (i >= WARM_UPS) found.forEach((ms, at) => times[at].push(ms));
  }
  const [numpy, scipy, one, several] = times.map((each) => each.toSorted((a, b) => a - b)[each.length >> 1]);
  const faster = Math.min(numpy, scipy);
  const cells = [taps, numpy.toFixed(1), scipy.toFixed(1)];
  for (const ms of [one, several]) cells.push(ms.toFixed(1), (ms / faster).toFixed(2));
  console.log(`| ${cells.join(" | ").replace("Infinity", "")} |`);
}
device.dispose();
peer.stdin.end();

async function theirs(form: string, taps: number): Promise<number> {
  peer.stdin.write(`${form} ${taps}\n`);
  return Number(await answer());
}

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await run();
  return performance.now() - began;
}

async function answer(): Promise<string> {
  const { value, done } = await answers.next();
  if (done) throw new Error("the peer ended");
  return value;
}
