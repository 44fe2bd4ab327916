/**
 * `PointCloud` on the CPU backend beside SciPy's cKDTree with two workers: build and one search of uniform
 * points, k = 1, from arrays to arrays. Runs alternate, so that both see the same machine; beside the wall
 * clock stands processor time, which other programs disturb less. Not a test.
 *
 *     node dist-bench/cloud_cpu.bench.js [--points 1048576] [--runs 3] [--cells 64]
 *         [--python /usr/bin/python3]
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { Device, PointCloud } from "../dist/node.js";

const { values: given } = parseArgs({
  options: {
    points: { type: "string", default: String(2 ** 20) },
    runs: { type: "string", default: "3" },
    /** Also the order of a grid of so many cells a side. */
    cells: { type: "string" },
    python: { type: "string", default: "/usr/bin/python3" },
  },
});
const [points, runs] = [given.points, given.runs].map(Number);
const COLS = 3;

let state = 1;
const random = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
const cloudOf = () => ({
  data: Float32Array.from({ length: points * COLS }, random),
  rows: points,
  cols: COLS,
});
const [train, queries] = [cloudOf(), cloudOf()];
const device = await Device.create({ backend: "cpu", threads: 2 });
const peer = spawn(given.python, ["bench/rivals/cloud_cpu.py", String(points)], {
  stdio: ["pipe", "pipe", "inherit"],
});
const answers = createInterface({ input: peer.stdout })[Symbol.asyncIterator]();
const answer = async (): Promise<string> => String((await answers.next()).value);

type Times = readonly [build: number, search: number, processor: number];

async function ours(order: Parameters<typeof PointCloud.create>[1]): Promise<Times> {
  const usage = process.cpuUsage();
  const began = performance.now();
  using cloud = await PointCloud.create(train, { device, ...order });
  await cloud.nearest({ data: queries.data.subarray(0, COLS), rows: 1, cols: COLS });
  const built = performance.now();
  await cloud.nearest(queries);
  const { user, system } = process.cpuUsage(usage);
  return [built - began, performance.now() - built, (user + system) / 1000];
}

async function theirs(): Promise<Times> {
  peer.stdin.write("\n");
  const [build, search, processor] = (await answer()).split(" ").map(Number);
  return [build, search, processor];
}

const jobs: Readonly<Record<string, () => Promise<Times>>> = {
  cKDTree: theirs,
  PointCloud: () => ours({}),
  ...(given.cells && {
    [`grid of ${given.cells}`]: () => ours({ technique: "grid", cells: Number(given.cells) }),
  }),
};
console.log(`SciPy ${await answer()}, node ${process.version}, ${points} in ${points}, median of ${runs}\n`);
console.log("| milliseconds | build | search | together | processor time |\n| --- | --- | --- | --- | --- |");
const all = new Map(Object.keys(jobs).map((name) => [name, [] as Times[]]));
for (let run = 0; run < runs; run++) {
  for (const [name, job] of Object.entries(jobs)) all.get(name)!.push(await job());
}
for (const [name, times] of all) {
  const median = (of: (times: Times) => number) =>
    times
      .map(of)
      .sort((a, b) => a - b)
      [runs >> 1].toFixed(0);
  const cells = [median(([build]) => build), median(([, search]) => search)];
  const sums = [median(([build, search]) => build + search), median(([, , processor]) => processor)];
  console.log(`| ${name} | ${[...cells, ...sums].join(" | ")} |`);
}
peer.stdin.end();
device.dispose();
