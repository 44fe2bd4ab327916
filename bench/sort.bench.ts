/**
 * Radix sort on a GPU, keys and results in device memory: keys alone, pairs and argsort, of several types,
 * orders, tiles and variants, beside CUB of the same machine. All shaders are compiled first, a large sort
 * brings the card to its full clock before each measurement, and rounds of CUB and of ours take turns; times
 * are medians of the rounds. Then results at full size, checked on the device, run after run. Not a test.
 *
 *     nvcc -O3 -arch=native -o sort bench/rivals/sort.cu
 *     node dist-bench/sort.bench.js --cub ./sort
 *
 * `--tiles 8x12` times tiles of so many groups of lanes and keys a lane, `--variants blocks,chained-marks`
 * other variants than the device's own, and `--jobs keys-u32` some of the jobs.
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { GpuPrimitives, type GpuSortParams, type KeyType } from "../dist/node.js";
import { sortPolicy } from "../dist/ops/sort/policy.js";
import { Health } from "../dist/runtime/gpu/health.js";
import { assumeTraits, traitsOf } from "../dist/runtime/gpu/traits.js";
import { openBenchDevice, readWords, storage, time } from "./gpu.ts";
import { fillWith } from "./wgsl.ts";

const { values: options } = parseArgs({
  options: {
    sizes: { type: "string", default: "20,24,26,28" },
    jobs: { type: "string", default: "keys-u32,pairs-u32,argsort-u32,keys-f32,keys-u64,pairs-u64,keys-f64" },
    orders: { type: "string", default: "random,sorted,reversed,equal,entropy" },
    tiles: { type: "string", default: "default" },
    variants: { type: "string", default: "default" },
    checks: { type: "string", default: "100" },
    rounds: { type: "string", default: "3" },
    /** Keys of the sort that brings the card to its full clock, as a power of two. */
    warm: { type: "string", default: "24" },
    /** Other numbers of the policy, as JSON. */
    policy: { type: "string", default: "{}" },
    /** The program of rivals/sort.cu. */
    cub: { type: "string" },
  },
});
const WARM_KEYS = 2 ** Number(options.warm);
const list = (text: string) => text.split(",").filter((name) => name !== "");

/** Milliseconds that a card takes to reach its full clock, with some to spare. */
const WARM_MS = 300;

/** Words of keys, as rivals/sort.cu draws them; h is hash(i). */
const orders: Readonly<Record<string, (words: number) => string>> = {
  random: () => "h",
  sorted: () => "i",
  reversed: (words) => `${words}u - i`,
  equal: () => "7u",
  entropy: () => "h & hash(i + 0x9e3779b9u) & hash(i + 0x3c6ef372u)",
};
interface Job {
  readonly name: string;
  readonly type: KeyType;
  readonly values: "none" | "given" | "indices";
}

function jobOf(name: string): Job {
  const [kind, type] = name.split("-");
  const values = kind === "keys" ? "none" : kind === "pairs" ? "given" : "indices";
  return { name, type: type as KeyType, values };
}

const device = await openBenchDevice();
const primitives = await GpuPrimitives.create(device);
const found = await traitsOf(device, new Health(device));
const ownPolicy = { ...sortPolicy, ...(JSON.parse(options.policy) as object) };
const variants = list(options.variants).flatMap((variant) =>
  list(options.tiles).map((tile) => ({ variant, tile })),
);

/** Has sorts that are prepared from now on go by a variant, in tiles of that size. */
function assume({ variant, tile }: (typeof variants)[number]): void {
  const forwardProgress = !variant.startsWith("blocks");
  const assumed = { forwardProgress, subgroups: !variant.endsWith("marks") };
  assumeTraits(device, variant === "default" ? found : assumed);
  const [groups, narrow] = tile.split("x").map(Number);
  const items = [narrow, Math.ceil(narrow / 2)];
  const tiles = { subgroups: [{ groups, items }], marks: { ...ownPolicy.marks, groups, items } };
  Object.assign(sortPolicy, ownPolicy, tile === "default" ? {} : tiles);
}

/** A sort that is timed, round after round. */
interface Entry {
  readonly job: Job;
  readonly order: string;
  readonly size: number;
  readonly variant: (typeof variants)[number];
  readonly times: number[];
  stages?: { readonly count: number; readonly digits: readonly number[] };
}

const sizes = list(options.sizes).map(Number);
const entries = sizes.flatMap((size) =>
  list(options.jobs)
    .map(jobOf)
    .flatMap((job) => list(options.orders).flatMap((order) => entriesOf(job, order, size))),
);
const warmer = buffersOf(jobOf("keys-u32"), WARM_KEYS, "random");
for (const entry of entries)
  for (const params of [paramsOf(entry), ...partsOf(entry)]) await compiled(params, entry);
/** Milliseconds of CUB in each round. */
const peers = new Map<string, number[]>();
for (const size of sizes) {
  const own = entries.filter((entry) => entry.size === size);
  for (let round = 0; round < Number(options.rounds); round++) {
    if (options.cub) askCub(size);
    for (const entry of own) await measure(entry);
  }
  for (const entry of own.filter((each) => partsOf(each).length > 0)) await findStages(entry);
}
console.log(
  "| job | order | keys | variant | tile | ms | rounds | Gkeys/s | CUB ms | rounds | of CUB | count ms | digits ms |",
);
console.log(`|${" --- |".repeat(13)}`);
for (const entry of entries) console.log(rowOf(entry));
for (const name of list(options.jobs)) await check(jobOf(name), Number(options.checks));
process.exit(0);

function entriesOf(job: Job, order: string, size: number): Entry[] {
  if (!(order in orders) || (order !== "random" && job.name !== "keys-u32")) return [];
  if (size > 27 && job.name.endsWith("64")) return [];
  return variants.map((variant) => ({ job, order, size, variant, times: [] }));
}

function paramsOf({ job: { type, values }, size }: Entry): GpuSortParams {
  return { type, values, count: 2 ** size };
}

/** Sorts by fewer digits, whose times tell those of the stages. */
function partsOf(entry: Entry): GpuSortParams[] {
  const { job, order, size } = entry;
  if (job.name !== "keys-u32" || order !== "random" || size < 26) return [];
  return [1, 2, 3].map((digit) => ({ ...paramsOf(entry), endBit: 8 * digit }));
}

async function compiled(params: GpuSortParams, { variant }: Entry): Promise<void> {
  assume(variant);
  (await primitives.sort(params)).dispose();
}

function askCub(size: number): void {
  const { stdout, error } = spawnSync(options.cub!, [String(size)], { encoding: "utf8" });
  if (error) throw error;
  for (const line of stdout.split("\n")) {
    const [job, order, , ms] = line.split(" ");
    if (!ms) continue;
    const name = `${job} ${order} ${size}`;
    peers.set(name, [...(peers.get(name) ?? []), Number(ms)]);
  }
}

function rowOf({ job, order, size, variant: { variant, tile }, times, stages }: Entry): string {
  const peer = peers.get(`${job.name.replace("argsort", "pairs")} ${order} ${size}`) ?? [];
  const rounds = (times: readonly number[]) => times.map((ms) => ms.toFixed(4)).join(" ");
  const [ms, theirs] = [median(times), median(peer)];
  const cells = [job.name, order, `2^${size}`, variant, tile, ms.toFixed(4), rounds(times)];
  cells.push((2 ** size / ms / 1e6).toFixed(2), theirs ? theirs.toFixed(4) : "", rounds(peer));
  cells.push(theirs ? (theirs / ms).toFixed(2) : "");
  cells.push(
    stages ? stages.count.toFixed(4) : "",
    stages?.digits.map((ms) => ms.toFixed(3)).join(" ") ?? "",
  );
  return `| ${cells.join(" | ")} |`;
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1];
}

interface Buffers {
  readonly keys: GPUBuffer;
  readonly sortedKeys: GPUBuffer;
  readonly values?: GPUBuffer;
  readonly sortedValues?: GPUBuffer;
}

function buffersOf({ type, values }: Job, count: number, order: string): Buffers {
  const words = count * (type.endsWith("64") ? 2 : 1);
  return {
    keys: fillWith(device, words, orders[order](words)),
    sortedKeys: storage(device, words * 4),
    ...(values === "given" && { values: fillWith(device, count, "i") }),
    ...(values !== "none" && { sortedValues: storage(device, count * 4) }),
  };
}

function release(buffers: Buffers): void {
  for (const buffer of Object.values(buffers)) (buffer as GPUBuffer).destroy();
}

/** Sorts until the card has its full clock, which it loses while nothing runs. */
async function warmUp(): Promise<void> {
  assume(variants[0]);
  const operation = await primitives.sort({ type: "u32", values: "none", count: WARM_KEYS });
  await time(device, (encoder) => operation.encode(encoder, warmer), {
    warmMs: WARM_MS,
    runs: 1,
    repeats: 1,
  });
  operation.dispose();
}

/** Median milliseconds of a sort. */
async function timed(params: GpuSortParams, buffers: Buffers, { variant, size }: Entry): Promise<number> {
  assume(variant);
  const operation = await primitives.sort(params);
  const encode = (encoder: GPUCommandEncoder) => operation.encode(encoder, buffers);
  await warmUp();
  assume(variant);
  const ms = await time(device, encode, { repeats: size < 16 ? 1 : size >= 28 ? 2 : size >= 26 ? 4 : 8 });
  operation.dispose();
  return ms;
}

async function measure(entry: Entry): Promise<void> {
  const buffers = buffersOf(entry.job, 2 ** entry.size, entry.order);
  entry.times.push(await timed(paramsOf(entry), buffers, entry));
  release(buffers);
}

/**
 * Finds the milliseconds of counting and of moving keys by each digit, from sorts by fewer digits; counting
 * takes what is left of the first if moving took as long there as on average.
 */
async function findStages(entry: Entry): Promise<void> {
  const buffers = buffersOf(entry.job, 2 ** entry.size, entry.order);
  const times: number[] = [];
  for (const params of [...partsOf(entry), paramsOf(entry)]) times.push(await timed(params, buffers, entry));
  release(buffers);
  const moved = times.slice(1).map((time, at) => time - times[at]);
  const usual = (times[times.length - 1] - times[0]) / moved.length;
  entry.stages = { count: times[0] - usual, digits: [usual, ...moved] };
}

/**
 * Sorts again and again. Keys must ascend and sum up, hashed, to what the input does; places that they carry
 * must be those of the keys, and ascend among equal ones.
 */
async function check(job: Job, runs: number): Promise<void> {
  const size = Math.min(Math.max(...list(options.sizes).map(Number)), job.type.endsWith("64") ? 27 : 28);
  const count = 2 ** size;
  let wrong = 0;
  let gaveUp = 0;
  const checked = job.name === "keys-u32" ? Object.keys(orders) : ["random", "entropy"];
  for (const order of checked) {
    const buffers = buffersOf(job, count, order);
    for (const each of variants) {
      assume(each);
      const params = { type: job.type, values: job.values, count };
      const operation = await primitives.sort(params).catch(() => undefined);
      if (!operation) continue;
      const scratch = storage(device, Math.max(4, operation.bytes.scratch));
      const verify = verifier(job, count, buffers);
      for (let run = 0; run < runs; run++) {
        const encoder = device.createCommandEncoder();
        encoder.clearBuffer(buffers.sortedKeys);
        if (buffers.sortedValues) encoder.clearBuffer(buffers.sortedValues);
        operation.encode(encoder, { ...buffers, scratch });
        verify.encode(encoder);
        device.queue.submit([encoder.finish()]);
        const [unordered, hashed] = await readWords(device, verify.result, 2);
        if (unordered > 0 || hashed !== 0) wrong++;
        const head = await readWords(device, scratch, 16);
        if (head.subarray(8).some((flag) => flag !== 0)) gaveUp++;
      }
      scratch.destroy();
      operation.dispose();
    }
    release(buffers);
  }
  console.log(
    `${job.name} of 2^${size}, ${runs} runs each of ${checked.join(", ")}: ${wrong} wrong, ${gaveUp} gave up`,
  );
}

/** Makes the kernel that adds up what is wrong, and the difference of both sums. */
function verifier(job: Job, count: number, buffers: Buffers) {
  const wide = job.type.endsWith("64");
  const key = wide ? "vec2u" : "u32";
  const float = job.type.startsWith("f");
  const sign = job.type.startsWith("i") ? "0x80000000u" : "0u";
  const mapped = (word: string) =>
    float ? `(${word} ^ (bitcast<u32>(bitcast<i32>(TOP) >> 31u) | SIGN))` : `(${word} ^ SIGN)`;
  const high = mapped("TOP").replaceAll("SIGN", float ? "0x80000000u" : sign);
  const low = float ? "(LOW ^ bitcast<u32>(bitcast<i32>(TOP) >> 31u))" : "LOW";
  const nan = wide
    ? "(TOP & 0x7fffffffu) > 0x7ff00000u || ((TOP & 0x7fffffffu) == 0x7ff00000u && LOW != 0u)"
    : "(TOP & 0x7fffffffu) > 0x7f800000u";
  const of = (text: string) =>
    text.replaceAll("TOP", wide ? "k.y" : "k").replaceAll("LOW", wide ? "k.x" : "0u");
  const code = `
    fn hash(x: u32) -> u32 {
      var h = (x ^ (x >> 15u)) * 0x2c1b3c6du;
      h = (h ^ (h >> 12u)) * 0x297a2d39u;
      return h ^ (h >> 15u);
    }
    @group(0) @binding(0) var<storage, read> keys: array<${key}>;
    @group(0) @binding(1) var<storage, read> sortedKeys: array<${key}>;
    @group(0) @binding(2) var<storage, read_write> result: array<atomic<u32>>;
    ${buffers.sortedValues ? "@group(0) @binding(3) var<storage, read> places: array<u32>;" : ""}
    fn ordinal(k: ${key}) -> vec2u {
      ${float ? `if (${of(nan)}) { return vec2u(0xffffffffu); }` : ""}
      return vec2u(${wide ? of(low) : "0u"}, ${of(high)});
    }
    fn hashOf(k: ${key}) -> u32 { return ${wide ? "hash(k.x) ^ hash(k.y + 77u)" : "hash(k)"}; }
    var<workgroup> sums: array<atomic<u32>, 2>;
    @compute @workgroup_size(256)
    fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) n: vec3u, @builtin(local_invocation_index) lane: u32) {
      var hashes = 0u;
      var found = 0u;
      for (var i = id.x; i < ${count}u; i += n.x * 256u) {
        hashes += hashOf(sortedKeys[i]) - hashOf(keys[i]);
        var wrong = false;
        if (i + 1u < ${count}u) {
          let a = ordinal(sortedKeys[i]);
          let b = ordinal(sortedKeys[i + 1u]);
          wrong = a.y > b.y || (a.y == b.y && a.x > b.x);
          ${buffers.sortedValues ? "wrong = wrong || (all(a == b) && places[i] >= places[i + 1u]);" : ""}
        }
        ${buffers.sortedValues ? `wrong = wrong || any(vec2u(keys[places[i]]) != vec2u(sortedKeys[i]));` : ""}
        found += select(0u, 1u, wrong);
      }
      atomicAdd(&sums[0], found);
      atomicAdd(&sums[1], hashes);
      workgroupBarrier();
      if (lane < 2u) { atomicAdd(&result[lane], atomicLoad(&sums[lane])); }
    }`;
  const module = device.createShaderModule({ code });
  const pipeline = device.createComputePipeline({ layout: "auto", compute: { module } });
  const result = storage(device, 8);
  const bound = [
    buffers.keys,
    buffers.sortedKeys,
    result,
    ...(buffers.sortedValues ? [buffers.sortedValues] : []),
  ];
  const entries = bound.map((buffer, binding) => ({ binding, resource: { buffer } }));
  const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  const encode = (encoder: GPUCommandEncoder): void => {
    encoder.clearBuffer(result);
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(8192);
    pass.end();
  };
  return { encode, result };
}
