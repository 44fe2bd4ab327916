/**
 * Distance histograms on a GPU: in float32 on buffers in device memory, then from host to host, in float32
 * and exactly, with the time of each kernel. Exact counts of queries drawn at random are checked against
 * plain loops in float64; every float32 count is there. torch's figures come from rivals/distances_torch.py.
 * Not a test.
 *
 *     node dist-bench/distances.bench.js [--queries 10000] [--references 1000000] [--columns 128]
 *         [--bins 5,5000] [--checks 100] [--parts device,host,turns]
 *     python3 bench/rivals/distances_torch.py
 */
import { parseArgs } from "node:util";
import { Device, distanceHistogram, GpuPrimitives, type DistanceHistogramResult } from "../dist/node.js";
import { openBenchDevice, readWords, storage, time } from "./gpu.ts";
import { fillWith } from "./wgsl.ts";

const { values: given } = parseArgs({
  options: {
    queries: { type: "string", default: "10000" },
    references: { type: "string", default: "1000000" },
    columns: { type: "string", default: "128" },
    bins: { type: "string", default: "5,5000" },
    checks: { type: "string", default: "100" },
    parts: { type: "string", default: "device,host,turns" },
    runs: { type: "string", default: "10" },
  },
});
const [queries, references, columns, checks, runs] = [
  given.queries,
  given.references,
  given.columns,
  given.checks,
  given.runs,
].map(Number);
const binCounts = given.bins.split(",").map(Number);
const parts = new Set(given.parts.split(","));
/** Multiply-adds of a dispatch; slow GPUs need fewer. */
const WORK = references * queries > 1e8 ? 1e13 : 1e10;
/** Each query that was checked has its distances here, in ascending order. */
const sorted = new Map<number, Float64Array>();
/** These queries are checked. */
const drawn = Array.from({ length: Math.min(checks, queries) }, () => Math.floor(Math.random() * queries));

console.log(`${queries} queries x ${references} references x ${columns} columns`);
if (parts.has("device")) await onDevice();
if (parts.has("host")) await fromHost();
if (parts.has("turns")) await inTurns();
process.exit(0);

async function onDevice(): Promise<void> {
  const device = await openBenchDevice();
  const primitives = await GpuPrimitives.create(device);
  const uniform = "bitcast<u32>(f32(h >> 8u) * 0x1p-24)";
  const inputs = { uniform, "one value": "bitcast<u32>(0.37f)" };
  console.log("\n| device, float32 | bins | ms |\n| --- | --- | --- |");
  for (const [name, expression] of Object.entries(inputs)) {
    const [q, r] = [
      fillWith(device, queries * columns, uniform),
      fillWith(device, references * columns, expression),
    ];
    for (const bins of binCounts) {
      const sizes = { queries, references, columns, bins, workPerDispatch: WORK };
      const operation = await primitives.distanceHistogram(sizes);
      const buffers = {
        queries: q,
        references: r,
        counts: storage(device, operation.bytes.counts),
        ranges: storage(device, operation.bytes.ranges),
      };
      const ms = await time(device, (encoder) => operation.encode(encoder, buffers), {
        repeats: 1,
        warmUps: Math.min(3, runs),
        runs,
      });
      console.log(`| ${name} | ${bins} | ${ms.toFixed(1)} |`);
      const counts = await readWords(device, buffers.counts, queries * bins);
      for (let query = 0; query < queries; query++) {
        const own = counts.subarray(query * bins, (query + 1) * bins);
        const sum = own.reduce((all, count) => all + count, 0);
        if (sum !== references) throw new Error(`query ${query} has ${sum} distances of ${references}`);
      }
      operation.dispose();
      buffers.counts.destroy();
      buffers.ranges.destroy();
    }
    q.destroy();
    r.destroy();
  }
  device.destroy();
}

function bothSides(): readonly [train: Rows, queries: Rows] {
  let state = 1;
  const random = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const rowsOf = (rows: number) => {
    return { data: Float32Array.from({ length: rows * columns }, random), rows, cols: columns };
  };
  return [rowsOf(references), rowsOf(queries)];
}

/** Calls without `profile`, float32 and exact in turns; the first two of each are left out. */
async function inTurns(): Promise<void> {
  const [train, asked] = bothSides();
  const device = await Device.create({ backend: "gpu" });
  console.log(
    "\n| in turns | bins | s, median | least | most | jobs |\n| --- | --- | --- | --- | --- | --- |",
  );
  for (const bins of binCounts) {
    const precisions = ["float32", "float64"] as const;
    const times = { float32: [] as number[], float64: [] as number[] };
    const jobs = { float32: 0, float64: 0 };
    for (let run = 0; run < runs + 2; run++)
      for (const precision of precisions) {
        const begin = performance.now();
        const { explanation } = await distanceHistogram(train, asked, { bins, precision, device });
        if (run > 1) times[precision].push((performance.now() - begin) / 1000);
        jobs[precision] = explanation.jobs;
      }
    for (const precision of precisions) {
      const sorted = times[precision].sort((a, b) => a - b);
      const [median, least, most] = [sorted[sorted.length >> 1], sorted[0], sorted[sorted.length - 1]];
      console.log(
        `| ${precision} | ${bins} | ${[median, least, most].map((s) => s.toFixed(3)).join(" | ")} | ${jobs[precision]} |`,
      );
    }
  }
  device.dispose();
}

async function fromHost(): Promise<void> {
  const [train, asked] = bothSides();
  const device = await Device.create({ backend: "gpu", profile: true });
  console.log(`\n${device.info.name}`);
  console.log(
    "| host to host | bins | s | kernels, ms | by whole numbers | in float64 |\n| --- | --- | --- | --- | --- | --- |",
  );
  for (const precision of ["float32", "float64"] as const) {
    for (const bins of binCounts) {
      // The first run compiles the shaders and learns how fast the device is.
      await distanceHistogram(train, asked, { bins, precision, device });
      const result = await distanceHistogram(train, asked, { bins, precision, device });
      const { explanation } = result;
      const { seconds, stages = [], settled } = explanation;
      const kernels = stages.reduce((sum, stage) => sum + stage.seconds * 1e3, 0);
      const share = (pairs: number) => `${((100 * pairs) / (queries * references)).toFixed(3)} %`;
      console.log(
        `| ${precision} | ${bins} | ${seconds.toFixed(3)} | ${kernels.toFixed(1)} | ${share(settled.fixed)} | ${share(settled.float64)} |`,
      );
      console.log(stages.map(({ name, seconds }) => `${name} ${(seconds * 1e3).toFixed(1)}`).join(", "));
      if (precision === "float64") check(train, asked, result, bins);
    }
  }
  device.dispose();
}

interface Rows {
  readonly data: Float32Array;
  readonly rows: number;
  readonly cols: number;
}

/** Some queries, drawn anew in each run, have the counts and the range of plain loops in float64. */
function check(train: Rows, asked: Rows, result: DistanceHistogramResult, bins: number): void {
  let wrong = 0;
  for (const query of drawn) {
    const distances = distancesOf(train, asked, query);
    const [min, max] = [distances[0], distances[references - 1]];
    const expected = new Uint32Array(bins);
    let bin = 0;
    for (const distance of distances) {
      while (bin < bins - 1 && min + ((bin + 1) * (max - min)) / bins <= distance) bin++;
      expected[bin]++;
    }
    if (result.min[query] !== min || result.max[query] !== max) wrong++;
    for (let at = 0; at < bins; at++) if (result.counts[query * bins + at] !== expected[at]) wrong++;
  }
  const counts = drawn.length * (bins + 1);
  console.log(
    `${drawn.length} random queries against float64: ${wrong} of ${counts} counts and ranges differ`,
  );
}

/** Returns the distances of a query in ascending order, and keeps them for the next number of bins. */
function distancesOf(train: Rows, asked: Rows, query: number): Float64Array {
  const kept = sorted.get(query);
  if (kept) return kept;
  const distances = new Float64Array(references);
  const own = Float64Array.from(asked.data.subarray(query * columns, (query + 1) * columns));
  for (let row = 0, at = 0; row < references; row++) {
    let sum = 0;
    for (let j = 0; j < columns; j++, at++) {
      const difference = train.data[at] - own[j];
      sum += difference * difference;
    }
    distances[row] = Math.sqrt(sum);
  }
  sorted.set(query, distances.sort());
  return distances;
}
