/**
 * Distance histograms on the CPU backend beside numpy (matrix form, then bincount for each query): uniform
 * rows, bins between each query's least and largest distance. Runs alternate, so that both see the same
 * machine. Run it where nothing else runs. Not a test.
 *
 *     node dist-bench/distances_cpu.bench.js [--queries 1000] [--references 100000] [--columns 32]
 *         [--bins 100,5000] [--python /usr/bin/python3]
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { Device, distanceHistogram } from "../dist/node.js";

const { values: given } = parseArgs({
  options: {
    queries: { type: "string", default: "1000" },
    references: { type: "string", default: "100000" },
    columns: { type: "string", default: "32" },
    bins: { type: "string", default: "100,5000" },
    python: { type: "string", default: "/usr/bin/python3" },
  },
});
const [queryRows, trainRows, cols] = [given.queries, given.references, given.columns].map(Number);
const RUNS = 5;

let state = 1;
const random = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
const rowsOf = (rows: number) => ({ data: Float32Array.from({ length: rows * cols }, random), rows, cols });
const [train, queries] = [rowsOf(trainRows), rowsOf(queryRows)];
const device = await Device.create({ backend: "cpu" });
const args = ["bench/rivals/distances_cpu.py", queryRows, trainRows, cols].map(String);
const peer = spawn(given.python, args, { stdio: ["pipe", "pipe", "inherit"] });
const answers = createInterface({ input: peer.stdout })[Symbol.asyncIterator]();
const answer = async (): Promise<string> => String((await answers.next()).value);

console.log(`numpy ${await answer()}, node ${process.version}, ${device.info.threads} workers`);
console.log(`${queryRows} queries x ${trainRows} references x ${cols} columns, median of ${RUNS} runs\n`);
console.log("| bins | numpy, ms | nearfield, ms | of numpy |\n| --- | --- | --- | --- |");
for (const bins of given.bins.split(",").map(Number)) {
  const [theirs, ours]: [number[], number[]] = [[], []];
  for (let run = 0; run <= RUNS; run++) {
    peer.stdin.write(`${bins}\n`);
    theirs.push(Number(await answer()));
    const began = performance.now();
    const { counts } = await distanceHistogram(train, queries, { bins, device });
    ours.push(performance.now() - began);
    if (counts.reduce((sum, count) => sum + count, 0) !== queryRows * trainRows)
      throw new Error("some distances were not counted");
  }
  const [a, b] = [theirs, ours].map((times) => times.slice(1).sort((x, y) => x - y)[RUNS >> 1]);
  console.log(`| ${bins} | ${a.toFixed(0)} | ${b.toFixed(0)} | ${(b / a).toFixed(2)} |`);
}
peer.stdin.end();
device.dispose();
