/**
 * What stands before the float32 comparison of k-NN on a GPU: bytes by packed products and by matrix units,
 * beside float32 alone; all rows in device memory, certified candidates, with the time of each kernel. The
 * lists of all variants are compared. Not a test.
 *
 *     node dist-bench/knn_bytes.bench.js [--queries 10000] [--references 1000000] [--columns 128]
 *       [--k 10,100,1000] [--variants float32,packed,matrix,windows] [--sorted]
 *
 * With --sorted every row is nearer to all queries than the one before it. The variant "windows" is float32
 * without minima, groups and recomputing: no window has more references than there is room to append.
 */
import { parseArgs } from "node:util";
import { create, globals } from "webgpu";
import "../dist/node.js";
import { boundOf } from "../dist/distance/bound/bound.js";
import { prepareKernel } from "../dist/distance/gpu/prepare.js";
import { knnFilterScratchBytes, knnRooms } from "../dist/ops/knn/contract/filter.js";
import { knnFilterPasses } from "../dist/ops/knn/gpu/filter/filter.js";
import { chooseKnnGroup } from "../dist/ops/knn/gpu/policy.js";
import { Health } from "../dist/runtime/gpu/health.js";
import { encodePasses } from "../dist/runtime/gpu/passes/encode.js";
import { kernelLimits, type Pass } from "../dist/runtime/gpu/passes/pass.js";
import { Pipelines } from "../dist/runtime/gpu/passes/pipelines.js";
import { Timestamps } from "../dist/runtime/gpu/passes/profile.js";
import { Uniforms } from "../dist/runtime/gpu/uniforms.js";
import { byteBoundOf } from "../dist/distance/bound/bytes.js";
import { knnQuantizedBytes, type KnnByteFilterParams } from "../dist/ops/knn/contract/bytes.js";
import { knnByteFilterPasses, unpackShaders, type ByteVariant } from "../dist/ops/knn/gpu/bytes/bytes.js";
import { readWords, storage } from "./gpu.ts";
import { fillWith } from "./wgsl.ts";

Object.assign(globalThis, globals);
const MATRIX = "chromium-experimental-subgroup-matrix" as GPUFeatureName;

const { values } = parseArgs({
  options: {
    queries: { type: "string", default: "10000" },
    references: { type: "string", default: "1000000" },
    columns: { type: "string", default: "128" },
    k: { type: "string", default: "10,100,1000" },
    variants: { type: "string", default: "float32,packed,matrix" },
    runs: { type: "string", default: "5" },
    sorted: { type: "boolean", default: false },
  },
});
const [queryRows, refRows, dims] = [values.queries, values.references, values.columns].map(Number);
const stride = Math.ceil(dims / 4) * 4;

await unpackShaders();
const gpu = await openDevice();
const limits = {
  ...kernelLimits(gpu),
  traits: { forwardProgress: true, subgroups: gpu.features.has("subgroups") },
};
const pipelines = new Pipelines(gpu, new Health(gpu));
const uniforms = new Uniforms(gpu);
const bound = boundOf({
  ...{ core: "dot", dot: "squared", dims, p: 2, rounded: false, largest: 1, underflow: 0 },
  onDevice: { sums: stride, exponent: 0 },
})!;
const bytes = byteBoundOf(0.5, dims, bound)!;
const [share, factor] = values.sorted
  ? ["0.02", `(1.0 - 0.9 * f32(i / ${stride}u) / ${refRows}.0)`]
  : ["1.0", "1.0"];
const rows = {
  queries: fillWith(gpu, queryRows * stride, `bitcast<u32>((f32(h >> 8u) * 0x1p-24 - 0.5) * ${share})`),
  refs: fillWith(
    gpu,
    refRows * stride,
    `bitcast<u32>((f32((h ^ 0x5bd1e995u) >> 8u) * 0x1p-24 - 0.5) * ${factor})`,
  ),
};
const metas = { queryMeta: storage(gpu, queryRows * 16), refMeta: storage(gpu, refRows * 16) };
await prepareRows(rows.queries, metas.queryMeta, queryRows);
await prepareRows(rows.refs, metas.refMeta, refRows);

type Variant = "float32" | "windows" | ByteVariant;

for (const k of values.k.split(",").map(Number)) {
  let first: Uint32Array | undefined;
  for (const name of values.variants.split(",") as Variant[]) {
    if (name === "matrix" && !gpu.features.has(MATRIX)) continue;
    try {
      const lists = await measure(name, k);
      first ??= lists;
      let different = 0;
      for (let at = 0; at < lists.length; at++) if (lists[at] !== first[at]) different++;
      if (different > 0) console.log(`    ${different} OF ${lists.length} WORDS OF THE LISTS DIFFER`);
    } catch (error) {
      console.log(`k = ${k}, ${name}: ${String(error)}`);
    }
  }
}
process.exit(0);

async function openDevice(): Promise<GPUDevice> {
  const dawn = create([
    "disable-dawn-features=timestamp_quantization",
    "enable-dawn-features=allow_unsafe_apis",
  ]);
  const adapter = await dawn.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) throw new Error("no WebGPU adapter");
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  const { maxComputeWorkgroupStorageSize, maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX } =
    adapter.limits;
  const wanted = ["subgroups", "timestamp-query", MATRIX] as GPUFeatureName[];
  const device = await adapter.requestDevice({
    requiredLimits: {
      ...{ maxBufferSize, maxStorageBufferBindingSize, maxComputeWorkgroupStorageSize },
      ...{ maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX },
    },
    requiredFeatures: wanted.filter((feature) => adapter.features.has(feature)),
  });
  device.addEventListener("uncapturederror", ({ error }) => console.log(`ERROR ${error.message}`));
  (device as unknown as { keep: GPU }).keep = dawn;
  console.log(adapter.info.description, JSON.stringify(configsOf(adapter.info)));
  return device;
}

function configsOf(info: GPUAdapterInfo): unknown {
  const { subgroupMatrixConfigs } = info as GPUAdapterInfo & {
    subgroupMatrixConfigs?: Iterable<Record<string, unknown>>;
  };
  return [...(subgroupMatrixConfigs ?? [])].map(
    ({ componentType, resultComponentType, M, N, K }) =>
      `${componentType}-${resultComponentType} ${M}x${N}x${K}`,
  );
}

async function prepareRows(buffer: GPUBuffer, meta: GPUBuffer, count: number): Promise<void> {
  const passes = prepareKernel.passes(
    {
      ...{ core: "dot", rows: count, dims, stride, exponent: 0, limit: 1, baseFactor: 1 },
      ...{ productFactor: bound.productFactor, marginFactor: bound.marginFactor },
      marginConstant: bound.marginConstant,
    },
    limits,
  );
  const [centre, seen] = [storage(gpu, stride * 4), storage(gpu, 4)];
  await run(passes, { rows: buffer, metas: meta, centre, seen });
}

async function run(passes: readonly Pass[], buffers: Record<string, GPUBuffer>, timestamps?: Timestamps) {
  await pipelines.prepare(passes);
  const bound = Object.fromEntries(Object.entries(buffers).map(([name, buffer]) => [name, { buffer }]));
  const encoder = gpu.createCommandEncoder();
  if (buffers["heads"]) encoder.clearBuffer(buffers["heads"]);
  encodePasses(encoder, passes, bound, { device: gpu, pipelines, uniforms, timestamps });
  timestamps?.resolve(encoder);
  uniforms.commit();
  await gpu.queue.onSubmittedWorkDone();
  const begin = performance.now();
  gpu.queue.submit([encoder.finish()]);
  await gpu.queue.onSubmittedWorkDone();
  return performance.now() - begin;
}

/** Prints the times of a variant. @returns for each query its count and its rows in ascending order */
async function measure(name: Variant, k: number): Promise<Uint32Array> {
  const capacity = k + Math.max(64, Math.ceil(k / 2));
  const params: KnnByteFilterParams = {
    ...{ core: "dot" as const, p: 0, weight: -2, slack: bound.slack, cut: false, k, capacity, dims, stride },
    ...{ queryRows, refBegin: 0, refRows, refOffset: 0, group: chooseKnnGroup(k, refRows), bytes },
  };
  const passes = passesOf(name, params);
  const own = {
    heads: storage(gpu, queryRows * 8),
    candidates: storage(gpu, queryRows * capacity * 4),
    intervals: storage(gpu, queryRows * capacity * 8),
    scratch: storage(gpu, knnFilterScratchBytes(params)),
    quantized: storage(gpu, knnQuantizedBytes(params)),
    byteCentre: storage(gpu, stride * 4),
  };
  const buffers = { ...rows, ...metas, ...own };
  await run(passes, buffers);
  const times: number[] = [];
  for (let i = 0; i < Number(values.runs); i++) times.push(await run(passes, buffers));
  const median = times.sort((a, b) => a - b)[times.length >> 1];
  console.log(`k = ${k}, ${name}: ${median.toFixed(2)} ms, ${passes.length} passes`);
  const took = new Map<string, number>();
  if (gpu.features.has("timestamp-query")) {
    const timestamps = new Timestamps(gpu, passes.length);
    await run(passes, buffers, timestamps);
    for (const { label, ms } of await timestamps.read()) took.set(label, (took.get(label) ?? 0) + ms);
    console.log(`    ${[...took].map(([label, ms]) => `${label} ${ms.toFixed(2)}`).join(", ")}`);
  }
  const heads = await readWords(gpu, own.heads, queryRows * 2);
  const candidates = await readWords(gpu, own.candidates, queryRows * capacity);
  const lists = new Uint32Array(queryRows * (capacity + 1));
  for (let query = 0; query < queryRows; query++) {
    const count = heads[2 * query];
    lists[query * (capacity + 1)] = count;
    const list = candidates.subarray(query * capacity, query * capacity + Math.min(count, capacity));
    lists.set(list.slice().sort(), query * (capacity + 1) + 1);
  }
  for (const buffer of Object.values(own)) buffer.destroy();
  return lists;
}

function passesOf(name: Variant, params: KnnByteFilterParams): readonly Pass[] {
  if (name === "float32") return knnFilterPasses(params, limits);
  if (name !== "windows") return knnByteFilterPasses(params, limits, {}, name);
  const { first, room } = knnRooms(params);
  const begins = [0];
  for (let begin = first; begin < refRows; begin += room) begins.push(begin);
  return begins.flatMap((refBegin, i) =>
    knnFilterPasses({ ...params, refBegin, refRows: (begins[i + 1] ?? refRows) - refBegin }, limits),
  );
}
