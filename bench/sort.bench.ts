/**
 * Radix sort on a GPU, keys and results in device memory: keys alone, pairs and argsort, of several types,
 * orders, tiles and variants, beside what CUB took in the same run. Then results at full size, checked on the
 * device, run after run. Not a test.
 *
 *     nvcc -O3 -arch=native -o sort bench/rivals/sort.cu && ./sort 20 24 26 28 > peers.txt
 *     python3 bench/rivals/sort.py >> peers.txt
 *     node dist-bench/sort.bench.js --peers peers.txt
 *
 * `--tiles 8x12` times tiles of so many groups of lanes and keys a lane, `--variants blocks,chained-marks`
 * other variants than the device's own, and `--jobs keys-u32` some of the jobs.
 */
import { readFileSync } from "node:fs";
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
    /** Other numbers of the policy, as JSON. */
    policy: { type: "string", default: "{}" },
    peers: { type: "string" },
  },
});
const list = (text: string) => text.split(",").filter((name) => name !== "");

const WARM_MS = 150;

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

const peers = new Map<string, number>();
if (options.peers) {
  for (const line of readFileSync(options.peers, "utf8").split("\n")) {
    const [job, order, size, ms] = line.split(" ");
    if (ms) peers.set(`${job} ${order} ${size}`, Number(ms));
  }
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

console.log(
  "| job | order | keys | variant | tile | ms | Gkeys/s | count ms | digits ms | peer ms | of peer |",
);
console.log(
  "| --- | ----- | ---- | ------- | ---- | -- | ------- | -------- | --------- | ------- | ------- |",
);
for (const size of list(options.sizes).map(Number)) {
  for (const job of list(options.jobs).map(jobOf)) {
    for (const order of list(options.orders)) {
      if (!(order in orders) || (order !== "random" && job.name !== "keys-u32")) continue;
      if (size > 27 && job.name.endsWith("64") && job.values !== "none") continue;
      await measure(job, order, size);
    }
  }
}
for (const name of list(options.jobs)) await check(jobOf(name), Number(options.checks));
process.exit(0);

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

/** Median milliseconds of a sort, once the card has its full clock, which compiling shaders loses. */
async function timed(params: GpuSortParams, buffers: Buffers): Promise<number> {
  const operation = await primitives.sort(params);
  const ms = await time(device, (encoder) => operation.encode(encoder, buffers), { warmMs: WARM_MS });
  operation.dispose();
  return ms;
}

async function measure(job: Job, order: string, size: number): Promise<void> {
  const count = 2 ** size;
  const buffers = buffersOf(job, count, order);
  const peer = peers.get(`${job.name.replace("argsort", "pairs")} ${order} ${size}`);
  for (const each of variants) {
    const params: GpuSortParams = { type: job.type, values: job.values, count };
    assume(each);
    try {
      const ms = await timed(params, buffers);
      const { count: counting, digits } = await stages(params, buffers, ms);
      const { variant, tile } = each;
      const cells = [
        job.name,
        order,
        `2^${size}`,
        variant,
        tile,
        ms.toFixed(4),
        (count / ms / 1e6).toFixed(2),
      ];
      cells.push(counting.toFixed(4), digits.map((ms) => ms.toFixed(3)).join(" "));
      cells.push(peer?.toFixed(4) ?? "", peer ? (peer / ms).toFixed(2) : "");
      console.log(`| ${cells.join(" | ")} |`);
    } catch (error) {
      console.log(`${job.name} ${each.variant} ${each.tile}: ${String(error).slice(0, 200)}`);
    }
  }
  release(buffers);
}

/**
 * Returns the milliseconds of counting and of moving keys by each digit, from sorts by fewer digits; counting
 * takes what is left of the first if moving took as long there as on average.
 */
async function stages(params: GpuSortParams, buffers: Buffers, ms: number) {
  const digits = params.type.endsWith("64") ? 8 : 4;
  const times: number[] = [];
  for (let digit = 1; digit < digits; digit++) {
    times.push(await timed({ ...params, endBit: 8 * digit }, buffers));
  }
  times.push(ms);
  const moved = times.slice(1).map((time, at) => time - times[at]);
  const usual = (ms - times[0]) / (digits - 1);
  return { count: times[0] - usual, digits: [usual, ...moved] };
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
  for (const order of ["random", "entropy"]) {
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
  console.log(`${job.name} of 2^${size}, ${runs} runs of two orders: ${wrong} wrong, ${gaveUp} gave up`);
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
    @compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) n: vec3u) {
      let i = id.x + id.y * n.x * 256u;
      if (i >= ${count}u) { return; }
      atomicAdd(&result[1], hashOf(sortedKeys[i]) - hashOf(keys[i]));
      var wrong = false;
      if (i + 1u < ${count}u) {
        let a = ordinal(sortedKeys[i]);
        let b = ordinal(sortedKeys[i + 1u]);
        wrong = a.y > b.y || (a.y == b.y && a.x > b.x);
        ${buffers.sortedValues ? "wrong = wrong || (all(a == b) && places[i] >= places[i + 1u]);" : ""}
      }
      ${buffers.sortedValues ? `wrong = wrong || any(vec2u(keys[places[i]]) != vec2u(sortedKeys[i]));` : ""}
      if (wrong) { atomicAdd(&result[0], 1u); }
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
    const groups = Math.ceil(count / 256);
    const x = Math.min(groups, 32_768);
    pass.dispatchWorkgroups(x, Math.ceil(groups / x));
    pass.end();
  };
  return { encode, result };
}
