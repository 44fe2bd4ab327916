/**
 * Sorts of random keys on the CPU backend, `out` given, beside the typed array's own sort and numpy's: plain
 * arrays, which one thread sorts, and the same in shared memory, which workers share. Runs alternate, so that
 * all see the same machine; results are checked against the typed array's sort. Shares are of the time of
 * that sort. Run it where nothing else runs. Not a test.
 *
 *     node dist-bench/sort_cpu.bench.js [--python /usr/bin/python3] [--log 24] [--types u32,f64] [--runs 5]
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { argsort, Device, sort, sortPairs, type KeyArray, type KeyType } from "../dist/node.js";

const { values: given } = parseArgs({
  options: {
    python: { type: "string", default: "/usr/bin/python3" },
    /** Keys, as a power of two. */
    log: { type: "string", default: "24" },
    types: { type: "string", default: "u32,i32,f32,u64,i64,f64" },
    runs: { type: "string", default: "5" },
  },
});
const COUNT = 2 ** Number(given.log);
const WARM_UPS = 1;
const constructors = {
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  u64: BigUint64Array,
  i64: BigInt64Array,
  f64: Float64Array,
} as const;

let state = 1;
const random = (): number => {
  let h = (state = (state + 0x9e3779b9) >>> 0);
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  return (h ^ (h >>> 15)) >>> 0;
};

const device = await Device.create({ backend: "cpu" });
const peer = spawn(given.python, ["bench/rivals/sort_cpu.py", String(COUNT)], {
  stdio: ["pipe", "pipe", "inherit"],
});
const answers = createInterface({ input: peer.stdout })[Symbol.asyncIterator]();
console.log(
  `numpy ${await answer()}, node ${process.version}, ${device.info.threads} threads, ${COUNT} keys\n`,
);
console.log(
  "| job | type | own sort, ms | np.sort, ms | numpy stable, ms | plain, ms | of own | shared, ms | of own |",
);
console.log(
  "| --- | ---- | ------------ | ----------- | ---------------- | --------- | ------ | ---------- | ------ |",
);

for (const type of given.types.split(",") as KeyType[]) {
  const keys = keysOf(type);
  const own = ownTimes(keys);
  const theirs = await numpyTimes(type);
  const { expected } = own;
  const values = Uint32Array.from({ length: COUNT }, (_, at) => at);
  for (const job of ["sort", "argsort", "sortPairs"] as const) {
    const plain = { keys, out: keys.slice(), values, outValues: values.slice() };
    const shared = { keys: share(keys), out: share(keys), values: share(values), outValues: share(values) };
    const times = { plain: [] as number[], shared: [] as number[] };
    for (let i = 0; i < WARM_UPS + Number(given.runs); i++) {
      for (const [name, arrays] of [
        ["plain", plain],
        ["shared", shared],
      ] as const) {
        const began = performance.now();
        await run(job, arrays);
        if (i >= WARM_UPS) times[name].push(performance.now() - began);
        check(job, arrays, keys, expected);
      }
    }
    const numpy =
      job === "argsort" ? [undefined, theirs.argsort] : job === "sort" ? [theirs.sort, theirs.stable] : [];
    const cells = [job, type, own.ms.toFixed(0), numpy[0]?.toFixed(0) ?? "", numpy[1]?.toFixed(0) ?? ""];
    for (const name of ["plain", "shared"] as const) {
      const ms = median(times[name]);
      cells.push(ms.toFixed(0), (ms / own.ms).toFixed(3));
    }
    console.log(`| ${cells.join(" | ")} |`);
  }
}
device.dispose();
peer.stdin.end();

interface Arrays {
  readonly keys: KeyArray;
  readonly out: KeyArray;
  readonly values: Uint32Array;
  readonly outValues: Uint32Array;
}

async function run(
  job: "sort" | "argsort" | "sortPairs",
  { keys, out, values, outValues }: Arrays,
): Promise<void> {
  if (job === "sort") await sort(keys, { out, device });
  else if (job === "argsort") await argsort(keys, { out: outValues, device });
  else await sortPairs(keys, values, { out: { keys: out, values: outValues }, device });
}

/** Random keys hold no NaN and no two zeros, so that the typed array's sort gives the same. */
function check(job: string, { out, outValues }: Arrays, keys: KeyArray, expected: KeyArray): void {
  for (let at = 0; at < COUNT; at++) {
    const key = job === "sort" ? out[at] : keys[outValues[at]];
    const isStable =
      job === "sort" || at === 0 || key !== expected[at - 1] || outValues[at - 1] < outValues[at];
    if (key !== expected[at] || !isStable) throw new Error(`${job}: key ${at} is wrong`);
  }
}

function ownTimes(keys: KeyArray): { readonly ms: number; readonly expected: KeyArray } {
  const times: number[] = [];
  let expected = keys;
  for (let i = 0; i < Number(given.runs); i++) {
    const copy = keys.slice();
    const began = performance.now();
    expected = copy.sort();
    times.push(performance.now() - began);
  }
  return { ms: median(times), expected };
}

async function numpyTimes(type: string): Promise<Readonly<Record<"sort" | "stable" | "argsort", number>>> {
  const found = { sort: 0, stable: 0, argsort: 0 };
  for (const job of ["sort", "stable", "argsort"] as const) {
    const times: number[] = [];
    for (let i = 0; i < Number(given.runs); i++) {
      peer.stdin.write(`${job} ${type}\n`);
      times.push(Number(await answer()));
    }
    found[job] = median(times);
  }
  return found;
}

function keysOf(type: KeyType): KeyArray {
  const keys = new constructors[type](COUNT);
  const words = new Uint32Array(keys.buffer);
  if (type.startsWith("f")) for (let at = 0; at < COUNT; at++) keys[at] = (random() + 0.5) / 2 ** 32 - 0.5;
  else for (let at = 0; at < words.length; at++) words[at] = random();
  return keys;
}

function share<A extends KeyArray>(array: A): A {
  const bytes = new Uint8Array(new SharedArrayBuffer(array.byteLength));
  bytes.set(new Uint8Array(array.buffer));
  return new (array.constructor as new (buffer: SharedArrayBuffer) => A)(bytes.buffer);
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1];
}

async function answer(): Promise<string> {
  const { value, done } = await answers.next();
  if (done) throw new Error("numpy ended");
  return value;
}
