/**
 * k-NN on a GPU: rows and results in device memory (float32, norms included), small batches, every variant of
 * the kernels, the time of each kernel, growth with the sizes, and a check against float64. torch's and
 * FAISS' figures come from rivals/knn_torch.py; searches from host arrays are knn_host.bench.ts. Not a test.
 *
 *     node dist-bench/knn.bench.js [--parts device,batches,...] [--queries 10000] [--references 1000000]
 *       [--columns 128] && python3 bench/rivals/knn_torch.py
 *
 * A part that has taken `--cap` seconds (50) starts no further row and says so.
 */
import { parseArgs } from "node:util";
import { GpuPrimitives, NearestNeighbors } from "../dist/node.js";
import type { GpuKnnParams } from "../dist/node.js";
import { encodePasses } from "../dist/runtime/gpu/passes/encode.js";
import { Health } from "../dist/runtime/gpu/health.js";
import { Pipelines } from "../dist/runtime/gpu/passes/pipelines.js";
import { Timestamps } from "../dist/runtime/gpu/passes/profile.js";
import { Uniforms } from "../dist/runtime/gpu/uniforms.js";
import { knnSearchBytes, knnSearchPasses, unpack } from "../dist/ops/knn/gpu/search/search.js";
import { kernelLimits } from "../dist/runtime/gpu/passes/pass.js";
import { pairTileBytes, pairTileThreads, pairTiles } from "../dist/distance/gpu/policy.js";
import { knnGroups } from "../dist/ops/knn/gpu/policy.js";
import { openBenchDevice, readWords, storage, time } from "./gpu.ts";
import { fillWith, readRecorder } from "./wgsl.ts";

interface HostRows {
  readonly data: Float32Array;
  readonly rows: number;
  readonly cols: number;
}

/** Read back from the device when first wanted. */
let onHost: { readonly train: HostRows; readonly asked: HostRows } | undefined;

const parts = { device, batches, variants, stages, scaling, check } as const;
type PartName = keyof typeof parts;

const { values } = parseArgs({
  options: {
    parts: { type: "string", default: Object.keys(parts).join(",") },
    queries: { type: "string", default: "10000" },
    references: { type: "string", default: "1000000" },
    columns: { type: "string", default: "128" },
    k: { type: "string", default: "10,100,1000" },
    peak: { type: "string", default: "66.9" },
    cap: { type: "string", default: "50" },
    sample: { type: "string", default: "200" },
  },
});
const sizes = {
  queries: Number(values.queries),
  references: Number(values.references),
  columns: Number(values.columns),
};
const ks = values.k.split(",").map(Number);
/** One dispatch a batch: this bench knows that its GPU is fast. */
const WORK = 1e13;

const gpu = await openBenchDevice();
const primitives = await GpuPrimitives.create(gpu);
const references = randomRows(sizes.references, sizes.columns, 0);
const queries = randomRows(sizes.queries, sizes.columns, 0x5bd1e995);

for (const name of values.parts.split(",") as PartName[]) {
  console.log(`\n## ${name}`);
  const end = performance.now() + Number(values.cap) * 1000;
  await parts[name](() => performance.now() < end || (console.log("(cut short by --cap)"), false));
}
process.exit(0);

/** @returns whether there is time for another row */
type InTime = () => boolean;

async function device(inTime: InTime): Promise<void> {
  for (const k of ks) if (inTime()) await row(`k = ${k}`, { ...sizes, k });
}

async function batches(inTime: InTime): Promise<void> {
  const read = readRecorder(gpu, references);
  const reading = await time(gpu, read);
  const bytes = sizes.references * sizes.columns * 4;
  console.log(`reading the references: ${reading.toFixed(3)} ms, ${(bytes / reading / 1e6).toFixed(0)} GB/s`);
  for (const count of [1, 2, 4, 8, 16, 32]) {
    if (!inTime()) return;
    const ms = await row(`${count} queries`, { ...sizes, queries: count, k: 10 }, { repeats: 8 });
    if (ms) console.log(`    ${(reading / ms).toFixed(2)} of the speed of reading`);
  }
}

/** Every tile and, for each k, groups of every size and none. */
async function variants(inTime: InTime): Promise<void> {
  const tiles = Object.entries(pairTiles).filter(
    ([, tile]) =>
      pairTileBytes(tile) <= gpu.limits.maxComputeWorkgroupStorageSize &&
      pairTileThreads(tile) <= gpu.limits.maxComputeInvocationsPerWorkgroup,
  );
  const quick = { warmUps: 1, runs: 3 };
  for (const k of ks) {
    for (const tile of k === ks[0] ? tiles.map(([name]) => name) : []) {
      if (inTime()) await row(`k = ${k}, ${tile}`, { ...sizes, k, variant: { tile } }, quick);
    }
    for (const group of [...knnGroups, 0]) {
      const name = `k = ${k}, ${group > 0 ? `groups of ${group}` : "values"}`;
      if (inTime()) await row(name, { ...sizes, k, variant: { group } }, quick);
    }
  }
}

async function stages(inTime: InTime): Promise<void> {
  if (!gpu.features.has("timestamp-query")) return console.log("this device has no timestamps");
  await unpack();
  const limits = kernelLimits(gpu);
  const pipelines = new Pipelines(gpu, new Health(gpu));
  const uniforms = new Uniforms(gpu);
  for (const k of ks) {
    if (!inTime()) return;
    const params = { metric: "sqeuclidean", ...sizes, k, workPerDispatch: WORK } as const;
    const passes = knnSearchPasses(params, limits);
    await pipelines.prepare(passes);
    const results = sizes.queries * k * 4;
    const own = [results, results, knnSearchBytes(params, limits).scratch].map((size) => storage(gpu, size));
    const [distances, indices, scratch] = own.map((buffer) => ({ buffer }));
    const bound = {
      queries: { buffer: queries },
      references: { buffer: references },
      distances,
      indices,
      scratch,
    };
    const took = new Map<string, number>();
    for (const counted of [false, true]) {
      const timestamps = new Timestamps(gpu, passes.length);
      const encoder = gpu.createCommandEncoder();
      encodePasses(encoder, passes, bound, { device: gpu, pipelines, uniforms, timestamps });
      timestamps.resolve(encoder);
      uniforms.commit();
      gpu.queue.submit([encoder.finish()]);
      for (const { label, ms } of await timestamps.read()) {
        if (counted) took.set(label, (took.get(label) ?? 0) + ms);
      }
    }
    const text = [...took].map(([label, ms]) => `${label} ${ms.toFixed(3)} ms`).join(", ");
    console.log(`k = ${k}: ${text}`);
    for (const buffer of own) buffer.destroy();
  }
}

/** Half of each size, then twice that in one of them. */
async function scaling(inTime: InTime): Promise<void> {
  const half = {
    queries: Math.ceil(sizes.queries / 2),
    references: Math.ceil(sizes.references / 2),
    columns: Math.ceil(sizes.columns / 8) * 4,
  };
  const base = await row("half of everything", { ...half, k: ks[0] });
  for (const name of ["queries", "references", "columns"] as const) {
    if (!inTime() || !base) return;
    const ms = await row(`twice the ${name}`, { ...half, [name]: 2 * half[name], k: ks[0] });
    if (ms) console.log(`    ${(ms / base).toFixed(2)} times the time`);
  }
}

/**
 * Every neighbour of some queries in float64: certified ones must be equal, float32 ones as near as float32
 * is.
 */
async function check(): Promise<void> {
  const { train, asked } = await hostRows();
  const k = ks[0];
  const count = Math.min(Number(values.sample), sizes.queries);
  const picked = Array.from({ length: count }, (_, i) => Math.floor((i * sizes.queries) / count));
  const data = new Float32Array(count * sizes.columns);
  picked.forEach((row, i) =>
    data.set(asked.data.subarray(row * sizes.columns, (row + 1) * sizes.columns), i * sizes.columns),
  );
  const model = await new NearestNeighbors({ nNeighbors: k, backend: "gpu" }).fit(train);
  const certified = await model.kneighbors({ data, rows: count, cols: sizes.columns });
  model.dispose();
  const { operation, buffers } = await prepared({ ...sizes, k });
  const encoder = gpu.createCommandEncoder();
  operation.encode(encoder, buffers);
  gpu.queue.submit([encoder.finish()]);
  const indices = await readWords(gpu, buffers.indices, sizes.queries * k);

  let wrong = 0;
  let missed = 0;
  let worst = 0;
  picked.forEach((query, i) => {
    const all = distances64(train, data.subarray(i * sizes.columns, (i + 1) * sizes.columns));
    const order = nearest(all, k);
    for (let rank = 0; rank < k; rank++) {
      const at = i * k + rank;
      const right =
        certified.indices[at] === order[rank] && certified.distances[at] === Math.sqrt(all[order[rank]]);
      if (!right) wrong++;
      const found = all[indices[query * k + rank]];
      if (found > all[order[k - 1]]) missed++;
      worst = Math.max(worst, found / all[order[rank]] - 1);
    }
  });
  console.log(`${count} queries, k = ${k}, against float64`);
  console.log(`certified: ${wrong} of ${count * k} neighbours differ`);
  console.log(
    `float32 in device memory: ${missed} of ${count * k} lie beyond the k-th; at most ${worst.toExponential(1)} farther`,
  );
  if (wrong > 0) process.exitCode = 1;
}

async function hostRows(): Promise<{ train: HostRows; asked: HostRows }> {
  const read = async (from: GPUBuffer, rows: number): Promise<HostRows> => {
    const words = await readWords(gpu, from, rows * sizes.columns);
    return { data: new Float32Array(words.buffer), rows, cols: sizes.columns };
  };
  onHost ??= { train: await read(references, sizes.references), asked: await read(queries, sizes.queries) };
  return onHost;
}

/** Squares of distances, summed over the columns in their order. */
function distances64({ data, rows, cols }: HostRows, query: Float32Array): Float64Array {
  const all = new Float64Array(rows);
  for (let row = 0, at = 0; row < rows; row++) {
    let sum = 0;
    for (let j = 0; j < cols; j++, at++) {
      const difference = query[j] - data[at];
      sum += difference * difference;
    }
    all[row] = sum;
  }
  return all;
}

/** By (root, index), as contracts order them. */
function nearest(squares: Float64Array, k: number): number[] {
  const kept: number[] = [];
  const comesBefore = (a: number, b: number) =>
    Math.sqrt(squares[a]) < Math.sqrt(squares[b]) ||
    (Math.sqrt(squares[a]) === Math.sqrt(squares[b]) && a < b);
  for (let row = 0; row < squares.length; row++) {
    if (kept.length === k && !comesBefore(row, kept[k - 1])) continue;
    let at = kept.length;
    while (at > 0 && comesBefore(row, kept[at - 1])) at--;
    kept.splice(at, 0, row);
    if (kept.length > k) kept.pop();
  }
  return kept;
}

type Shape = Omit<GpuKnnParams, "metric" | "workPerDispatch">;

async function prepared(shape: Shape) {
  const { queries: count, k } = shape;
  const operation = await primitives.knn({ ...shape, metric: "sqeuclidean", workPerDispatch: WORK });
  const results = { distances: storage(gpu, count * k * 4), indices: storage(gpu, count * k * 4) };
  return { operation, buffers: { queries, references, ...results } };
}

/** Prints a row of the table. @returns its milliseconds, or undefined when it could not run */
async function row(
  name: string,
  shape: Shape,
  repeats: Parameters<typeof time>[2] = {},
): Promise<number | undefined> {
  if (shape.k > shape.references) return undefined;
  try {
    const { operation, buffers } = await prepared(shape);
    const ms = await time(gpu, (encoder) => operation.encode(encoder, buffers), { repeats: 1, ...repeats });
    const tera = (2 * shape.queries * shape.references * shape.columns) / ms / 1e9;
    const share = (tera / Number(values.peak)) * 100;
    console.log(
      `${name}: ${ms.toFixed(3)} ms, ${tera.toFixed(1)} TFLOP/s, ${share.toFixed(0)} % of ${values.peak}`,
    );
    operation.dispose();
    buffers.distances.destroy();
    buffers.indices.destroy();
    return ms;
  } catch (error) {
    console.log(`${name}: ${String(error)}`);
    return undefined;
  }
}

/** Uniform in [0, 1); rows are as long as `columns`, which must be a multiple of 4. */
function randomRows(rows: number, columns: number, seed: number): GPUBuffer {
  if (columns % 4 !== 0) throw new Error(`--columns is ${columns}; this bench takes multiples of 4`);
  return fillWith(gpu, rows * columns, `bitcast<u32>(f32(hash(i ^ ${seed}u) >> 8u) * 0x1p-24)`);
}
