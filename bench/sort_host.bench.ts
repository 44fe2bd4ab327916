/**
 * Sorts of random arrays of the host that are longer than a binding, on a GPU: the call, its kernels, and
 * whether the result is right: keys ascend, they are those that were given (by the sum of their hashes), and
 * places of equal keys ascend. Not a test.
 *
 *     node dist-bench/sort_host.bench.js [--jobs keys-u32-31,keys-u64-28,argsort-u32-26] [--block N]
 */
import { parseArgs } from "node:util";
import { argsort, Device, sort, type Explanation } from "../dist/node.js";

const { values: options } = parseArgs({
  options: {
    /** Keys or argsort, the type of the keys, and the logarithm of their number. */
    jobs: { type: "string", default: "keys-u32-31,keys-u64-28,argsort-u32-26" },
    /** Keys of a block at most. */
    block: { type: "string" },
    memory: { type: "string", default: String(60 * 2 ** 30) },
  },
});

function hash(x: number): number {
  let h = Math.imul(x, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return h ^ (h >>> 15);
}

const device = await Device.create({
  backend: "gpu",
  deviceMemory: Number(options.memory),
  profile: true,
});
console.log(`${device.info.name}, bindings of ${device.info.bufferBytes} bytes`);
console.log("| job | keys | call, ms | kernels, ms | of these merges, ms | jobs | wrong |");
console.log("| --- | ---- | -------- | ----------- | ------------------- | ---- | ----- |");
for (const job of options.jobs.split(",")) await measure(job);
device.dispose();

async function measure(job: string): Promise<void> {
  const [kind, type, log] = job.split("-");
  const count = 2 ** Number(log);
  const words = type === "u64" ? 2 : 1;
  const bits = new Uint32Array(count * words);
  for (let at = 0; at < bits.length; at++) bits[at] = hash(at);
  const keys = words === 1 ? bits : new BigUint64Array(bits.buffer);
  let told: Explanation | undefined;
  const how = {
    device,
    tuning: { block: options.block === undefined ? undefined : Number(options.block) },
    onExplanation: (explanation: Explanation) => (told = explanation),
  };
  const began = performance.now();
  const found = kind === "keys" ? await sort(keys, how) : await argsort(keys, how);
  const ms = performance.now() - began;
  const wrong =
    kind === "keys"
      ? wrongKeys(bits, new Uint32Array(found.buffer), words)
      : wrongPlaces(bits, found as Uint32Array);
  const stages = told?.stages ?? [];
  const msOf = (names: RegExp) =>
    stages.filter(({ name }) => names.test(name)).reduce((sum, { seconds }) => sum + seconds * 1000, 0);
  const cells = [job, count, ms.toFixed(0), msOf(/./).toFixed(1), msOf(/cuts|merge/).toFixed(1)];
  console.log(`| ${[...cells, told?.jobs, wrong].join(" | ")} |`);
}

/** Counts keys that are smaller than the one before, and one more where they are not those given. */
function wrongKeys(given: Uint32Array, found: Uint32Array, words: number): number {
  let [wrong, sums] = [0, 0];
  const mixed = (keys: Uint32Array, at: number) =>
    words === 1 ? hash(keys[at]) : hash(keys[at]) ^ hash(keys[at + 1] + 77);
  for (let at = 0; at < given.length; at += words) {
    sums = (sums + mixed(given, at) - mixed(found, at)) | 0;
    if (at === 0) continue;
    const high = at + words - 1;
    const before = high - words;
    if (found[before] > found[high] || (found[before] === found[high] && found[at - words] > found[at]))
      wrong++;
  }
  return wrong + (sums === 0 ? 0 : 1);
}

/** Counts places whose key is smaller than the one before, or equal to it where the place is too. */
function wrongPlaces(keys: Uint32Array, places: Uint32Array): number {
  let [wrong, sum] = [0, 0];
  let before = -1;
  for (let at = 0; at < places.length; at++) {
    const key = keys[places[at]];
    if (key < before || (key === before && places[at] <= places[at - 1])) wrong++;
    before = key;
    sum = (sum + places[at] - at) | 0;
  }
  return wrong + (sum === 0 ? 0 : 1);
}
