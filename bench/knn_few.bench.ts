/**
 * Few queries on an index that stays on its device, host to host: the first search after `fit`, the first
 * search of each number of queries, and the median of one query. On a GPU beside the same searches without
 * kernels for few queries, whose neighbours must be the same; on a CPU by the number of threads. Not a test.
 *
 *     node dist-bench/knn_few.bench.js [--backend gpu] [--references 1000000] [--columns 128] [--k 10]
 *       [--counts 1,2,3,7,8,9,63,64,65] [--calls 200] [--threads 1,2,16]
 *       [--first 1,65,1000 [--rest 1000]]
 *
 * One query is searched for `--calls` times, other numbers a tenth as often. With `--first` each of these
 * numbers of queries is searched for once, in this order, with a rest of so many milliseconds in between.
 * Nothing else is done then, so that the kernels are those that the process has compiled so far.
 */
import { parseArgs } from "node:util";
import { Device, NearestNeighbors } from "../dist/node.js";

const { values } = parseArgs({
  options: {
    backend: { type: "string", default: "gpu" },
    references: { type: "string", default: "1000000" },
    columns: { type: "string", default: "128" },
    k: { type: "string", default: "10" },
    counts: { type: "string", default: "1,2,3,7,8,9,63,64,65" },
    calls: { type: "string", default: "200" },
    threads: { type: "string", default: "1,2,16" },
    first: { type: "string" },
    rest: { type: "string", default: "0" },
  },
});
const [rows, cols, k, calls] = [values.references, values.columns, values.k, values.calls].map(Number);
const counts = (values.first ?? values.counts).split(",").map(Number);

/** Uniform in [0, 1), 24 bits each. */
function randomRows(count: number, seed: number) {
  const data = new Float32Array(count * cols);
  let state = seed | 1;
  for (let at = 0; at < data.length; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    data[at] = (state >>> 8) * 2 ** -24;
  }
  return { data, rows: count, cols };
}

const train = randomRows(rows, 12345);
const asked = randomRows(Math.max(64, ...counts), 67891);
const some = (count: number) => ({ data: asked.data.slice(0, count * cols), rows: count, cols });

async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const began = performance.now();
  return [await work(), performance.now() - began];
}

async function measure(device: Device, few: boolean): Promise<string> {
  const found: string[] = [];
  const [model, fit] = await timed(() =>
    new NearestNeighbors({ device, nNeighbors: k, tiles: { few } }).fit(train),
  );
  const line = [`fit ${fit.toFixed(1)}`];
  for (const count of counts) {
    const [first, firstMs] = await timed(() => model.kneighbors(some(count)));
    const times: number[] = [];
    for (let call = 0; call < (count === 1 ? calls : Math.ceil(calls / 10)); call++)
      times.push((await timed(() => model.kneighbors(some(count))))[1]);
    times.sort((a, b) => a - b);
    line.push(`${count}: ${firstMs.toFixed(1)} then ${times[times.length >> 1].toFixed(3)}`);
    found.push(first.indices.join(), first.distances.join());
  }
  console.log(line.join("; "));
  model.dispose();
  return found.join();
}

async function searchOnce(device: Device): Promise<string> {
  const model = await new NearestNeighbors({ device, nNeighbors: k }).fit(train);
  const line: string[] = [];
  for (const count of counts) {
    const [, ms] = await timed(() => model.kneighbors(some(count)));
    line.push(`${count}: ${ms.toFixed(1)}`);
    if (Number(values.rest) > 0) await new Promise((resolve) => setTimeout(resolve, Number(values.rest)));
  }
  return line.join("; ");
}

if (values.first !== undefined) {
  console.log(await searchOnce(await Device.create({ backend: values.backend as "gpu" | "cpu" })));
  process.exit();
}

console.log(`${rows} x ${cols}, k = ${k}, ms: the first search of so many queries, then the median`);
if (values.backend === "gpu") {
  const answers: string[] = [];
  for (const few of [true, false]) {
    const device = await Device.create({ backend: "gpu" });
    console.log(`${device.info.name}, ${few ? "kernels for few queries" : "without them"}`);
    answers.push(await measure(device, few));
    device.dispose();
  }
  console.log(answers[0] === answers[1] ? "the same neighbours" : "THE NEIGHBOURS DIFFER");
  const device = await Device.create({ backend: "gpu", profile: true });
  const model = await new NearestNeighbors({ device, nNeighbors: k }).fit(train);
  for (let call = 0; call < 3; call++) await model.kneighbors(some(1));
  for (const count of [1, 8, 64]) {
    const { explanation } = await model.kneighbors(some(count));
    const times = explanation.stages?.map(({ name, seconds }) => `${name} ${(seconds * 1e6).toFixed(0)}`);
    console.log(`${count} queries, us: ${times?.join(", ")}`);
  }
} else {
  const answers = new Set<string>();
  for (const threads of values.threads.split(",").map(Number)) {
    const device = await Device.create({ backend: "cpu", threads });
    console.log(`${threads} threads`);
    answers.add(await measure(device, true));
    device.dispose();
  }
  console.log(answers.size === 1 ? "the same neighbours" : "THE NEIGHBOURS DIFFER");
}
process.exit();
